/**
 * The metrics of a node for Prometheus: what one would be woken for, and what one looks at then. No label
 * names a party; endpoints are named by host. Source: DESIGN L4, section 8; protocol 01 W20.
 */
import { statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { ApiCounts } from "../../adapters/http/server.ts";
import type { TransportCounts } from "../../adapters/libp2p/transport.ts";
import { LEDGER_FILE } from "../../adapters/sqlite/ledger.ts";
import type { Check } from "./health.ts";
import type { Seen } from "./watch.ts";

/** Where the figures come from, read when the page is asked for. */
export interface Measured {
  readonly version: string;
  readonly network: string;
  readonly ledger: string;
  readonly seen: Seen;
  readonly api: () => ApiCounts | undefined;
  readonly links: () => TransportCounts | undefined;
  readonly checks: () => readonly Check[];
  readonly gauges: () => Readonly<Record<string, number>>;
}

export interface Metrics {
  readonly page: () => Promise<string>;
  readonly contentType: string;
}

/** Seconds of a commit: the disk's own pace, up to one that should wake somebody. */
const COMMIT_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** A histogram of commits, which exists before the rest of a node. */
export function openCommitTimes(): { readonly registry: Registry; readonly observe: (ms: number) => void } {
  const registry = new Registry();
  const times = new Histogram({
    ...{ name: "ofs_commit_seconds", help: "How long commits to the ledger took", buckets: COMMIT_BUCKETS },
    registers: [registry],
  });
  return { registry, observe: (ms) => times.observe(ms / 1_000) };
}

/** All metrics in one registry; nothing is global. */
export function openMetrics(registry: Registry, measured: Measured): Metrics {
  collectDefaultMetrics({ register: registry });
  const build = gauge(registry, "ofs_build_info", "The version and the network that run", ["version", "network"]);
  build.set({ version: measured.version, network: measured.network }, 1);
  own(registry, measured);
  chain(registry, measured.seen);
  links(registry, measured);
  api(registry, measured);
  return { page: () => registry.metrics(), contentType: registry.contentType };
}

/** The node itself: its state, its checks, its disk. */
function own(registry: Registry, { ledger, seen, checks, gauges }: Measured): void {
  for (const name of Object.keys(gauges())) {
    collected(registry, name, "Counted in the node's own state", [], (set) => set({}, gauges()[name] ?? 0));
  }
  collected(registry, "ofs_ready", "1 while the check holds", ["check"], (set) => {
    for (const { name, ok } of checks()) set({ check: name }, ok ? 1 : 0);
  });
  collected(registry, "ofs_ledger_bytes", "Size of the ledger and its log", [], (set) => {
    const file = join(ledger, LEDGER_FILE);
    set({}, sizeOf(file) + sizeOf(`${file}-wal`));
  });
  collected(registry, "ofs_disk_free_bytes", "Free space where the ledger lies", [], (set) => {
    const { bavail, bsize } = statfsSync(ledger);
    set({}, bavail * bsize);
  });
  collected(registry, "ofs_snapshot_age_seconds", "Since this node last wrote a snapshot", [], (set) => {
    if (seen.snapshotAt !== undefined) set({}, (performance.now() - seen.snapshotAt) / 1_000);
  });
  counted(registry, "ofs_commit_failures_total", "Commits that the disk refused", ["code"], (add) => {
    for (const code of ["full", "broken", "closed"]) add({ code }, seen.commitFailures.get(code) ?? 0);
  });
  counted(registry, "ofs_dial_failures_total", "Peers that could not be reached", [], (add) =>
    add({}, seen.dialFailures),
  );
  counted(registry, "ofs_log_lines_total", "Lines of the log, by level and event", ["level", "event"], (add) => {
    for (const { level, event, count } of seen.lines.values()) add({ level, event }, count);
  });
}

function chain(registry: Registry, seen: Seen): void {
  collected(registry, "ofs_slot", "The newest slot observed", [], (set) => {
    if (seen.slot !== undefined) set({}, Number(seen.slot));
  });
  collected(registry, "ofs_slot_age_seconds", "Since a new slot was observed", [], (set) => {
    if (seen.slotAt !== undefined) set({}, (performance.now() - seen.slotAt) / 1_000);
  });
  const each = seen.endpoints ?? (() => []);
  collected(registry, "ofs_chain_endpoint_up", "1 while a chain endpoint answers as asked", ["endpoint"], (set) => {
    for (const { name, failure } of each()) set({ endpoint: name }, failure === null ? 1 : 0);
  });
  collected(registry, "ofs_chain_endpoint_lag_slots", "Behind the newest endpoint", ["endpoint"], (set) => {
    for (const { name, lag } of each()) set({ endpoint: name }, Number(lag));
  });
  const disagreements = "ofs_chain_endpoint_disagreements_total";
  counted(registry, disagreements, "Minutes in which it contradicted the others", ["endpoint"], (add) => {
    for (const { name, disagreements: count } of each()) add({ endpoint: name }, count);
  });
}

/** Connections of peers. */
function links(registry: Registry, { links: counts }: Measured): void {
  collected(registry, "ofs_peer_connections", "Connections of peers", ["direction"], (set) => {
    for (const direction of ["inbound", "outbound"] as const) set({ direction }, counts()?.[direction] ?? 0);
  });
  counted(registry, "ofs_peer_refused_total", "Connections of peers that were refused", ["cause"], (add) => {
    for (const [cause, count] of Object.entries(counts()?.refused ?? {})) add({ cause }, count);
  });
  counted(registry, "ofs_peer_evicted_total", "Inbound connections closed for a newcomer", [], (add) => {
    add({}, counts()?.evicted ?? 0);
  });
}

function api(registry: Registry, { api: counts }: Measured): void {
  collected(registry, "ofs_api_connections", "Connections of clients", [], (set) =>
    set({}, counts()?.connections ?? 0),
  );
  collected(registry, "ofs_api_calls_waiting", "Calls not answered yet", [], (set) =>
    set({}, counts()?.callsWaiting ?? 0),
  );
  collected(registry, "ofs_api_subscribers", "Clients of the stream", [], (set) => set({}, counts()?.subscribers ?? 0));
  counted(registry, "ofs_api_refused_total", "What clients were refused, by cause", ["cause"], (add) => {
    for (const [cause, count] of Object.entries(counts()?.refused ?? {})) add({ cause }, count);
  });
  counted(registry, "ofs_api_calls_total", "Calls that reached the handler", [], (add) => {
    add({}, counts()?.calls.requests ?? 0);
  });
  counted(registry, "ofs_api_errors_total", "Calls whose answer was an error", [], (add) => {
    add({}, counts()?.calls.errors ?? 0);
  });
}

type Put = (labels: Readonly<Record<string, string>>, value: number) => void;

function gauge(registry: Registry, name: string, help: string, labelNames: string[]): Gauge {
  return new Gauge({ name, help, labelNames, registers: [registry] });
}

/** A gauge that is read when the page is asked for. */
function collected(registry: Registry, name: string, help: string, labels: string[], read: (set: Put) => void): void {
  const metric = new Gauge({
    ...{ name, help, labelNames: labels, registers: [registry] },
    collect() {
      this.reset();
      read((given, value) => this.set({ ...given }, value));
    },
  });
  if (labels.length === 0) metric.reset();
}

/** A counter whose count is kept elsewhere. */
function counted(registry: Registry, name: string, help: string, labels: string[], read: (add: Put) => void): void {
  new Counter({
    ...{ name, help, labelNames: labels, registers: [registry] },
    collect() {
      this.reset();
      read((given, value) => this.inc({ ...given }, value));
    },
  });
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
