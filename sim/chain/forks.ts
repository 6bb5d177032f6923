/**
 * Forks: a rival branch begins at a slot that is not final, takes over what its leaders heard of, and grows beside the
 * others until votes settle on one. What stood only on a losing branch is gone. Source: protocol 03 part E ("forks that
 * drop processed or confirmed slots"); DESIGN section 4 "Cluster".
 */
import type { ChainState } from "./blocks.ts";
import { branchesOf, fillBlock, load, slotAt } from "./blocks.ts";
import type { Branch, Pending } from "./branches.ts";
import { becomeTrunk, growFrom, transactionsAfter } from "./branches.ts";
import type { ConfirmedTransaction } from "./confirmed-transaction.ts";
import { holdFinality, releaseFinality } from "./finality.ts";

/**
 * What becomes on the rival of a transaction that the other side holds after the fork: it runs in the same slot, it
 * waits for the next block, or nobody there ever hears of it.
 */
export type Fate = "again" | "late" | "lost";

/** Begins a rival of the main branch after `after`; answers its number. */
export async function fork(state: ChainState, after: bigint, fate: (signature: string) => Fate): Promise<number> {
  if (!state.executor.replays) {
    throw new Error(`${state.executor.name} cannot run a transaction again on another fork: use litesvm or model`);
  }
  if (after < slotAt(state, "finalized") || after > state.current) {
    throw new RangeError(`only unfinalized blocks can be forked away: slot ${after} is not among them`);
  }
  state.forks += 1;
  const rival = growFrom(state.main, after, state.forks);
  state.rivals.set(rival.number, { branch: rival, hold: holdFinality(state.finality, after) });
  await takeOver(state, rival, fate);
  for (const pending of state.main.pending.values()) {
    if (fate(pending.signature) !== "lost") rival.pending.set(pending.signature, pending);
  }
  return rival.number;
}

/** Votes settle on a branch: it is the chain, and every other branch is forgotten. */
export async function settle(state: ChainState, number: number): Promise<void> {
  const winner = branchesOf(state).find((branch) => branch.number === number);
  if (winner === undefined) throw new RangeError(`no branch ${number} lives`);
  await load(state, winner);
  for (const { hold } of state.rivals.values()) releaseFinality(state.finality, hold, state.current);
  state.rivals.clear();
  state.main = becomeTrunk(winner, state.current);
  state.loaded = state.main;
}

/** Runs or keeps what the main branch holds after the fork, in its order. */
async function takeOver(state: ChainState, rival: Branch, fate: (signature: string) => Fate): Promise<void> {
  let block: ConfirmedTransaction[] = [];
  const run = async () => {
    const [first] = block;
    if (first !== undefined) await fillBlock(state, rival, first.slot, block.map(waiting));
    block = [];
  };
  for (const transaction of transactionsAfter(state.main, rival.after)) {
    const what = fate(transaction.signature);
    if (what === "late") rival.pending.set(transaction.signature, waiting(transaction));
    if (what !== "again") continue;
    if (block[0] !== undefined && block[0].slot !== transaction.slot) await run();
    block.push(transaction);
  }
  await run();
}

function waiting({ signature, wire, message }: ConfirmedTransaction): Pending {
  return { signature, wire, message, notBefore: 0n, fails: undefined };
}
