/**
 * Rent of the chain: what an account must hold to stay, by its size.
 * Source: Solana's default rent (3,480 lamports a byte and year, two years, 128 bytes of bookkeeping).
 */

const LAMPORTS_PER_BYTE = 3480n * 2n;
const BOOKKEEPING_BYTES = 128;

/** Lamports that exempt an account of `bytes` bytes. */
export function rentExempt(bytes: number): bigint {
  return BigInt(BOOKKEEPING_BYTES + bytes) * LAMPORTS_PER_BYTE;
}
