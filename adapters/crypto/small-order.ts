/**
 * The points of small order on Curve25519, in every spelling that decompresses to one. Runtimes do not agree on them:
 * `verify` of Node.js 24 and later refuses a signature whose key or R is one, that of Node.js 20 and 22 does not; all
 * nodes must give one verdict. Source: protocol 01 §3.2 (not refused), RFC 8032 §5.1.3 (decoding).
 */

/** Eight points; y = 1 and y = 0 have a second spelling at p + y, and x = 0 one with the sign set. */
const SPELLINGS = [
  "0100000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000080",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0000000000000000000000000000000000000000000000000000000000000080",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
].map((text) => Buffer.from(text, "hex"));

/** Whether the 32 bytes at `from` spell such a point. */
export function spellsSmallOrder(bytes: Uint8Array, from = 0): boolean {
  return SPELLINGS.some((spelling) => spelling.every((byte, index) => bytes[from + index] === byte));
}
