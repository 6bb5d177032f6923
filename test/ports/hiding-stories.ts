/**
 * Stories in which a decision is to be hidden from several nodes over one served chain: how it is executed, what
 * strangers send, and what each node's endpoints tell; and what each node must end with.
 * Source: protocol 03 A.10.3 R3, R4, R8, R11.
 */
import fc from "fast-check";
import { POLL_MS } from "../../adapters/chain/rpc.ts";
import { behindMemos, forwarded } from "../../sim/chain/disguises.ts";
import { signTransaction } from "../../sim/chain/transaction.ts";
import { shown } from "../chain-bridge/case-node.ts";
import { addressOf, crypto, keyring } from "../sim/chain/chain-world.ts";
import { openModelChain } from "../sim/chain/server/served-test-chain.ts";
import { closingTable, execution, vote } from "../sim/chain/trade-story.ts";
import type { Conditions } from "./endpoint-conduct.ts";
import { hiding, hostile, partial } from "./endpoint-conduct.ts";
import type { RpcCase } from "./rpc-chain-case.ts";
import { openRpcCase } from "./rpc-chain-case.ts";
import { told } from "./rpc-chain-world.ts";

/** Polls of the adapter within which a decision is told: an hour and a half at the pace of production. */
export const POLLS_MAX = 5_400_000 / POLL_MS;
const ENDPOINTS = 3;
/** Polls in which a node without an honest majority would take up what one endpoint shows. */
const POLLS_AFTER = 12;

/** A node with three endpoints, of which one lies for ever, and another one, if any, until it is found out. */
interface Troubled {
  readonly honest: readonly string[];
  readonly liar: string;
  readonly another: string | null;
}

/** A node whose honest endpoint is alone among as many liars, or twice as many. */
interface Eclipsed {
  readonly honest: string;
  readonly liars: number;
  readonly lie: string;
}

/** Parts of the product in which a bug may be planted. */
type Product = Pick<NonNullable<Parameters<typeof openRpcCase>[1]>, "core" | "openPort">;

export interface Story {
  readonly memos: number;
  readonly called: boolean;
  readonly lookedUp: boolean;
  /** Executions that fail, before and after the one that does not. */
  readonly copies: readonly [number, number];
  readonly troubled: readonly Troubled[];
  /** What the only endpoint of one more node tells. */
  readonly alone: string;
  readonly eclipsed: Eclipsed;
}

const arbPartial = fc.constantFrom(...Object.keys(partial));
const arbTroubled: fc.Arbitrary<Troubled> = fc.record({
  honest: fc.array(arbPartial, { minLength: ENDPOINTS, maxLength: ENDPOINTS }),
  liar: fc.constantFrom(...Object.keys(hostile)),
  another: fc.option(fc.constantFrom(...Object.keys(hostile))),
});
export const arbStory: fc.Arbitrary<Story> = fc.record({
  memos: fc.constantFrom(0, 1, 45),
  called: fc.boolean(),
  lookedUp: fc.boolean(),
  copies: fc.tuple(fc.nat(3), fc.nat(3)),
  troubled: fc.array(arbTroubled, { minLength: 1, maxLength: 2 }),
  alone: arbPartial,
  eclipsed: fc.record({
    honest: arbPartial,
    liars: fc.constantFrom(1, 2),
    lie: fc.constantFrom(...Object.keys(hiding)),
  }),
});

/** Nodes over one chain, of so many endpoints each, while something is done with them; the case is voted on. */
async function withNodes<T>(
  endpoints: readonly number[],
  product: Product,
  use: (nodes: readonly RpcCase[]) => Promise<T>,
): Promise<T> {
  const chain = await openModelChain();
  const nodes: RpcCase[] = [];
  try {
    for (const count of endpoints) nodes.push(await openRpcCase(count, { chain, ...product }));
    const [first] = nodes;
    if (first !== undefined) await vote(first);
    return await use(nodes);
  } finally {
    for (const node of nodes) await node.end();
    await chain.close();
  }
}

/** Executions that fail: nobody may execute a case twice, nor with another's accounts. */
function spam({ world: { chain, blockhash } }: RpcCase, count: number, mark: number): void {
  const [first, ...rest] = execution.accounts;
  const wrong = { ...execution, accounts: [...rest, ...(first === undefined ? [] : [first])] };
  for (let n = 0; n < count; n += 1) {
    const instructions = behindMemos(wrong, mark + n);
    chain.submit(
      signTransaction({ payer: addressOf("stranger"), instructions, blockhash: blockhash() }, keyring, crypto),
    );
  }
}

async function execute(one: RpcCase, { memos, called, lookedUp, copies }: Story): Promise<void> {
  spam(one, copies[0], 1);
  await one.world.pass(1);
  await one.send(behindMemos(called ? forwarded(execution) : execution, memos), lookedUp ? [closingTable] : []);
  spam(one, copies[1], 10);
  await one.world.pass(40);
}

const polls = ({ world }: RpcCase) => world.servers[0]?.asked.get("getLatestBlockhash") ?? 0;
const decided = ({ node }: RpcCase) => shown(node).resolution;
const alarms = ({ world }: RpcCase) => told(world, "disagreement").length;

/** Lets nodes look until it holds of each, for so many polls. */
async function look(nodes: readonly RpcCase[], pollsMax: number, holds: (one: RpcCase) => boolean): Promise<void> {
  const last = new Map(nodes.map((one) => [one, polls(one) + pollsMax]));
  const [first] = nodes;
  await first?.until(() => {
    for (const one of nodes) if (one !== first) one.look();
    return nodes.every((one) => holds(one) || polls(one) > (last.get(one) ?? 0));
  });
}

const conducts = (kinds: readonly (Conditions | undefined)[], { world }: RpcCase) => {
  for (const [place, conditions] of kinds.entries()) world.servers[place]?.setConditions(conditions ?? {});
};

/** What the endpoints of a node tell at first, and later. */
function kindsOf(story: Story): readonly { readonly first: readonly Conditions[]; readonly later: Conditions[] }[] {
  const told = (kind: string | undefined) => partial[kind ?? ""] ?? {};
  const { honest, liars, lie } = story.eclipsed;
  const troubled = story.troubled.map(({ honest: [, second, third], liar, another }) => ({
    first: [hostile[liar] ?? {}, another === null ? told(second) : (hostile[another] ?? {}), told(third)],
    later: [hostile[liar] ?? {}, told(second), told(third)],
  }));
  const lies = Array.from({ length: liars }, () => hiding[lie] ?? {});
  return [
    ...troubled,
    { first: [told(story.alone)], later: [told(story.alone)] },
    { first: [told(honest), ...lies], later: [told(honest), ...lies] },
  ];
}

/** What a story is about, and the least share of each. */
export const classes = ({ memos, called, lookedUp, troubled, alone, eclipsed }: Story) => [
  ...(memos === 45 ? ["log cut"] : []),
  ...(called ? ["called"] : []),
  ...(lookedUp ? ["looked up"] : []),
  ...(alone !== "everything" || troubled.some(({ honest }) => honest.some((kind) => kind !== "everything"))
    ? ["told in part"]
    : []),
  ...(troubled.some(({ another }) => another !== null) ? ["two liars for a while"] : []),
  ...(eclipsed.liars === 2 ? ["most lie for ever"] : ["half lie for ever"]),
  ...(eclipsed.honest === "no lists" ? ["nobody lists it"] : []),
];
export const SHARES = {
  ...{ "log cut": 0.2, called: 0.3, "looked up": 0.3, "told in part": 0.6, "two liars for a while": 0.3 },
  ...{ "most lie for ever": 0.3, "half lie for ever": 0.3, "nobody lists it": 0.1 },
};

/** The roots of a node that nobody troubled. */
export async function untroubledRoots(): Promise<string> {
  return withNodes([1], {}, async (nodes) => {
    const [one] = nodes;
    await one?.send([execution]);
    await look(nodes, POLLS_MAX, (each) => decided(each) !== null);
    return JSON.stringify(one?.node.roots());
  });
}

/** Plays a story; answers what is wrong with how it ends, if anything. */
export function playHiding(
  story: Story,
  expected: string,
  { pollsMax = POLLS_MAX, ...product }: Product & { readonly pollsMax?: number } = {},
): Promise<string | undefined> {
  const kinds = kindsOf(story);
  const ends = (one: RpcCase) => {
    if (decided(one) !== "BuyerWins") return `shows ${decided(one)}`;
    return JSON.stringify(one.node.roots()) === expected ? undefined : "has other roots";
  };
  return withNodes(
    kinds.map(({ first }) => first.length),
    product,
    async (nodes) => {
      const [first, eclipsed, honest] = [nodes[0], nodes.at(-1), nodes.slice(0, -1)];
      if (first === undefined || eclipsed === undefined) return "a story without nodes";
      for (const [place, one] of nodes.entries()) conducts(kinds[place]?.first ?? [], one);
      await execute(first, story);
      for (const one of nodes) await one.world.rest();
      for (const [place, one] of nodes.entries()) conducts(kinds[place]?.later ?? [], one);
      await look(honest, pollsMax, (one) => decided(one) !== null);
      for (const [place, one] of honest.entries()) {
        const wrong = ends(one);
        if (wrong !== undefined) return `node ${place}, with an honest majority, ${wrong}`;
      }
      await look([eclipsed], pollsMax, (one) => alarms(one) > 0);
      // What it said that it does not know, it must not come to believe either.
      await look([eclipsed], POLLS_AFTER, () => false);
      if (decided(eclipsed) !== null) return "a node without an honest majority decides";
      if (alarms(eclipsed) === 0) return "a node without an honest majority says nothing";
      conducts(
        eclipsed.world.servers.map(() => ({})),
        eclipsed,
      );
      await look([eclipsed], pollsMax, (one) => decided(one) !== null);
      const wrong = ends(eclipsed);
      return wrong && `a node that is lied to no more ${wrong}`;
    },
  );
}
