/**
 * What "in effect" means, statement type by statement type, in one line each; and where the records say so. A place is
 * a text that stays as long as the act is in effect there. `yields` are acts that precedence may overrule whatever
 * their date, so nothing is promised of them. Source: CONVERGENCE "No retroactive veto", "Precedence tables".
 */

import { attachmentsOfSettlement } from "../../core/domains/content/attachments/queries.ts";
import type { AttachmentPublish } from "../../core/domains/content/attachments/schema.ts";
import type { ProposalCreate } from "../../core/domains/governance/schema.ts";
import { CastVotes, Proposals, Resolutions } from "../../core/domains/governance/tables.ts";
import { Claims } from "../../core/domains/identity/tables.ts";
import type { DeliveryReport } from "../../core/domains/notifications/schema.ts";
import { deliveryKey } from "../../core/domains/notifications/schema.ts";
import { Receipts, receiptKey, Subscriptions } from "../../core/domains/notifications/tables.ts";
import type { OraclePublish } from "../../core/domains/oracles/schema.ts";
import { OracleRecords, oracleKey } from "../../core/domains/oracles/tables.ts";
import { definitionId } from "../../core/domains/payment-methods/fold.ts";
import type { PaymentMethodDefine } from "../../core/domains/payment-methods/schema.ts";
import { methodsOf } from "../../core/domains/payment-methods/tables.ts";
import type { Registration } from "../../core/domains/providers/schema.ts";
import { Services, serviceKey } from "../../core/domains/providers/tables.ts";
import type { RiskPublish } from "../../core/domains/risk/schema.ts";
import { screeningOf } from "../../core/domains/risk/views.ts";
import { Sessions } from "../../core/domains/sessions/tables.ts";
import { Snapshots } from "../../core/domains/snapshots/tables.ts";
import { RegistersInForce } from "../../core/domains/trade/advertisements/tables.ts";
import { disputeIn } from "../../core/domains/trade/disputes/panels.ts";
import type { DisputeOpen, MutualSettlementAgree } from "../../core/domains/trade/disputes/schema.ts";
import type { DisputeRow } from "../../core/domains/trade/disputes/tables.ts";
import { Disputes } from "../../core/domains/trade/disputes/tables.ts";
import { Reservations } from "../../core/domains/trade/reservations/tables.ts";
import type { Followed } from "../../core/domains/trade/settlements/queries.ts";
import type { SettlementInitiate } from "../../core/domains/trade/settlements/schema.ts";
import { Settlements } from "../../core/domains/trade/settlements/tables.ts";
import { entriesOf, grantsOf } from "../../core/domains/trade-channel/views.ts";
import { childrenBySigner } from "../../core/engine/statements/own-statements.ts";
import { parentsOf, Statements } from "../../core/engine/statements/table.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { Reader, Table } from "../../core/kernel/table.ts";
import { recordsOf } from "../../core/kernel/table.ts";
import type { PeerId } from "../../core/kernel/values.ts";
import { marketRules } from "../rpc/lone-node.ts";
import { at, crypto } from "./actors.ts";

interface Effect {
  /** What in effect means. */
  readonly means: string;
  readonly places: (store: Reader, statement: Statement) => readonly string[];
}

const PAID = ["PaymentSubmitted", "Approved", "Rejected", "Disputed"];
/** When reads are made: registrations are heard of, nothing that lasts has expired. */
const READ_AT = at(60);

function effect<P>(means: string, places: (store: Reader, statement: Statement<P>) => readonly string[]): Effect {
  return { means, places: places as Effect["places"] };
}

/** Nothing is promised of it beyond that it is kept. */
function yields(means: string): Effect {
  return effect(means, (store, { identity }) => (store.get(Statements, identity) === undefined ? [] : ["kept"]));
}

/** The record under a key reads the same, whatever anybody else says. */
function reads<P, R>(means: string, table: Table<R>, key: (statement: Statement<P>) => string): Effect {
  return effect<P>(means, (store, statement) => {
    const record = store.get(table, key(statement));
    return record === undefined ? [] : [textOf(record)];
  });
}

const sessionRecord = effect(
  "its wallet's sessions of the id read what the wallet made of them",
  recordsOfOwnParents(Sessions),
);
const claimRecord = effect(
  "its wallet's claims of the id read what the wallet made of them",
  recordsOfOwnParents(Claims),
);
const ownSession = reads("its session reads what its wallet made of it", Sessions, identity);
const ownClaim = reads("its claim reads what its wallet made of it", Claims, identity);
const merchantsStatement = effect(
  "the registers of its merchant's advertisement hold what he said",
  recordsOfOwnParents(RegistersInForce),
);
const service = reads(
  "its provider's service of the id reads what he made of it",
  Services,
  ({ signer, payload }: Statement<Registration>) => serviceKey(signer, payload.service_id),
);

export const inEffect: Readonly<Record<string, Effect>> = {
  AdvertisementCreate: reads("its registers hold what its merchant said", RegistersInForce, identity),
  AdvertisementStatusSet: merchantsStatement,
  AdvertisementDisable: merchantsStatement,
  AdvertisementTermsUpdate: merchantsStatement,
  AdvertisementPriceUpdate: merchantsStatement,
  ReservationRequest: effect("every pair in which it is valid has its row", (store, { identity }) =>
    [...store.keys(Reservations)].filter((key) => key.endsWith(identity)),
  ),
  ReservationCancel: yields("kept; it yields to a payment, a dispute, an approval, a fact"),
  SettlementInitiate: effect("there is its settlement", (store, { identity }) =>
    store.get(Settlements, identity) === undefined ? [] : ["a settlement"],
  ),
  PaymentSubmitted: effect<unknown>(
    "its settlement's signed state is PaymentSubmitted, Approved, Rejected or Disputed",
    (store, payment) =>
      settlementsOf(store, payment).flatMap(({ identity }) => {
        const row = store.get(Settlements, identity);
        const counts = row?.buyer === payment.signer && row.ever_paid && PAID.includes(row.signed_state);
        return counts ? [identity] : [];
      }),
  ),
  PaymentReversed: yields("kept; it yields to its signer's next payment, an approval, a rejection, a dispute"),
  SettlementApproved: effect<unknown>(
    "its settlement carries it, and the reservation is acknowledged unless a fact gave it back",
    (store, approve) =>
      settlementsOf(store, approve).flatMap(({ identity }) => {
        const row = store.get(Settlements, identity);
        if (row === undefined || row.seller !== approve.signer || !row.approved) return [];
        const held = store.get(Reservations, `${row.advertisement}:${row.request}`);
        return held !== undefined && (held.acknowledged || held.returned) ? [identity] : [];
      }),
  ),
  SettlementRejected: yields("kept; it yields to an approval and to a dispute"),
  SettlementCancelled: yields("kept; it yields to a payment, an approval, a dispute"),
  DisputeOpen: effect<DisputeOpen>("there is its dispute, and its settlement is Disputed", (store, open) =>
    settlementsOf(store, open)
      .filter((initiate) => store.get(Disputes, `${initiate.identity}:${open.identity}`) !== undefined)
      .filter((initiate) => store.get(Settlements, initiate.identity)?.signed_state === "Disputed")
      .map(identity),
  ),
  ArbitratorJoin: inDispute("the dispute shows its signer among those seated", (row, signer) =>
    row.arbitrators.includes(signer),
  ),
  VoteCommit: inDispute("the dispute shows its signer among those committed", (row, signer) =>
    row.commitments.some(({ arbitrator }) => arbitrator === signer),
  ),
  VoteReveal: inDispute("the dispute shows its signer among those revealed", (row, signer) =>
    row.reveals.some(({ arbitrator }) => arbitrator === signer),
  ),
  MutualSettlementAgree: inDispute("the dispute shows that its signer agreed", (row, signer) =>
    signer === row.buyer ? row.buyer_agreed_mutual_settlement : row.seller_agreed_mutual_settlement,
  ),
  PaymentMethodDefine: effect<PaymentMethodDefine>("its merchant's methods show it", (store, { signer, payload }) => {
    const id = definitionId((bytes) => crypto.sha256(bytes), payload);
    return methodsOf(store, signer)
      .filter((row) => row.id === id)
      .map(textOf);
  }),
  SubscriptionUpdate: reads(
    "its wallet's subscription reads what the wallet said",
    Subscriptions,
    ({ signer }) => signer,
  ),
  DeliveryReport: reads(
    "its provider's receipt reads what he reported",
    Receipts,
    ({ signer, payload }: Statement<DeliveryReport>) =>
      receiptKey(signer, deliveryKey(payload.notification_id, payload.service_id)),
  ),
  AttachmentPublish: effect<AttachmentPublish>(
    "each settlement of which its author is a party shows it",
    (store, { identity }) =>
      [...store.keys(Settlements)].filter((settlement) =>
        attachmentsOfSettlement(store, settlement as never).some((shown) => shown.identity === identity),
      ),
  ),
  TradeChannelKeyGrant: channel("each settlement's channel shows it", (store, followed, signer) =>
    grantsOf(store, followed).filter(({ granter }) => granter === signer),
  ),
  TradeChannelEntryPost: channel("each settlement's channel shows it", (store, followed, signer) =>
    entriesOf(store, followed).filter(({ author }) => author === signer),
  ),
  ProposalCreate: effect("there is its proposal, which only its author withdraws", (store, create) => {
    const withdrawn = childrenBySigner(store, create, create.signer).some(
      ({ type }) => type.name === "ProposalWithdraw",
    );
    const row = store.get(Proposals, create.identity);
    return row === undefined || (row.status === "Withdrawn" && !withdrawn) ? [] : ["a proposal"];
  }),
  VoteCast: effect("its voter's counted vote on each proposal stays the same", (store, { signer }) =>
    [...store.keys(CastVotes)]
      .filter((key) => key.endsWith(signer))
      .map((key) => `${key} ${textOf(store.get(CastVotes, key))}`),
  ),
  ProposalWithdraw: byAuthor(
    "his proposal reads Withdrawn until the chain decides it",
    (_, status) => status !== "Voting",
  ),
  ProposalActivate: byAuthor(
    "the proposal of the one who proposed it on chain reads Activated",
    (proposed, status) => proposed && status === "Activated",
  ),
  SessionCreate: ownSession,
  SessionRenew: sessionRecord,
  SessionRevoke: sessionRecord,
  SessionMigrate: sessionRecord,
  ClaimPublish: ownClaim,
  ClaimVerify: claimRecord,
  ClaimRevoke: claimRecord,
  ReviewPublish: yields("kept, unless its author says something newer; it is shown while the trade reads settled"),
  Registration: service,
  HealthUpdate: service,
  Withdrawal: service,
  FeeSettlement: yields("kept; no fold reads it"),
  OraclePublish: reads(
    "its provider's record of the id reads what he published",
    OracleRecords,
    ({ signer, payload }: Statement<OraclePublish>) => oracleKey(signer, payload.id),
  ),
  SnapshotAnnounce: reads("there is its announcement", Snapshots, identity),
  RiskPublish: effect<RiskPublish>(
    "the screening of its wallet shows its provider's flags",
    (store, { signer, payload }) =>
      screeningOf(store, payload.wallet, { now: READ_AT, rules: marketRules(false) })
        .active_flags.filter(({ provider }) => provider === signer)
        .map(textOf),
  ),
};

function identity(statement: Statement): string {
  return statement.identity;
}

function settlementsOf(store: Reader, statement: Statement): readonly Statement<SettlementInitiate>[] {
  return parentsOf<SettlementInitiate>(store, statement);
}

/** The records of those parents that the statement's own signer created. */
function recordsOfOwnParents<R>(table: Table<R>) {
  return (store: Reader, statement: Statement): readonly string[] =>
    parentsOf(store, statement)
      .filter((parent) => parent.signer === statement.signer)
      .map((parent) => `${parent.identity} ${textOf(store.get(table, parent.identity))}`);
}

function inDispute(means: string, shows: (row: DisputeRow, signer: PeerId) => boolean): Effect {
  return effect<MutualSettlementAgree>(means, (store, statement) =>
    parentsOf<DisputeOpen>(store, statement).flatMap((open) =>
      recordsOf(store, Disputes, "open", open.identity)
        .filter((row) => shows(disputeIn(store, row), statement.signer))
        .map((row) => `${row.settlement}:${row.open}`),
    ),
  );
}

/** What a channel shows of its signer, in each settlement that he names. */
function channel(
  means: string,
  shown: (store: Reader, followed: Followed, signer: PeerId) => readonly unknown[],
): Effect {
  return effect<unknown>(means, (store, statement) =>
    settlementsOf(store, statement).flatMap(({ identity }) => {
      const row = store.get(Settlements, identity);
      const what = row === undefined ? [] : shown(store, { identity, row }, statement.signer);
      return what.map((each) => `${identity} ${textOf(each)}`);
    }),
  );
}

/** Where an author's own proposal reads as he wants; `proposed` says whether he proposed it on chain too. */
function byAuthor(means: string, holds: (proposed: boolean, status: string) => boolean): Effect {
  return effect<unknown>(means, (store, statement) =>
    parentsOf<ProposalCreate>(store, statement).flatMap(({ identity, signer, payload }) => {
      const row = store.get(Proposals, identity);
      const found = store.get(Resolutions, String(payload.onchain_proposal_id));
      const proposed = found?.proposer === payload.author_public_key;
      return row !== undefined && signer === statement.signer && holds(proposed, row.status) ? [identity] : [];
    }),
  );
}

function textOf(record: unknown): string {
  return JSON.stringify(record, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value));
}
