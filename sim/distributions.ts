/**
 * How long things take: distributions of whole milliseconds, drawn by name.
 * Nothing here computes a logarithm or a power: those differ between engines. Tables and integers do not.
 * Source: DESIGN section 5 "Randomness".
 */
import type { Stream } from "./random.ts";
import { below, between, u32 } from "./random.ts";

/** How long something takes, in milliseconds. */
export type Distribution =
  | { readonly type: "constant"; readonly ms: number }
  | { readonly type: "uniform"; readonly least: number; readonly most: number }
  /** `least` plus a memoryless wait of mean `mean`. */
  | { readonly type: "exponential"; readonly least: number; readonly mean: number }
  /** A bell around `mean` with standard deviation `spread`, cut off six of them away and at 0. */
  | { readonly type: "bell"; readonly mean: number; readonly spread: number }
  /** Mostly near `least`; twice as long is half as likely, up to `most`. */
  | { readonly type: "heavy"; readonly least: number; readonly most: number }
  /** As long for every message of a stream, somewhere between these, and a wait of its own up to `jitter`. */
  | { readonly type: "steady"; readonly least: number; readonly most: number; readonly jitter: number }
  /** Equally likely pieces between these ascending points, as measured somewhere. */
  | { readonly type: "quantiles"; readonly points: readonly number[] };

/**
 * -ln(1 - i/128) in units of 2^-20, for i from 0 to 64: within one halving. Source: DESIGN "Simulated world"; computed
 * once.
 */
const EXPONENTIAL_TABLE: readonly number[] = [
  0, 8224, 16513, 24869, 33291, 41781, 50341, 58972, 67674, 76448, 85297, 94221, 103222, 112301, 121458, 130697, 140018,
  149422, 158912, 168488, 178152, 187906, 197752, 207691, 217726, 227857, 238087, 248418, 258852, 269390, 280036,
  290790, 301657, 312636, 323733, 334947, 346284, 357743, 369330, 381046, 392895, 404878, 417001, 429265, 441674,
  454232, 466942, 479809, 492835, 506024, 519382, 532912, 546619, 560508, 574583, 588850, 603313, 617979, 632852,
  647940, 663248, 678783, 694551, 710560, 726817,
];
/** ln 2 and 1 in units of 2^-20. */
const LN_2 = 726_817;
const ONE = 1_048_576;
/** Uniform draws that make a bell; twelve give variance one. */
const BELL_DRAWS = 12;
const BELL_STEPS = 65_536;
const HEAVY_STEPS = 16_777_216;
/** The draw of a stream's own part: no decision about a message has this number. */
const OWN_DRAW = 7;

/** A draw of whole milliseconds, never negative. */
export function sample(distribution: Distribution, stream: Stream, n: number): number {
  switch (distribution.type) {
    case "constant":
      return distribution.ms;
    case "uniform":
      return between(stream, n, distribution.least, distribution.most);
    case "exponential":
      return distribution.least + exponential(stream, n, distribution.mean);
    case "bell":
      return Math.max(0, distribution.mean + bell(stream, n, distribution.spread));
    case "heavy":
      return heavy(stream, n, distribution.least, distribution.most);
    case "steady":
      return (
        between(stream, OWN_DRAW, distribution.least, distribution.most) + between(stream, n, 0, distribution.jitter)
      );
    case "quantiles":
      return quantile(stream, n, distribution.points);
  }
}

/** A memoryless wait: a geometric count of halvings, and the rest of the last one from the table. */
export function exponential(stream: Stream, n: number, mean: number): number {
  const place = u32(stream, n, 1);
  const at = place >>> 26;
  const low = EXPONENTIAL_TABLE[at] as number;
  const high = EXPONENTIAL_TABLE[at + 1] as number;
  // 26 bits of the draw say how far between two points of the table: at most 2^14 × 2^26, exact.
  const rest = low + Math.floor(((high - low) * (place & 0x3ff_ffff)) / 0x400_0000);
  return Math.floor((mean * (halvings(stream, n, 2) * LN_2 + rest) + ONE / 2) / ONE);
}

/** How often a fair coin falls on the same side first: 0 half of the time, 1 a quarter of it. At most 64. */
export function halvings(stream: Stream, n: number, word = 0): number {
  const first = Math.clz32(u32(stream, n, word));
  return first < 32 ? first : 32 + Math.clz32(u32(stream, n, word + 1));
}

function bell(stream: Stream, n: number, spread: number): number {
  let sum = 0;
  for (let word = 0; word < BELL_DRAWS; word++) sum += u32(stream, n, word) >>> 16;
  const mean = (BELL_DRAWS * (BELL_STEPS - 1)) / 2;
  return Math.round(((sum - mean) * spread) / BELL_STEPS);
}

function heavy(stream: Stream, n: number, least: number, most: number): number {
  let length = least;
  for (let left = halvings(stream, n); left > 0 && length < most; left--) length *= 2;
  const part = u32(stream, n, 4) >>> 8;
  return Math.min(most, length + Math.floor((length * part) / HEAVY_STEPS));
}

function quantile(stream: Stream, n: number, points: readonly number[]): number {
  if (points.length < 2) return points[0] ?? 0;
  const piece = below(stream, n, points.length - 1);
  const low = points[piece] as number;
  const high = points[piece + 1] as number;
  const part = u32(stream, n, 7) >>> 16;
  return low + Math.floor(((high - low) * part) / BELL_STEPS);
}
