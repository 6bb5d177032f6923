/**
 * What the machine does at this moment: rates of work that no change of the product touches, by CPU time, measured in
 * the run whose figures they stand beside. A figure as a share of one of them is comparable between machines.
 * Source: DESIGN "Budgets".
 */
import { createHash, generateKeyPairSync, sign, verify } from "node:crypto";
import type { Figure } from "./measure.ts";
import { rounded } from "./measure.ts";

/** A second of CPU time does so many. */
export interface Calibration {
  /** SHA-256 of 64 bytes. */
  readonly hashes: number;
  readonly verifications: number;
  /** Rounds of a bare loop. */
  readonly loops: number;
}

const ROUNDS = 5;
const HASHES = 40_000;
const VERIFICATIONS = 400;
const LOOPS = 20_000_000;
const MESSAGE = new Uint8Array(64).fill(7);

/** The best of several rounds: what others do to the machine only makes it slower. */
export function calibrate(): Calibration {
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

export function calibrationFigures({ hashes, verifications, loops }: Calibration): readonly Figure[] {
  return [
    { name: "calibration: SHA-256 of 64 bytes", value: rounded(hashes), unit: "/s" },
    { name: "calibration: Ed25519 verifications", value: rounded(verifications), unit: "/s" },
    { name: "calibration: rounds of a bare loop", value: rounded(loops), unit: "/s" },
  ];
}

function rateOf(count: number, once: (at: number) => void): number {
  const start = process.cpuUsage();
  for (let at = 0; at < count; at++) once(at);
  const { user, system } = process.cpuUsage(start);
  return (count * 1_000_000) / Math.max(user + system, 1);
}
