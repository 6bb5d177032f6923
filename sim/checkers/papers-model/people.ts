/**
 * What people publish of themselves, written from the papers: claims, services, sessions, proposals, subscriptions, and
 * what merchants call their ways to be paid.
 * Source: CONVERGENCE "Small folds"; protocol 02 I.2; 04 §1, §3, §5, §6, 05 §2.
 */
import { toHex, utf8 } from "../../../core/index.ts";
import { sha256 } from "../../runtime.ts";
import type { Held, Signed } from "./held.ts";
import { about, inOrder } from "./held.ts";

/** A record of a table by its key, as far as the papers fix it. */
export interface Published {
  readonly table: string;
  readonly key: string;
  readonly is: Readonly<Record<string, unknown>>;
  /** Whether every node that holds the statement has the record: no check of its domain's own refuses it. */
  readonly always?: true;
}

/** Every record of people that the statements give. */
export function publishedIn(held: Held): readonly Published[] {
  const of = (type: string) => (held.ofType.get(type) ?? []).filter(({ isVoid }) => !isVoid);
  return [
    ...of("ClaimPublish").map((publish) => claimOf(held, publish)),
    ...of("SessionCreate").map((create) => sessionOf(held, create)),
    ...of("ProposalCreate").map((create) => proposalOf(held, create)),
    ...of("Registration").map((registration) => serviceOf(held, registration)),
    ...of("SubscriptionUpdate").map(({ by, at, payload }) => {
      const { enabled_categories, destinations } = payload;
      const is = { updated_at: at, enabled_categories, destinations };
      return { table: "notification_subscriptions", key: by, is };
    }),
    ...of("PaymentMethodDefine").map((define) => {
      const { merchant, name, category } = define.payload;
      return {
        table: "payment_methods",
        key: methodId(define),
        is: { merchant, name, category },
        always: true as const,
      };
    }),
  ];
}

/** A definition's id: its merchant, and eight bytes of the digest of all its words. Source: protocol 02 I.2. */
export function methodId({ payload: { merchant, merchant_public_key, name, category } }: Signed): string {
  const texts = JSON.stringify({ merchant, merchant_public_key, name, category });
  return `${merchant}:${toHex(sha256(utf8(texts)).subarray(0, 8))}`;
}

/** Verified by any word of its wallet, revoked by any. */
function claimOf(held: Held, publish: Signed): Published {
  const own = (type: string) => about(held, publish, type, "claim_id").filter(({ by }) => by === publish.by);
  const attested = publish.payload.verified === true || own("ClaimVerify").length > 0;
  const is = {
    verification_status: attested ? "SelfAttested" : "Unverified",
    revoked: own("ClaimRevoke").length > 0,
    created_at: publish.at,
  };
  return { table: "identity_claims", key: publish.identity, is };
}

/** Renewals and migrations by version; what comes when the session is over is inert. */
function sessionOf(held: Held, create: Signed): Published {
  const own = (type: string) => about(held, create, type, "session_id").filter(({ by }) => by === create.by);
  const acts = [...own("SessionRenew"), ...own("SessionMigrate")].sort((a, b) => {
    const [left, right] = [a.payload.version as bigint, b.payload.version as bigint];
    return left === right ? inOrder(a, b) : left < right ? -1 : 1;
  });
  let [expires_at, host_node, version] = [create.payload.expires_at as bigint, create.payload.host_node, 0n];
  for (const { at, payload } of acts) {
    if (at >= expires_at) continue;
    version = payload.version as bigint;
    if (payload.new_expires_at !== undefined) expires_at = payload.new_expires_at as bigint;
    else host_node = payload.new_host_node;
  }
  const revoked = own("SessionRevoke").length > 0;
  return { table: "sessions", key: create.identity, is: { expires_at, host_node, version, revoked } };
}

/** What its author did, where no result of the chain lies over it. */
function proposalOf(held: Held, create: Signed): Published {
  const withdrawn = about(held, create, "ProposalWithdraw", "proposal_id").some(({ by }) => by === create.by);
  const linked = create.payload.onchain_proposal_id !== null;
  const is = { created_at: create.at, ...(!linked && { status: withdrawn ? "Withdrawn" : "Voting" }) };
  return { table: "proposals", key: create.identity, is };
}

/** Registers of one provider: health counts unless it is older than the registration, a withdrawal if it is not. */
function serviceOf(held: Held, registration: Signed): Published {
  const { by, at, payload } = registration;
  const own = (type: string) =>
    (held.ofType.get(type) ?? []).filter((one) => one.by === by && one.payload.service_id === payload.service_id);
  const health = own("HealthUpdate").at(-1);
  const withdrawal = own("Withdrawal").at(-1);
  const counts = health !== undefined && health.at >= at;
  return {
    table: "services",
    key: `${by}/${payload.service_id}`,
    is: {
      health: counts ? health.payload.state : "Online",
      last_health_update: counts ? health.at : at,
      registered_at: at,
      withdrawn_at: withdrawal !== undefined && withdrawal.at >= at ? withdrawal.at : null,
    },
  };
}
