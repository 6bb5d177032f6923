/**
 * Id theft by an earlier date: records under ids that others already use, signed now and dated before theirs, so that a
 * reader of the id, and whoever acts on it, finds the thief's.
 * Source: CONVERGENCE "Records and ids".
 */
import type { EpochMillis } from "../../core/index.ts";
import type { Attacker } from "./attacker.ts";
import { initiateEvent, offerEvent, requestEvent } from "./market-events.ts";

/** The ids that somebody else publishes first. */
export interface StolenIds {
  readonly offer: string;
  readonly reservation: string;
  readonly settlement: string;
}

/** Publishes an offer, a request and a settlement of the thief's own under the ids of another trade. */
export function stealIds(attacker: Attacker, ids: StolenIds, before: EpochMillis): void {
  const { crypto } = attacker.world;
  const [thief, friend] = [attacker.sybil("thief"), attacker.sybil("friend")];
  const options = () => ({ origin: attacker.wallet, at: attacker.now() });
  const at = (ms: number) => (before - 60_000n + BigInt(ms)) as EpochMillis;
  attacker.push(offerEvent(crypto, thief, ids.offer, at(0))(options()));
  attacker.push(requestEvent(crypto, friend, ids.reservation, ids.offer, at(1))(options()));
  attacker.push(initiateEvent(crypto, friend, thief, ids.settlement, ids.reservation, at(2))(options()));
}
