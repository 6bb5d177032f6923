/**
 * Goal: why a full node refuses newcomers and pushes nothing out: no rule by which an unanswered create leaves for
 * another one comes to one set in every order and keeps what somebody answered (CONVERGENCE B3).
 * Method: a model of what a full node holds: creates of one size, two places, and answers that name one of them. Each
 * rule hears every order of five statements (seven by night); then any two of the nodes that this leaves compare their
 * sets, each fetching what it lacks, until nothing changes. A rule that is better than what is would show here.
 */
import { expect, test } from "vitest";
import { profile } from "../property/profile.ts";
import { permutations } from "./shuffle.ts";

/** A create, or an answer to one; `id` is its place in the order of (timestamp, identity) as well. */
interface Statement {
  readonly id: number;
  readonly about?: number;
}

interface Node {
  readonly held: readonly Statement[];
  readonly waiting: readonly Statement[];
}

interface Rule {
  readonly name: string;
  /** Who leaves first of those that may: the smallest; without it the newcomer is refused. */
  readonly rank?: (create: Statement, arrival: number) => number;
  /** Whether a create that was answered takes no place, and whether it may leave. */
  readonly answered: "outside" | "counted" | "leaves";
}

const first = (_: Statement, arrival: number) => arrival;
const earliest = ({ id }: Statement) => id;
const latest = ({ id }: Statement) => -id;

const refusing: Rule = { name: "the newcomer is refused, as it is", answered: "outside" };
const firstCome: Rule = { name: "the first to come leaves", rank: first, answered: "outside" };
const earliestSigned: Rule = { name: "the earliest signed leaves", rank: earliest, answered: "outside" };
const latestSigned: Rule = { name: "the latest signed leaves", rank: latest, answered: "outside" };
const placesStay: Rule = { name: "so, and answered ones take places", rank: earliest, answered: "counted" };
const pure: Rule = { name: "the earliest signed leaves, whatever rests on it", rank: earliest, answered: "leaves" };

const PLACES = 2;
const atNight = profile === "nightly";
const creates = [1, 2, 3, 4, ...(atNight ? [5] : [])].map((id) => ({ id }));
const answers = [{ id: 6, about: 2 }, ...(atNight ? [{ id: 7, about: 4 }] : [])];
const empty: Node = { held: [], waiting: [] };

const isAnswered = ({ held, waiting }: Node, { id }: Statement) =>
  [...held, ...waiting].some(({ about }) => about === id);
const has = ({ held, waiting }: Node, { id }: Statement) => [...held, ...waiting].some((each) => each.id === id);

/** What takes places, one of which leaves where they are too many. */
function placed(node: Node, { answered }: Rule): readonly Statement[] {
  const all = node.held.filter(({ about }) => about === undefined);
  return answered === "outside" ? all.filter((each) => !isAnswered(node, each)) : all;
}

function receive(node: Node, statement: Statement, rule: Rule): Node {
  if (has(node, statement)) return node;
  if (statement.about !== undefined) {
    const isHeld = node.held.some(({ id }) => id === statement.about);
    return isHeld ? { ...node, held: [...node.held, statement] } : { ...node, waiting: [...node.waiting, statement] };
  }
  const full = rule.rank === undefined && placed(node, rule).length >= PLACES;
  if (full && !isAnswered(node, statement)) return node;
  const own = ({ about }: Statement) => about === statement.id;
  return pushedOut(
    {
      held: [...node.held, statement, ...node.waiting.filter(own)],
      waiting: node.waiting.filter((each) => !own(each)),
    },
    rule,
  );
}

/** The node once as many have left as are too many; what rests on one that left waits again. */
function pushedOut(node: Node, rule: Rule): Node {
  const { rank } = rule;
  const all = placed(node, rule);
  const may = all.filter((each) => rule.answered === "leaves" || !isAnswered(node, each));
  if (rank === undefined || all.length <= PLACES || may.length === 0) return node;
  const order = may.map((each) => [rank(each, node.held.indexOf(each)), each] as const).sort(([a], [b]) => a - b);
  const leaves = order[0]?.[1];
  const rests = node.held.filter(({ about }) => about !== undefined && about === leaves?.id);
  const held = node.held.filter((each) => each !== leaves && !rests.includes(each));
  return pushedOut({ held, waiting: [...node.waiting, ...rests] }, rule);
}

const sorted = (all: readonly Statement[]) => all.map(({ id }) => id).sort((one, other) => one - other);
const heldBy = ({ held }: Node) => sorted(held).join(" ");
const lacksTrade = (...nodes: readonly Node[]) =>
  answers.some(({ about }) => !nodes.some(({ held }) => held.some(({ id }) => id === about)));

/** How two nodes stand once they have compared their sets as often as it may take. */
function compared(one: Node, other: Node, rule: Rule): { readonly end: "equal" | "apart" | "never"; lost: boolean } {
  let [a, b] = [one, other];
  for (let round = 0; round < 40; round++) {
    const before = [a, b];
    a = [...b.held, ...b.waiting].reduce((node, statement) => receive(node, statement, rule), a);
    b = [...(before[0]?.held ?? []), ...(before[0]?.waiting ?? [])].reduce(
      (node, statement) => receive(node, statement, rule),
      b,
    );
    if (heldBy(a) === heldBy(b)) return { end: "equal", lost: lacksTrade(a, b) };
    if (before.every((node, at) => heldBy(node) === heldBy([a, b][at] as Node)))
      return { end: "apart", lost: lacksTrade(a, b) };
  }
  return { end: "never", lost: lacksTrade(a, b) };
}

/** What every order of the statements comes to, and every two of the nodes that this leaves. */
function counted(rule: Rule) {
  const orders = [...permutations<Statement>([...creates, ...answers])];
  const nodes = orders.map((order) => order.reduce((node, statement) => receive(node, statement, rule), empty));
  const ends = [...new Map(nodes.map((node) => [JSON.stringify(node), node])).values()];
  const pairs = ends.flatMap((one) => ends.map((other) => compared(one, other, rule)));
  return {
    sets: new Set(nodes.map(heldBy)).size,
    lacking: nodes.filter((node) => lacksTrade(node)).length,
    pairs: pairs.length,
    apart: pairs.filter(({ end }) => end === "apart").length,
    never: pairs.filter(({ end }) => end === "never").length,
    lost: pairs.filter(({ lost }) => lost).length,
  };
}

/**
 * Sets that the orders come to; orders that lack what was answered; pairs of nodes, and of these how many come to rest
 * with different sets, never come to rest, and have lost what was answered on both sides.
 */
type Found = readonly [sets: number, lacking: number, pairs: number, apart: number, never: number, lost: number];

const found: readonly (readonly [Rule, Found, byNight: Found])[] = [
  [refusing, [9, 18, 1_296, 720, 0, 36], [22, 1_548, 99_856, 49_920, 0, 3_384]],
  [firstCome, [9, 18, 1_296, 0, 420, 36], [22, 1_548, 99_856, 0, 30_720, 3_384]],
  [earliestSigned, [2, 30, 100, 0, 0, 4], [6, 1_470, 8_836, 0, 0, 144]],
  [latestSigned, [3, 0, 144, 0, 0, 0], [6, 1_470, 8_836, 0, 0, 144]],
  [placesStay, [2, 30, 25, 0, 0, 4], [3, 2_436, 144, 0, 0, 18]],
  [pure, [1, 120, 4, 0, 0, 4], [1, 5_040, 9, 0, 0, 9]],
];

test.each(found.map(([rule, byDay, byNight]) => ({ name: rule.name, rule, is: atNight ? byNight : byDay })))(
  "$name: what every order comes to",
  ({ rule, is }) => {
    const { sets, lacking, pairs, apart, never, lost } = counted(rule);
    expect([sets, lacking, pairs, apart, never, lost]).toEqual(is);
  },
);

/** A stranger of two keys answers his own creates, and dates everything before or after the honest one. */
function staysBeside(rule: Rule, honest: number): boolean {
  const own = [11, 12, 13].flatMap((id) => [{ id }, { id: id + 20, about: id }]);
  const statement = [{ id: honest }, ...own, { id: 21 }, { id: 22 }, { id: 23 }];
  const node = statement.reduce((held, each) => receive(held, each, rule), empty);
  return node.held.some(({ id }) => id === honest);
}

test("whatever leaves to make room, a stranger of two keys chooses that it is the honest one, but where nothing does", () => {
  const isSafe = ({ name, ...rule }: Rule) => [1, 99].every((honest) => staysBeside({ name, ...rule }, honest));
  expect(found.filter(([rule]) => isSafe(rule)).map(([{ name }]) => name)).toEqual([refusing.name]);
});
