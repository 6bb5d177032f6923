/**
 * The committed program, read once a process. Source: adapters/chain/program/README.md.
 */
import { readFileSync } from "node:fs";

let bytes: Uint8Array | undefined;

/** Bytes of escrow.so. */
export function escrowProgramBytes(): Uint8Array {
  bytes ??= new Uint8Array(readFileSync(new URL("../../../adapters/chain/program/escrow.so", import.meta.url)));
  return bytes;
}
