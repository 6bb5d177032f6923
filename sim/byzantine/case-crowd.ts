/**
 * A crowd at a case: many keys take seats on it, and one key takes its seat again and again with other dates, so that
 * whoever is to judge it finds no place.
 * Source: CONVERGENCE B1, B2.
 */
import type { EpochMillis } from "../../core/index.ts";
import { ArbitratorJoin } from "../../core/testing.ts";
import type { Attacker } from "./attacker.ts";
import { eventAround } from "./attacker.ts";

/** Joins a case so often; every other time by the one key. */
export function crowdCase(attacker: Attacker, dispute: string, times: number, overMs: number): void {
  const { crypto } = attacker.world;
  attacker.repeat(times, overMs, (n) => {
    const by = attacker.sybil(n % 2 === 0 ? "one" : `joiner ${n}`);
    const payload = {
      dispute_id: dispute,
      arbitrator: by.peer,
      arbitrator_public_key: by.publicKey,
      timestamp: (attacker.now() - BigInt(n)) as EpochMillis,
    };
    attacker.push(eventAround(crypto, ArbitratorJoin, payload, by, { origin: attacker.wallet, at: attacker.now() }));
  });
}
