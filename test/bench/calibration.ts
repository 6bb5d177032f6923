/**
 * What the machine does at this moment: rates of work that no change of the product touches, by CPU time, measured in
 * the run whose figures they stand beside. A figure as a share of one of them is comparable between machines.
 * Source: DESIGN "Budgets".
 */
import { createHash, generateKeyPairSync, sign, verify } from "node:crypto";
import type { Calibration, Figure } from "./measure.ts";

const ROUNDS = 5;
const HASHES = 40_000;
const VERIFICATIONS = 400;
const LOOPS = 20_000_000;
const MESSAGE = new Uint8Array(64).fill(7);

/** What was measured, and what the machine did right before and after it. */
export async function calibrated<T>(measure: () => Promise<T>): Promise<readonly [measured: T, Calibration]> {
  const before = calibrate();
  const measured = await measure();
  return [measured, better(before, calibrate())];
}

/** The figures with a calibration beside each rate that has none of its own. */
export function besideRates(figures: readonly Figure[], calibration: Calibration): readonly Figure[] {
  return figures.map((figure) => (isRate(figure) ? { calibration, ...figure } : figure));
}

/** So many in a second, by the clock or of CPU time. */
export function isRate({ unit }: Pick<Figure, "unit">): boolean {
  return /(^|\w)\/s( |$)/.test(unit);
}

/** The better of both in each: what others do to the machine only makes it slower. */
export function better(one: Calibration, other: Calibration): Calibration {
  return {
    hashes: Math.max(one.hashes, other.hashes),
    verifications: Math.max(one.verifications, other.verifications),
    loops: Math.max(one.loops, other.loops),
  };
}

/** The best of several rounds: what others do to the machine only makes it slower. */
function calibrate(): Calibration {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const signature = sign(null, MESSAGE, privateKey);
  let sink = 0;
  const best = (count: number, once: (at: number) => void) =>
    Math.max(...Array.from({ length: ROUNDS }, () => rateOf(count, once)));
  return {
    hashes: best(HASHES, () => void createHash("sha256").update(MESSAGE).digest()),
    verifications: best(VERIFICATIONS, () => void verify(null, MESSAGE, publicKey, signature)),
    loops: best(LOOPS, (at) => {
      sink = (sink + at) | 0;
    }),
  };
}

function rateOf(count: number, once: (at: number) => void): number {
  const start = process.cpuUsage();
  for (let at = 0; at < count; at++) once(at);
  const { user, system } = process.cpuUsage(start);
  return Math.round((count * 1_000_000) / Math.max(user + system, 1));
}
