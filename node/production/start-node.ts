/**
 * Opens a production node inside any process: real libp2p, HTTP, SQLite and, with an endpoint, the chain, around the
 * same core. The command `ofs-node start` is a thin caller. Wiring only; what a fact does is the core's to say.
 * Source: DESIGN section 3.0, section 6.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { isIPv6 } from "node:net";
import { endpointError } from "../../adapters/chain/probe.ts";
import { openRpcChain } from "../../adapters/chain/rpc.ts";
import type { Client } from "../../adapters/client/client.ts";
import { openClient } from "../../adapters/client/client.ts";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { openHttpGateway } from "../../adapters/gateway/http-gateway.ts";
import type { RateLimitBounds } from "../../adapters/http/limits.ts";
import { openApiServer } from "../../adapters/http/server.ts";
import type { KeyPair } from "../../adapters/libp2p/key-file.ts";
import { generateKeyFile, loadKeyFile } from "../../adapters/libp2p/key-file.ts";
import { loadQuic } from "../../adapters/libp2p/quic.ts";
import { openLibp2pTransport } from "../../adapters/libp2p/transport.ts";
import { openSnapshotFiles } from "../../adapters/snapshots/files.ts";
import { openLedger } from "../../adapters/sqlite/ledger.ts";
import type { LedgerFailure } from "../../adapters/sqlite/ledger-failure.ts";
import type { EpochMillis, NodeDriver, NodeListing, PeerId, Result } from "../../core/index.ts";
import { bringerOf, createDriver, err, factsTo, ok, peerOfKey, route } from "../../core/index.ts";
import type { ApiPort } from "../../core/ports/http.ts";
import type { PagesPort } from "../../core/ports/pages.ts";
import type { StorePort } from "../../core/ports/store.ts";
import type { TransportPort } from "../../core/ports/transport.ts";
import { ADMIN_FLAG } from "./admin.ts";
import type { ApiPlan } from "./api-flags.ts";
import type { CheckpointKeeper } from "./checkpoint.ts";
import { openCheckpointKeeper } from "./checkpoint.ts";
import { configurationOf, recorderOf } from "./configuration.ts";
import type { Line } from "./logs.ts";
import type { Network } from "./network.ts";
import { DEVNET, ledgerProblem, rememberNetwork } from "./network.ts";
import { openNodePages } from "./node-pages.ts";
import type { Opened } from "./opened.ts";
import { closeAll, nothingOpen } from "./opened.ts";
import { openRpcText } from "./openrpc.ts";
import { keptKey, preflightProblem } from "./preflight.ts";
import { gossipOf, quicProblem } from "./quic.ts";
import { openReports } from "./reports.ts";
import type { SnapshotPlan, SnapshotWishes } from "./snapshots.ts";
import { snapshotPlanIn } from "./snapshots.ts";
import { watchedStore } from "./watched-store.ts";

/** What a node is started with; only the ledger must be said. */
export interface StartOptions {
  /** The directory that keeps everything this node acknowledged. */
  readonly ledger: string;
  /** The network that it is a node of; devnet unless said. */
  readonly network?: Network;
  /** The file with the node's key; without it, one is kept in the ledger. */
  readonly identity?: string;
  /** Where clients reach it; a free port of loopback unless said. */
  readonly rpc?: { readonly host: string; readonly port: number };
  /** What clients may ask, and which proxies stand before them; the protocol's limits and none unless said. */
  readonly api?: ApiPlan;
  /** Where those who run the node reach it; nowhere unless said. */
  readonly admin?: { readonly host: string; readonly port: number; readonly names?: readonly string[] };
  /** Multiaddrs where peers reach it; a free port of loopback unless said. */
  readonly gossip?: readonly string[];
  /** Multiaddrs bound beside those of `gossip` where QUIC loads; none unless said. */
  readonly gossipWithQuic?: readonly string[];
  readonly entrypoints?: readonly string[];
  /** Multiaddrs to announce. */
  readonly externalAddresses?: readonly string[];
  /** Peers that may connect from one private or loopback address; 64 unless said. */
  readonly localPeersMax?: number;
  /** Endpoints of the chain; without one the node is gossip-only. */
  readonly solanaRpcUrls?: readonly string[];
  readonly solanaPollMs?: number;
  /** Plays the reference node. */
  readonly parity?: boolean;
  readonly allowPrivateGateways?: boolean;
  /** How long attachments are kept, in days; 30, which is the least, unless said. */
  readonly retentionDays?: number | "archival";
  /** What the node registers about itself. */
  readonly listing?: NodeListing;
  readonly snapshots?: SnapshotWishes;
  /** Where every input of the core is written down; nowhere unless said. */
  readonly record?: { readonly path: string; readonly redacted: boolean };
  /** Rows that change at least between two checkpoints that a running node makes; "off" for none while it runs. */
  readonly checkpointEvery?: number | "off";
  /** Takes what the node logs; nothing is logged without it. */
  readonly log?: (line: Line) => void;
  /** Resolves with why the node need not start any more. */
  readonly told?: Promise<string>;
}

/** A node that answers calls. */
export interface RunningNode {
  readonly peer: PeerId;
  /** Where clients reach it: what is bound, and as a URL. */
  readonly rpc: { readonly host: string; readonly port: number; readonly url: string };
  /** Where those who run the node reach it, when they do. */
  readonly admin: { readonly host: string; readonly port: number; readonly url: string } | undefined;
  /** Multiaddrs where peers reach it, each ending in `/p2p/` and its id. */
  readonly gossip: readonly string[];
  /** A typed client of this node. */
  client(): Client;
  /** Stops answering, closes every connection, which `served` hears of, and resolves once everything is on disk. */
  close(served?: () => void): Promise<void>;
  /** Goes on with another limit on calls; `null` switches it off. */
  changeRate(rate: RateLimitBounds | null): void;
  /** Resolves with one line when the node cannot go on: its ledger no longer loads. */
  readonly failed: Promise<string>;
}

/** Why a node did not start: what it was given cannot be used, it failed, or it was told to end; one line. */
export interface StartFailure {
  readonly code: "usage" | "failure" | "told";
  readonly reason: string;
}

const LOOPBACK = "127.0.0.1";
const ANY_PORT = { host: LOOPBACK, port: 0 };
/** Ledgers that cannot be used as they were named; all else about one is a failure. */
const USAGE: ReadonlySet<LedgerFailure["code"]> = new Set(["held", "denied", "foreign", "newer"]);
/** Between two looks at the chain, in milliseconds. Source: protocol 03 C.6. */
const POLL_MS = 10_000;

/** Starts a node; resolves once it answers calls, or with one line about what stood in the way, all closed again. */
export async function startNode(options: StartOptions): Promise<Result<RunningNode, StartFailure>> {
  const { ledger } = options;
  const quic = await loadQuic();
  const gossip = gossipOf(options, quic);
  const problem = quicProblem(quic, options) ?? (await problemOf(options, gossip));
  if (problem !== undefined) return unusable(problem);
  const opened = nothingOpen(options);
  const unopened = openStored(options, opened);
  if (unopened !== undefined) return err(unopened);
  const unwritten = rememberNetwork(ledger, options.network ?? DEVNET);
  if (unwritten !== undefined) return refused(opened, unwritten);
  const keys = identityOf(options);
  if (!keys.ok) return refused(opened, keys.error);
  const facts = factsTo(opened.accept);
  const transport = await openLibp2pTransport({
    secretKey: keys.value.secretKey,
    listen: gossip,
    announce: options.externalAddresses ?? [],
    quic: quic.ok ? quic.value : undefined,
    events: facts.transport,
    ...(options.localPeersMax !== undefined && { limits: { connectionsPerLocalAddressMax: options.localPeersMax } }),
  });
  if (!transport.ok) return refused(opened, transport.error.reason);
  opened.transport = transport.value;
  openChain(options, opened, facts.observe);
  const { allowPrivateGateways: allowPrivate = false } = options;
  opened.gateway = openHttpGateway({ allowPrivate, delivered: facts.delivered });
  const plan = snapshotPlanIn(options.ledger, options.snapshots);
  const { directory, allowLocal } = plan;
  opened.snapshots = openSnapshotFiles({ directory, allowLocal, events: facts.snapshots });
  const api = await openApi(options, opened, plan.directory);
  if (!api.ok) return refused(opened, api.error.reason);
  opened.api = api.value;
  const core = await openCore(options, opened, { keys: keys.value, plan, api: api.value, transport: transport.value });
  if (!core.ok) return refused(opened, core.error);
  opened.driver = core.value;
  for (const fact of opened.early.splice(0)) opened.driver.accept(fact);
  const admin = options.admin === undefined ? undefined : await opened.overseen.open(options.admin, opened);
  if (admin?.ok === false) return refused(opened, admin.error);
  opened.admin = admin?.value;
  const failed = opened.failed.then((reason): StartFailure => ({ code: "failure", reason }));
  const told = options.told?.then((reason): StartFailure => ({ code: "told", reason }));
  const ended = await Promise.race([...(told === undefined ? [] : [told]), opened.started, failed]);
  if (ended !== undefined) {
    await closeAll(opened);
    return err(ended);
  }
  opened.checkpoint?.ready();
  const reports = openReports(opened.overseen.seen, opened.overseen.peersOf(opened), (line) => options.log?.(line));
  opened.stopReports = reports.stop;
  return ok(handleOf(opened, api.value, transport.value, peerOfKey(keys.value.publicKey)));
}

/** Opens the ledger, with its checkpoint beside it. */
function openStored(
  { ledger, record, checkpointEvery: every, log, told }: StartOptions,
  opened: Opened,
): StartFailure | undefined {
  const store = openLedger(ledger);
  if (!store.ok) return { code: USAGE.has(store.error.code) ? "usage" : "failure", reason: store.error.reason };
  const { copyTo, changes } = store;
  opened.copyTo = copyTo;
  const pages = openPages(ledger, log, opened);
  let isOver = false;
  void told?.then(() => {
    isOver = true;
  });
  const kept = { ledger, changes, rowsOnly: record !== undefined, every, pages, log, isTold: () => isOver };
  opened.checkpoint = openCheckpointKeeper(kept);
  opened.store = opened.overseen.timed(watchedStore(store.value, ledger, opened.fail));
  return undefined;
}

/** Where sealed rows lie. Once one of them cannot be read the node takes nothing any more, and ends. */
function openPages(ledger: string, log: StartOptions["log"] | undefined, opened: Opened): PagesPort | undefined {
  const fail = (line: string): void => {
    opened.checkpoint?.forget();
    opened.driver = undefined;
    opened.fail(line);
  };
  const pages = openNodePages({ ledger, log, fail });
  opened.pages = pages;
  return pages;
}

/** Watches the chain where endpoints are named. */
function openChain(
  options: StartOptions,
  opened: Opened,
  observe: Parameters<typeof openRpcChain>[0]["observe"],
): void {
  const { solanaRpcUrls: urls = [], solanaPollMs: pollMs = POLL_MS, network = DEVNET } = options;
  if (urls.length === 0) return;
  const { escrowProgram: program } = network.profile;
  const chain = openRpcChain({ urls, pollMs, crypto: openNativeCrypto(), program, observe });
  opened.overseen.seen.endpoints = chain.endpoints;
  opened.chain = chain;
}

/** What stands in the way of these options, before anything is written. */
async function problemOf(options: StartOptions, gossip: readonly string[]): Promise<string | undefined> {
  const endpointProblem = endpointError(options.solanaRpcUrls ?? []);
  if (endpointProblem !== undefined) return `--solana-rpc-url: ${endpointProblem}`;
  const { ledger, identity, admin, rpc = ANY_PORT, network = DEVNET, externalAddresses = [] } = options;
  const foreign = ledgerProblem(ledger, network);
  if (foreign !== undefined) return foreign;
  const binds = [{ flag: "--rpc-bind-address", ...rpc }];
  if (admin !== undefined) binds.push({ flag: ADMIN_FLAG, ...admin });
  const snapshots = options.snapshots?.everyMs === undefined ? undefined : options.snapshots.directory;
  const record = options.record?.path;
  return preflightProblem({ ledger, identity, record, snapshots, binds, gossip, externalAddresses });
}

async function openCore(
  options: StartOptions,
  opened: Opened,
  parts: {
    readonly keys: KeyPair;
    readonly plan: SnapshotPlan;
    readonly api: ApiPort;
    readonly transport: TransportPort;
  },
): Promise<Result<NodeDriver, string>> {
  const told = { ...options, addresses: parts.transport.addresses(), rpc: parts.api.address };
  const configuration = configurationOf(told, parts, opened.chain !== undefined);
  const recorder = recorderOf(options, configuration);
  if (!recorder.ok) return recorder;
  opened.recorder = recorder.value;
  const keeper = opened.checkpoint as CheckpointKeeper;
  const bootSeed = new Uint8Array(randomBytes(32));
  const begun = await keeper.begin(opened.store as StorePort, configuration, bootSeed);
  const driver: NodeDriver = createDriver({
    ...begun,
    pages: opened.pages,
    crypto: opened.verified.crypto,
    now: () => BigInt(Date.now()) as EpochMillis,
    perform(effect) {
      if (effect.type === "rpc.reply") opened.callsInOrder.answered();
      route(opened, effect);
    },
    observe(input, changes, effects) {
      opened.recorder?.observe(input, changes, effects, driver.roots);
      const bringer = bringerOf(input, changes);
      if (bringer !== undefined) opened.transport?.brought(bringer);
      // The node is ready once the step is over.
      if (input.type === "started") setImmediate(opened.start);
    },
    configuration,
  });
  keeper.watch(driver);
  return ok(driver);
}

function openApi(options: StartOptions, opened: Opened, snapshotDirectory: string) {
  const { host, port } = options.rpc ?? ANY_PORT;
  const document = openRpcText({ name: "this node", url: "/rpc" });
  return openApiServer({
    ...{ host, port, parity: options.parity ?? false, snapshotDirectory, ...options.api },
    handlers: {
      called(replyTo, body) {
        // While its ledger is read again the node takes calls: they wait, or hear DATABASE_ERROR.
        return opened.driver !== undefined && opened.callsInOrder.take(opened.driver, replyTo, body);
      },
      healthy: () => opened.driver?.ready() === true,
      openrpc: () => document,
    },
  });
}

function identityOf({ ledger, identity }: StartOptions): Result<KeyPair, string> {
  const kept = keptKey(ledger);
  const keys = identity === undefined && !existsSync(kept) ? generateKeyFile(kept) : loadKeyFile(identity ?? kept);
  return keys.ok ? keys : err(keys.error.reason);
}

function handleOf(opened: Opened, api: ApiPort, transport: TransportPort, peer: PeerId): RunningNode {
  const rpc = located(api.address);
  let closed: Promise<void> | undefined;
  return {
    peer,
    rpc,
    admin: opened.admin === undefined ? undefined : located(opened.admin),
    gossip: transport.addresses(),
    client: () => openClient({ url: `${rpc.url}/rpc` }),
    failed: opened.failed,
    changeRate: (rate) => opened.api?.changeRate(rate),
    close(served) {
      closed ??= closeAll(opened, served);
      return closed;
    },
  };
}

/** An address and its URL. */
function located({ host, port }: { readonly host: string; readonly port: number }) {
  return { host, port, url: `http://${isIPv6(host) ? `[${host}]` : host}:${port}` };
}

async function refused(opened: Opened, reason: string): Promise<Result<never, StartFailure>> {
  await closeAll(opened);
  return unusable(reason);
}

function unusable(reason: string): Result<never, StartFailure> {
  return err({ code: "usage", reason });
}
