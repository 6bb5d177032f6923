/**
 * What the core of a production node is told at its start, and the recorder that writes down what it is told after.
 * Source: DESIGN section 6.
 */
import type { KeyPair } from "../../adapters/libp2p/key-file.ts";
import type { Recorder } from "../../adapters/recording/recorder.ts";
import { openRecorder } from "../../adapters/recording/recorder.ts";
import type { NodeConfiguration, NodeListing, Result } from "../../core/index.ts";
import { err, ok, peerOfKey, publicKeyText } from "../../core/index.ts";
import type { Line } from "./logs.ts";
import type { Network } from "./network.ts";
import { DEVNET } from "./network.ts";
import type { SnapshotPlan } from "./snapshots.ts";
import { snapshotConfiguration } from "./snapshots.ts";
import { packageVersion } from "./usage.ts";

interface Told {
  readonly network?: Network;
  readonly parity?: boolean;
  readonly entrypoints?: readonly string[];
  readonly externalAddresses?: readonly string[];
  readonly listing?: NodeListing;
  readonly retentionDays?: number | "archival";
  /** Multiaddrs where peers reach the node, and where clients do. */
  readonly addresses: readonly string[];
  readonly rpc: { readonly host: string; readonly port: number };
}

/** A node's configuration. */
export function configurationOf(
  {
    network: { profile, commitment } = DEVNET,
    parity = false,
    entrypoints = [],
    externalAddresses = [],
    listing = {},
    retentionDays,
    addresses,
    rpc,
  }: Told,
  { keys, plan }: { readonly keys: KeyPair; readonly plan: SnapshotPlan },
  hasChain: boolean,
): NodeConfiguration {
  return {
    profile: { ...profile, parity },
    ...(commitment !== undefined && { chainCommitment: commitment }),
    secretKey: keys.secretKey,
    publicKey: publicKeyText(keys.publicKey),
    peerId: peerOfKey(keys.publicKey),
    chain: hasChain ? "RpcConnected" : "GossipOnly",
    announcedAddresses: addresses,
    entrypoints,
    roles: ["MerchantGateway", "PublicApiNode"],
    version: packageVersion(),
    ...(retentionDays !== undefined && { retentionDays }),
    ...snapshotConfiguration(plan, listing, { rpc, declared: externalAddresses, gossip: addresses }),
  };
}

/** The recorder that was asked for, if one was; or why its file cannot be made. */
export function recorderOf(
  options: {
    readonly record?: { readonly path: string; readonly redacted: boolean };
    readonly log?: (line: Line) => void;
  },
  configuration: NodeConfiguration,
): Result<Recorder | undefined, string> {
  const { record, log } = options;
  if (record === undefined) return ok(undefined);
  const ended = (reason: string) =>
    log?.({ module: "node", level: "warn", event: "recording ended", fields: { reason } });
  try {
    return ok(openRecorder({ ...record, configuration, ended }));
  } catch (error) {
    return err(`--record ${record.path} cannot be written: ${(error as Error).message}`);
  }
}
