/**
 * Goal: whatever is sent to the simulated chain, and however its forks fall, it stays one chain (protocol 03 part E).
 * Method: random commands, waits, skipped slots and abandoned blocks on the model; the invariants after each step.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Cluster } from "../../../sim/chain/cluster.ts";
import { openCluster } from "../../../sim/chain/cluster.ts";
import { openModel } from "../../../sim/chain/executors/model.ts";
import { readTokenAccount } from "../../../sim/chain/token.ts";
import { signTransaction } from "../../../sim/chain/transaction.ts";
import { forAllAsync } from "../../property/for-all.ts";
import { arbCommands } from "./arbitrary-commands.ts";
import type { Command } from "./chain-world.ts";
import { addressOf, at, crypto, firstDay, keyring, mints, START_UNIX } from "./chain-world.ts";

const day = firstDay();
/** A failure is reported as found: shrinking runs whole chains again and again. */
const BOUNDED = { endOnFailure: true } as const;
const UNHURRIED = { slots: 1n, abandons: 0n, loses: false, again: false };

interface Move {
  readonly command: Command;
  readonly slots: bigint;
  /** How many of the newest slots are abandoned after it. */
  readonly abandons: bigint;
  readonly loses: boolean;
  readonly again: boolean;
}

const arbPace = fc.record({
  slots: fc.constantFrom(1n, 1n, 1n, 2n, 33n, 151n),
  abandons: fc.constantFrom(0n, 0n, 0n, 0n, 1n, 2n, 30n),
  loses: fc.boolean(),
  again: fc.boolean(),
});

/** Commands at a pace that repeats. */
const arbMoves: fc.Arbitrary<readonly Move[]> = fc
  .tuple(arbCommands, fc.array(arbPace, { minLength: 1, maxLength: 12 }))
  .map(([commands, paces]) =>
    commands.map((command, index) => ({ command, ...(paces[index % paces.length] ?? UNHURRIED) })),
  );

/** How often slots are abandoned, and what becomes of the transactions in them. */
const SURROUNDINGS = { lost: 0.4, again: 0.2, late: 0.3, "thirty slots abandoned": 0.3, "a long wait": 0.3 };

function surroundings(moves: readonly Move[], skips: number): readonly string[] {
  const abandoned = moves.filter(({ abandons }) => abandons > 0n);
  return [
    ...abandoned.map(({ loses, again }) => (loses ? "lost" : again ? "again" : "late")),
    ...(abandoned.some(({ abandons }) => abandons === 30n) ? ["thirty slots abandoned"] : []),
    ...(moves.some(({ slots }) => slots > 150n) ? ["a long wait"] : []),
    ...(skips > 0 ? ["skipped slots"] : []),
  ];
}

test("tokens are conserved, levels keep their order, and history is what happened", async () => {
  const holds = async (moves: readonly Move[], skips: number) => {
    const chain = await open(skips);
    const supply = supplyOf(chain);
    for (const move of moves) {
      await play(chain, move);
      expect(supplyOf(chain)).toEqual(supply);
      checkLevels(chain);
    }
    return [...surroundings(moves, skips), ...checkHistory(chain)];
  };
  await forAllAsync([arbMoves, fc.nat(3)], holds, {
    runs: 5,
    sample: 24,
    ...BOUNDED,
    shares: { ...SURROUNDINGS, "skipped slots": 0.5, succeeded: 0.5, failed: 0.5, final: 0.35, "not yet final": 0.1 },
  });
});

test("equal moves give equal chains, however time is cut into steps", async () => {
  const holds = async (moves: readonly Move[], skips: number) => {
    const [one, other] = [await open(skips), await open(skips)];
    for (const move of moves) {
      await play(one, move);
      await play(other, move, 1n);
    }
    expect(other.accounts("processed")).toEqual(one.accounts("processed"));
    expect(other.accounts("finalized")).toEqual(one.accounts("finalized"));
    expect(other.latestBlockhash("processed")).toEqual(one.latestBlockhash("processed"));
  };
  await forAllAsync([arbMoves, fc.nat(3)], holds, {
    runs: 5,
    sample: 14,
    ...BOUNDED,
    classes: surroundings,
    shares: { ...SURROUNDINGS, "skipped slots": 0.5 },
  });
});

test("after blocks are abandoned and lost, the chain is as if they had never been", async () => {
  const holds = async (kept: readonly Move[], lost: readonly Move[]) => {
    const chain = await open(0);
    for (const move of kept) await play(chain, { ...move, abandons: 0n });
    const before = chain.accounts("processed");
    const slot = chain.currentSlot();
    for (const move of lost.slice(0, 20)) await play(chain, { ...move, slots: 1n, abandons: 0n });
    await chain.reorganize(slot, () => "lost");
    expect(chain.accounts("processed")).toEqual(before);
    await chain.advance(chain.currentSlot() + 40n);
    expect(chain.accounts("finalized")).toEqual(before);
  };
  await forAllAsync([arbMoves, arbMoves], holds, {
    runs: 6,
    sample: 60,
    ...BOUNDED,
    classes: (kept, lost) => [
      kept.length > 20 ? "much is kept" : "little is kept",
      lost.length >= 20 ? "twenty are lost" : "fewer are lost",
    ],
    shares: { "much is kept": 0.4, "little is kept": 0.1, "twenty are lost": 0.4, "fewer are lost": 0.1 },
  });
});

function open(skips: number): Promise<Cluster> {
  return openCluster({
    crypto,
    genesis: day,
    signers: keyring,
    isSkipped: (slot) => skips > 0 && slot % 4n < BigInt(skips),
    open: (genesis) => Promise.resolve(openModel(at, crypto, genesis)),
    seed: new Uint8Array(32).fill(3),
    startMs: START_UNIX * 1000n,
  });
}

/** Sends one command, lets slots pass (in steps of `step`), then lets another fork win if the move says so. */
async function play(chain: Cluster, move: Move, step = 1_000n): Promise<void> {
  const { payer, instructions } = move.command;
  const { blockhash } = chain.latestBlockhash("processed");
  chain.submit(signTransaction({ payer: addressOf(payer), instructions, blockhash }, keyring, crypto));
  const goal = chain.currentSlot() + move.slots;
  while (chain.currentSlot() < goal) {
    const next = chain.currentSlot() + step;
    await chain.advance(next < goal ? next : goal);
  }
  if (move.abandons === 0n) return;
  const back = chain.currentSlot() - move.abandons;
  const final = chain.slot("finalized");
  await chain.reorganize(back > final ? back : final, () => (move.loses ? "lost" : move.again ? "again" : "late"));
}

/** Units of every mint over all token accounts, at the newest block. */
function supplyOf(chain: Cluster): readonly bigint[] {
  const tokens = [...chain.accounts("processed").values()].flatMap((account) => {
    const read = readTokenAccount(account.data);
    return read === undefined ? [] : [read];
  });
  return mints.map(({ mint }) => tokens.reduce((sum, held) => (held.mint === mint ? sum + held.amount : sum), 0n));
}

function checkLevels(chain: Cluster): void {
  const [processed, confirmed, finalized] = [chain.slot("processed"), chain.slot("confirmed"), chain.slot("finalized")];
  expect(processed >= confirmed && confirmed >= finalized).toBe(true);
  expect(processed <= chain.currentSlot()).toBe(true);
}

/** Every signature is found once, in order, with the status its slot gives it, and in the lists of its accounts. */
function checkHistory(chain: Cluster): readonly string[] {
  const labels: string[] = [];
  for (const account of [addressOf("merchant"), addressOf("buyer"), addressOf("stranger")]) {
    const found = chain.signaturesForAddress(account, { commitment: "processed" });
    expect(new Set(found.map(({ signature }) => signature)).size).toBe(found.length);
    for (const [index, entry] of found.entries()) {
      expect(entry.slot <= (found[index - 1]?.slot ?? chain.currentSlot())).toBe(true);
      expect(entry.message.accounts).toContain(account);
      expect(chain.signatureStatus(entry.signature)).toMatchObject({ slot: entry.slot, err: entry.err });
      const isFinal = entry.slot <= chain.slot("finalized");
      expect(chain.transaction(entry.signature) !== undefined).toBe(isFinal);
      labels.push(entry.err === null ? "succeeded" : "failed", isFinal ? "final" : "not yet final");
    }
  }
  return labels;
}
