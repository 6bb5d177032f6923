/**
 * Hollow votes: one who took a seat commits again and again, and shows votes that open none of it, so that every word
 * about the case costs looking through all of it.
 * Source: CONVERGENCE B1, B5.
 */
import { ArbitratorJoin, VoteCommit, VoteReveal } from "../../core/testing.ts";
import type { Attacker } from "./attacker.ts";
import { eventAround } from "./attacker.ts";

/** Sits down first; then commits and reveals in turn. */
export function voteHollow(attacker: Attacker, dispute: string, times: number, overMs: number): void {
  const { crypto } = attacker.world;
  const by = attacker.sybil("hollow");
  attacker.repeat(times, overMs, (n) => {
    const options = { origin: attacker.wallet, at: attacker.now() };
    const act = { dispute_id: dispute, arbitrator: by.peer, timestamp: attacker.now() };
    const bytes = crypto.sha256(Uint8Array.of(n & 255, (n >> 8) & 255));
    if (n === 0)
      return attacker.push(
        eventAround(crypto, ArbitratorJoin, { ...act, arbitrator_public_key: by.publicKey }, by, options),
      );
    if (n % 2 === 1) return attacker.push(eventAround(crypto, VoteCommit, { ...act, commitment: bytes }, by, options));
    attacker.push(eventAround(crypto, VoteReveal, { ...act, vote: "Invalid", secret: bytes }, by, options));
  });
}
