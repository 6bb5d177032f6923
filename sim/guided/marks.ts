/**
 * What a run reaches, step by step: short texts, of which each that nobody saw before says that a world is somewhere
 * new. A fold over what checkers see, in time proportional to the step. What it remembers of a run is held with it.
 * Source: DESIGN section 5 "Checks"; section 6 (`fuzz --guided`).
 */
import type { Input, Statement } from "../../core/index.ts";
import { compareText, decodeCompact } from "../../core/index.ts";
import { ChainFacts, Frame, PendingFacts, Settlements, Statements } from "../../core/testing.ts";
import type { CheckContext, Checker, StepSeen } from "../checker.ts";
import { exchangesOf } from "../checkers/exchanges.ts";
import { statesByTable } from "../swarm/reach.ts";

/** Acts of one kind about one record that are told apart: none, one, several. */
const COUNTED_MOST = 2;
/** Records about which acts are remembered, a node; beyond, the oldest are forgotten. Source: DESIGN "Bounds". */
const RECORDS_MOST = 512;
/** Acts in a row that are told apart by their order, and acts of one record that are remembered. */
const ORDERED = 3;
const ACTS_MOST = 64;
/** The tables whose rows stand beside each other in one trade. */
const OF_TRADES: readonly string[] = ["settlements", "disputes", "reservations"];

type Row = Readonly<Record<string, unknown>>;

/** What a node was told about one record: how many acts of each kind, and all of them in order of their dates. */
interface About {
  readonly kinds: Map<string, number>;
  readonly acts: Act[];
}

interface Act {
  readonly name: string;
  readonly signer: string;
  readonly at: bigint;
}

interface Node {
  /** How records read last, by table and key. */
  readonly states: Map<string, string>;
  readonly about: Map<string, About>;
  /** The states that the last step with a change left. */
  stands: string;
}

/** Notes every mark of a run: `mark` those of a world that came somewhere, `same` those of one that stays as it was. */
export function marksOf(
  { keep }: CheckContext,
  mark: (name: string) => void,
  same: (name: string) => void = mark,
): Checker {
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
        if (refusal !== undefined) same(`${method} refused ${refusal} while ${of(node).stands}`);
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

/** Which acts about a record are held, in which order of dates those around a new one stand, and what is made of it. */
function noteActs(own: Node, { changes }: StepSeen, mark: (name: string) => void): void {
  for (const { table, record } of changes) {
    if (table !== Statements.name || record === undefined) continue;
    const { type, payload, signer, timestamp } = record as Statement;
    const named = type.about(payload as never);
    if (named === undefined) continue;
    const key = JSON.stringify(named);
    const about = own.about.get(key) ?? { kinds: new Map<string, number>(), acts: [] };
    const { name } = type;
    about.kinds.set(name, Math.min(COUNTED_MOST, (about.kinds.get(name) ?? 0) + 1));
    const held = [...about.kinds].map(([kind, count]) => `${kind}${count}`).sort(compareText);
    mark(`acts ${held.join("+")} read ${own.stands}`);
    noteOrder(about.acts, { name: [name, ...chosenIn(record as Statement)].join("/"), signer, at: timestamp }, mark);
    remember(own.about, key, about);
  }
}

/** Puts an act among those of its record, and notes every row of acts that it stands in. */
function noteOrder(acts: Act[], act: Act, mark: (name: string) => void): void {
  const after = acts.findIndex(({ at }) => at > act.at);
  const place = after < 0 ? acts.length : after;
  acts.splice(place, 0, act);
  for (let last = place; last < Math.min(acts.length, place + ORDERED); last += 1) {
    const row = acts.slice(Math.max(0, last + 1 - ORDERED), last + 1);
    const signers = [...new Set(row.map(({ signer }) => signer))];
    mark(`order ${row.map(({ name, signer }) => `${name} of ${signers.indexOf(signer)}`).join(", ")}`);
  }
  if (acts.length > ACTS_MOST) acts.shift();
}

/** What a statement chose of what its type lets it choose from. */
function chosenIn({ type, payload }: Statement): readonly string[] {
  const values = payload as Row;
  const fields = Object.entries(type.payload.fields);
  return fields.flatMap(([member, { shape }]) => (shape.type === "enumeration" ? [`${values[member]}`] : []));
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
