/**
 * Random histories of one disputed trade: what people do with it on chain, and between any two of their deeds what
 * goes wrong. Played to the end, healed, and judged: nothing of a lost branch is left on any node.
 */

import fc from "fast-check";
import { Inquiries, PendingFacts } from "../../core/domains/chain-bridge/tables.ts";
import { ChainFacts } from "../../core/domains/trade/settlements/tables.ts";
import type { Stall } from "../../sim/chain-faults.ts";
import type { Core } from "./case-node.ts";
import type { Commitment, ForkNetwork } from "./fork-network.ts";
import { commit, deeds, openForkNetwork, restart, reveal, send, settlementStateOf, truthOf } from "./fork-network.ts";

/** What goes wrong, and two choices. */
type Trouble = readonly [what: number, a: number, b: number];

export interface History {
  readonly seed: number;
  readonly votes: readonly number[];
  /** Between the deeds: troubles, and how many slots pass. */
  readonly between: readonly { readonly troubles: readonly Trouble[]; readonly slots: number }[];
  /** Place among the deeds at which the merchant tries to release after all; beyond the end, never. */
  readonly change: number;
}

export const commitments: readonly Commitment[] = ["finalized", "confirmed", "confirmed", "finalized"];
/** The node whose endpoint may lie. */
const LIAR = 3;

/** Everything that can go wrong, endpoints that misbehave more often than their share, and the liar's first. */
const MISBEHAVES = 10;
const arbTrouble: fc.Arbitrary<Trouble> = fc.oneof(
  { weight: 9, arbitrary: fc.tuple(fc.nat(99), fc.nat(99), fc.nat(99)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant(MISBEHAVES), fc.constantFrom(0, LIAR, LIAR), fc.nat(99)) },
);
/** Slots in which a node that does not wait for finality sees what was decided. */
const SEEN_SLOTS = 20;
/** A reorganization so deep that whatever the deed before it did is gone, and is not done again. */
const arbLoss: fc.Arbitrary<Trouble> = fc.tuple(
  fc.constant(5),
  fc.integer({ min: SEEN_SLOTS, max: 30 }),
  fc.constant(3),
);

const arbAnyHistory: fc.Arbitrary<History> = fc.record({
  seed: fc.nat(),
  votes: fc.array(fc.constantFrom(0, 1, 1, 3), { minLength: 4, maxLength: 4 }),
  between: fc.array(
    fc.record({ troubles: fc.array(arbTrouble, { maxLength: 2 }), slots: fc.integer({ min: 1, max: 20 }) }),
    {
      minLength: 16,
      maxLength: 16,
    },
  ),
  change: fc.nat(20),
});
/** A third of the histories lose what they decided, in a branch that nodes which do not wait have seen. */
export const arbHistory: fc.Arbitrary<History> = fc
  .tuple(arbAnyHistory, fc.nat(2), arbLoss)
  .map(([history, which, loss]) => (which === 0 ? { ...history, between: losing(history, loss) } : history));

function losing({ between, change }: History, loss: Trouble): History["between"] {
  const deciding = [change < DEEDS ? change + 1 : DEEDS, DEEDS - 3 + (change < DEEDS ? 2 : 0)];
  return between.map((each, place) => {
    if (deciding.includes(place)) return { troubles: [], slots: SEEN_SLOTS };
    return deciding.includes(place - 1) ? { ...each, troubles: [loss] } : each;
  });
}

/** What became of a history: what is wrong with its end, and what it can prove. */
export interface Ended {
  readonly wrong: string | undefined;
  readonly undone: number;
  readonly truth: string;
  readonly network: ForkNetwork;
  /** What every node observed, in order. */
  readonly digests: readonly string[];
}

/** Deeds of the script without the release: the last three try to execute what was decided. */
const DEEDS = 14;
const INITIALLY = "Open null, Disputed";
const SLOT_MS = 400;
/** Chain windows are 60 s; a block and its way there come on top. */
const WINDOW_MS = 62_000;
const FINAL_MS = 240_000;

export async function play(history: History, core?: Core): Promise<Ended> {
  const network = await openForkNetwork(BigInt(history.seed), commitments, core);
  const stalls: Stall[] = [];
  for (const [place, deed] of scriptOf(history).entries()) {
    const { troubles, slots } = history.between[place % history.between.length] ?? { troubles: [], slots: 1 };
    for (const trouble of troubles) await befall(network, trouble, stalls);
    await deed(network, place);
    await pass(network, slots * SLOT_MS);
  }
  for (const stall of stalls) network.supply.goOn(stall);
  network.supply.heal();
  await pass(network, 5_000);
  restart(network, LIAR);
  await pass(network, FINAL_MS);
  const truth = truthOf(network);
  return {
    wrong: wrongWith(network, truth),
    undone: network.members.reduce((sum, { undone }) => sum + undone, 0),
    truth,
    network,
    digests: network.members.map(({ digest }) => digest.digest("hex")),
  };
}

/** What a node shows in the end, what finalized nodes ever showed, and what is left over. */
function wrongWith(network: ForkNetwork, truth: string): string | undefined {
  const roots = new Set<string>();
  for (const { index, commitment, node, shows } of network.members) {
    const name = `node ${index} (${commitment})`;
    if (settlementStateOf(node) !== truth) return `${name} reads ${settlementStateOf(node)}, the chain says ${truth}`;
    const early = [...shows].find((show) => show !== INITIALLY && show !== truth);
    if (commitment === "finalized" && early !== undefined) return `${name} once read ${early}, the chain says ${truth}`;
    if (node.view.size(PendingFacts) > 0) return `${name} is still unsure`;
    if (node.view.size(Inquiries) > 0) return `${name} still asks for a transaction`;
    if (node.view.size(ChainFacts) !== (truth === INITIALLY ? 0 : 1)) return `${name} holds a fact too many or few`;
    roots.add(JSON.stringify(node.roots()));
  }
  return roots.size === 1 ? undefined : "equal facts gave unequal roots";
}

type Deed = (network: ForkNetwork, place: number) => Promise<void> | void;

function scriptOf({ votes, change }: History): readonly Deed[] {
  const doing =
    (deed: () => Parameters<typeof send>[2]): Deed =>
    (network, place) =>
      sendWidely(network, place, deed());
  const voting = (make: typeof commit, judge: number): Deed => {
    return (network, place) => {
      const wallet = network.judges[judge];
      if (wallet !== undefined) sendWidely(network, place, make(wallet, votes[judge] ?? 0));
    };
  };
  const waiting: Deed = (network) => pass(network, WINDOW_MS);
  const judges = [0, 1, 2, 3];
  const script = [
    doing(deeds.open),
    ...judges.map((judge) => voting(commit, judge)),
    waiting,
    ...judges.map((judge) => voting(reveal, judge)),
    waiting,
    doing(deeds.execute),
    doing(deeds.execute),
    doing(deeds.execute),
  ];
  return [...script.slice(0, change), doing(deeds.approve), doing(deeds.release), ...script.slice(change)];
}

/** The same transaction by way of two nodes, and a second one that names a newer block. */
function sendWidely(network: ForkNetwork, place: number, deed: Parameters<typeof send>[2]): void {
  const [one, other] = [place % commitments.length, (place + 1) % commitments.length];
  send(network, one, deed, "finalized");
  send(network, other, deed, "finalized");
  send(network, one, deed, "processed");
}

async function befall(network: ForkNetwork, [what, a, b]: Trouble, stalls: Stall[]): Promise<void> {
  const { supply } = network;
  const node = a % commitments.length;
  const terms = { lost: [0, 0, 200_000, 1_000_000][b % 4] ?? 0, late: b % 2 === 0 ? 200_000 : 0 };
  switch (what % 11) {
    case 0:
    case 1:
    case 2:
      await supply.settle(b % 2 === 0 ? "main" : "rival");
      return supply.fork(BigInt(a % 60), terms);
    case 3:
    case 4:
      return supply.settle(b % 2 === 0 ? "main" : "rival");
    case 5:
    case 6:
      await supply.settle("main");
      return supply.reorganize(BigInt(a % 60), terms);
    case 7: {
      const stall = stalls.pop();
      if (stall === undefined) stalls.push(supply.stall());
      else supply.goOn(stall);
      return;
    }
    case 8:
      return restart(network, node);
    case 9:
      return supply.setConditions(node, { follows: (["main", "rival", "either"] as const)[b % 3] ?? "main" });
    default:
      return misbehave(network, node, b);
  }
}

function misbehave({ supply }: ForkNetwork, node: number, b: number): void {
  const lies = { lie: 200_000 };
  const kinds = [{}, { failure: 300_000 }, { timeout: 200_000 }, { requestsPerSecond: 2 }, { lagSlots: 20n }];
  supply.setConditions(node, node === LIAR && b % 2 === 0 ? lies : (kinds[b % kinds.length] ?? {}));
}

async function pass(network: ForkNetwork, ms: number): Promise<void> {
  await network.loop.runUntil(network.loop.now() + ms);
}
