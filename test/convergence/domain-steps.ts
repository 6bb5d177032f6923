/**
 * How the domains beside trades go on: votes after a proposal, moves after a session's start with the next version,
 * publications by whoever is registered for them, entries under the next sequence. Source: protocol 02 G to J, 04, 05.
 */
import { AttachmentPublish } from "../../core/domains/content/attachments/schema.ts";
import { ProposalActivate, ProposalCreate, ProposalWithdraw, VoteCast } from "../../core/domains/governance/schema.ts";
import type { ClaimPublish as Claim } from "../../core/domains/identity/schema.ts";
import { ClaimPublish, ClaimRevoke, ClaimVerify } from "../../core/domains/identity/schema.ts";
import { Category, DeliveryReport, SubscriptionUpdate } from "../../core/domains/notifications/schema.ts";
import { OraclePublish } from "../../core/domains/oracles/schema.ts";
import { SERVICE_LAPSE_MS } from "../../core/domains/providers/queries.ts";
import type { Registration as Service } from "../../core/domains/providers/schema.ts";
import { HealthUpdate, Registration, Withdrawal } from "../../core/domains/providers/schema.ts";
import { ReviewPublish } from "../../core/domains/reviews/schema.ts";
import { RiskPublish } from "../../core/domains/risk/schema.ts";
import type { SessionCreate } from "../../core/domains/sessions/schema.ts";
import { SessionMigrate, SessionRenew, SessionRevoke } from "../../core/domains/sessions/schema.ts";
import { SnapshotAnnounce } from "../../core/domains/snapshots/schema.ts";
import { ArbitratorJoin, DisputeOpen } from "../../core/domains/trade/disputes/schema.ts";
import type { SettlementInitiate } from "../../core/domains/trade/settlements/schema.ts";
import { SettlementApproved } from "../../core/domains/trade/settlements/schema.ts";
import { TradeChannelEntryPost, TradeChannelKeyGrant } from "../../core/domains/trade-channel/schema.ts";
import type { SignedType, Statement } from "../../core/kernel/signed.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { later } from "../../core/kernel/values.ts";
import { drawnStatement } from "./any-statement.ts";
import { isDecided, readResult, readStake } from "./chain-readings.ts";
import type { Step } from "./steps.ts";
import { anyOf, goOn, statementsIn } from "./steps.ts";
import type { Draws, Story } from "./story.ts";
import { about, add, creates, merchants, nameFor, personOf, pick, someone, takers } from "./story.ts";

const HOUR_MS = 3_600_000;
const CATEGORIES = (Category.shape as { readonly names?: readonly unknown[] }).names ?? [];
const people = [...merchants, ...takers];

/** Says something of a type, with these members. */
function signedBy(draws: Draws, type: unknown, by: string, members: Readonly<Record<string, unknown>> = {}): Statement {
  return add(draws.story, drawnStatement(draws, type as SignedType, personOf(by), members));
}

const vote: Step = (draws) => {
  const { story, below } = draws;
  return goOn<ProposalCreate>(draws, creates(story, "proposal"), (create) => {
    const proposal_id = nameFor(create, below(9));
    const isTerminal = about(story, create, ProposalWithdraw).length > 0;
    if (isDecided(story, create.payload) && about(story, create, ProposalActivate).length === 0)
      return () => signedBy(draws, ProposalActivate, create.signer, { proposal_id });
    if (isTerminal) return undefined;
    const word = below(8) < 5 ? ProposalWithdraw : ProposalActivate;
    if (below(7) === 0) return () => signedBy(draws, word, create.signer, { proposal_id });
    return () => signedBy(draws, VoteCast, someone(people, below(4)).peer, { proposal_id });
  });
};

/** Reads of the chain; a step always, for there may be nothing to read. */
const read: Step = ({ story, when, below }) => {
  const before = story.observations.length;
  const reading = below(3) === 0 ? readResult : readStake;
  reading(story, below(99), below(99), below(99), when);
  return story.observations.length > before;
};

const move: Step = (draws) => {
  const { story, when, below } = draws;
  return goOn<SessionCreate>(draws, creates(story, "session"), (create) => {
    if (about(story, create, SessionRevoke).length > 0) return undefined;
    const session_id = nameFor(create, below(9));
    const moves = [SessionRenew, SessionMigrate].flatMap((type) => about<{ version: bigint }>(story, create, type));
    const version = moves.reduce((most, { payload }) => (payload.version > most ? payload.version : most), 0n) + 1n;
    const type = pick([SessionRenew, SessionMigrate, SessionRenew, SessionMigrate, SessionRevoke], below(5));
    const new_expires_at = later(when, HOUR_MS * (1 + below(3)));
    const members = { session_id, ...(type !== SessionRevoke && { version }) };
    return () => signedBy(draws, type, create.signer, { ...members, ...(type === SessionRenew && { new_expires_at }) });
  });
};

const attest: Step = (draws) => {
  const { story, below } = draws;
  return goOn<Claim>(draws, creates(story, "claim"), (create) => {
    if (about(story, create, ClaimRevoke).length > 0) return undefined;
    const claim_id = nameFor(create, below(9));
    const { claim_type, value } = create.payload;
    if (below(4) === 0)
      return () =>
        signedBy(draws, ClaimPublish, create.signer, { claim_type, value, supersedes: claim_id, expires_at: null });
    return () => signedBy(draws, below(4) === 0 ? ClaimRevoke : ClaimVerify, create.signer, { claim_id });
  });
};

const serve: Step = (draws) => {
  const { story, when, below } = draws;
  return goOn<Service>(draws, creates(story, "service"), (create) => {
    const { service_id, service_type } = create.payload;
    if (!isThere(story, create, when))
      return () => signedBy(draws, Registration, create.signer, { service_id, service_type });
    const type = pick([HealthUpdate, HealthUpdate, HealthUpdate, Registration, Withdrawal], below(5));
    return () => signedBy(draws, type, create.signer, { service_id });
  });
};

/** Whether a provider said lately that a service is there, and did not withdraw it. */
function isThere(story: Story, create: Statement<Service>, when: EpochMillis): boolean {
  const own = about(story, create).filter(({ signer }) => signer === create.signer);
  if (own.some(({ type }) => type.name === Withdrawal.name)) return false;
  return [create, ...own].some(({ timestamp }) => timestamp <= when && later(timestamp, SERVICE_LAPSE_MS) > when);
}

/** A service of a type that is there; somebody registers one if none is. */
function serviceOf(draws: Draws, service_type: Service["service_type"]): Statement<Service> {
  const { story, when, below } = draws;
  const [kind] = Object.values(service_type);
  const found = creates<Service>(story, "service").findLast(
    (create) => Object.values(create.payload.service_type)[0] === kind && isThere(story, create, when),
  );
  if (found !== undefined && below(6) > 0) return found;
  const by = someone(people, below(4));
  const plain = { endpoints: ["https://node.net"], payout_wallet: null, pricing: null, branding: null };
  const members = { service_id: `${kind} of ${by.name}`, service_type, ...plain };
  return signedBy(draws, Registration, by.peer, members) as Statement<Service>;
}

/** Publishes what only a provider of a service may. */
function publish(type: unknown, service_type: Service["service_type"]): Step {
  return (draws) => {
    const service = serviceOf(draws, service_type);
    signedBy(draws, type, service.signer);
    return true;
  };
}

/** Somebody wants to be told through a gateway; something happens of which all are told; the gateway reports. */
const subscribe: Step = (draws) => {
  const { story, below } = draws;
  const { payload, signer } = serviceOf(draws, { Notifications: "Email" });
  const { service_id, service_type } = payload;
  const [by, recipient] = [someone(people, below(4)), someone(people, below(4))];
  const sealed = { ephemeral_public: new Uint8Array(32), nonce: new Uint8Array(12), ciphertext: new Uint8Array(9) };
  const destinations = [{ service_id, channel: Object.values(service_type)[0], sealed }];
  const choice = below(3);
  if (choice === 0) signedBy(draws, SubscriptionUpdate, by.peer);
  if (choice === 1) {
    signedBy(draws, SubscriptionUpdate, by.peer, { enabled_categories: CATEGORIES, destinations });
    signedBy(draws, ProposalCreate, recipient.peer, { id: `news ${story.observations.length}` });
  }
  if (choice > 0) signedBy(draws, DeliveryReport, signer, { service_id, recipient_wallet: recipient.peer });
  return true;
};

/** What a party adds to its trade. */
function aside(type: unknown, membersOf: (draws: Draws, initiate: Initiate, by: string) => object): Step {
  return (draws) =>
    goOn<SettlementInitiate>(draws, creates(draws.story, "settlement"), (initiate) => {
      const { buyer, seller } = initiate.payload;
      const by = draws.below(2) === 0 ? buyer : seller;
      return () => signedBy(draws, type, by, { ...membersOf(draws, initiate, by) });
    });
}

type Initiate = Statement<SettlementInitiate>;

const attach = aside(AttachmentPublish, ({ below }, initiate) => ({
  subject: { Settlement: nameFor(initiate, below(9)) },
}));

const grant = aside(TradeChannelKeyGrant, ({ story, below }, initiate, by) => {
  const { buyer, seller } = initiate.payload;
  const panel = about(story, initiate, DisputeOpen).flatMap((open) => [...statementsIn(story, open, ArbitratorJoin)]);
  const recipient = pick([by === buyer ? seller : buyer, ...panel], below(4));
  return { settlement_id: nameFor(initiate, below(9)), recipient };
});

const post = aside(TradeChannelEntryPost, ({ story, below }, initiate, by) => {
  const own = about(story, initiate, TradeChannelEntryPost).filter(({ signer }) => signer === by);
  return { settlement_id: nameFor(initiate, below(9)), sequence: BigInt(own.length) };
});

const review: Step = (draws) => {
  const { story, below } = draws;
  const settled = creates<SettlementInitiate>(story, "settlement").filter((initiate) => isSettled(story, initiate));
  return goOn(draws, settled, (initiate) => () => {
    const { buyer, seller } = initiate.payload;
    return signedBy(draws, ReviewPublish, below(2) === 0 ? buyer : seller, { settlement: nameFor(initiate, below(9)) });
  });
};

/** The steps of each domain beside trades, by the name that its types' tags have. */
export const domainSteps: Readonly<Record<string, Step>> = {
  governance: anyOf(vote, vote, read),
  sessions: move,
  identity: attest,
  registry: serve,
  notifications: subscribe,
  oracles: publish(OraclePublish, { MarketData: "PriceOracle" }),
  risk: publish(RiskPublish, { Security: "RiskIntelligenceProvider" }),
  snapshot: publish(SnapshotAnnounce, { Infrastructure: "SnapshotProvider" }),
  content: attach,
  tradechannel: anyOf(grant, post),
  reviews: review,
};

/** Whether the seller approved a settlement. */
function isSettled(story: Story, initiate: Initiate): boolean {
  return about(story, initiate, SettlementApproved).some(({ signer }) => signer === initiate.payload.seller);
}
