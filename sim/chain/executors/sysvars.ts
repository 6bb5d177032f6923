/**
 * Accounts the chain itself writes, as both virtual machines take them. Source: protocol 03 D.4 (slot hashes).
 */
import type { ExecutionContext } from "../executor.ts";

export const SLOT_HASHES_ADDRESS = "SysvarS1otHashes111111111111111111111111111";
export const SYSVAR_OWNER = "Sysvar1111111111111111111111111111111111111";
export const ESCROW_PROGRAM = "CYdn27x69hQ8WBxBeWRGpr9c8B4dcKj8GvyBn6Sdma9s";
export const STAKING_PROGRAM = "3MF1nAPiECRAGs36RpQTkLb8CvMZuhcgXv1hGZoXEiid";
/** The loader whose programs are one account, so that no file has to lie where bankrun looks for programs. */
export const PROGRAM_LOADER = "BPFLoader2111111111111111111111111111111111";
/** What the account of a program holds. Source: DESIGN "Simulated world". */
export const PROGRAM_LAMPORTS = 10_000_000_000n;
/** The programs that the model knows whole: what they say is told, what their callees say is not. */
export const ownPrograms: readonly string[] = [ESCROW_PROGRAM, STAKING_PROGRAM];
/**
 * Lamports that keep the largest sysvar stored; what lies there beyond the rent has no meaning. Source: DESIGN
 * "Simulated world".
 */
export const SYSVAR_LAMPORTS = 143_487_360n;

const ENTRY_BYTES = 40;

/** u64 count, then (slot u64, hash 32) most recent first. */
export function slotHashesBytes(slotHashes: ExecutionContext["slotHashes"]): Uint8Array {
  const bytes = new Uint8Array(8 + slotHashes.length * ENTRY_BYTES);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(slotHashes.length), true);
  slotHashes.forEach(({ slot, hash }, index) => {
    view.setBigUint64(8 + index * ENTRY_BYTES, slot, true);
    bytes.set(hash, 16 + index * ENTRY_BYTES);
  });
  return bytes;
}
