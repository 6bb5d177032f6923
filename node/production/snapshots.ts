/**
 * What an operator says about snapshots, checked before anything is opened; and where a node's own files are fetched.
 * Source: protocol 05 §6.5, §6.8, §6.10.
 */
import { join } from "node:path";
import bs58 from "bs58";
import type { NodeConfiguration, NodeListing, PublicKey } from "../../core/index.ts";
import { snapshotBases } from "../../core/index.ts";
import { isReachable } from "./listing.ts";
import { millisecondsOf, Refusal } from "./usage.ts";

export interface SnapshotFlags {
  readonly snapshotDir?: string;
  readonly snapshotPublicUrl?: string;
  readonly snapshotIntervalSecs: string;
  readonly snapshotSearchSecs: string;
  /** False with `--no-snapshot-production`. */
  readonly snapshotProduction: boolean;
  readonly snapshotAnchor?: readonly string[];
  readonly allowLocalSnapshots?: boolean;
}

/** Checked flags. */
export interface SnapshotPlan {
  readonly directory: string;
  readonly publicUrl: string | undefined;
  readonly everyMs: number | undefined;
  readonly searchEveryMs: number;
  readonly anchors: readonly PublicKey[];
  readonly allowLocal: boolean;
}

/** What is said of snapshots at a start; without a directory they lie beside the ledger. */
export type SnapshotWishes = Omit<SnapshotPlan, "directory"> & { readonly directory?: string };

/** A node without a word about snapshots makes none and takes those of the pinned anchors. */
export function snapshotPlanIn(ledger: string, wishes?: SnapshotWishes): SnapshotPlan {
  const usual = { publicUrl: undefined, everyMs: undefined, searchEveryMs: 30_000, anchors: [], allowLocal: false };
  return { ...usual, ...wishes, directory: wishes?.directory ?? join(ledger, "snapshots") };
}

/** Where the API and gossip are bound. */
export interface Bound {
  readonly rpc: { readonly host: string; readonly port: number };
  readonly declared: readonly string[];
  readonly gossip: readonly string[];
}

/** The flags, or one line about what is wrong with them. */
export function snapshotPlanOf(flags: SnapshotFlags & { readonly ledger: string }): SnapshotPlan {
  const { snapshotPublicUrl: publicUrl, snapshotAnchor = [] } = flags;
  const everyMs = millisecondsOf("--snapshot-interval-secs", flags.snapshotIntervalSecs);
  const searchEveryMs = millisecondsOf("--snapshot-search-secs", flags.snapshotSearchSecs);
  if (publicUrl !== undefined && !isReachable(publicUrl)) {
    throw new Refusal(`--snapshot-public-url takes an http or https URL that others can resolve, not "${publicUrl}".`);
  }
  for (const anchor of snapshotAnchor) {
    if (anchor.length > 44 || bs58.decodeUnsafe(anchor)?.length !== 32)
      throw new Refusal(`--snapshot-anchor takes a public key in base58, not "${anchor}".`);
  }
  return {
    directory: flags.snapshotDir ?? join(flags.ledger, "snapshots"),
    publicUrl,
    everyMs: flags.snapshotProduction ? everyMs : undefined,
    searchEveryMs,
    anchors: snapshotAnchor as readonly PublicKey[],
    allowLocal: flags.allowLocalSnapshots ?? false,
  };
}

/** What the node is told: its own locations stand in the listing when it makes files. */
export function snapshotConfiguration(
  plan: SnapshotPlan,
  listing: NodeListing,
  bound: Bound,
): Required<Pick<NodeConfiguration, "listing" | "snapshots">> {
  const { everyMs, searchEveryMs, anchors } = plan;
  if (everyMs === undefined) return { listing, snapshots: { anchors, searchEveryMs } };
  const snapshotUrls = basesOf(plan, listing, bound);
  const producesSnapshots = snapshotUrls.length > 0;
  return {
    listing: { ...listing, ...(producesSnapshots && { snapshotUrls, producesSnapshots }) },
    snapshots: { anchors, searchEveryMs, produceEveryMs: everyMs },
  };
}

/** The operator's word wins; an API that only this machine reaches serves nobody. Source: protocol 05 §6.5, §6.8. */
function basesOf({ publicUrl }: SnapshotPlan, { publicRpcUrl }: NodeListing, bound: Bound): readonly string[] {
  const override = publicUrl ?? publicRpcUrl;
  const { host, port } = bound.rpc;
  if (override === undefined && /^(?:127\.|::1$|localhost$)/.test(host)) return [];
  const addresses = { declared: bound.declared, bound: bound.gossip, reported: [] };
  return snapshotBases(addresses, port, override === undefined ? [] : [withoutPath(override)]);
}

/** A public URL may end in the path of the API or of the files, which the locations of files add themselves. */
function withoutPath(url: string): string {
  return url.replace(/\/(?:rpc|snapshot)\/?$/, "");
}
