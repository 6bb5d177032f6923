/**
 * The other ends of a trade: cancelled before or after it began, taken back, rejected, settled by agreement, and
 * claimed under an id that somebody else took as well. Source: protocol 02 C.3, D.3, O; 03 A.4.1.
 */
import {
  DisputeOpen,
  MutualSettlementAgree,
  PaymentReversed,
  PaymentSubmitted,
  ReservationCancel,
  ReservationRequest,
  SettlementCancelled,
  SettlementInitiate,
  SettlementRejected,
} from "../../core/testing.ts";
import type { Action } from "../scenario.ts";
import { settlementIs, until } from "./trade.ts";
import type { CaseTerms, TradeTerms, When } from "./trade-terms.ts";
import { amountOf, sellerOf, takerOf, told } from "./trade-terms.ts";

/** The taker thinks better of it before anything is settled. */
export function cancelReservation(trade: TradeTerms, when: When): Action {
  const id = trade.reservation.toString();
  return {
    ...{ name: `cancel ${id}`, actor: takerOf(trade), ...when },
    *run(person, scene) {
      yield* until(person, "getReservation", id, ({ state }) => state === "EscrowLocked");
      const cancel = { id, requester: person.wallet.peer, timestamp: person.now() };
      yield* person.send("sendReservationCancel", ReservationCancel, cancel);
      told(scene, person, `cancels reservation ${id}`);
    },
  };
}

/** A party cancels a settlement that nobody paid. */
export function cancelSettlement(trade: TradeTerms, by: string, when: When): Action {
  return {
    ...{ name: `cancel ${trade.settlement}`, actor: by, ...when },
    *run(person, scene) {
      yield* settlementIs(person, trade, "AwaitingPayment");
      yield* person.send("sendSettlementCancelled", SettlementCancelled, {
        settlement_id: trade.settlement,
        canceller: person.wallet.peer,
        timestamp: person.now(),
      });
      told(scene, person, `cancels ${trade.settlement}`);
    },
  };
}

/** The buyer takes back the word that the payment was sent. */
export function reversePayment(trade: TradeTerms, when: When): Action {
  return {
    ...{ name: `reverse ${trade.settlement}`, actor: trade.buyer, ...when },
    *run(person, scene) {
      yield* settlementIs(person, trade, "PaymentSubmitted");
      const reversal = { settlement_id: trade.settlement, buyer: person.wallet.peer, timestamp: person.now() };
      yield* person.send("sendPaymentReversed", PaymentReversed, reversal);
      told(scene, person, `takes back the payment for ${trade.settlement}`);
    },
  };
}

/** The seller says that the payment was not right. */
export function reject(trade: TradeTerms, when: When): Action {
  return {
    ...{ name: `reject ${trade.settlement}`, actor: sellerOf(trade), ...when },
    *run(person, scene) {
      yield* settlementIs(person, trade, "PaymentSubmitted");
      yield* person.send("sendSettlementRejected", SettlementRejected, {
        settlement_id: trade.settlement,
        seller: person.wallet.peer,
        reason: "less arrived",
        discrepancy: "IncorrectAmount",
        timestamp: person.now(),
      });
      told(scene, person, `rejects the payment for ${trade.settlement}`);
    },
  };
}

/** A party agrees to settle a case that its node shows. */
export function agree(terms: CaseTerms, by: string, when: When): Action {
  return {
    ...{ name: `agree on ${terms.id}`, actor: by, ...when },
    *run(person, scene) {
      yield* until(person, "getDispute", terms.id, () => true);
      const agreement = { dispute_id: terms.id, party: person.wallet.peer, timestamp: person.now() };
      yield* person.send("sendMutualSettlementAgree", MutualSettlementAgree, agreement);
      told(scene, person, `agrees to settle ${terms.id}`);
    },
  };
}

/** Uses ids that others use as well for a trade and a case of one's own; a node that knows them refuses. */
export function contest(terms: CaseTerms, by: string, when: When): Action {
  const { trade } = terms;
  return {
    ...{ name: `contest ${trade.settlement}`, actor: by, ...when },
    *run(person, scene) {
      const { wallet } = person;
      const seller = scene.world.person(sellerOf(trade));
      const id = trade.reservation.toString();
      const price = { base_units: trade.offer.priceCents, decimals: 2 };
      const amount = amountOf(trade.offer, trade.amount);
      const send = (method: string, data: string) => person.ask(method, { data });
      const request = {
        ...{ id, advertisement_id: trade.offer.id, amount, agreed_price: price, agreed_mid: null },
        ...{ requester: wallet.peer, requester_public_key: wallet.publicKey, timestamp: person.now() },
      };
      yield* send("sendReservationRequest", wallet.data(ReservationRequest, request));
      const initiate = {
        ...{ id: trade.settlement, reservation_id: id, buyer: wallet.peer, buyer_public_key: wallet.publicKey },
        ...{ seller: seller.peer, seller_public_key: seller.publicKey, amount, timestamp: person.now() },
      };
      yield* send("sendSettlementInitiate", wallet.data(SettlementInitiate, initiate));
      const payment = { settlement_id: trade.settlement, buyer: wallet.peer, payment_reference: null };
      yield* send("sendPaymentSubmitted", wallet.data(PaymentSubmitted, { ...payment, timestamp: person.now() }));
      const open = {
        ...{ id: terms.id, settlement_id: trade.settlement, opener: wallet.peer, opener_public_key: wallet.publicKey },
        ...{ reason: terms.reason, timestamp: person.now() },
      };
      yield* send("sendDisputeOpen", wallet.data(DisputeOpen, open));
    },
  };
}
