/**
 * `ofs-node start`: the operator's words, checked, become a node that runs until the process is told to end.
 * Source: DESIGN section 6.
 */
import { isPeerName, parseDialAddress } from "../../adapters/libp2p/addresses.ts";
import { TRANSPORT_LIMITS } from "../../adapters/libp2p/limits.ts";
import { RETENTION_DAYS } from "../../core/index.ts";
import type { ApiFlags } from "./api-flags.ts";
import { apiPlanOf } from "./api-flags.ts";
import { gossipAddressProblem } from "./gossip-addresses.ts";
import type { ListingChoices } from "./listing.ts";
import { listingOf } from "./listing.ts";
import type { Log } from "./logs.ts";
import { openLog } from "./logs.ts";
import { networkNamed } from "./network.ts";
import type { SnapshotFlags } from "./snapshots.ts";
import { snapshotPlanOf } from "./snapshots.ts";
import type { RunningNode } from "./start-node.ts";
import { startNode } from "./start-node.ts";
import type { Terminal } from "./usage.ts";
import { Failure, millisecondsOf, packageVersion, Refusal } from "./usage.ts";

export interface StartChoices extends ListingChoices, SnapshotFlags, ApiFlags {
  readonly ledger?: string;
  readonly network: string;
  readonly identity?: string;
  readonly rpcBindAddress: string;
  readonly adminBindAddress: string;
  readonly adminName?: readonly string[];
  readonly gossipBindAddress?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly externalAddr?: readonly string[];
  readonly maxLocalPeers: string;
  readonly solanaRpcUrl?: readonly string[];
  readonly solanaPollSecs: string;
  readonly parity?: string;
  readonly allowPrivateGateways?: boolean;
  readonly checkpointEvery: string;
  readonly retention: string;
  readonly record?: string;
  readonly recordRedacted?: boolean;
  readonly log: string;
  readonly logFormat: string;
}

/** Where peers reach a node that was not told where: QUIC beside TCP where it loads. Source: DESIGN section 6. */
const GOSSIP = { gossip: ["/ip4/0.0.0.0/tcp/4001"], gossipWithQuic: ["/ip4/0.0.0.0/udp/4001/quic-v1"] };

/** How long a node that was told to end may take, in milliseconds. Source: DESIGN section 6. */
const DRAIN_MS = 5_000;

/** The operator's choices as a node is started with them; refuses with one line. Nothing is opened. */
export function planOf(choices: StartChoices) {
  if (choices.ledger === undefined)
    throw new Refusal("--ledger <dir> is needed: the directory that keeps everything this node acknowledges.");
  refuseEmpty(choices);
  openLog(choices.log, choices.logFormat, () => undefined);
  const rpc = bindAddress("--rpc-bind-address", choices.rpcBindAddress);
  const off = choices.adminBindAddress === "off";
  const admin = off ? undefined : bindAddress("--admin-bind-address", choices.adminBindAddress);
  const unspoken = gossipAddressProblem(
    { gossip: choices.gossipBindAddress ?? [], externalAddresses: choices.externalAddr ?? [] },
    undefined,
  );
  if (unspoken !== undefined) throw new Refusal(unspoken);
  return {
    ...{ ledger: choices.ledger, rpc, parity: parityOf(choices), listing: listingOf(choices) },
    network: networkNamed(choices.network),
    ...(admin !== undefined && { admin: { ...admin, names: adminNamesOf(choices) } }),
    ...(choices.identity !== undefined && { identity: choices.identity }),
    entrypoints: (choices.entrypoint ?? []).map(entrypointOf),
    ...(choices.gossipBindAddress === undefined ? GOSSIP : { gossip: choices.gossipBindAddress }),
    externalAddresses: choices.externalAddr ?? [],
    localPeersMax: localPeersOf(choices),
    solanaRpcUrls: choices.solanaRpcUrl ?? [],
    solanaPollMs: millisecondsOf("--solana-poll-secs", choices.solanaPollSecs),
    snapshots: snapshotPlanOf({ ...choices, ledger: choices.ledger }),
    api: apiPlanOf(choices),
    allowPrivateGateways: choices.allowPrivateGateways ?? false,
    checkpointEvery: checkpointEveryOf(choices),
    retentionDays: retentionOf(choices),
    ...recordingOf(choices),
  };
}

/**
 * Runs until the process is told to end; `read` reads the settings, and again when they are to be reloaded. Variables
 * that are `ignored` stand in the log.
 */
export async function startCommand(
  read: () => StartChoices,
  terminal: Terminal,
  ignored: readonly string[],
): Promise<void> {
  const choices = read();
  const plan = planOf(choices);
  const log = openLog(choices.log, choices.logFormat, terminal.err);
  const signals = takeSignals();
  const drain = drainOf(terminal);
  const told = signals.told.then((signal) => {
    drain.begin();
    return signal;
  });
  try {
    const started = await startNode({ ...plan, log: log.write, told });
    if (!started.ok) {
      const { code, reason } = started.error;
      if (code === "told") return log.write({ ...NODE, event: "stopped", fields: { reason, while: "starting" } });
      throw code === "usage" ? new Refusal(reason) : new Failure(reason);
    }
    const node = started.value;
    // Not before: what cannot be used is one line.
    log.write({
      ...NODE,
      event: "started",
      fields: { version: packageVersion(), network: plan.network.profile.name, ledger: plan.ledger },
    });
    if (ignored.length > 0)
      log.write({ ...NODE, level: "warn", event: "variables ignored", fields: { variables: ignored.join(",") } });
    signals.reloadWith(() => reloaded(read, node, log));
    await running(node, { told, drain }, log, terminal);
  } finally {
    drain.end();
    signals.forget();
  }
}

interface Signals {
  /** The first signal to end. */
  readonly told: Promise<string>;
  /** What SIGHUP does from now on, and did before: then at once. */
  readonly reloadWith: (reload: () => void) => void;
  readonly forget: () => void;
}

/**
 * Heeds signals from now on, before anything is open. Further ones to end change nothing: whoever passes signals on may
 * send two, and the end has its own bound.
 */
function takeSignals(): Signals {
  let reload: (() => void) | undefined;
  let isDue = false;
  const hangUp = () => {
    isDue = true;
    reload?.();
  };
  let tell: (signal: string) => void = () => undefined;
  const told = new Promise<string>((resolve) => (tell = resolve));
  const end = (signal: string) => tell(signal);
  process.on("SIGHUP", hangUp).on("SIGINT", end).on("SIGTERM", end);
  return {
    told,
    reloadWith(given) {
      reload = given;
      if (isDue) reload();
    },
    forget: () => void process.off("SIGHUP", hangUp).off("SIGINT", end).off("SIGTERM", end),
  };
}

/** Bounds how long clients and peers may hold up the end of a node. A checkpoint may take its time. */
function drainOf(terminal: Terminal): { readonly begin: () => void; readonly end: () => void } {
  let timer: NodeJS.Timeout | undefined;
  // What was acknowledged is on the disk already.
  const giveUp = () => {
    terminal.err(`the node did not end within ${DRAIN_MS / 1_000} s and was ended; nothing acknowledged is lost\n`);
    process.exit(1);
  };
  return {
    begin() {
      timer ??= setTimeout(giveUp, DRAIN_MS);
    },
    end: () => clearTimeout(timer),
  };
}

const NODE = { module: "node", level: "info" } as const;

/** Takes up what can change while a node runs: log filter and rate limit. Settings that are wrong change nothing. */
function reloaded(read: () => StartChoices, node: RunningNode, log: Log): void {
  try {
    const choices = read();
    const { api } = planOf(choices);
    log.filter(choices.log);
    node.changeRate(api.limits.rate);
    const fields = { log: choices.log, "rate-limit": choices.rateLimit, others: "need a new start" };
    log.write({ ...NODE, event: "settings reloaded", fields });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    log.write({ ...NODE, level: "error", event: "settings not reloaded", fields: { reason: error.message } });
  }
}

/** Says that the node is ready, then waits until it is told to end and closes everything. */
async function running(
  node: RunningNode,
  { told, drain }: { readonly told: Promise<string>; readonly drain: ReturnType<typeof drainOf> },
  log: Log,
  terminal: Terminal,
): Promise<void> {
  const admin = node.admin === undefined ? "" : ` admin=${node.admin.url}`;
  terminal.out(`ready rpc=${node.rpc.url} gossip=${node.gossip.join(",")}${admin} peer=${node.peer}\n`);
  log.write({ ...NODE, event: "ready", fields: { rpc: node.rpc.url, peer: node.peer } });
  const failed = node.failed.then((failure) => ({ failure }));
  const end = await Promise.race([told, failed]);
  log.write({ ...NODE, event: "stopping", fields: { reason: typeof end === "string" ? end : end.failure } });
  drain.begin();
  await node.close(drain.end);
  log.write({ ...NODE, event: "stopped", fields: {} });
  if (typeof end !== "string") throw new Failure(end.failure);
}

/** What the registry shows may be nothing. */
const MAY_BE_EMPTY = /^provider[A-Z]/;

/** An empty text is what an unset variable of a shell leaves; as a path it would be the current directory. */
function refuseEmpty(choices: StartChoices): void {
  const empty = Object.entries(choices).find(
    ([key, value]) => !MAY_BE_EMPTY.test(key) && [value].flat().some((each) => /^\s*$/.test(String(each))),
  );
  if (empty === undefined) return;
  const flag = `--${empty[0].replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new Refusal(`${flag} is empty: give it a value, or leave it out.`);
}

/** Whether the reference's rules are asked for; refuses words that are none of the choices. */
function parityOf({ parity }: StartChoices): boolean {
  if (parity !== undefined && parity !== "reference") throw new Refusal(`--parity is reference, not "${parity}".`);
  return parity === "reference";
}

function recordingOf({ record, recordRedacted: redacted = false }: StartChoices) {
  if (record === undefined && redacted) throw new Refusal("--record-redacted needs --record <file>.");
  return record === undefined ? {} : { record: { path: record, redacted } };
}

/** How many rows change between two checkpoints that a running node makes. */
function checkpointEveryOf({ checkpointEvery }: StartChoices): number | "off" {
  if (checkpointEvery === "off") return checkpointEvery;
  if (/^[1-9]\d{0,8}$/.test(checkpointEvery)) return Number(checkpointEvery);
  throw new Refusal(`--checkpoint-every takes a number of rows from 1 to 999999999, or off, not "${checkpointEvery}".`);
}

/** How long attachments are kept, in days, or for ever. Source: protocol 02 G.7. */
function retentionOf({ retention }: StartChoices): number | "archival" {
  if (retention === "archival") return retention;
  const days = /^[1-9]\d{1,4}$/.test(retention) ? Number(retention) : 0;
  if (days >= RETENTION_DAYS) return days;
  throw new Refusal(`--retention takes whole days from ${RETENTION_DAYS} to 99999, or archival, not "${retention}".`);
}

/** How many peers one private address may stand for; there are no more places than the transport has. */
function localPeersOf({ maxLocalPeers }: StartChoices): number {
  const most = TRANSPORT_LIMITS.inboundConnectionsMax;
  if (/^[1-9]\d{0,2}$/.test(maxLocalPeers) && Number(maxLocalPeers) <= most) return Number(maxLocalPeers);
  throw new Refusal(`--max-local-peers takes a number from 1 to ${most}, not "${maxLocalPeers}".`);
}

function bindAddress(flag: string, text: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]+)):([0-9]{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(digits) > 65_535) throw new Refusal(`${flag} takes HOST:PORT, not "${text}".`);
  return { host, port: Number(digits) };
}

/** An entrypoint is where peers speak, not where clients do, or a peer that was met. Source: protocol 01 §5.1. */
function entrypointOf(text: string): string {
  if (/^https?:|(?::|\/tcp\/)7080(?:\/|$)/.test(text)) {
    const what = /^https?:/.test(text) ? "is an http URL" : "has the port of that";
    throw new Refusal(`--entrypoint takes a peer's gossip address, not the RPC address of clients: "${text}" ${what}.`);
  }
  if (isPeerName(text)) return text;
  if (!/\/p2p\/[^/]+$/.test(text))
    throw new Refusal(
      `--entrypoint takes a multiaddr that ends in /p2p/12D3Koo…, or the id of a peer that was met, not "${text}".`,
    );
  const parsed = parseDialAddress(text, { memory: false, quic: true });
  if (!parsed.ok) throw new Refusal(`--entrypoint ${parsed.error}.`);
  return text;
}

/** Names of hosts, each alone. */
function adminNamesOf({ adminName = [] }: StartChoices): readonly string[] {
  const wrong = adminName.find((name) => !/^[a-z0-9_](?:[a-z0-9_.-]{0,252})$/i.test(name));
  if (wrong !== undefined)
    throw new Refusal(`--admin-name takes the name of a host, such as node.internal, not "${wrong}".`);
  return adminName;
}
