/**
 * Numbers for property tests: integers of every width with their edges, and doubles of every kind that JSON can carry.
 * Source: protocol 01 §1.5 (integers), §2.3 (where the spelling of a double changes).
 */
import fc from "fast-check";
import type { Shape } from "../../core/index.ts";

/** Largest unsigned 64-bit integer. Source: protocol 01 §1.5. */
const U64_MAX = 0xffff_ffff_ffff_ffffn;
/** Powers of two around which encodings and JavaScript numbers change. Source: protocol 01 §1.5, §9.2. */
const U64_EDGES = [0n, 1n << 7n, 1n << 14n, 1n << 21n, 1n << 32n, 1n << 53n, 1n << 63n, U64_MAX];
/** Decimal exponents around which the spelling of a double changes. Source: protocol 01 §2.3. */
const FLOAT_EXPONENTS = [-7, -6, -5, -1, 0, 1, 14, 15, 16, 20, 21, 22];
const FLOAT_EDGES = [
  Number.MIN_VALUE,
  Number.MAX_VALUE,
  Number.EPSILON,
  Number.MAX_SAFE_INTEGER,
  2.2250738585072014e-308,
  1781.5320455759613,
  129.12345678901235,
];

type IntegerShape = Extract<Shape, { readonly type: "integer" }>;

/** An unsigned 64-bit integer, often beside an edge, above all at the least and the greatest. */
export function arbU64(): fc.Arbitrary<bigint> {
  const edge = fc
    .tuple(fc.constantFrom(...U64_EDGES), fc.constantFrom(-1n, 0n, 1n))
    .map(([at, off]) => at + off)
    .filter((value) => value >= 0n && value <= U64_MAX);
  const ends = fc.constantFrom(0n, U64_MAX);
  const usual = [edge, fc.bigInt({ min: 0n, max: U64_MAX }), fc.bigInt({ min: 0n, max: 100_000_000n })];
  return fc.oneof({ weight: 2, arbitrary: ends }, ...usual.map((arbitrary) => ({ weight: 3, arbitrary })));
}

/** An integer of a shape: `bigint` for 64 bits, `number` below. */
export function arbInteger(shape: IntegerShape): fc.Arbitrary<bigint | number> {
  if (shape.bits === 64) {
    return shape.signed ? fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }) : arbU64();
  }
  const half = 2 ** (shape.bits - 1);
  const min = shape.range?.least ?? (shape.signed ? -half : 0);
  const max = shape.range?.most ?? (shape.signed ? half - 1 : 2 * half - 1);
  return fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max }));
}

/**
 * A finite double: both zeros, edges, money-like decimals, neighbours of the exponents where the spelling changes,
 * anything.
 */
export function arbFloat(): fc.Arbitrary<number> {
  const decimal = fc
    .tuple(fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }), fc.integer({ min: 0, max: 8 }))
    .map(([units, places]) => Number(`${units}e-${places}`));
  const scaled = fc
    .tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.constantFrom(...FLOAT_EXPONENTS))
    .map(([digits, exponent]) => Number(`${digits}e${exponent - 4}`));
  const any = fc.double({ noNaN: true, noDefaultInfinity: true });
  const usual = [fc.constantFrom(...FLOAT_EDGES), decimal, scaled, any].map((arbitrary) => ({ weight: 2, arbitrary }));
  return fc.oneof({ weight: 2, arbitrary: fc.constantFrom(0, -0) }, ...usual);
}
