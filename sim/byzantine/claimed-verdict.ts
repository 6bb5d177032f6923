/**
 * A claimed verdict: events by the names of verdicts and payments, and tidings of landed transactions, so that a node
 * that cannot see the chain takes an outcome from a peer. No event carries a verdict, and none is to be believed.
 * Source: OFS-2400 §21.1; protocol 03 A.9, A.10.3 R9, C4.
 */
import { encodeCompact, utf8 } from "../../core/index.ts";
import { CHAIN_EVENT, TransactionRelayed } from "../../core/testing.ts";
import type { Attacker } from "./attacker.ts";
import { eventOf } from "./attacker.ts";

/** Numbers of the specifications under which the claims are made. */
const OFS_DISPUTES = 2400;
const OFS_SETTLEMENTS = 2300;

/** Tells every victim that a dispute was decided, a settlement paid and a transaction landed. */
export function claimVerdict(attacker: Attacker, dispute: string, settlement: string, signature: string): void {
  const { crypto } = attacker.world;
  const options = { origin: attacker.wallet, at: attacker.now() };
  const verdict = utf8(JSON.stringify({ id: dispute, resolution: "BuyerWins", signature }));
  const payment = utf8(JSON.stringify({ id: settlement, state: "Completed", signature }));
  attacker.push(eventOf(crypto, "ResolutionIssued", OFS_DISPUTES, verdict, options));
  attacker.push(eventOf(crypto, "DisputeResolved", OFS_DISPUTES, verdict, options));
  attacker.push(eventOf(crypto, "EscrowReleased", OFS_SETTLEMENTS, payment, options));
  const landed = encodeCompact(TransactionRelayed, { signature, slot_submitted: 400n });
  attacker.push(eventOf(crypto, "TransactionRelayed", CHAIN_EVENT.ofs_spec, landed, options));
}
