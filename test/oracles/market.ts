/**
 * Providers of market data and of snapshots in stories: what they sign, with everything that a story does not care
 * about filled in. Source: protocol 05 §1.6, §3.4, §6.3.
 */

import type { OracleData, OraclePublish } from "../../core/domains/oracles/schema.ts";
import type { Registration, ServiceType, Withdrawal } from "../../core/domains/providers/schema.ts";
import type { Location, SnapshotAnnounce } from "../../core/domains/snapshots/schema.ts";
import { toBase58 } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { Person } from "../rpc/lone-node.ts";

/** When the stories begin. */
export const T = 1_753_800_000_000n as EpochMillis;
/** Milliseconds after the beginning. */
export const plus = (ms: number | bigint) => (T + BigInt(ms)) as EpochMillis;

type Who = Pick<Person, "key" | "peer">;

export const usdcKes = (rate: number): OracleData => ({ ExchangeRate: { base: "USDC", quote: "KES", rate } });

export function registration(by: Who, over: Partial<Registration> = {}): Registration {
  return {
    service_id: "svc",
    service_type: { MarketData: "FxOracle" },
    provider: by.peer,
    provider_public_key: by.key,
    endpoints: [],
    supported_ofs: [],
    region: null,
    capabilities: [],
    branding: null,
    pricing: null,
    payout_wallet: null,
    timestamp: T,
    ...over,
  };
}

export const SNAPSHOT_SERVICE: { readonly service_type: ServiceType } = {
  service_type: { Infrastructure: "SnapshotProvider" },
};

export function withdrawal(by: Who, timestamp: EpochMillis): Withdrawal {
  return { service_id: "svc", provider: by.peer, timestamp };
}

export function publication(by: Who, over: Partial<OraclePublish> = {}): OraclePublish {
  return {
    id: "usdc-kes",
    provider: by.peer,
    provider_public_key: by.key,
    data: usdcKes(129.52),
    version: 1n,
    timestamp: T,
    expires_at: plus(60_000),
    ...over,
  };
}

export function announcement(by: Who, over: Partial<SnapshotAnnounce> = {}): SnapshotAnnounce {
  return {
    id: "snap-1",
    snapshot_version: 1,
    protocol_version: 2,
    slot: 412_000_000n,
    created_at: T,
    state_root: new Uint8Array(32).fill(7),
    size_bytes: 57n,
    compression: "Gzip",
    locations: ["https://files.example.org/snapshot/snap-1" as Location],
    producer: by.peer,
    producer_public_key: by.key,
    ...over,
  };
}

/** The blockhash of a slot that a node observed itself. */
export const BLOCKHASH = toBase58(new Uint8Array(32).fill(3));
