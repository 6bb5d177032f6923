/**
 * Limits on the content that nodes keep, want and serve, and on what they observe of their peers.
 */

import { BlockhashAnnounced, CHAIN_EVENT } from "../../../core/domains/chain-bridge/gossip-events.ts";
import type { SlotObservation } from "../../../core/domains/chain-bridge/view.ts";
import { OWN, SlotObservations } from "../../../core/domains/chain-bridge/view.ts";
import { AttachmentPublish } from "../../../core/domains/content/attachments/schema.ts";
import { linksOfNode } from "../../../core/domains/content/blocks/dag-pb.ts";
import { takeWanted } from "../../../core/domains/content/blocks/keep.ts";
import {
  CONTENT_REQUEST,
  CONTENT_RESPONSE,
  ContentRequest,
  ContentResponse,
  OFS_CONTENT,
} from "../../../core/domains/content/blocks/schema.ts";
import { Blocks, Serving, Unlisted, Usages, Wants } from "../../../core/domains/content/blocks/tables.ts";
import { ClaimPublish } from "../../../core/domains/identity/schema.ts";
import { challengePool, onChallengeAnswer } from "../../../core/domains/rewards/challenge.ts";
import { observePeers } from "../../../core/domains/rewards/observe.ts";
import { Announcements, Challenges, Observations } from "../../../core/domains/rewards/tables.ts";
import { families } from "../../../core/domains/snapshots/families.ts";
import { known } from "../../../core/kernel/assert.ts";
import type { Cid } from "../../../core/kernel/cid.ts";
import { decodeCompact, encodeCompact } from "../../../core/kernel/schema.ts";
import { toBase58, toBase64 } from "../../../core/kernel/text.ts";
import type { EpochMillis, PeerId } from "../../../core/kernel/values.ts";
import type { GossipEvent } from "../../../core/network/gossip/envelope.ts";
import { Events, Frame, frameOf } from "../../../core/network/gossip/envelope.ts";
import { dagNode } from "../../content/dag.ts";
import { claimed } from "../../identity/fixtures.ts";
import { crypto, person } from "../../rpc/lone-node.ts";
import { at, attachment, buyer, cidOf, T } from "../../rpc/node-with-settlement.ts";
import type { CrowdedNode } from "../crowded-node.ts";
import { crowdedNode } from "../crowded-node.ts";
import type { Limit } from "../limit.ts";
import { cutAt, most, mostOf, OK_OR_PARAMETER, OK_OR_RATE, TAKEN_OR_LEFT } from "../limit.ts";
import { settling } from "../situations.ts";

const peer = person(0x51).peer;
const zeros = (length: number) => new Uint8Array(length);
const leaf = (n: number) => Uint8Array.of(n & 255, n >> 8);
const cidsOf = (n: number) => Array.from({ length: n }, (_, each) => cidOf(leaf(each)));

function upload(bytes: Uint8Array, node = crowdedNode(T)): string {
  return node.call("sendContentPut", { cid: cidOf(bytes), content: toBase64(bytes) });
}

/** A block of so many bytes from a peer that was asked for it. */
function brought(bytes: number): string {
  const block = zeros(bytes);
  return crowdedNode(T).withContext((context) => takeWanted(context, cidOf(block), block)) ? "taken" : "left";
}

function inFile(bytes: number): string {
  const family = known(
    families.find(({ name }) => name === "pinned_content"),
    "the family of content",
  );
  const value = zeros(bytes);
  return family.accepts(crypto, { key: new TextEncoder().encode(cidOf(value)), value }) ? "taken" : "left";
}

/** An upload of ten bytes while so much is held. */
function uploadBeside(held: { readonly blocks?: number; readonly bytes?: number }): string {
  const node = crowdedNode(T);
  node.put(Usages, "held", { blocks: held.blocks ?? 0, bytes: BigInt(held.bytes ?? 0) });
  return upload(zeros(10), node);
}

/** An upload of ten bytes while there are so many fresh ones of so many bytes each. */
function uploadAfter(uploads: number, bytes = 0): string {
  const node = crowdedNode(T);
  node.holdsUnder(Blocks, "uploads", "recent", uploads, { bytes: zeros(bytes), uploaded_at: T });
  return upload(zeros(10), node);
}

function held(node: CrowdedNode, bytes: Uint8Array, cid = cidOf(bytes)): Cid {
  node.put(Blocks, cid, { bytes, uploaded_at: null });
  return cid;
}

/** What becomes of a file of so many bytes, in whole blocks and a rest. */
function fileOf(bytes: number): string {
  const node = crowdedNode(T);
  const whole = held(node, zeros(262_144));
  const links: Cid[] = Array(Math.floor(bytes / 262_144)).fill(whole);
  if (bytes % 262_144 > 0) links.push(held(node, zeros(bytes % 262_144)));
  const root = dagNode(links);
  return node.call("getContentFile", { cid: held(node, root, cidOf(root, "dag-pb")) });
}

/** The same of a file of so many blocks, its root among them. */
function fileOfBlocks(blocks: number): string {
  const node = crowdedNode(T);
  const root = dagNode(Array(blocks - 1).fill(held(node, zeros(1))));
  return node.call("getContentFile", { cid: held(node, root, cidOf(root, "dag-pb")) });
}

/** Whether a file that a party attaches is listed as wanted, as the nth. */
function wanted(n: number): string {
  const node = settling();
  node.holds(Wants, n - 1);
  node.gossip(AttachmentPublish, attachment(buyer), buyer);
  return [...node.store.keys(Wants)].length > 0 ? "taken" : "left";
}

/** Whether a file that finds no place in that list is noted, as the nth. */
function unlisted(n: number): string {
  const node = settling();
  node.holds(Wants, 4_096);
  node.holds(Unlisted, n - 1);
  node.gossip(AttachmentPublish, attachment(buyer), buyer);
  return [...node.store.keys(Unlisted)].length > 0 ? "taken" : "left";
}

/** Whether a block that claims alone ask for is taken from a peer beside so much that claims hold. */
function claimedBeside(blocks: number, bytes = 0): string {
  const node = crowdedNode(T);
  const block = zeros(10);
  node.put(Usages, "claimed", { blocks, bytes: BigInt(bytes) });
  node.put(Wants, cidOf(block), { root: cidOf(block), claimed: true, tries: 0, asked: null, asked_at: T });
  return node.withContext((context) => takeWanted(context, cidOf(block), block)) ? "taken" : "left";
}

const face = (node: CrowdedNode) =>
  node.gossip(ClaimPublish, claimed(buyer, T, { type: "Avatar", value: cidOf(zeros(10)) }), buyer);

/** Whether an avatar is listed as wanted, as the nth block that claims alone ask for. */
function claimWanted(n: number): string {
  const node = crowdedNode(T);
  node.holdsUnder(Wants, "claimed", "claimed", n - 1);
  face(node);
  return [...node.store.keys(Wants)].length > 0 ? "taken" : "left";
}

/** Whether one that finds no place in that list is noted, as the nth. */
function claimUnlisted(n: number): string {
  const node = crowdedNode(T);
  node.holdsUnder(Wants, "claimed", "claimed", 1_024);
  node.holdsUnder(Unlisted, "claimed", "claimed", n - 1);
  face(node);
  return [...node.store.keys(Unlisted)].length > 0 ? "taken" : "left";
}

/** Blocks that a peer is given of those it asks for. */
function served(node: CrowdedNode, cids: readonly string[]): number {
  const payload = encodeCompact(ContentRequest, { cids });
  const bytes = encodeCompact(Frame, frameOf(OFS_CONTENT, CONTENT_REQUEST, payload, T));
  const effects = node.does({ type: "message.received", from: peer, replyTo: "1", bytes });
  const [reply] = effects.flatMap((effect) => (effect.type === "message.reply" ? [effect.bytes] : []));
  const frame = decodeCompact(Frame, known(reply, "a reply"));
  return decodeCompact(ContentResponse, known(frame, "a frame").payload)?.blocks.length ?? 0;
}

function servedLast(n: number): string {
  const node = crowdedNode(T);
  const cids = cidsOf(n);
  held(node, leaf(n - 1));
  return served(node, cids) > 0 ? "taken" : "left";
}

/** Blocks of so many bytes together, asked for at once. */
function servedOf(bytes: number): string {
  const node = crowdedNode(T);
  const half = Math.floor(bytes / 2);
  const [first, second] = [held(node, zeros(half)), held(node, zeros(bytes - half).fill(1))];
  return `${served(node, [first, second])}`;
}

function servedAfter(bytes: number): string {
  const node = crowdedNode(T);
  node.put(Serving, peer, { since: T, bytes: BigInt(bytes - 10) });
  return served(node, [held(node, zeros(10))]) > 0 ? "taken" : "left";
}

function servedTo(peers: number): string {
  const node = crowdedNode(T);
  node.holds(Serving, peers - 1);
  return served(node, [held(node, zeros(10))]) > 0 ? "taken" : "left";
}

/** Blocks that a snapshot carries of two that have so many bytes together; only their lengths are looked at. */
function carried(bytes: number): string {
  const node = crowdedNode(T);
  const ofLength = (length: number) => ({ bytes: { length } as Uint8Array, uploaded_at: null });
  node.put(Blocks, "a", ofLength(1_000));
  node.put(Blocks, "b", ofLength(bytes - 1_000));
  const family = families.find(({ name }) => name === "pinned_content");
  const configuration = {} as Parameters<NonNullable<typeof family>["names"]>[1]["configuration"];
  return `${family?.names(node.store, { now: T, configuration }).length}`;
}

/** Whether a peer's answer counts so long after it was challenged. */
function answeredAfter(ms: number): string {
  const node = crowdedNode(T);
  const block = zeros(10);
  const cid = cidOf(block);
  node.put(Challenges, "now", { peer, cid, asked_at: (T - BigInt(ms)) as EpochMillis });
  const payload = encodeCompact(ContentResponse, { blocks: [{ cid, bytes: block }] });
  node.withContext((context) => onChallengeAnswer(context, peer, frameOf(OFS_CONTENT, CONTENT_RESPONSE, payload, T)));
  return [...node.store.keys(Observations)].length > 0 ? "taken" : "left";
}

/** Whether peers are asked for a file that was attached so long ago. */
function pooledAfter(ms: number): string {
  const node = settling();
  node.gossip(AttachmentPublish, attachment(buyer), buyer);
  return challengePool(node.store, at(370_000 + ms)).length > 0 ? "taken" : "left";
}

/** An event of an origin, as the log keeps it. */
function announced(node: CrowdedNode, origin: PeerId, change: Partial<GossipEvent> = {}): void {
  const event = {
    ...{ id: zeros(32), event_type: "SomethingNew", ofs_spec: 9_999, version: 1, origin, timestamp: T, ttl: 8 },
    ...{ priority: "BackgroundSync" as const, signature: "" as never, payload: zeros(0) },
    ...change,
  };
  node.withContext((context) => {
    context.draft.put(Events, `${origin}/${event.payload.join()}`, { event, statement: null });
    observePeers(context);
  });
}

const hashOf = (n: number) =>
  toBase58(Uint8Array.from({ length: 32 }, (_, at) => (at < 2 ? (n >> (8 * at)) & 255 : 7)));
const observation = (n: number): SlotObservation => ({ blockhash: hashOf(n), slot: BigInt(n), observed_at: T });

function announce(node: CrowdedNode, origin: PeerId, n: number): void {
  const payload = encodeCompact(BlockhashAnnounced, observation(n));
  announced(node, origin, { ofs_spec: CHAIN_EVENT.ofs_spec, event_type: "BlockhashAnnounced", payload });
}

/** This node's own endpoint shows a block. */
function show(node: CrowdedNode, n: number): void {
  node.withContext((context) => {
    context.draft.put(SlotObservations, OWN, { ...observation(n), passed_on: false });
    observePeers(context);
  });
}

const observed = (node: CrowdedNode) =>
  [...node.store.keys(Observations)].flatMap((key) => node.store.get(Observations, key) ?? []);

function presentAfter(ms: number): string {
  const node = crowdedNode(T);
  announced(node, peer, { timestamp: (T - BigInt(ms)) as EpochMillis });
  return observed(node).length > 0 ? "taken" : "left";
}

function presentAs(n: number): string {
  const node = crowdedNode(T);
  node.holdsUnder(Observations, "epoch", `${T / 86_400_000n}`, n - 1);
  announced(node, peer);
  return observed(node).length > 0 ? "taken" : "left";
}

/** Origins that are credited of so many that announced what this node's endpoint then shows. */
function credited(n: number): number {
  const node = crowdedNode(T);
  for (let by = 0; by < n; by++) announce(node, person(0x60 + by).peer, 1);
  show(node, 1);
  return observed(node).filter(({ announced_blockhash }) => announced_blockhash).length;
}

function announcementsOf(n: number): number {
  const node = crowdedNode(T);
  for (let slot = 0; slot < n; slot++) announce(node, peer, slot);
  return [...node.store.keys(Announcements)].length;
}

function announcedAs(n: number): string {
  const node = crowdedNode(T);
  node.holds(Announcements, n - 1);
  announce(node, peer, 1);
  return [...node.store.keys(Announcements)].length > 0 ? "taken" : "left";
}

function epochAsked(epoch: bigint): string {
  const answer = crowdedNode(T).body(
    `{"jsonrpc":"2.0","id":1,"method":"getRewardObservations","params":{"epoch":${epoch}}}`,
  );
  return /"epoch":(\d+)/.exec(answer ?? "")?.[1] === `${epoch}` ? "as it was asked" : "the newest that there can be";
}

export const limits: readonly Limit[] = [
  most("core/domains/content/blocks/schema.ts BLOCK_BYTES_MAX", 262_144, (n) => upload(zeros(n)), {
    where: "uploaded",
    ...OK_OR_PARAMETER,
  }),
  most("core/domains/content/blocks/schema.ts BLOCK_BYTES_MAX", 262_144, brought, {
    where: "from a peer",
    ...TAKEN_OR_LEFT,
  }),
  most("core/domains/content/blocks/schema.ts BLOCK_BYTES_MAX", 262_144, inFile, {
    where: "in a snapshot",
    ...TAKEN_OR_LEFT,
  }),
  most("core/domains/content/blocks/schema.ts FILE_BYTES_MAX", 10_485_760, fileOf, OK_OR_PARAMETER),
  most("core/domains/content/blocks/schema.ts BLOCKS_PER_FILE_MAX", 512, fileOfBlocks, OK_OR_PARAMETER),
  most(
    "core/domains/content/blocks/dag-pb.ts LINKS_PER_NODE_MAX",
    1_024,
    (n) => (linksOfNode(dagNode(Array(n).fill(cidOf(zeros(1))))) === undefined ? "left" : "taken"),
    TAKEN_OR_LEFT,
  ),
  most("core/domains/content/blocks/keep.ts BLOCKS_MAX", 16_384, (n) => uploadBeside({ blocks: n - 1 }), OK_OR_RATE),
  most(
    "core/domains/content/blocks/keep.ts BLOCKS_BYTES_MAX",
    536_870_912,
    (n) => uploadBeside({ bytes: n - 10 }),
    OK_OR_RATE,
  ),
  most("core/domains/content/blocks/keep.ts UPLOADS_MAX", 1_024, (n) => uploadAfter(n - 1), OK_OR_RATE),
  most("core/domains/content/blocks/keep.ts UPLOADS_BYTES_MAX", 67_108_864, (n) => uploadAfter(1, n - 10), OK_OR_RATE),
  most("core/domains/content/blocks/keep.ts WANTS_MAX", 4_096, wanted, TAKEN_OR_LEFT),
  most("core/domains/content/blocks/keep.ts UNLISTED_MAX", 4_096, unlisted, TAKEN_OR_LEFT),
  most("core/domains/content/blocks/claimed.ts CLAIMED_BLOCKS_MAX", 4_096, (n) => claimedBeside(n - 1), TAKEN_OR_LEFT),
  most(
    "core/domains/content/blocks/claimed.ts CLAIMED_BYTES_MAX",
    134_217_728,
    (n) => claimedBeside(1, n - 262_144),
    TAKEN_OR_LEFT,
  ),
  most("core/domains/content/blocks/claimed.ts CLAIMED_WANTS_MAX", 1_024, claimWanted, TAKEN_OR_LEFT),
  most("core/domains/content/blocks/claimed.ts CLAIMED_UNLISTED_MAX", 1_024, claimUnlisted, TAKEN_OR_LEFT),
  most("core/domains/content/blocks/exchange.ts WANTS_PER_REQUEST_MAX", 1_024, servedLast, TAKEN_OR_LEFT),
  most("core/domains/content/blocks/exchange.ts RESPONSE_BYTES_MAX", 786_432, servedOf, { within: "2", beyond: "1" }),
  most("core/domains/content/blocks/exchange.ts SERVED_BYTES_MAX", 134_217_728, servedAfter, TAKEN_OR_LEFT),
  most("core/network/peers/peers.ts PEERS_MAX", 1_024, servedTo, { where: "served with content", ...TAKEN_OR_LEFT }),
  most("core/domains/snapshots/families.ts CONTENT_BYTES_MAX", 268_435_456, carried, { within: "2", beyond: "1" }),
  most("core/domains/rewards/challenge.ts CHALLENGE_MS_MAX", 20_000, answeredAfter, TAKEN_OR_LEFT),
  most("core/domains/rewards/challenge.ts POOL_AGE_MS_MAX", 2_592_000_000, pooledAfter, TAKEN_OR_LEFT),
  most("core/domains/rewards/observe.ts PRESENCE_AGE_MS_MAX", 900_000, presentAfter, TAKEN_OR_LEFT),
  most("core/domains/rewards/observe.ts OBSERVED_PEERS_MAX", 10_000, presentAs, TAKEN_OR_LEFT),
  cutAt("core/domains/rewards/observe.ts CREDITED_ORIGINS_MAX", 3, credited),
  cutAt("core/domains/rewards/observe.ts ANNOUNCEMENTS_PER_ORIGIN_MAX", 32, announcementsOf),
  most("core/domains/rewards/observe.ts ANNOUNCEMENTS_MAX", 8_192, announcedAs, TAKEN_OR_LEFT),
  mostOf("core/domains/rewards/methods.ts EPOCH_MAX", (1n << 64n) / 86_400_000n - 2n, epochAsked, {
    within: "as it was asked",
    beyond: "the newest that there can be",
  }),
];
