/**
 * Limits on peers: how many are remembered and dialled, what they may claim, and what they may cost.
 */

import { encodeCompact } from "../../../core/kernel/schema.ts";
import type { EpochMillis, PeerId } from "../../../core/kernel/values.ts";
import type { Link } from "../../../core/network/gossip/credit.ts";
import { chargeFault, isBarred, Links, spendBytes, spendCredit } from "../../../core/network/gossip/credit.ts";
import type { PeerAdvert } from "../../../core/network/gossip/envelope.ts";
import { PeerExchangeResponse } from "../../../core/network/gossip/envelope.ts";
import { learnPeers } from "../../../core/network/gossip/exchange.ts";
import { AddressClaims, noteClaim } from "../../../core/network/peers/address-claims.ts";
import { Dials } from "../../../core/network/peers/dialling.ts";
import { measure, Peers, peerOf } from "../../../core/network/peers/peers.ts";
import { person } from "../../rpc/lone-node.ts";
import { T } from "../../rpc/node-with-settlement.ts";
import type { CrowdedNode } from "../crowded-node.ts";
import { crowdedNode } from "../crowded-node.ts";
import type { Limit, Untried } from "../limit.ts";
import { cutAt, most, TAKEN_OR_LEFT } from "../limit.ts";

const [known, stranger] = [person(0x51), person(0x52)];
const at = (host: number) => `/ip4/198.51.100.${host}/tcp/4001`;

function connect(node: CrowdedNode, peer: PeerId, address: string | null = null) {
  return node.does({ type: "peer.connected", peer, address });
}

/** Whether a peer that went stays remembered when another is met, of which there are so many then. */
function meeting(n: number): string {
  const node = crowdedNode(T);
  connect(node, known.peer);
  node.does({ type: "peer.disconnected", peer: known.peer });
  node.holds(Peers, n - 1);
  connect(node, stranger.peer);
  return node.store.get(Peers, known.peer) === undefined ? "forgotten" : "remembered";
}

function provenAt(places: number): number {
  const node = crowdedNode(T);
  for (let host = 1; host <= places; host++) connect(node, known.peer, `${at(host)}/p2p/${known.peer}`);
  return node.store.get(Peers, known.peer)?.proven.length ?? 0;
}

/** The failures that a peer has after one more, of so many. */
function failuresAfter(n: number, what: "failures" | "successes"): number {
  const node = crowdedNode(T);
  node.put(Peers, known.peer, { ...peerOf(node.store, known.peer), [what]: n - 1 });
  node.withContext((context) => measure(context, known.peer, what === "failures" ? undefined : 1n));
  return node.store.get(Peers, known.peer)?.[what] ?? 0;
}

const dial = (attempts: number, proven: boolean) => ({
  ...{ peer: known.peer, entrypoint: false, proven, attempts, due: T },
});

/** Whether there is an nth attempt at an address. */
function attempted(n: number, proven: boolean): string {
  const node = crowdedNode(T);
  node.put(Dials, at(1), dial(n - 1, proven));
  node.does({ type: "peer.unreachable", address: at(1), reason: "refused" });
  return node.store.get(Dials, at(1)) === undefined ? "given up" : "tried";
}

/** Whether a lost peer is dialled again, as the nth address. */
function lost(n: number): string {
  const node = crowdedNode(T);
  connect(node, known.peer, `${at(1)}/p2p/${known.peer}`);
  node.holds(Dials, n - 1);
  node.does({ type: "peer.disconnected", peer: known.peer });
  return [...node.store.keys(Dials)].length > 0 ? "taken" : "left";
}

/** Whether a claimed address is dialled, as the nth. */
function claimedDial(n: number): string {
  const node = crowdedNode(T);
  node.withContext((context) => noteClaim(context, stranger.peer, known.peer, `${at(1)}/p2p/${known.peer}`));
  node.holds(Dials, n - 1);
  const effects = node.does({ type: "timer.fired", timer: "redial" });
  return effects.some(({ type }) => type === "peer.dial") ? "taken" : "left";
}

function reportedClaim(change: (node: CrowdedNode) => void): string {
  const node = crowdedNode(T);
  change(node);
  node.withContext((context) => noteClaim(context, stranger.peer, known.peer, at(1)));
  return [...node.store.keys(AddressClaims)].length > 0 ? "taken" : "left";
}

function reportersOf(n: number): number {
  const node = crowdedNode(T);
  for (let by = 0; by < n; by++)
    node.withContext((context) => noteClaim(context, person(0x60 + by).peer, known.peer, at(1)));
  return node.store.get(AddressClaims, at(1))?.reporters.length ?? 0;
}

/** What a peer says of itself, as it is remembered. */
function toldBy(change: Partial<PeerAdvert>) {
  const node = crowdedNode(T);
  connect(node, known.peer);
  const advert: PeerAdvert = {
    ...{ peer_id: known.peer, public_key: known.key, addresses: [], roles: [], node_version: "one", supported_ofs: [] },
    ...change,
  };
  node.withContext((context) =>
    learnPeers(context, known.peer, encodeCompact(PeerExchangeResponse, { peers: [advert] })),
  );
  return node.store.get(Peers, known.peer) ?? peerOf(node.store, known.peer);
}

const addressOfBytes = (bytes: number) => `/dns4/${"x".repeat(bytes - "/dns4//tcp/4001".length)}/tcp/4001`;

/** Whether the nth of something done at one instant goes through. */
function nth(n: number, act: Parameters<CrowdedNode["withContext"]>[0]): unknown {
  const node = crowdedNode(T);
  let last: unknown;
  for (let time = 0; time < n; time++) last = node.withContext(act);
  return last;
}

function faulty(n: number): string {
  const node = crowdedNode(T);
  node.withContext((context) => {
    for (let fault = 0; fault < n; fault++) chargeFault(context, known.peer);
  });
  return node.withContext((context) => isBarred(context, known.peer)) ? "cut" : "linked";
}

function linked(n: number): string {
  const node = crowdedNode(T);
  const idle: Link = {
    ...{
      peer: known.peer,
      credit: 0n,
      pushed: 0n,
      patience: 0n,
      work: 0n,
      unearned: { credit: 0n, pushed: 0n, work: 0n },
      behind: false,
      barred_until: 0n as EpochMillis,
    },
    at: (T - 1n) as EpochMillis,
  };
  node.put(Links, known.peer, idle);
  node.holds(Links, n - 1);
  node.withContext((context) => spendCredit(context, stranger.peer, 0));
  return node.store.get(Links, known.peer) === undefined ? "forgotten" : "remembered";
}

const REMEMBERED_OR_FORGOTTEN = { within: "remembered", beyond: "forgotten" };
const TRIED_OR_GIVEN_UP = { within: "tried", beyond: "given up" };

export const limits: readonly Limit[] = [
  most("core/network/peers/peers.ts PEERS_MAX", 1_024, meeting, REMEMBERED_OR_FORGOTTEN),
  cutAt("core/network/peers/peers.ts PROVEN_MAX", 4, provenAt),
  cutAt("core/network/peers/peers.ts U32_MAX", 4_294_967_295, (n) => failuresAfter(n, "failures")),
  {
    ...cutAt("core/network/peers/peers.ts U32_MAX", 4_294_967_295, (n) => failuresAfter(n, "successes")),
    where: "successes",
  },
  most("core/network/peers/dialling.ts ATTEMPTS_MAX", 8, (n) => attempted(n, true), TRIED_OR_GIVEN_UP),
  most("core/network/peers/dialling.ts CLAIM_ATTEMPTS_MAX", 2, (n) => attempted(n, false), TRIED_OR_GIVEN_UP),
  most("core/network/peers/dialling.ts DIALS_MAX", 128, lost, { where: "lost peers", ...TAKEN_OR_LEFT }),
  most("core/network/peers/dialling.ts DIALS_MAX", 128, claimedDial, { where: "claimed addresses", ...TAKEN_OR_LEFT }),
  most(
    "core/network/peers/address-claims.ts CLAIMS_MAX",
    256,
    (n) => reportedClaim((node) => node.holds(AddressClaims, n - 1)),
    TAKEN_OR_LEFT,
  ),
  most(
    "core/network/peers/address-claims.ts CLAIMS_PER_REPORTER_MAX",
    32,
    (n) => reportedClaim((node) => node.holdsUnder(AddressClaims, "reporter", stranger.peer, n - 1)),
    TAKEN_OR_LEFT,
  ),
  cutAt("core/network/peers/address-claims.ts REPORTERS_MAX", 8, reportersOf),
  cutAt(
    "core/network/peers/address-claims.ts ADDRESSES_PER_PEER_MAX",
    16,
    (n) => toldBy({ addresses: Array.from({ length: n }, (_, host) => at(host)) }).told.length,
  ),
  most(
    "core/network/peers/address-claims.ts ADDRESS_BYTES_MAX",
    256,
    (n) => `${toldBy({ addresses: [addressOfBytes(n)] }).told.length}`,
    {
      within: "1",
      beyond: "0",
    },
  ),
  most(
    "core/network/gossip/exchange.ts VERSION_BYTES_MAX",
    128,
    (n) => (toldBy({ node_version: "é".repeat(n / 2) + "x".repeat(n % 2) }).node_version === "" ? "left" : "taken"),
    TAKEN_OR_LEFT,
  ),
  cutAt(
    "core/network/gossip/exchange.ts SUPPORTED_MAX",
    64,
    (n) => toldBy({ supported_ofs: Array(n).fill(1) }).supported_ofs.length,
  ),
  most(
    "core/network/gossip/credit.ts CREDIT_MAX",
    200,
    (n) => String(nth(n, (context) => spendCredit(context, known.peer, 0))),
    {
      within: "true",
      beyond: "false",
    },
  ),
  most(
    "core/network/gossip/credit.ts PUSHED_BYTES_MAX",
    2_097_152,
    (n) => String(nth(1, (context) => spendCredit(context, known.peer, n))),
    { within: "true", beyond: "false" },
  ),
  most("core/network/gossip/credit.ts FAULTS_MAX", 1_000, faulty, { within: "linked", beyond: "cut" }),
  most(
    "core/network/gossip/credit.ts WORK_BYTES_MAX",
    16_777_216,
    (n) => String(nth(1, (context) => spendBytes(context, known.peer, n))),
    { within: "true", beyond: "false" },
  ),
  most("core/network/gossip/credit.ts LINKS_MAX", 4_096, linked, REMEMBERED_OR_FORGOTTEN),
];

export const untried: readonly Untried[] = [
  {
    of: "core/network/gossip/exchange.ts ROLES_MAX",
    because: "each role counts once and there are no more than eight",
  },
];
