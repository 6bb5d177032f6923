/**
 * What public reads may show of people: under which member, and what its owner must have sent for it. Everything that
 * is not here names nobody, so a read that is new, or shows more, is a leak until somebody writes it down.
 * Source: DESIGN L4, §7 #15; protocol 02 K, 04 §0.7, §6.7 (ours: the list).
 */

interface Shown {
  readonly methods: RegExp;
  readonly members: readonly string[];
  /** The send by which the one who is shown published it. */
  readonly sent: RegExp;
}

/** Who published a record about themselves stays on it. */
const OWN: readonly Shown[] = [
  { methods: /^getAdvertisements?$/, members: ["merchant", "merchant_public_key"], sent: /^sendAdvertisementCreate$/ },
  { methods: /^getAdvertisements?$/, members: ["payment_methods"], sent: /^sendPaymentMethodDefine$/ },
  {
    methods: /^(getPaymentMethods?|sendPaymentMethodDefine)$/,
    members: ["id", "merchant", "merchant_public_key", "owner", "result"],
    sent: /^sendPaymentMethodDefine$/,
  },
  { methods: /^getProviders?$/, members: ["provider", "provider_public_key"], sent: /^sendProviderRegister$/ },
  { methods: /^getProposals?$/, members: ["author", "author_public_key"], sent: /^sendProposalCreate$/ },
  { methods: /^getProposals?$/, members: ["voter"], sent: /^sendVoteCast$/ },
  {
    methods: /^getIdentityClaim(sByWallet)?$/,
    members: ["wallet", "wallet_public_key"],
    sent: /^sendClaimPublish$/,
  },
  {
    methods: /^getSession(sByWallet)?$/,
    members: ["wallet", "wallet_public_key"],
    sent: /^sendSessionEstablish$/,
  },
  { methods: /^getOracleRecords?$/, members: ["provider", "provider_public_key"], sent: /^sendOraclePublish$/ },
  {
    methods: /^(getRiskRecordsByWallet|getWalletScreening)$/,
    members: ["provider", "provider_public_key"],
    sent: /^sendRiskPublish$/,
  },
  {
    methods: /^(getSnapshots?|getLatestSnapshot)$/,
    members: ["producer", "producer_public_key"],
    sent: /^sendSnapshotAnnounce$/,
  },
  { methods: /^getSubscription$/, members: ["wallet", "wallet_public_key"], sent: /^sendSubscriptionUpdate$/ },
];

/** What a record says of others, none of which is about a trade. */
const OF_OTHERS: readonly Omit<Shown, "sent">[] = [
  { methods: /^getSession(sByWallet)?$/, members: ["host_node"] },
  { methods: /^getProviders?$/, members: ["payout_wallet"] },
];

/** Where a read repeats the wallet that its caller asked about. */
const ASKED: readonly Omit<Shown, "sent">[] = [
  { methods: /^get(Wallet|Counterparties)Challenge$/, members: ["subject"] },
  { methods: /^(getRiskRecordsByWallet|getWalletScreening)$/, members: ["wallet"] },
  { methods: /^getReputation$/, members: ["wallet"] },
  { methods: /^getReviews$/, members: ["about"] },
  { methods: /^get(NotificationDispatches|DeliveryReceipts)ByWallet$/, members: ["recipient_wallet"] },
];

/** Members whose text is an id that the author of a record made up. */
export const FREE_TEXT_IDS = /^(id|.+_id|Settlement|subject|supersedes|next_cursor)$/;
/** What a notification is about when it is about a trade. Source: protocol 04 §6.3, §6.7. */
export const TRADE_TRIGGERS: readonly unknown[] = [
  "ReservationCreated",
  "ReservationExpiring",
  "PaymentSubmitted",
  "SettlementApproved",
  "EscrowReleased",
  "TradeCompleted",
  "EvidenceRequested",
  "ResolutionIssued",
];

/** Whether an answer may name somebody under a member, who sent what `has` knows of and was `asked` about or not. */
export function mayShow(method: string, member: string, has: (sent: RegExp) => boolean, asked: boolean): boolean {
  const here = (row: Omit<Shown, "sent">) => row.members.includes(member) && row.methods.test(method);
  return OWN.some((row) => here(row) && has(row.sent)) || OF_OTHERS.some(here) || (asked && ASKED.some(here));
}
