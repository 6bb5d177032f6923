/**
 * Why a call was refused whose error code has several causes: `error.data.reason`, short and stable, never about a
 * person. Clients may act on one; texts for people are here once. Source: DESIGN §7 #23.
 */

/** What each reason means. A reason that is out is never renamed. Source: DESIGN §7 #23. */
export const reasons = {
  // of every payload
  "id-form": "an id is empty, longer than 128 bytes, or holds a control character",
  "id-not-its-own": "the id looks like a content hash and is not the hash of this payload",
  "date-ahead": "the date is more than 5 minutes ahead of the node's clock",
  "date-behind": "the date is more than 24 hours behind the node's clock",
  "too-large": "the payload is larger than this method takes",
  "out-of-bounds": "a member is outside its bounds, which its description states",
  ambiguous: "several records of the signer have this id: name one by its identity",
  sealed: "the record ended long ago and takes nothing new",
  life: "it is dated outside the life of the record that it is about",
  "no-room": "the node keeps no more of this kind for this signer or record",
  "answer-too-long": "the answer is longer than a node gives: ask for the list in pages",
  // of keys and signatures
  "no-curve-point": "the public key is not a point of the curve",
  "other-bytes": "the signature does not verify over any accepted rendering of the payload",
  "key-of-another": "the public key is not the one inside the named peer id",
  "not-a-party": "the signer is not who may say this about the record",
  // of proofs
  "challenge-unknown": "the nonce was not issued for this subject by this node, or it was used",
  "challenge-expired": "the nonce is older than its lifetime",
  "service-unknown": "no such service is registered here",
  // of advertisements
  "payment-methods": "there is no payment method, or one that another merchant defined",
  "trade-limits": "the least trade exceeds the greatest, or their decimals differ",
  "liquidity-decimals": "the liquidity is counted in other decimals than the limits of a trade",
  "not-disabled": "this method says Disabled and nothing else",
  // of reservations and settlements
  "amount-zero": "the amount is zero",
  "amount-outside-terms": "the amount is outside the advertisement's limits or in other decimals",
  "amount-above-reserved": "the amount is zero, above what was reserved, or in other decimals",
  "price-differs": "the agreed price is not the advertisement's price",
  "rate-moved": "the agreed mid is too far from the current rate",
  "not-yet-known": "the reservation is not known here; it may be on its way",
  // of registers
  outdated: "an equal or newer statement of the same signer is held",
  // of services, oracles, snapshots
  "not-listed": "the signer has no registered service that may publish this",
  "price-without-wallet": "a price needs a wallet that is paid",
  branding: "the branding has a member outside its bounds",
  endpoint: "an endpoint's host is one that resolves for nobody",
  "id-of-another": "the id is derived from another provider's key",
  "too-many": "the signer has as many of these as a node shows",
  "too-little-stake": "the producer is known to have less at stake than it takes",
  "content-differs": "the content is too large, or does not match its identifier",
  // of sessions and notifications
  "ends-too-late": "it ends later than a session may last",
  "version-not-greater": "the version is not above the session's",
  "not-the-provider": "the service belongs to another provider",
  "report-differs": "the report does not agree with what was dispatched to this service",
} as const satisfies Readonly<Record<string, string>>;

/** A cause of a refusal, as `error.data.reason` says it. */
export type Reason = keyof typeof reasons;
