/**
 * The committed programs, read once a process. Source: adapters/chain/program/README.md,
 * adapters/chain/staking-program/README.md.
 */
import { readFileSync } from "node:fs";

const read = new Map<string, Uint8Array>();

/** Bytes of escrow.so. */
export function escrowProgramBytes(): Uint8Array {
  return bytesOf("../../../adapters/chain/program/escrow.so");
}

/** Bytes of staking.so. */
export function stakingProgramBytes(): Uint8Array {
  return bytesOf("../../../adapters/chain/staking-program/staking.so");
}

/** Bytes of forwarder.so. */
export function forwarderProgramBytes(): Uint8Array {
  return bytesOf("../forwarder/forwarder.so");
}

function bytesOf(path: string): Uint8Array {
  const held = read.get(path) ?? new Uint8Array(readFileSync(new URL(path, import.meta.url)));
  read.set(path, held);
  return held;
}
