/**
 * The other ends of a trade: cancelled before or after it began, taken back, rejected, settled by agreement, and
 * claimed under an id that somebody else took as well. Source: protocol 02 C.3, D.3, O; 03 A.4.1.
 */
import type { Infer } from "../../core/index.ts";
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
import type { Person } from "../person.ts";
import type { Scene } from "../scene.ts";
import type { Script } from "../script.ts";
import type { ActionRows } from "./action-row.ts";
import { actionForm, begins } from "./action-row.ts";
import { priceOf, settlementIs, until } from "./trade.ts";
import type { CaseTerms, TradeTerms, When } from "./trade-terms.ts";
import { amountOf, CaseData, sellerOf, TradeData, takerOf, told } from "./trade-terms.ts";

export const tradeEndForms = {
  "cancel-reservation": actionForm("cancel-reservation", { trade: TradeData }),
  "cancel-settlement": actionForm("cancel-settlement", { trade: TradeData }),
  "reverse-payment": actionForm("reverse-payment", { trade: TradeData }),
  reject: actionForm("reject", { trade: TradeData }),
  agree: actionForm("agree", { case: CaseData }),
  contest: actionForm("contest", { case: CaseData }),
};

type Of<K extends keyof typeof tradeEndForms> = Infer<(typeof tradeEndForms)[K]>;

/** The taker thinks better of it before anything is settled. */
export function cancelReservation(trade: TradeTerms, when: When): Of<"cancel-reservation"> {
  return { ...begins("cancel-reservation", takerOf(trade), when), trade };
}

/** A party cancels a settlement that nobody paid. */
export function cancelSettlement(trade: TradeTerms, by: string, when: When): Of<"cancel-settlement"> {
  return { ...begins("cancel-settlement", by, when), trade };
}

/** The buyer takes back the word that the payment was sent. */
export function reversePayment(trade: TradeTerms, when: When): Of<"reverse-payment"> {
  return { ...begins("reverse-payment", trade.buyer, when), trade };
}

/** The seller says that the payment was not right. */
export function reject(trade: TradeTerms, when: When): Of<"reject"> {
  return { ...begins("reject", sellerOf(trade), when), trade };
}

/** A party agrees to settle a case that its node shows. */
export function agree(terms: CaseTerms, by: string, when: When): Of<"agree"> {
  return { ...begins("agree", by, when), case: terms };
}

/** Uses ids that others use as well for a trade and a case of one's own; a node that knows them refuses. */
export function contest(terms: CaseTerms, by: string, when: When): Of<"contest"> {
  return { ...begins("contest", by, when), case: terms };
}

export const tradeEndRows: ActionRows<typeof tradeEndForms> = {
  "cancel-reservation": {
    title: ({ trade }) => `cancel ${trade.reservation}`,
    *run(person, scene, { trade }) {
      const id = trade.reservation.toString();
      yield* until(person, "getReservation", id, ({ state }) => state === "EscrowLocked");
      const cancel = { id, requester: person.wallet.peer, timestamp: person.now() };
      yield* person.send("sendReservationCancel", ReservationCancel, cancel);
      told(scene, person, `cancels reservation ${id}`);
    },
  },
  "cancel-settlement": {
    title: ({ trade }) => `cancel ${trade.settlement}`,
    *run(person, scene, { trade }) {
      yield* settlementIs(person, trade, "AwaitingPayment");
      yield* person.send("sendSettlementCancelled", SettlementCancelled, {
        settlement_id: trade.settlement,
        canceller: person.wallet.peer,
        timestamp: person.now(),
      });
      told(scene, person, `cancels ${trade.settlement}`);
    },
  },
  "reverse-payment": {
    title: ({ trade }) => `reverse ${trade.settlement}`,
    *run(person, scene, { trade }) {
      yield* settlementIs(person, trade, "PaymentSubmitted");
      const reversal = { settlement_id: trade.settlement, buyer: person.wallet.peer, timestamp: person.now() };
      yield* person.send("sendPaymentReversed", PaymentReversed, reversal);
      told(scene, person, `takes back the payment for ${trade.settlement}`);
    },
  },
  reject: {
    title: ({ trade }) => `reject ${trade.settlement}`,
    *run(person, scene, { trade }) {
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
  },
  agree: {
    title: ({ case: terms }) => `agree on ${terms.id}`,
    *run(person, scene, { case: terms }) {
      yield* until(person, "getDispute", terms.id, () => true);
      const agreement = { dispute_id: terms.id, party: person.wallet.peer, timestamp: person.now() };
      yield* person.send("sendMutualSettlementAgree", MutualSettlementAgree, agreement);
      told(scene, person, `agrees to settle ${terms.id}`);
    },
  },
  contest: { title: ({ case: terms }) => `contest ${terms.trade.settlement}`, run: contestTrade },
};

function* contestTrade(person: Person, scene: Scene, { case: terms }: Of<"contest">): Script {
  const { trade } = terms;
  const { wallet } = person;
  const seller = scene.world.person(sellerOf(trade));
  const id = trade.reservation.toString();
  const amount = amountOf(trade.offer, trade.amount);
  const send = (method: string, data: string) => person.ask(method, { data });
  const request = {
    ...{ id, advertisement_id: trade.offer.id, amount, agreed_price: priceOf(trade.offer), agreed_mid: null },
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
}
