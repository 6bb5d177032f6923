/**
 * A crowd at a ballot: many keys without stake vote on a proposal, so that those who have some find no place.
 * Source: CONVERGENCE B2.
 */
import { VoteCast } from "../../core/testing.ts";
import type { Attacker } from "./attacker.ts";
import { eventAround } from "./attacker.ts";

/** Votes on a proposal, each time by another key. */
export function crowdBallot(attacker: Attacker, proposal: string, times: number, overMs: number): void {
  const { crypto } = attacker.world;
  attacker.repeat(times, overMs, (n) => {
    const by = attacker.sybil(`voter ${n}`);
    const payload = {
      ...{ proposal_id: proposal, voter: by.peer, voter_public_key: by.publicKey, choice: "Reject" as const },
      ...{ weight: 1n, stake_account: by.publicKey, timestamp: attacker.now() },
    };
    attacker.push(eventAround(crypto, VoteCast, payload, by, { origin: attacker.wallet, at: attacker.now() }));
  });
}
