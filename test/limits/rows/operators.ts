/**
 * Limits on proposals and the stakes behind votes, and on notifications.
 */

import { askLinks } from "../../../core/domains/governance/chain-links.ts";
import { ProposalCreate, VoteCast } from "../../../core/domains/governance/schema.ts";
import { LinkReadings, VoteChecks } from "../../../core/domains/governance/tables.ts";
import { planOccasion } from "../../../core/domains/notifications/planning.ts";
import { DeliveryReport, SubscriptionUpdate } from "../../../core/domains/notifications/schema.ts";
import { Dispatches, Plans, Subscriptions } from "../../../core/domains/notifications/tables.ts";
import type { NodeConfiguration } from "../../../core/index.ts";
import { devnetNetwork } from "../../../core/index.ts";
import type { EpochMillis } from "../../../core/kernel/values.ts";
import { author, ballot, T as GOVERNED, proposal, voters } from "../../governance/fixtures.ts";
import { T as NOTIFIED, register, reportOf, subscription } from "../../notifications/stage.ts";
import type { Person } from "../../rpc/lone-node.ts";
import { person } from "../../rpc/lone-node.ts";
import type { CrowdedNode } from "../crowded-node.ts";
import { crowdedNode } from "../crowded-node.ts";
import type { Limit } from "../limit.ts";
import { cutAt, most, OK_OR_PARAMETER, TAKEN_OR_LEFT } from "../limit.ts";
import { ofSize, proposed, readsOf } from "../situations.ts";

const voter = voters[1] as Person;
const CHAIN: Partial<NodeConfiguration> = { chain: "RpcConnected" };

const propose = (change: Partial<ProposalCreate>) =>
  crowdedNode(GOVERNED).send(ProposalCreate, { ...proposal, ...change }, author);

/** Accounts that one tick reads of so many that are due. */
function linksRead(n: number): number {
  const node = crowdedNode(GOVERNED, CHAIN);
  const never = 0n as EpochMillis;
  for (let id = 0; id < n; id++)
    node.put(LinkReadings, `${id}`, {
      odd: false,
      address: `a${id}`,
      open: true,
      asked_at: never,
      slot: 0n,
      read_at: null,
      account: null,
      readings: 0,
    });
  return readsOf(node, (context) => askLinks(context)).length;
}

const checkOf = (n: number) => ({
  ...{ state: "reading" as const, voter_public_key: voter.key, stake_account: `s${n}`, slot: 0n, reads: 0 },
  ...{ due: GOVERNED, until: 0n as EpochMillis, stake: null, found: null, readings: 0 },
});

/** Stakes that one tick reads of so many that are due, what roles need aside. */
function stakesRead(n: number): number {
  const node = crowdedNode(GOVERNED, CHAIN);
  for (let vote = 0; vote < n; vote++) node.put(VoteChecks, `${vote}`.padStart(64, "0"), checkOf(vote));
  const effects = node.does({ type: "timer.fired", timer: "governance" });
  return effects.flatMap((effect) => (effect.type === "chain.read" && effect.address.startsWith("s") ? [1] : []))
    .length;
}

/** Whether a vote is taken up as the nth whose stake is read; and with it what waited. */
function checkedAs(n: number): string {
  const node = proposed(CHAIN);
  node.holdsUnder(VoteChecks, "state", "reading", n - 1, checkOf(0));
  node.gossip(VoteCast, ballot(voter, { timestamp: GOVERNED }), voter);
  return [...node.store.keys(VoteChecks)].length > 0 ? "taken" : "left";
}

/** Whether votes that found no place are taken up when one is free: the nth is theirs. */
function resumedAs(n: number): string {
  const node = proposed(CHAIN);
  node.holdsUnder(VoteChecks, "state", "reading", 5_000, {
    ...checkOf(0),
    due: (GOVERNED + 1_000_000n) as EpochMillis,
  });
  node.gossip(VoteCast, ballot(voter, { timestamp: GOVERNED }), voter);
  node.holdsUnder(VoteChecks, "state", "reading", n - 1, {
    ...checkOf(0),
    due: (GOVERNED + 1_000_000n) as EpochMillis,
  });
  node.does({ type: "timer.fired", timer: "governance" });
  return [...node.store.keys(VoteChecks)].some((key) => !key.startsWith("declared")) ? "taken" : "left";
}

/** Whether there is an nth tick at which the stake of a vote is read, under the reference's rhythm. */
function tickedFor(n: number): string {
  const node = proposed({ ...CHAIN, profile: { ...devnetNetwork, parity: true } });
  node.gossip(VoteCast, ballot(voter, { timestamp: GOVERNED }), voter);
  let reads = 0;
  for (let tick = 0; tick < n; tick++) {
    reads = node.does({ type: "timer.fired", timer: "governance" }).filter(({ type }) => type === "chain.read").length;
    node.now = (node.now + 10_000n) as EpochMillis;
  }
  // One of the reads is that of the proposal's own account.
  return reads > 1 ? "read" : "given up";
}

const subscriber = person(0x22);
const box = (length: number) => ({
  ephemeral_public: new Uint8Array(32),
  nonce: new Uint8Array(12),
  ciphertext: new Uint8Array(length),
});
const destinationOf = (service_id: string, length = 20) => ({
  service_id,
  channel: "Email" as const,
  sealed: box(length),
});
const subscribed = (change: Partial<SubscriptionUpdate>) =>
  crowdedNode(NOTIFIED).send(SubscriptionUpdate, subscription(subscriber, change), subscriber);

function subscribedBy(bytes: number): string {
  const of = (id: string) => subscription(subscriber, { destinations: [destinationOf(id)] });
  return crowdedNode(NOTIFIED).send(SubscriptionUpdate, ofSize(SubscriptionUpdate, bytes, of), subscriber);
}

const reported = { notification_id: "0".repeat(64), recipient_wallet: subscriber.peer, trigger: "ProposalPublished" };

/** A report of so many bytes, signed by another than it says. */
function reportedBy(bytes: number): string {
  const of = (service_id: string) => reportOf({ ...reported, service_id } as never, { timestamp: NOTIFIED });
  return crowdedNode(NOTIFIED).send(DeliveryReport, ofSize(DeliveryReport, bytes, of), subscriber);
}

/** Whether a proposal is told to a subscriber while so much is dispatched. */
function dispatchedAs(crowd: (node: CrowdedNode) => void): string {
  const node = crowdedNode(NOTIFIED);
  register(node as never);
  node.send(SubscriptionUpdate, subscription(subscriber), subscriber);
  crowd(node);
  return node.withContext((context) => {
    planOccasion(context, "ProposalPublished", { source: new Uint8Array(32), recipients: [subscriber.peer] });
    return context.effects.some(({ type }) => type === "notification.deliver");
  })
    ? "taken"
    : "left";
}

const governance: readonly Limit[] = [
  most(
    "core/domains/governance/schema.ts TITLE_BYTES_MAX",
    256,
    (n) => propose({ title: "é".repeat(n / 2) + "x".repeat(n % 2) }),
    OK_OR_PARAMETER,
  ),
  most(
    "core/domains/governance/schema.ts SUMMARY_BYTES_MAX",
    16_384,
    (n) => propose({ summary: "x".repeat(n) }),
    OK_OR_PARAMETER,
  ),
  cutAt("core/domains/governance/chain-links.ts LINK_READS_MAX", 32, linksRead),
  cutAt("core/domains/governance/vote-checks.ts STAKE_READS_MAX", 64, stakesRead),
  most("core/domains/governance/vote-checks.ts VOTE_CHECKS_MAX", 1_024, checkedAs, TAKEN_OR_LEFT),
  most("core/domains/governance/vote-checks.ts VOTE_CHECKS_MAX", 1_024, resumedAs, {
    where: "after others made room",
    ...TAKEN_OR_LEFT,
  }),
  most("core/domains/governance/vote-checks.ts VERIFY_TICKS_MAX", 30, tickedFor, {
    within: "read",
    beyond: "given up",
  }),
];

/** Whether an occasion that many are told of is taken up, as the nth. */
function planned(n: number): string {
  const node = crowdedNode(NOTIFIED);
  node.holds(Plans, n - 1);
  node.holdsUnder(Subscriptions, "category", "Governance", 17);
  node.withContext((context) =>
    planOccasion(context, "ProposalPublished", { source: new Uint8Array(32), recipients: "subscribers" }),
  );
  return [...node.store.keys(Plans)].length > 0 ? "taken" : "left";
}

const notifications: readonly Limit[] = [
  most(
    "core/domains/notifications/schema.ts DESTINATIONS_MAX",
    16,
    (n) => subscribed({ destinations: Array.from({ length: n }, (_, at) => destinationOf(`gw-${at}`)) }),
    OK_OR_PARAMETER,
  ),
  most(
    "core/domains/notifications/schema.ts CIPHERTEXT_BYTES_MAX",
    1_024,
    (n) => subscribed({ destinations: [destinationOf("gw-8", n)] }),
    OK_OR_PARAMETER,
  ),
  most(
    "core/domains/notifications/schema.ts CATEGORIES_MAX",
    5,
    (n) => subscribed({ enabled_categories: Array(n).fill("Trading") }),
    OK_OR_PARAMETER,
  ),
  most("core/domains/notifications/methods.ts NOTIFICATION_PAYLOAD_BYTES_MAX", 65_536, subscribedBy, {
    where: "subscriptions",
    ...OK_OR_PARAMETER,
  }),
  most("core/domains/notifications/methods.ts NOTIFICATION_PAYLOAD_BYTES_MAX", 65_536, reportedBy, {
    where: "reports",
    within: "INVALID_SIGNATURE",
    beyond: "INVALID_PARAMETER",
  }),
  most(
    "core/domains/notifications/planning.ts QUEUED_MAX",
    10_000,
    (n) => dispatchedAs((node) => node.holdsUnder(Dispatches, "queued", "", n - 1)),
    TAKEN_OR_LEFT,
  ),
  most("core/domains/notifications/planning.ts PLANS_MAX", 64, planned, TAKEN_OR_LEFT),
  most(
    "core/domains/notifications/planning.ts DISPATCHES_MAX",
    1_000_000,
    (n) => dispatchedAs((node) => node.holds(Dispatches, n - 1)),
    TAKEN_OR_LEFT,
  ),
];

export const limits: readonly Limit[] = [...governance, ...notifications];
