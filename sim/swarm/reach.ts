/**
 * What runs reached of all that there is: methods that answered, signed types that a node took, refusals, states of
 * records, faults that bit, attacks that were made. A fleet of runs that leaves something out proves nothing about it.
 * Source: DESIGN section 5 "Checks".
 */
import type { Reader, Schema } from "../../core/index.ts";
import { errorCodes, methods, tables } from "../../core/index.ts";
import { Dispute, Disputes, disputeIn, Statements } from "../../core/testing.ts";
import { publications } from "../actions/publish.ts";
import { attackKinds } from "../byzantine/attacks.ts";
import type { Checker } from "../checker.ts";
import { exchangesOf } from "../checkers/exchanges.ts";
import type { FaultPlan } from "../fault-plans.ts";
import type { FaultCount } from "../faults.ts";
import { faultKinds } from "../faults.ts";

/** The kinds of thing that a run can reach. */
export const reachKinds = ["method", "type", "refusal", "state", "fault", "attack"] as const;
export type ReachKind = (typeof reachKinds)[number];

/** How many runs reached each thing, by its name: `state settlements.state=Disputed`. */
export type Reach = Map<string, number>;

/** One thing of a kind. */
export function thing(kind: ReachKind, name: string): string {
  return `${kind} ${name}`;
}

/** Everything that can be reached, in the order in which the product declares it. */
export function everything(): readonly string[] {
  const named = (kind: ReachKind, names: Iterable<string>) => [...new Set(names)].map((name) => thing(kind, name));
  return [
    ...named("method", Object.keys(methods)),
    ...named(
      "type",
      publications().map(({ type }) => type.name),
    ),
    ...named("refusal", refusals()),
    ...named("state", states()),
    ...named("fault", faultKinds),
    ...named("attack", attackKinds),
  ];
}

/** Watches one run. */
export interface ReachWatch {
  readonly checker: () => Checker;
  /** What it reached, once it is over. */
  reached(faults: readonly FaultPlan[], counts: readonly FaultCount[]): ReadonlySet<string>;
}

type Row = Readonly<Record<string, unknown>>;

/** Changes of these tables change how a case reads: its own row, its panel, and its settlement. */
const ABOUT_CASES: readonly string[] = ["disputes", "panels", "settlements"];

/** Cases as they read: no row holds a panel. */
function* casesIn(view: Reader): Generator<Row> {
  for (const key of view.keys(Disputes)) {
    const row = view.get(Disputes, key);
    if (row !== undefined) yield disputeIn(view, row);
  }
}

/** Watches one run for what it reaches; it takes no part, so the trace is that of a run that nobody watches. */
export function watchReach(): ReachWatch {
  const found = new Set<string>();
  const numbers = new Map<number, string>(Object.entries(errorCodes).map(([name, { number }]) => [number, name]));
  const members = statesByTable();
  const note = (table: string, row: Row) => {
    for (const member of members.get(table) ?? []) {
      const value = row[member];
      if (typeof value === "string") found.add(thing("state", `${table}.${member}=${value}`));
    }
  };
  return {
    checker: () => ({
      name: "reach",
      onStep({ changes, view }) {
        for (const { table, record } of changes) {
          if (typeof record !== "object" || record === null) continue;
          if (table === Statements.name) found.add(thing("type", (record as { type: { name: string } }).type.name));
          note(table, record as Row);
        }
        if (changes.some(({ table }) => ABOUT_CASES.includes(table)))
          for (const row of casesIn(view)) note(Disputes.name, row);
      },
      onAnswer({ request, answer }) {
        for (const exchange of exchangesOf(request, answer)) {
          const refusal = exchange.refusal === undefined ? undefined : numbers.get(exchange.refusal);
          if ("result" in exchange) found.add(thing("method", exchange.method));
          else if (refusal !== undefined) found.add(thing("refusal", refusal));
        }
      },
    }),
    reached(faults, counts) {
      for (const { kind, effective } of counts) if (effective > 0) found.add(thing("fault", kind));
      for (const fault of faults) if (fault.kind === "attacker") found.add(thing("attack", fault.attack.kind));
      return found;
    },
  };
}

/** Counts what one more run reached. */
export function addReach(reach: Reach, reached: ReadonlySet<string>): void {
  for (const one of reached) reach.set(one, (reach.get(one) ?? 0) + 1);
}

/** What some method declares that it may refuse with. */
function refusals(): readonly string[] {
  return Object.values(methods).flatMap(({ errors }) => [...errors]);
}

/** Every value that a member of a replicated record can have, where there are only so many. */
function states(): readonly string[] {
  return [...enumerations()].flatMap(([table, member, names]) => names.map((name) => `${table}.${member}=${name}`));
}

/** Members of each replicated table that can have only so many values, by table. */
export function statesByTable(): ReadonlyMap<string, readonly string[]> {
  const members = new Map<string, string[]>();
  for (const [table, member] of enumerations()) members.set(table, [...(members.get(table) ?? []), member]);
  return members;
}

function* enumerations(): Generator<readonly [table: string, member: string, names: readonly string[]]> {
  for (const { name, record, root } of tables) {
    const { shape } = (name === Disputes.name ? Dispute : record) as Partial<Schema<unknown>>;
    if (root === "local" || shape?.type !== "struct") continue;
    for (const [member, field] of Object.entries(shape.fields)) {
      const inner = field.shape.type === "option" ? field.shape.of.shape : field.shape;
      if (inner.type === "enumeration") yield [name, member, inner.names];
    }
  }
}
