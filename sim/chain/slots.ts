/**
 * The chain's slots as arithmetic: when a slot is, whether it was skipped, its blockhash. Nothing is stored, so a
 * simulated day costs nothing; only hashes recently asked for are remembered. Source: DESIGN section 4; protocol 03
 * part E (400 ms, 150 slots, confirmed after 2, finalized after 32).
 */
import { concat, toBase58 } from "../../core/index.ts";
import { u64 } from "../../core/testing.ts";

export const SLOT_MS = 400n;
/** Slots for which a blockhash is taken after its own. Source: protocol 03 part E. */
export const BLOCKHASH_SLOTS = 150n;
/** Entries of the slot-hashes sysvar. Source: Solana's limit. */
export const SLOT_HASHES_MAX = 512;

export const commitments = ["processed", "confirmed", "finalized"] as const;
export type Commitment = (typeof commitments)[number];

/** Slots between the newest block and the newest at a level. Source: protocol 03 part E. */
export const commitmentLag: Readonly<Record<Commitment, bigint>> = { processed: 0n, confirmed: 2n, finalized: 32n };

const HASHES_REMEMBERED_MAX = 2048;

export interface SlotOptions {
  readonly seed: Uint8Array;
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
  /** Unix milliseconds of slot 0. */
  readonly startMs: bigint;
  /** Whether nobody produces a block in this slot; slot 0 always has one. */
  readonly isSkipped?: (slot: bigint) => boolean;
}

export interface Slots {
  /** Whether the slot has a block. */
  hasBlock(slot: bigint): boolean;
  /** The newest slot with a block, at or before `slot`. */
  blockAtOrBefore(slot: bigint): bigint;
  /** Unix milliseconds at which the slot begins. */
  startsAtMs(slot: bigint): bigint;
  /** The chain's clock in that slot, Unix seconds. */
  unixTimestamp(slot: bigint): bigint;
  /** The blockhash of a slot on a fork: sha256(seed ‖ slot ‖ fork number), so rivals at one height differ. */
  blockhash(slot: bigint, fork: number): Uint8Array;
  /** The same in base58. */
  blockhashText(slot: bigint, fork: number): string;
  /** Where a blockhash belongs, if it was asked for lately. */
  blockOf(blockhash: string): { readonly slot: bigint; readonly fork: number } | undefined;
}

export function openSlots(options: SlotOptions): Slots {
  const remembered = new Map<string, { readonly bytes: Uint8Array; readonly text: string }>();
  const blocks = new Map<string, { readonly slot: bigint; readonly fork: number }>();
  const hasBlock = (slot: bigint) => slot === 0n || options.isSkipped?.(slot) !== true;
  const startsAtMs = (slot: bigint) => options.startMs + slot * SLOT_MS;
  const hash = (slot: bigint, fork: number) => {
    const name = `${slot}/${fork}`;
    const known = remembered.get(name);
    if (known !== undefined) return known;
    const bytes = options.sha256(concat(options.seed, u64.write(slot), u64.write(BigInt(fork))));
    const made = { bytes, text: toBase58(bytes) };
    // Stryker disable next-line ConditionalExpression: what is forgotten is worked out again
    if (remembered.size >= HASHES_REMEMBERED_MAX) {
      remembered.clear();
      blocks.clear();
    }
    remembered.set(name, made);
    blocks.set(made.text, { slot, fork });
    return made;
  };
  return {
    hasBlock,
    blockAtOrBefore: (slot) => {
      let found = slot;
      while (!hasBlock(found)) found -= 1n;
      return found < 0n ? 0n : found;
    },
    startsAtMs,
    unixTimestamp: (slot) => startsAtMs(slot) / 1000n,
    blockhash: (slot, fork) => hash(slot, fork).bytes,
    blockhashText: (slot, fork) => hash(slot, fork).text,
    blockOf: (blockhash) => blocks.get(blockhash),
  };
}
