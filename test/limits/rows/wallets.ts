/**
 * Limits on what wallets say about themselves and each other: claims, sessions, reviews, risk records, and proofs.
 */

import { encryptionKeyOf } from "../../../core/domains/identity/queries.ts";
import { ClaimPublish } from "../../../core/domains/identity/schema.ts";
import { Registration } from "../../../core/domains/providers/schema.ts";
import { ReviewPublish } from "../../../core/domains/reviews/schema.ts";
import { RiskPublish } from "../../../core/domains/risk/schema.ts";
import { SessionCreate, SessionRenew } from "../../../core/domains/sessions/schema.ts";
import { SpentNonces } from "../../../core/domains/wallet-proofs/schema.ts";
import { Statements } from "../../../core/engine/statements/table.ts";
import { devnetNetwork } from "../../../core/index.ts";
import { toBase58, toBase64 } from "../../../core/kernel/text.ts";
import type { EpochMillis } from "../../../core/kernel/values.ts";
import { claimed, reviewed } from "../../identity/fixtures.ts";
import { trading } from "../../reviews/trade.ts";
import { publishPayload, registrationPayload } from "../../risk/fixtures.ts";
import { loneNode, marketRules, person, signedData } from "../../rpc/lone-node.ts";
import { proofOf } from "../../rpc/prove.ts";
import type { CrowdedNode } from "../crowded-node.ts";
import { crowdedNode } from "../crowded-node.ts";
import type { Limit } from "../limit.ts";
import { cutAt, most, OK_OR_PARAMETER, OK_OR_RATE, TAKEN_OR_LEFT } from "../limit.ts";
import { taken } from "../situations.ts";

const T = 1_786_000_000_000n as EpochMillis;
const [ann, bob] = [person(0x11), person(0x22)];
const later = (ms: number) => (T + BigInt(ms)) as EpochMillis;

type ClaimFields = Parameters<typeof claimed>[2];

const claim = (fields: ClaimFields, node = crowdedNode(T)) => node.send(ClaimPublish, claimed(ann, T, fields), ann);

/** Claims of one wallet, each a millisecond after the other; the last one may say something else. */
function claiming(n: number, last: ClaimFields = {}): CrowdedNode {
  const node = crowdedNode(T);
  for (let each = 0; each < n; each++) {
    const fields = { id: `c${each}`, ...(each === n - 1 && last) };
    node.gossip(ClaimPublish, claimed(ann, later(each - n), fields), ann);
  }
  return node;
}

function alreadyClaimed(n: number): CrowdedNode {
  const node = crowdedNode(T);
  node.holdsUnder(Statements, "creator", `claim/${ann.peer}`, n - 1);
  return node;
}

function claimsShown(n: number): number {
  return (claiming(n).read("getIdentityClaimsByWallet", { wallet: ann.peer }) as readonly unknown[]).length;
}

function lastKeyOf(n: number): string {
  const node = claiming(n, { type: "EncryptionKey", value: toBase58(new Uint8Array(32).fill(9)) });
  return encryptionKeyOf(node.store, ann.peer, { now: T, rules: marketRules(false) }) === undefined
    ? "no key"
    : "the last key";
}

const session = {
  ...{ id: "session", wallet: ann.peer, wallet_public_key: ann.key, client: "web", host_node: bob.peer },
  ...{ permissions: ["trade"], timestamp: T, expires_at: later(60_000) },
};

function established(change: Partial<SessionCreate>, node = crowdedNode(T)): string {
  return node.call("sendSessionEstablish", { data: signedData(SessionCreate, { ...session, ...change }, ann) });
}

function renewed(ms: number): string {
  const node = crowdedNode(T);
  established({}, node);
  const renewal = { session_id: "session", wallet: ann.peer, new_expires_at: later(ms), version: 2n, timestamp: T };
  return node.call("sendSessionRenew", { data: signedData(SessionRenew, renewal, ann) });
}

/** A comment of so many code points, two units each, on a settled trade. */
function commented(points: number): string {
  const node = trading("approved", loneNode(T));
  const review = reviewed(person(0x22), T, { settlement: "set-1", comment: "😀".repeat(points) });
  const answer = node.call("sendReviewPublish", { data: signedData(ReviewPublish, review, person(0x22)) });
  return typeof answer === "string" ? "ok" : `${answer}`;
}

const review = (fields: Parameters<typeof reviewed>[2], by = ann) =>
  taken(crowdedNode(T), ReviewPublish, reviewed(by, T, fields), by);

const provider = person(8);

function risky(change: Partial<RiskPublish>): string {
  const node = crowdedNode(T);
  node.gossip(Registration, registrationPayload(provider, T), provider);
  return node.send(RiskPublish, { ...publishPayload(provider, ann.peer, T), ...change }, provider);
}

/** Flags that are active after so many were raised, some time after their provider registered. */
function flagsOf(flags: number, ms = 0): number {
  const node = crowdedNode(T);
  node.gossip(Registration, registrationPayload(provider, T), provider);
  for (let n = 0; n < flags; n++)
    node.gossip(RiskPublish, publishPayload(provider, ann.peer, T, { id: `r${n}` }), provider);
  node.now = later(ms);
  const screening = node.read("getWalletScreening", { wallet: ann.peer }) as { active_flags: readonly unknown[] };
  return screening.active_flags.length;
}

function proved(n: number): string {
  const node = crowdedNode(T);
  node.holds(SpentNonces, n - 1);
  return node.call("getMyReviews", proofOf(node, "openfiat-my-reviews", ann));
}

/** What a node that plays the reference answers to a wallet of so many bytes. */
const parityWallet =
  (method: string) =>
  (bytes: number): string => {
    const node = crowdedNode(T, { profile: { ...devnetNetwork, parity: true } });
    return node.call(method, { wallet: toBase64(new Uint8Array(bytes).fill(1)) });
  };

const OK_OR_LIMIT = { within: "ok", beyond: "CLAIM_LIMIT_REACHED" };

const identity: readonly Limit[] = [
  most(
    "core/domains/identity/schema.ts VALUE_BYTES_MAX",
    1_024,
    (n) => claim({ value: "é".repeat(n / 2) + "x".repeat(n % 2) }),
    OK_OR_PARAMETER,
  ),
  most(
    "core/domains/identity/schema.ts LABEL_BYTES_MAX",
    64,
    (n) => claim({ type: { Custom: "x".repeat(n) } }),
    OK_OR_PARAMETER,
  ),
  most(
    "core/domains/identity/bounds.ts SUPERSEDED_ID_BYTES_MAX",
    1_024,
    (n) => taken(crowdedNode(T), ClaimPublish, claimed(ann, T, { supersedes: "x".repeat(n) }), ann),
    TAKEN_OR_LEFT,
  ),
  most("core/domains/identity/bounds.ts CLAIMS_HELD_MAX", 1_024, (n) => claim({}, alreadyClaimed(n)), OK_OR_LIMIT),
  most(
    "core/domains/identity/queries.ts LIVE_CLAIMS_MAX",
    64,
    (n) => claim({ id: "new" }, claiming(n - 1)),
    OK_OR_LIMIT,
  ),
  cutAt("core/domains/identity/queries.ts COUNTED_CLAIMS_MAX", 256, claimsShown),
  most("core/domains/identity/queries.ts COUNTED_CLAIMS_MAX", 256, lastKeyOf, {
    where: "the key that is written to",
    within: "the last key",
    beyond: "no key",
  }),
];

const sessions: readonly Limit[] = [
  most(
    "core/domains/sessions/schema.ts CLIENT_BYTES_MAX",
    128,
    (n) => established({ client: "x".repeat(n) }),
    OK_OR_PARAMETER,
  ),
  most(
    "core/domains/sessions/schema.ts PERMISSIONS_MAX",
    32,
    (n) => established({ permissions: Array.from({ length: n }, (_, at) => `p${at}`) }),
    OK_OR_PARAMETER,
  ),
  most(
    "core/domains/sessions/schema.ts PERMISSION_BYTES_MAX",
    64,
    (n) => established({ permissions: ["x".repeat(n)] }),
    OK_OR_PARAMETER,
  ),
  most(
    "core/domains/sessions/methods.ts SESSION_LIFETIME_MS_MAX",
    2_592_000_000,
    (ms) => established({ expires_at: later(ms) }),
    { where: "established", ...OK_OR_PARAMETER },
  ),
  most("core/domains/sessions/methods.ts SESSION_LIFETIME_MS_MAX", 2_592_000_000, renewed, {
    where: "renewed",
    ...OK_OR_PARAMETER,
  }),
];

const reviews: readonly Limit[] = [
  most("core/domains/reviews/schema.ts COMMENT_POINTS_MAX", 500, commented, {
    where: "over RPC",
    within: "ok",
    beyond: "3",
  }),
  most("core/domains/reviews/schema.ts COMMENT_POINTS_MAX", 500, (n) => review({ comment: "😀".repeat(n) }), {
    where: "by gossip",
    ...TAKEN_OR_LEFT,
  }),
  most("core/engine/admission/ingress.ts GOSSIP_ID_BYTES_MAX", 1_024, (n) => review({ settlement: "x".repeat(n) }), {
    where: "the settlement of a review",
    ...TAKEN_OR_LEFT,
  }),
];

const risk: readonly Limit[] = [
  most(
    "core/domains/risk/schema.ts RISK_REASON_BYTES_MAX",
    1_024,
    (n) => risky({ reason: "x".repeat(n) }),
    OK_OR_PARAMETER,
  ),
  most(
    "core/domains/risk/schema.ts RISK_EVIDENCE_MAX",
    16,
    (n) => risky({ evidence: Array(n).fill("e") }),
    OK_OR_PARAMETER,
  ),
  most(
    "core/domains/risk/schema.ts RISK_EVIDENCE_BYTES_MAX",
    256,
    (n) => risky({ evidence: ["x".repeat(n)] }),
    OK_OR_PARAMETER,
  ),
  most("core/domains/risk/views.ts PROVIDER_AGE_MS_MAX", 604_800_000, (ms) => `${flagsOf(1, ms)}`, {
    within: "1",
    beyond: "0",
  }),
  cutAt("core/domains/risk/views.ts RECORDS_PER_PROVIDER_MAX", 64, flagsOf),
];

export const limits: readonly Limit[] = [
  ...identity,
  ...sessions,
  ...reviews,
  ...risk,
  most("core/domains/wallet-proofs/queries.ts SPENT_NONCES_MAX", 65_536, proved, OK_OR_RATE),
  ...["getWalletChallenge", "getNotificationDispatchesByWallet", "getDeliveryReceiptsByWallet"].map((method) =>
    most("core/parity/wallets.ts PARITY_WALLET_BYTES_MAX", 256, parityWallet(method), {
      where: method,
      within: "ok",
      beyond: "wallet must be a peer id in base64 or base58",
    }),
  ),
];
