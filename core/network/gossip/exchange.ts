/**
 * Peer exchange: what this node says of itself and of peers it has met, and what it makes of what others say. An advert
 * about its own sender fills in that peer; one about somebody else is a claim to be tried (peers/address-claims.ts).
 * Nothing that was measured or proved is ever overwritten by what somebody says.
 * Source: protocol 01 §5.5, W15; 05 §8.2, §14.9.
 */

import type { StepContext } from "../../engine/step-context.ts";
import type { ReplyHandle } from "../../inputs.ts";
import { decodeCompact, encodeCompact } from "../../kernel/schema.ts";
import { recordsOf } from "../../kernel/table.ts";
import { toBase58, utf8 } from "../../kernel/text.ts";
import type { PeerId, PublicKey } from "../../kernel/values.ts";
import { keyOfPeer } from "../../kernel/values.ts";
import { ADDRESSES_PER_PEER_MAX, addressFor, FROM_OUTSIDE, noteClaim, placeOf } from "../peers/address-claims.ts";
import { claimBuckets, networkOf } from "../peers/buckets.ts";
import { dialMore, lackedPeers } from "../peers/dialling.ts";
import { announcedAddresses } from "../peers/observed-addresses.ts";
import type { Peer } from "../peers/peers.ts";
import { addressesOf, compareHealth, connectedPeers, count, outstanding, Peers, peerOf } from "../peers/peers.ts";
import { chargeFault, spendBytes, spendCredit, spendWork } from "./credit.ts";
import type { Frame } from "./envelope.ts";
import { OFS_PEER_EXCHANGE, PeerAdvert, PeerExchangeRequest, PeerExchangeResponse } from "./envelope.ts";
import { ask, reply } from "./wire.ts";

/** Peers in one exchange. Source: protocol 01 §13.1. */
export const PEERS_PER_EXCHANGE = 20;
/** What this node announces that it supports. Source: protocol 01 §5.5. */
const SUPPORTED_OFS = [1000, 1100, 1200, 2000, 2100, 2200, 2300, 2400, 4300, 8200];
/**
 * What a peer may say of itself: bytes of its version, specifications, roles. Source: DESIGN "Bounds"; protocol 05
 * §14.4.
 */
const VERSION_BYTES_MAX = 128;
const SUPPORTED_MAX = 64;
const ROLES_MAX = 8;
const NOTHING = new Uint8Array(0);

/** Asks a peer whom it knows. */
export function askForPeers(context: StepContext, peer: PeerId): void {
  const asked = encodeCompact(PeerExchangeRequest, { max_peers: PEERS_PER_EXCHANGE });
  ask(context, peer, "exchange", OFS_PEER_EXCHANGE, "PeerExchangeRequest", asked);
}

/** With too few peers, another connected one is asked each time. */
export function askForMore(context: StepContext): void {
  const connected = connectedPeers(context.draft);
  if (connected.length === 0 || lackedPeers(context) <= 0) return;
  const peer = connected[count(context, "exchange") % connected.length];
  if (peer !== undefined && outstanding(context.draft, peer, "exchange") === 0) askForPeers(context, peer);
}

/** A request of peer exchange: each is answered, unknown ones with nothing. */
export function onPeerExchange(context: StepContext, from: PeerId, replyTo: ReplyHandle, frame: Frame): void {
  if (frame.message_type === "PeerExchangeRequest") return onExchangeRequest(context, from, replyTo, frame);
  if (frame.message_type === "PeerAnnouncement" && spendCredit(context, from, frame.payload.length))
    learnPeers(context, from, frame.payload);
  reply(context, replyTo, OFS_PEER_EXCHANGE, frame.message_type.slice(0, 64), NOTHING);
}

/** Takes what a list of adverts says, once each key is the one inside its id. */
export function learnPeers(context: StepContext, from: PeerId, payload: Uint8Array): void {
  // A peer that does not speak to this node acknowledges with nothing.
  if (payload.length === 0) return;
  const told = decodeCompact(PeerExchangeResponse, payload);
  if (told === undefined) return chargeFault(context, from);
  const bucketOf = bucketsOfClaims(context, from);
  for (const advert of told.peers.slice(0, PEERS_PER_EXCHANGE + 1)) {
    if (advert.peer_id === context.configuration.peerId) continue;
    const reading = readingOf(context, advert);
    if (!reading.isBound) chargeFault(context, from);
    else if (advert.peer_id === from) takeOwnAdvert(context, reading);
    else takeClaim(context, from, reading, bucketOf);
  }
  dialMore(context);
}

function onExchangeRequest(context: StepContext, from: PeerId, replyTo: ReplyHandle, frame: Frame): void {
  const asked = decodeCompact(PeerExchangeRequest, frame.payload);
  if (asked === undefined) chargeFault(context, from);
  // An answer that is not paid for is not worked out.
  const peers = asked !== undefined && spendWork(context, from, 0) ? adverts(context, from, asked.max_peers) : [];
  const payload = encodeCompact(PeerExchangeResponse, { peers });
  const paid = peers.length > 0 && spendBytes(context, from, payload.length);
  const answer = paid ? payload : encodeCompact(PeerExchangeResponse, { peers: [] });
  reply(context, replyTo, OFS_PEER_EXCHANGE, "PeerExchangeResponse", answer);
}

/** This node first, then the healthiest peers that it is connected to and that said where they are. */
function adverts(context: StepContext, asker: PeerId, most: number): readonly PeerAdvert[] {
  const { configuration } = context;
  const own: PeerAdvert = {
    peer_id: configuration.peerId,
    public_key: configuration.publicKey,
    addresses: announcedAddresses(context.draft, configuration),
    roles: configuration.roles as PeerAdvert["roles"],
    node_version: `openfiat/${configuration.version}`,
    supported_ofs: SUPPORTED_OFS,
  };
  const healthy = [...recordsOf(context.draft, Peers, "connected", "true")].sort(compareHealth);
  const others = healthy.flatMap((peer) => {
    const key = keyOfPeer(peer.peer_id);
    const addresses = addressesOf(peer);
    if (key === undefined || peer.peer_id === asker || addresses.length === 0) return [];
    const { peer_id, node_version, supported_ofs } = peer;
    const [public_key, roles] = [toBase58(key) as PublicKey, peer.roles as PeerAdvert["roles"]];
    return [{ peer_id, public_key, addresses, roles, node_version, supported_ofs }];
  });
  return [own, ...others.slice(0, Math.min(most, PEERS_PER_EXCHANGE))];
}

/** What an advert comes to. */
interface AdvertReading {
  readonly peer: PeerId;
  /** Whether its key is the one inside its id. */
  readonly isBound: boolean;
  /** Addresses to dial it at. */
  readonly usable: readonly string[];
  /** What is taken over of a peer that says it of itself. */
  readonly own: Pick<Peer, "told" | "node_version" | "supported_ofs" | "roles">;
}

/** Every node hears the adverts of every other: what they come to is worked out once. */
function readingOf({ draft: { sharing } }: StepContext, advert: PeerAdvert): AdvertReading {
  const make = () => readAdvert(advert);
  return sharing === undefined ? make() : sharing.ofBytes(readingOf, encodeCompact(PeerAdvert, advert), make);
}

function readAdvert({
  peer_id: peer,
  public_key,
  addresses,
  node_version,
  supported_ofs,
  roles,
}: PeerAdvert): AdvertReading {
  const key = keyOfPeer(peer);
  const texts = addresses.slice(0, ADDRESSES_PER_PEER_MAX).flatMap((text) => addressFor(peer, text) ?? []);
  const usable = [...new Set(texts)];
  const own = {
    told: usable.map((address) => placeOf(peer, address)),
    node_version,
    supported_ofs: supported_ofs.slice(0, SUPPORTED_MAX),
    roles: [...new Set(roles)].slice(0, ROLES_MAX),
  };
  return { peer, isBound: key !== undefined && toBase58(key) === public_key, usable, own };
}

/** What a peer says of itself over its own link. Its addresses are told, not proven. */
function takeOwnAdvert(context: StepContext, { peer: id, own }: AdvertReading): void {
  const peer = context.draft.get(Peers, id);
  if (peer === undefined || utf8(own.node_version).length > VERSION_BYTES_MAX) return;
  context.draft.put(Peers, id, { ...peer, ...own });
}

type BucketOf = ReturnType<typeof claimBuckets>;

/** Where the claims of a peer have their places; worked out when the first of them needs one. */
function bucketsOfClaims(context: StepContext, from: PeerId): BucketOf {
  let bucketOf: BucketOf | undefined;
  const make = () => {
    const [place] = peerOf(context.draft, from).proven;
    return claimBuckets(context, place === undefined ? FROM_OUTSIDE : networkOf(place));
  };
  return (address) => {
    bucketOf ??= make();
    return bucketOf(address);
  };
}

function takeClaim(context: StepContext, from: PeerId, { peer, usable }: AdvertReading, bucketOf: BucketOf): void {
  if (peerOf(context.draft, peer).connected) return;
  for (const address of usable) noteClaim(context, from, peer, address, bucketOf);
}
