/**
 * What a node registers about itself: a public API, its snapshots. A registration lapses, so it is made again
 * with every heartbeat, and soon after a peer arrives that cannot have heard the last one.
 * Source: OFS-1500; protocol 05 §1.10, §1.11, §14.21.
 */

import { inRegister } from "../../engine/statements/table.ts";
import type { StepContext } from "../../engine/step-context.ts";
import type { NodeListing } from "../../inputs.ts";
import { RETENTION_DAYS } from "../../inputs.ts";
import { later } from "../../kernel/values.ts";
import { publishOwn } from "../../network/gossip/own.ts";
import { Peers } from "../../network/peers/peers.ts";
import { nodeServiceId, snapshotServiceId } from "./ids.ts";
import { brandingKept, isReservedEndpoint, isShowable } from "./listing.ts";
import { Registration } from "./schema.ts";

/** How often a node registers itself again, in milliseconds. Source: protocol 05 §1.11. */
export const HEARTBEAT_MS = 120_000;
/** Least time between a registration and the next that an arrival brings. Source: protocol 05 §1.11. */
export const ARRIVAL_MS = 2_000;
/** Wire index of the priority of a node's own entries: Reputation. Source: protocol 05 §1.10. */
const OWN_PRIORITY = 3;
/** What this software speaks. Source: protocol 05 §1.10. */
const NODE_OFS = [1000, 1100, 1200, 1300, 1400, 1500, 2000, 2100, 2200, 2300, 2400, 3000, 4000, 4300, 6000, 7000, 8200];
const SNAPSHOT_OFS = [1300];

/** Registers every service of this node, and sets the next heartbeat. */
export function heartbeat(context: StepContext): void {
  if (!isListed(context)) return;
  registerNode(context);
  registerSnapshots(context);
  context.emit({ type: "timer.set", timer: "heartbeat", at: later(context.now, HEARTBEAT_MS) });
}

/** When a peer has just arrived: registers at once, or as soon as the last registration is old enough. */
export function announceToNewPeers(context: StepContext): void {
  if (!isListed(context) || !hasNewPeer(context)) return;
  const last = lastRegistration(context);
  const due = last === undefined ? context.now : later(last, ARRIVAL_MS);
  if (context.now >= due) heartbeat(context);
  else context.emit({ type: "timer.set", timer: "heartbeat", at: due });
}

/** Registers where this node's snapshots are; also due before one is announced. Source: protocol 05 §1.10. */
export function registerSnapshots(context: StepContext): void {
  const { listing = {}, publicKey } = context.configuration;
  const endpoints = listing.snapshotUrls ?? [];
  if (endpoints.length === 0) return;
  publishOwn(
    context,
    Registration,
    {
      ...ownPart(context, listing),
      service_id: snapshotServiceId(publicKey),
      service_type: { Infrastructure: "SnapshotProvider" },
      endpoints,
      supported_ofs: SNAPSHOT_OFS,
      capabilities: [retentionText(context)],
    },
    OWN_PRIORITY,
  );
}

function registerNode(context: StepContext): void {
  const { listing = {}, publicKey, chain } = context.configuration;
  if (listing.publicRpcUrl === undefined) return;
  publishOwn(
    context,
    Registration,
    {
      ...ownPart(context, listing),
      service_id: nodeServiceId(publicKey),
      service_type: { Infrastructure: "PublicApiNode" },
      endpoints: [listing.publicRpcUrl],
      supported_ofs: NODE_OFS,
      capabilities: [
        chain === "RpcConnected" ? "chain:rpc" : "chain:gossip",
        retentionText(context),
        "content:serving",
        ...(listing.producesSnapshots === true ? ["snapshots:producing"] : []),
      ],
    },
    OWN_PRIORITY,
  );
}

/** What both entries say; branding that nobody would list is left out with a warning. */
function ownPart(context: StepContext, { branding: told, payoutWallet }: NodeListing) {
  const { peerId, publicKey } = context.configuration;
  const shown = told !== undefined && isShowable(told) ? told : null;
  if (told !== undefined && shown === null)
    context.emit({ type: "log", level: "warn", event: "branding is not listable and is left out", fields: {} });
  return {
    provider: peerId,
    provider_public_key: publicKey,
    region: null,
    branding: brandingKept(shown),
    pricing: null,
    payout_wallet: payoutWallet ?? publicKey,
    timestamp: context.now,
  };
}

function retentionText({ configuration: { retentionDays = RETENTION_DAYS } }: StepContext): string {
  return retentionDays === "archival" ? "retention:archival (everything)" : `retention:rolling ${retentionDays}d`;
}

/** Whether this node has anything to register that others would list. */
function isListed({ configuration: { listing } }: StepContext): boolean {
  const urls = [
    ...(listing?.publicRpcUrl === undefined ? [] : [listing.publicRpcUrl]),
    ...(listing?.snapshotUrls ?? []),
  ];
  return urls.length > 0 && !urls.some(isReservedEndpoint);
}

function lastRegistration({ draft, configuration: { peerId, publicKey } }: StepContext) {
  const ids = [nodeServiceId(publicKey), snapshotServiceId(publicKey)];
  const held = ids.flatMap((id) => inRegister<Registration>(draft, Registration, peerId, id) ?? []);
  return held[0]?.timestamp;
}

function hasNewPeer({ draft, base }: StepContext): boolean {
  return draft.find(Peers, "connected", "true").length > base.find(Peers, "connected", "true").length;
}
