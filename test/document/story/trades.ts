/**
 * The part of the story in which people trade: an offer, its sale, what they say and show, another that is disputed.
 * Source: protocol 02 P.2, P.3; 03 H.
 */
import { commitmentOf } from "../../../core/domains/trade/disputes/rules.ts";
import { crypto, person } from "../../rpc/lone-node.ts";
import type { Teller } from "./teller.ts";

export const [merchant, buyer] = [person(0x11), person(0x22)];
const panel = [2, 0x41, 0x42].map(person);
const secret = new Uint8Array(32).fill(0x0b);

/** An offer with everything that its merchant may change. */
export function offers(tell: Teller): void {
  tell.send("sendPaymentMethodDefine", "02 P.2.20");
  tell.send("sendAdvertisementCreate", "02 P.2.1");
  tell.wait(60_000);
  tell.send("sendAdvertisementTermsUpdate", "02 P.2.5");
  tell.wait(60_000);
  tell.send("sendAdvertisementPriceUpdate", "02 P.2.6");
  tell.wait(60_000);
  tell.send("sendAdvertisementDisable", "02 P.2.4");
  tell.wait(1_000);
  tell.send("sendAdvertisementStatusSet", "02 P.2.3", { status: "Active" });
  tell.call("getAdvertisements");
  tell.call("getAdvertisements", { filter: { fiat_currency: "KES", direction: "Sell" }, page: { limit: 10 } });
  tell.call("getAdvertisement", { id: "ad-1" });
  tell.call("getPaymentMethods", { country: "KE" });
  tell.call("getPaymentMethod", { id: "builtin:mpesa-kenya" });
  tell.call("getReferenceData");
}

/** A trade that ends well. */
export function sale(tell: Teller): void {
  const price = { base_units: 13_150n, decimals: 2 };
  tell.wait(60_000);
  tell.send("sendReservationRequest", "02 P.2.7", { id: "4711000", agreed_price: price });
  tell.send("sendReservationCancel", "02 P.2.11", { id: "4711000" });
  tell.send("sendReservationRequest", "02 P.2.7", { agreed_price: price });
  tell.call("getReservation", { id: "4711001" });
  tell.call("getReservations");
  tell.call("getReservations", { page: { limit: 10 } });
  tell.prove("getMyReservations", buyer);
  tell.wait(60_000);
  tell.send("sendSettlementInitiate", "02 P.2.12");
  tell.wait(10_000);
  tell.send("sendTradeChannelKeyGrant", "02 P.2.21");
  tell.send("sendTradeChannelEntry", "02 P.2.22");
  tell.prove("getMyTradeChannel", buyer, { id: "set-1" });
  const cid = "bafkreibdmq27skp3wnycoyoqcei47etyaulerpsegivlkfvyhjkw7ufjva";
  tell.send("sendAttachmentPublish", "02 P.2.18");
  tell.call("getSettlementAttachments", { id: "set-1" });
  tell.call("sendContentPut", { cid, content: "b3BlbmZpYXQgaXBmcyBwcm9iZSAxNzg1NDI2ODkxCg==" });
  tell.call("getHeldContent", { cid });
  tell.call("getContentFile", { cid });
  tell.wait(60_000);
  tell.send("sendPaymentSubmitted", "02 P.2.13");
  tell.send("sendPaymentReversed", "02 P.2.14", { timestamp: tell.node.now + 1n });
  tell.wait(10);
  tell.send("sendPaymentSubmitted", "02 P.2.13");
  tell.wait(60_000);
  tell.send("sendSettlementApproved", "02 P.2.15");
  tell.call("getSettlement", { id: "set-1" });
  tell.prove("getMySettlements", buyer);
  tell.call("getTrade", { id: "4711001" });
  tell.call("getTrades");
  tell.prove("getMyTrades", merchant);
  tell.send("sendReviewPublish", "02 P.2.19");
  tell.call("getReviews", { wallet: merchant.peer });
  tell.prove("getMyReviews", buyer);
  tell.call("getReputation", { wallet: merchant.peer });
  tell.prove("getCounterparties", buyer);
  tell.call("getSettledVolume");
}

/** Trades that end badly: one is called off, one is rejected, one is disputed and voted on. */
export function quarrels(tell: Teller): void {
  const amount = { base_units: 5_000_000n, decimals: 6 };
  for (const [id, settlement] of [
    ["4711002", "set-2"],
    ["4711003", "set-3"],
    ["4711004", "set-4"],
  ]) {
    const agreed_price = { base_units: 13_150n, decimals: 2 };
    tell.send("sendReservationRequest", "02 P.2.7", { id, agreed_price, amount });
    tell.send("sendSettlementInitiate", "02 P.2.12", { id: settlement, reservation_id: id, amount });
  }
  tell.send("sendSettlementCancelled", "02 P.2.17", { settlement_id: "set-2" });
  tell.send("sendPaymentSubmitted", "02 P.2.13", { settlement_id: "set-3" });
  tell.send("sendSettlementRejected", "02 P.2.16", { settlement_id: "set-3" });
  tell.call("getSettlements");
  tell.send(
    "sendDisputeOpen",
    "03 H.2",
    { settlement_id: "set-4", opener: buyer.peer, opener_public_key: buyer.key },
    buyer,
  );
  for (const by of panel)
    tell.send("sendArbitratorJoin", "03 H.3", { arbitrator: by.peer, arbitrator_public_key: by.key }, by);
  const commitment = commitmentOf((bytes) => crypto.sha256(bytes), "BuyerWins", secret);
  for (const by of panel) tell.send("sendVoteCommit", "03 H.4", { arbitrator: by.peer, commitment }, by);
  const reveal = { vote: "BuyerWins", secret };
  for (const by of panel) tell.send("sendVoteReveal", "03 H.5", { arbitrator: by.peer, ...reveal }, by);
  tell.send("sendMutualSettlementAgree", "03 H.6", { party: buyer.peer }, buyer);
  tell.call("getDispute", { id: "dispute-1" });
  tell.call("getDisputes");
  tell.prove("getMyDisputes", buyer);
}
