/**
 * Limits on what one record and one signer may gather: shares of strangers and of parties.
 */

import { AttachmentPublish } from "../../../core/domains/content/attachments/schema.ts";
import { VoteCast } from "../../../core/domains/governance/schema.ts";
import { AdvertisementCreate, AdvertisementPriceUpdate } from "../../../core/domains/trade/advertisements/schema.ts";
import { ReservationRequest } from "../../../core/domains/trade/reservations/schema.ts";
import { Reservations } from "../../../core/domains/trade/reservations/tables.ts";
import { PaymentSubmitted } from "../../../core/domains/trade/settlements/schema.ts";
import { TradeChannelEntryPost, TradeChannelKeyGrant } from "../../../core/domains/trade-channel/schema.ts";
import { Spaces, spaceOf } from "../../../core/engine/statements/space.ts";
import { BEGUN_TOGETHER_MS, Statements } from "../../../core/engine/statements/table.ts";
import { known } from "../../../core/kernel/assert.ts";
import { ballot, at as voted, voters } from "../../governance/fixtures.ts";
import type { Person } from "../../rpc/lone-node.ts";
import { person } from "../../rpc/lone-node.ts";
import { advertisement, at, attachment, buyer, merchant, request, T } from "../../rpc/node-with-settlement.ts";
import { entry, grant } from "../../trade-channel/channel.ts";
import type { CrowdedNode } from "../crowded-node.ts";
import { crowdedNode } from "../crowded-node.ts";
import type { Limit } from "../limit.ts";
import { cutAt, most, OK_OR_RATE, TAKEN_OR_LEFT } from "../limit.ts";
import { proposed, settling, statementsIn, taken } from "../situations.ts";

const voter = voters[1] as Person;

/** A node where so many statements stand under a value already, of which the last is the one to come. */
function crowded(node: CrowdedNode, index: "about" | "bySigner", value: string, n: number): CrowdedNode {
  const like = known(node.store.get(Statements, [...node.store.keys(Statements)][0] ?? ""), "a statement");
  node.holdsUnder(Statements, index, value, n - 1, like);
  return node;
}

/** A node where so many bytes are taken with what is about to come. */
function taking(node: CrowdedNode, whose: string, bytes: number, last: number): CrowdedNode {
  node.put(Spaces, whose, bytes - last);
  return node;
}

/** What an act of somebody takes, in bytes. */
function bytesOfAct(node: CrowdedNode, by: Person, act: (node: CrowdedNode) => unknown): number {
  const before = spaceOf(node.store, by.peer);
  act(node);
  return spaceOf(node.store, by.peer) - before;
}

const paid = (by: Person): PaymentSubmitted => ({
  ...{ settlement_id: "set-1", buyer: by.peer, payment_reference: null },
  timestamp: at(350_000),
});
const price = { id: "ad-1", merchant: merchant.peer, pricing: advertisement.pricing, timestamp: at(1) };
const publish = (node: CrowdedNode) => node.send(AdvertisementCreate, { ...advertisement, id: "another" }, merchant);
const pay = (node: CrowdedNode) => taken(node, PaymentSubmitted, paid(buyer), buyer);
const ask = (node: CrowdedNode) => taken(node, ReservationRequest, { ...request, id: "2" }, buyer);
/** Where what the buyer asks of the advertisement stands. */
const asking = `advertisement/ad-1/${buyer.peer}/${request.timestamp / BEGUN_TOGETHER_MS}`;
const cast = (node: CrowdedNode) => taken(node, VoteCast, ballot(voter, { timestamp: voted(0) }), voter);

/** How many of so many advertisements of one id are kept. */
function contenders(n: number, by: (at: number) => Person): number {
  const node = crowdedNode(T);
  contendersIn(node, n, by);
  return statementsIn(node);
}

function contendersIn(node: CrowdedNode, n: number, by: (at: number) => Person): void {
  for (let each = 0; each < n; each++) {
    const { peer: merchant, key: merchant_public_key } = by(each);
    const timestamp = (T - BigInt(each)) as typeof T;
    node.gossip(AdvertisementCreate, { ...advertisement, merchant, merchant_public_key, timestamp }, by(each));
  }
}

/** Whether a request holds that nobody began a trade on, when so many advertisements bear the name it says. */
function heldAmong(n: number): string {
  const node = crowdedNode(T + 400_000n);
  contendersIn(node, n - 1, (each) => person(0x60 + each));
  contendersIn(node, 1, () => merchant);
  node.gossip(ReservationRequest, request, buyer);
  return [...node.store.keys(Reservations)].length > 0 ? "held here" : "held nowhere";
}

function votesOf(n: number): number {
  const node = proposed();
  const before = statementsIn(node);
  for (let weight = 1; weight <= n; weight++)
    node.gossip(VoteCast, ballot(voter, { timestamp: voted(0), weight: BigInt(weight) }), voter);
  return statementsIn(node) - before;
}

function attached(n: number): number {
  const node = settling();
  const before = statementsIn(node);
  for (let id = 0; id < n; id++) node.gossip(AttachmentPublish, attachment(buyer, { id: `${id}` }), buyer);
  return statementsIn(node) - before;
}

export const limits: readonly Limit[] = [
  cutAt("core/engine/admission/bounds.ts CONTENDERS_MAX", 8, (n) => contenders(n, () => merchant)),
  most("core/domains/trade/advertisements/tables.ts FIRST_OFFERS_MAX", 16, heldAmong, {
    within: "held here",
    beyond: "held nowhere",
  }),
  most(
    "core/domains/trade-channel/schema.ts CHANNEL_STATEMENTS_MAX",
    1_024,
    (n) =>
      taken(
        crowded(settling(), "bySigner", `settlement/set-1/${buyer.peer}`, n),
        TradeChannelEntryPost,
        entry(buyer),
        buyer,
      ),
    { where: "entries", ...TAKEN_OR_LEFT },
  ),
  most(
    "core/domains/trade-channel/schema.ts CHANNEL_STATEMENTS_MAX",
    1_024,
    (n) =>
      taken(
        crowded(settling(), "bySigner", `settlement/set-1/${merchant.peer}`, n),
        TradeChannelKeyGrant,
        grant(merchant),
        merchant,
      ),
    { where: "grants", ...TAKEN_OR_LEFT },
  ),
  cutAt("core/domains/content/attachments/queries.ts ATTACHMENTS_MAX", 64, attached),
  cutAt("core/domains/governance/tables.ts VOTES_PER_VOTER_MAX", 8, votesOf),
  most(
    "core/engine/admission/bounds.ts REQUESTS_PER_SIGNER_MAX",
    256,
    (n) => ask(crowded(settling(), "bySigner", asking, n)),
    TAKEN_OR_LEFT,
  ),
  most(
    "core/engine/admission/bounds.ts PARTY_STATEMENTS_MAX",
    1_344,
    (n) => pay(crowded(settling(), "bySigner", `settlement/set-1/${buyer.peer}`, n)),
    TAKEN_OR_LEFT,
  ),
  most(
    "core/domains/trade/advertisements/tables.ts EDITS_MAX",
    65_536,
    (n) =>
      taken(
        crowded(settling(), "bySigner", `advertisement/ad-1/${merchant.peer}`, n),
        AdvertisementPriceUpdate,
        price,
        merchant,
      ),
    TAKEN_OR_LEFT,
  ),
  most(
    "core/engine/admission/bounds.ts SIGNER_BYTES_MAX",
    33_554_432,
    (n) => publish(taking(settling(), merchant.peer, n, bytesOfAct(settling(), merchant, publish))),
    { where: "of who opens a record", ...OK_OR_RATE },
  ),
  most(
    "core/engine/admission/bounds.ts SIGNER_BYTES_MAX",
    33_554_432,
    (n) => cast(taking(proposed(), voter.peer, n, bytesOfAct(proposed(), voter, cast))),
    { where: "of who speaks of another's", ...TAKEN_OR_LEFT },
  ),
  most(
    "core/engine/admission/bounds.ts SIGNER_BYTES_MAX",
    33_554_432,
    (n) => pay(taking(settling(), buyer.peer, n, bytesOfAct(settling(), buyer, pay))),
    { where: "of a party", ...TAKEN_OR_LEFT },
  ),
  most(
    "core/engine/admission/bounds.ts NODE_BYTES_MAX",
    536_870_912,
    (n) => publish(taking(settling(), "all", n, bytesOfAct(settling(), merchant, publish))),
    { where: "of strangers", ...OK_OR_RATE },
  ),
  most(
    "core/engine/admission/bounds.ts NODE_BYTES_MAX",
    1_073_741_824,
    (n) => pay(taking(settling(), "all", n, bytesOfAct(settling(), buyer, pay))),
    { where: "of parties", ...TAKEN_OR_LEFT },
  ),
];
