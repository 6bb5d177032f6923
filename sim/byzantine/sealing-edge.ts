/**
 * The sealing edge: a party of an old trade signs one act more, dated at the end of its life, and tells it to one node
 * alone, when the others seal the trade or soon will, so that one node goes on with what all others closed.
 * Source: CONVERGENCE B6, B7.
 */
import type { EpochMillis, PeerId } from "../../core/index.ts";
import { encodeCompact } from "../../core/index.ts";
import { DisputeOpen, GossipEvent, identityOf, OFS_GOSSIP, PaymentSubmitted } from "../../core/testing.ts";
import type { Wallet } from "../wallet.ts";
import type { Attacker } from "./attacker.ts";
import { eventAround } from "./attacker.ts";
import { claimHoldings } from "./claimed-holdings.ts";
import { payment } from "./market-events.ts";

/** Who acts on which settlement, the date that the act bears, and to whom alone it is told. */
export interface LastAct {
  readonly act: "payment" | "open";
  readonly by: Wallet;
  readonly settlement: string;
  readonly dated: EpochMillis;
  readonly to: PeerId | undefined;
}

/** Pushes the act to one node, and names it there, so that the node may fetch what it takes by no push any more. */
export function actLast(attacker: Attacker, { act, by, settlement, dated, to }: LastAct): string {
  const { crypto } = attacker.world;
  const options = { origin: attacker.wallet, at: attacker.now(), ttl: 1 };
  const paid = payment(by, settlement, dated, "at last");
  const opened = {
    ...{ id: `last-${settlement}`, settlement_id: settlement, opener: by.peer, opener_public_key: by.publicKey },
    ...{ reason: "nothing came, to the last", timestamp: dated },
  };
  const event =
    act === "payment"
      ? eventAround(crypto, PaymentSubmitted, paid, by, options)
      : eventAround(crypto, DisputeOpen, opened, by, options);
  const identity =
    act === "payment" ? identityOf(crypto, PaymentSubmitted, paid) : identityOf(crypto, DisputeOpen, opened);
  const alone = new Set([...attacker.victims].filter((victim) => victim === to));
  for (const victim of alone) attacker.send(victim, OFS_GOSSIP, "GossipPush", encodeCompact(GossipEvent, event));
  claimHoldings({ ...attacker, victims: alone }, [{ identity, event }], 1, 0);
  return identity;
}
