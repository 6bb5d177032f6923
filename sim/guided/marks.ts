/**
 * What a run reaches, step by step: short texts, of which each that nobody saw before says that a world is somewhere
 * new. A fold over what checkers see, in time proportional to the step. What it remembers of a run is held with it.
 * Source: DESIGN section 5 "Checks"; section 6 (`fuzz --guided`).
 */
import type { Input } from "../../core/index.ts";
import { compareText, decodeCompact } from "../../core/index.ts";
import { ChainFacts, Frame, PendingFacts, Settlements, Statements } from "../../core/testing.ts";
import type { CheckContext, Checker, StepSeen } from "../checker.ts";
import { exchangesOf } from "../checkers/exchanges.ts";
import { statesByTable } from "../swarm/reach.ts";

/** Acts of one kind about one record that are told apart: none, one, several. */
const COUNTED_MOST = 2;
/** Records about which acts are remembered, a node; beyond, the oldest are forgotten. Source: DESIGN "Bounds". */
const RECORDS_MOST = 512;
/** The tables whose rows stand beside each other in one trade. */
const OF_TRADES: readonly string[] = ["settlements", "disputes", "reservations"];

type Row = Readonly<Record<string, unknown>>;

/** What a node was told about one record. */
interface About {
  readonly kinds: Map<string, number>;
  last: string;
}

interface Node {
  /** How records read last, by table and key. */
  readonly states: Map<string, string>;
  readonly about: Map<string, About>;
  /** The states that the last step with a change left. */
  stands: string;
}

/** Notes every mark of a run with `mark`. */
export function marksOf({ keep }: CheckContext, mark: (name: string) => void): Checker {
  const nodes = keep(() => new Map<number, Node>());
  const members = statesByTable();
  const of = (node: number): Node => {
    const known = nodes.get(node) ?? { states: new Map(), about: new Map(), stands: "" };
    nodes.set(node, known);
    return known;
  };
  return {
    name: "marks",
    onStep(step) {
      if (step.changes.length === 0) return;
      const own = of(step.node);
      const cause = causeOf(step.input);
      const changed = noteStates(own, step, members, (from, to) => mark(`${cause}: ${from} > ${to}`));
      if (changed.length > 0) own.stands = changed.slice(0, 2).join(" & ");
      for (const text of tradesOf(step)) mark(`trade ${text}`);
      noteActs(own, step, mark);
      for (const text of factsOf(step)) mark(`${cause}: ${text}`);
    },
    onAnswer({ node, request, answer }) {
      if (!answer.includes('"error"')) return;
      for (const { method, refusal } of exchangesOf(request, answer))
        if (refusal !== undefined) mark(`${method} refused ${refusal} while ${of(node).stands}`);
    },
    onCrash: ({ node }) => mark(`crash while ${of(node).stands}`),
    onCommit({ node, report }) {
      if (report.type === "failed") mark(`lost commit while ${of(node).stands}`);
    },
  };
}

/** What an input is, told apart as far as it leads somewhere else. */
function causeOf(input: Input): string {
  if (input.type === "message.received") return decodeCompact(Frame, input.bytes)?.message_type ?? "frame";
  if (input.type === "chain.observed") {
    const { observation } = input;
    return observation.type === "transaction" ? `${observation.type} ${observation.commitment}` : observation.type;
  }
  return input.type === "timer.fired" ? `timer ${input.timer}` : input.type;
}

/** Every change of a record with a state; answers the states that it left. */
function noteStates(
  own: Node,
  { changes }: StepSeen,
  members: ReadonlyMap<string, readonly string[]>,
  note: (from: string, to: string) => void,
): readonly string[] {
  const left: string[] = [];
  for (const { table, key, record } of changes) {
    const names = members.get(table);
    if (names === undefined) continue;
    const row = record as Row | undefined;
    const to = row === undefined ? `${table} gone` : `${table} ${names.map((name) => `${row[name]}`).join("/")}`;
    const from = own.states.get(`${table}/${key}`) ?? "new";
    if (from === to) continue;
    remember(own.states, `${table}/${key}`, to);
    left.push(to);
    note(from, to);
  }
  return left;
}

/** How the settlement, the facts and the acts of each trade that a step touched stand beside each other. */
function* tradesOf({ changes, view }: StepSeen): Generator<string> {
  if (!changes.some(({ table }) => OF_TRADES.includes(table) || table === ChainFacts.name)) return;
  for (const { table, key } of changes) {
    const row = table === Settlements.name ? view.get(Settlements, key) : undefined;
    if (row === undefined) continue;
    const facts = view.find(ChainFacts, "reservation", row.reservation_id).length;
    const pending = view.find(PendingFacts, "reservation", row.reservation_id).length;
    const flags = [row.ever_paid, row.approved, row.rejected, row.cancelled_by_buyer, row.cancelled_by_seller];
    yield [row.signed_state, row.state, flags.map(Number).join(""), row.resolution, facts, pending].join(" ");
  }
}

/** Which acts about a record are held, in which order the last two came, and what the step made of them. */
function noteActs(own: Node, { changes }: StepSeen, mark: (name: string) => void): void {
  for (const { table, record } of changes) {
    if (table !== Statements.name || record === undefined) continue;
    const { type, payload } = record as Statement;
    const named = type.about(payload as never);
    if (named === undefined) continue;
    const key = JSON.stringify(named);
    const about = own.about.get(key) ?? { kinds: new Map<string, number>(), last: "" };
    const name = shortName(type.name);
    about.kinds.set(name, Math.min(COUNTED_MOST, (about.kinds.get(name) ?? 0) + 1));
    mark(`${name} after ${about.last || "nothing"} about a record`);
    const held = [...about.kinds].map(([kind, count]) => `${kind}${count}`).sort(compareText);
    mark(`acts ${held.join("+")} read ${own.stands}`);
    about.last = name;
    remember(own.about, key, about);
  }
}

/** How pending facts stand, and facts that were undone. */
function* factsOf({ changes, view }: StepSeen): Generator<string> {
  for (const { table, key, record } of changes) {
    if (table === ChainFacts.name) yield record === undefined ? "fact undone" : "fact taken";
    if (table !== PendingFacts.name) continue;
    const held = view.get(PendingFacts, key);
    if (held === undefined) yield "pending fact gone";
    else yield `pending ${held.kind} ${held.final ? "final" : "open"} ${held.taken ? "taken" : "waits"}`;
  }
}

interface Statement {
  readonly type: { readonly name: string; about(payload: never): unknown };
  readonly payload: unknown;
}

function shortName(name: string): string {
  return name.split("/").at(-2) ?? name;
}

/** Puts a value last in a map, and drops the oldest where there are too many. */
function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= RECORDS_MOST) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
