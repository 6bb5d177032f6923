/**
 * Running a node: configuration to adapters to driver. Wiring only; what a fact does is the core's to say.
 * Source: DESIGN sections 3 and 6.
 */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import pino from "pino";
import { endpointFlaw } from "../../adapters/chain/probe.ts";
import { openRpcChain } from "../../adapters/chain/rpc.ts";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { openHttpGateway } from "../../adapters/gateway/http-gateway.ts";
import { openApiServer } from "../../adapters/http/server.ts";
import type { KeyPair } from "../../adapters/libp2p/key-file.ts";
import { generateKeyFile, loadKeyFile } from "../../adapters/libp2p/key-file.ts";
import { openLibp2pTransport } from "../../adapters/libp2p/transport.ts";
import { openLedger } from "../../adapters/sqlite/ledger.ts";
import type { Effect, EpochMillis, Fact, NodeDriver } from "../../core/index.ts";
import {
  createDriver,
  devnetNetwork,
  gaugesOf,
  methods,
  openRpcDocument,
  peerOfKey,
  publicKeyText,
} from "../../core/index.ts";
import type { ChainPort } from "../../core/ports/chain.ts";
import type { GatewayPort } from "../../core/ports/gateway.ts";
import type { ApiPort } from "../../core/ports/http.ts";
import type { SnapshotPort } from "../../core/ports/snapshots.ts";
import type { TransportPort } from "../../core/ports/transport.ts";
import type { ListingChoices } from "./listing.ts";
import { listingOf } from "./listing.ts";
import type { SnapshotFlags } from "./snapshots.ts";
import { openSnapshots, snapshotConfiguration, snapshotPlanOf } from "./snapshots.ts";
import type { Terminal } from "./usage.ts";
import { millisecondsOf, packageVersion, Refusal } from "./usage.ts";

export interface StartChoices extends ListingChoices, SnapshotFlags {
  readonly ledger: string;
  readonly identity?: string;
  readonly rpcBindAddress: string;
  readonly gossipBindAddress?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly externalAddr?: readonly string[];
  readonly solanaRpcUrl?: readonly string[];
  readonly solanaPollSecs: string;
  readonly parity?: string;
  readonly allowPrivateGateways?: boolean;
  readonly log: string;
}

const LOG_LEVELS = ["debug", "info", "warn", "error"];
/** Calls in hand at most: beyond, clients hear RATE_LIMIT_EXCEEDED. Source: protocol 01 §15 W14. */
const CALLS_MAX = 4_096;

interface Outside {
  api: ApiPort | undefined;
  transport: TransportPort | undefined;
  chain: ChainPort | undefined;
  gateway: GatewayPort | undefined;
  snapshots: SnapshotPort | undefined;
  driver: NodeDriver | undefined;
  calls: number;
  readonly timers: Map<string, NodeJS.Timeout>;
}

function nothingOpen(): Outside {
  return {
    api: undefined,
    transport: undefined,
    chain: undefined,
    gateway: undefined,
    snapshots: undefined,
    driver: undefined,
    calls: 0,
    timers: new Map(),
  };
}

/** Runs until the process is told to end. */
export async function startCommand(choices: StartChoices, terminal: Terminal): Promise<void> {
  const { host, port } = bindAddress(choices.rpcBindAddress);
  const entrypoints = (choices.entrypoint ?? []).map(entrypointOf);
  const parity = parityOf(choices);
  const listing = listingOf(choices);
  const urls = choices.solanaRpcUrl ?? [];
  const pollMs = millisecondsOf("--solana-poll-secs", choices.solanaPollSecs);
  const flaw = await endpointFlaw(urls);
  if (flaw !== undefined) throw new Refusal(`--solana-rpc-url: ${flaw}`);
  const snapshots = snapshotPlanOf(choices);
  const log = pino({ level: choices.log, base: null }, pino.destination(2));
  const store = openLedger(choices.ledger);
  if (!store.ok) throw new Refusal(store.error.reason);
  const keys = identityOf(choices);
  const outside = nothingOpen();
  // What the network says while the ledger is still being opened waits for the driver.
  const early: Fact[] = [];
  const accept = (fact: Fact) => {
    if (outside.driver === undefined) early.push(fact);
    else outside.driver.accept(fact);
  };

  const transport = await openGossip(choices, keys, accept);
  if (!transport.ok) throw await closing(store.value, transport.error.reason);
  outside.transport = transport.value;
  if (urls.length > 0) outside.chain = openChain(urls, pollMs, accept);
  outside.gateway = openGateway(choices, accept);
  outside.snapshots = openSnapshots(snapshots, accept);
  const version = packageVersion();
  const document = openRpcDocument(methods, version, { name: "this node", url: "/rpc" });
  const api = await openApi({ host, port, parity, snapshotDirectory: snapshots.directory }, outside, document);
  if (!api.ok) throw await closing(store.value, api.error.reason, outside.transport);
  outside.api = api.value;

  const addresses = transport.value.addresses();
  const bound = { rpc: api.value.address, declared: choices.externalAddr ?? [], gossip: addresses };
  outside.driver = createDriver({
    crypto: openNativeCrypto(),
    store: store.value,
    bootSeed: new Uint8Array(randomBytes(32)),
    now: () => BigInt(Date.now()) as EpochMillis,
    perform: (effect) => perform(outside, effect, accept, log),
    configuration: {
      profile: { ...devnetNetwork, parity },
      secretKey: keys.secretKey,
      publicKey: publicKeyText(keys.publicKey),
      peerId: peerOfKey(keys.publicKey),
      chain: urls.length > 0 ? "RpcConnected" : "GossipOnly",
      announcedAddresses: addresses,
      entrypoints,
      roles: ["MerchantGateway", "PublicApiNode"],
      version,
      ...snapshotConfiguration(snapshots, listing, bound),
    },
  });
  for (const fact of early) outside.driver.accept(fact);
  while (!outside.driver.ready()) await new Promise((resolve) => setImmediate(resolve));
  await running(outside, (done) => store.value.close(done), terminal);
}

/** Whether the reference's rules are asked for; refuses words that are none of the choices. */
function parityOf({ log, parity }: StartChoices): boolean {
  if (!LOG_LEVELS.includes(log)) throw new Refusal(`--log is one of ${LOG_LEVELS.join(", ")}, not "${log}".`);
  if (parity !== undefined && parity !== "reference") throw new Refusal(`--parity is reference, not "${parity}".`);
  return parity === "reference";
}

function openGossip(choices: StartChoices, keys: KeyPair, accept: (fact: Fact) => void) {
  return openLibp2pTransport({
    secretKey: keys.secretKey,
    listen: choices.gossipBindAddress ?? ["/ip4/0.0.0.0/tcp/4001"],
    announce: choices.externalAddr ?? [],
    events: {
      connected: (peer, address) => accept({ type: "peer.connected", peer, address }),
      disconnected: (peer) => accept({ type: "peer.disconnected", peer }),
      unreachable: (address, reason) => accept({ type: "peer.unreachable", address, reason }),
      measured: (peer, latency) => accept({ type: "peer.measured", peer, latency_ms: latency }),
      received: (from, replyTo, bytes) => accept({ type: "message.received", from, replyTo, bytes }),
      answered: (from, request, bytes) => accept({ type: "message.answered", from, request, bytes }),
      failed: (to, request, reason) => accept({ type: "message.failed", to, request, reason }),
    },
  });
}

function openChain(urls: readonly string[], pollMs: number, accept: (fact: Fact) => void): ChainPort {
  return openRpcChain({
    urls,
    pollMs,
    crypto: openNativeCrypto(),
    program: devnetNetwork.escrowProgram,
    observe: (observation) => accept({ type: "chain.observed", observation }),
  });
}

function openGateway(choices: StartChoices, accept: (fact: Fact) => void): GatewayPort {
  return openHttpGateway({
    allowPrivate: choices.allowPrivateGateways ?? false,
    delivered: (dispatch, delivered) => accept({ type: "notification.delivered", dispatch, delivered }),
  });
}

function openApi(
  served: {
    readonly host: string;
    readonly port: number;
    readonly parity: boolean;
    readonly snapshotDirectory: string;
  },
  outside: Outside,
  document: string,
) {
  return openApiServer({
    ...served,
    handlers: {
      called(replyTo, body) {
        if (outside.driver?.ready() !== true || outside.calls >= CALLS_MAX) return false;
        outside.calls += 1;
        outside.driver.accept({ type: "rpc.called", replyTo, body });
        return true;
      },
      healthy: () => outside.driver?.ready() === true,
      openrpc: () => document,
      gauges: () => (outside.driver === undefined ? {} : gaugesOf(outside.driver.view)),
    },
  });
}

function perform(outside: Outside, effect: Effect, accept: (fact: Fact) => void, log: pino.Logger): void {
  switch (effect.type) {
    case "rpc.reply":
      outside.calls -= 1;
      return outside.api?.reply(effect.replyTo, effect.body);
    case "ws.publish":
      return outside.api?.publish(effect.source, effect.message);
    case "message.send":
      return outside.transport?.send(effect.to, effect.request, effect.bytes);
    case "message.reply":
      return outside.transport?.reply(effect.replyTo, effect.bytes);
    case "peer.dial":
      return outside.transport?.dial(effect.address);
    case "peer.disconnect":
      return outside.transport?.disconnect(effect.peer);
    case "chain.submit":
      return outside.chain?.submit(effect.signature, effect.bytes);
    case "chain.watch":
      return outside.chain?.watch(effect.address, effect.commitment);
    case "chain.unwatch":
      return outside.chain?.unwatch(effect.address);
    case "chain.read":
      return outside.chain?.read(effect.address, effect.slot, effect.commitment);
    case "chain.check":
      return outside.chain?.check(effect.signature);
    case "notification.deliver":
      return outside.gateway?.deliver(effect);
    case "snapshot.write":
      return outside.snapshots?.write(effect.id, effect.archive);
    case "snapshot.fetch":
      return outside.snapshots?.fetch(effect.id, effect.location, effect.sizeBytes);
    case "timer.set": {
      clearTimeout(outside.timers.get(effect.timer));
      const wait = Math.max(Number(effect.at) - Date.now(), 0);
      const fire = () => accept({ type: "timer.fired", timer: effect.timer });
      outside.timers.set(effect.timer, setTimeout(fire, wait));
      return;
    }
    case "log":
      return log[effect.level](effect.fields, effect.event);
  }
}

/** Says that the node is ready, then waits for the signal to end and closes everything. */
function running(outside: Outside, closeStore: (done: () => void) => void, terminal: Terminal): Promise<void> {
  const { api, transport } = outside;
  if (api === undefined || transport === undefined) return Promise.resolve();
  const { host, port } = api.address;
  const addresses = transport.addresses();
  const peer = addresses[0]?.split("/p2p/").at(-1) ?? "";
  terminal.out(
    `ready rpc=http://${isIPv6(host) ? `[${host}]` : host}:${port} gossip=${addresses.join(",")} peer=${peer}\n`,
  );
  return new Promise((resolve) => {
    const end = () => {
      for (const timer of outside.timers.values()) clearTimeout(timer);
      outside.chain?.close(() => undefined);
      outside.gateway?.close(() => undefined);
      outside.snapshots?.close(() => undefined);
      api.close(() => transport.close(() => closeStore(resolve)));
    };
    process.once("SIGINT", end);
    process.once("SIGTERM", end);
  });
}

function identityOf(choices: StartChoices): KeyPair {
  const kept = join(choices.ledger, "identity.json");
  mkdirSync(choices.ledger, { recursive: true });
  const file = choices.identity ?? kept;
  const keys = choices.identity === undefined && !existsSync(kept) ? generateKeyFile(kept) : loadKeyFile(file);
  if (!keys.ok) throw new Refusal(keys.error.reason);
  return keys.value;
}

function bindAddress(text: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]+)):([0-9]{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(digits) > 65_535)
    throw new Refusal(`--rpc-bind-address takes HOST:PORT, not "${text}".`);
  return { host, port: Number(digits) };
}

/** An entrypoint is where peers speak, not where clients do. Source: protocol 01 §5.1. */
function entrypointOf(text: string): string {
  if (/^https?:/.test(text)) {
    throw new Refusal(
      `--entrypoint takes a peer's gossip address, not the RPC address of clients: "${text}" is an http URL.`,
    );
  }
  if (!/^\/.+\/p2p\/12D3Koo[1-9A-HJ-NP-Za-km-z]+$/.test(text)) {
    throw new Refusal(`--entrypoint takes a multiaddr that ends in /p2p/12D3Koo…, not "${text}".`);
  }
  return text;
}

async function closing(
  store: { close(done: () => void): void },
  reason: string,
  transport?: TransportPort,
): Promise<Refusal> {
  if (transport !== undefined) await new Promise<void>((resolve) => transport.close(resolve));
  await new Promise<void>((resolve) => store.close(resolve));
  return new Refusal(reason);
}
