/**
 * What a person is told. A text names the class of event and sends the reader to the client: no amount, no
 * counterparty, no identifier, no digit, no currency sign. Source: protocol 04 §6.3, §6.6 "Text rule".
 */

import type { Category, Trigger } from "./schema.ts";

export interface Notice {
  readonly category: Category;
  readonly subject: string;
  readonly body: string;
}

/** Every trigger's category and words; those that nothing plans yet are ready for when something does. */
export const notices: Readonly<Record<Trigger, Notice>> = {
  ReservationCreated: {
    category: "Trading",
    subject: "Reservation created",
    body: "A reservation you take part in was created. Open your client to see it.",
  },
  ReservationExpiring: {
    category: "Trading",
    subject: "Reservation expiring",
    body: "One of your reservations is about to expire. Open your client to see it.",
  },
  PaymentSubmitted: {
    category: "Trading",
    subject: "Payment submitted",
    body: "A payment was submitted in one of your settlements. Open your client to see it.",
  },
  SettlementApproved: {
    category: "Trading",
    subject: "Settlement approved",
    body: "One of your settlements was approved. Open your client to see it.",
  },
  EscrowReleased: {
    category: "Trading",
    subject: "Escrow released",
    body: "The escrow of one of your settlements was released. Open your client to see it.",
  },
  TradeCompleted: {
    category: "Trading",
    subject: "Trade completed",
    body: "One of your trades was completed. Open your client to see it.",
  },
  AdvertisementDisabled: {
    category: "Marketplace",
    subject: "Advertisement disabled",
    body: "One of your advertisements is no longer active. Open your client to see it.",
  },
  ReputationUpdated: {
    category: "Marketplace",
    subject: "Reputation updated",
    body: "Your reputation has changed. Open your client to see it.",
  },
  EvidenceRequested: {
    category: "Disputes",
    subject: "Evidence requested",
    body: "A dispute was opened about one of your settlements. Open your client to add evidence.",
  },
  ResolutionIssued: {
    category: "Disputes",
    subject: "Resolution issued",
    body: "A dispute about one of your settlements was decided. Open your client to see it.",
  },
  ProposalPublished: {
    category: "Governance",
    subject: "Proposal published",
    body: "A governance proposal was published. Open your client to read it.",
  },
  VotingStarted: {
    category: "Governance",
    subject: "Voting started",
    body: "Voting on a governance proposal has started. Open your client to take part.",
  },
  ProposalActivated: {
    category: "Governance",
    subject: "Proposal activated",
    body: "A governance proposal was activated. Open your client to read it.",
  },
  SnapshotAvailable: {
    category: "Infrastructure",
    subject: "Snapshot available",
    body: "A new snapshot is available. Open your client to see it.",
  },
  NodeMaintenance: {
    category: "Infrastructure",
    subject: "Node maintenance",
    body: "A node you use is under maintenance. Open your client to see it.",
  },
  ProviderOffline: {
    category: "Infrastructure",
    subject: "Provider offline",
    body: "A service provider you use is offline. Open your client to see it.",
  },
};
