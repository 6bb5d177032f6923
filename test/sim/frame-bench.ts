/**
 * What laws about frames are tried with: frames and identities, a memory of given rows, steps by hand.
 */
import type { Input } from "../../core/index.ts";
import { encodeCompact } from "../../core/index.ts";
import { Frame, frameOf } from "../../core/testing.ts";
import type { StepSeen } from "../../sim/checker.ts";
import { bob, noView, step } from "./checker-bench.ts";

export const NOW = 1_800_000_000_000n;
export const DAY_MS = 86_400_000n;
export const from = bob.peer;
export const NOTHING = new Uint8Array(0);
export const GOSSIP = 1_200;

export const frame = (type: string, payload: Uint8Array = NOTHING, spec = GOSSIP) =>
  encodeCompact(Frame, frameOf(spec, type, payload, NOW as never));
export const id = (first: number, byte = 0) => new Uint8Array(32).fill(byte).fill(first, 0, 1);
export const hex = (first: number, byte = 0) => Buffer.from(id(first, byte)).toString("hex");

export type Rows = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A memory that holds these rows, by table and key; whatever is looked for by an index is all of `indexed`. */
export function memory(rows: Rows, indexed: Readonly<Record<string, readonly string[]>> = {}): StepSeen["view"] {
  return {
    ...noView,
    get: ({ name }, key) => rows[name]?.[key] as never,
    keys: ({ name }) => Object.keys(rows[name] ?? {}),
    size: ({ name }) => Object.keys(rows[name] ?? {}).length,
    find: (_, __, value) => indexed[value] ?? [],
  };
}

export function seen(input: object, more: Partial<StepSeen> = {}): StepSeen {
  return { ...step(0, { now: NOW, ...input } as unknown as Partial<Input>, "00x", "00x"), ...more };
}
