/**
 * `ofs-node start`: the operator's words, checked, become a node that runs until the process is told to end.
 * Source: DESIGN section 6.
 */
import pino from "pino";
import type { ApiFlags } from "./api-flags.ts";
import { apiPlanOf } from "./api-flags.ts";
import type { ListingChoices } from "./listing.ts";
import { listingOf } from "./listing.ts";
import type { SnapshotFlags } from "./snapshots.ts";
import { snapshotPlanOf } from "./snapshots.ts";
import type { RunningNode } from "./start-node.ts";
import { startNode } from "./start-node.ts";
import type { Terminal } from "./usage.ts";
import { Failure, millisecondsOf, Refusal } from "./usage.ts";

export interface StartChoices extends ListingChoices, SnapshotFlags, ApiFlags {
  readonly ledger: string;
  readonly identity?: string;
  readonly rpcBindAddress: string;
  readonly adminBindAddress: string;
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
/** Runs until the process is told to end. */
export async function startCommand(choices: StartChoices, terminal: Terminal): Promise<void> {
  const rpc = bindAddress("--rpc-bind-address", choices.rpcBindAddress);
  const admin =
    choices.adminBindAddress === "off" ? undefined : bindAddress("--admin-bind-address", choices.adminBindAddress);
  const entrypoints = (choices.entrypoint ?? []).map(entrypointOf);
  const parity = parityOf(choices);
  const listing = listingOf(choices);
  const solanaPollMs = millisecondsOf("--solana-poll-secs", choices.solanaPollSecs);
  const snapshots = snapshotPlanOf(choices);
  const api = apiPlanOf(choices);
  const log = pino({ level: choices.log, base: null }, pino.destination(2));
  const started = await startNode({
    ...{ ledger: choices.ledger, rpc, entrypoints, parity, listing, solanaPollMs, snapshots, api },
    ...(admin !== undefined && { admin }),
    ...(choices.identity !== undefined && { identity: choices.identity }),
    gossip: choices.gossipBindAddress ?? ["/ip4/0.0.0.0/tcp/4001"],
    externalAddresses: choices.externalAddr ?? [],
    solanaRpcUrls: choices.solanaRpcUrl ?? [],
    allowPrivateGateways: choices.allowPrivateGateways ?? false,
    log: ({ level, fields, event }) => log[level](fields, event),
  });
  if (!started.ok) {
    const { code, reason } = started.error;
    throw code === "usage" ? new Refusal(reason) : new Failure(reason);
  }
  await running(started.value, terminal);
}

/** Says that the node is ready, then waits for the signal to end and closes everything. */
async function running(node: RunningNode, terminal: Terminal): Promise<void> {
  const admin = node.admin === undefined ? "" : ` admin=${node.admin.url}`;
  terminal.out(`ready rpc=${node.rpc.url} gossip=${node.gossip.join(",")}${admin} peer=${node.peer}\n`);
  const told = new Promise<void>((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  const line = await Promise.race([told, node.failed]);
  await node.close();
  if (typeof line === "string") throw new Failure(line);
}

/** Whether the reference's rules are asked for; refuses words that are none of the choices. */
function parityOf({ log, parity }: StartChoices): boolean {
  if (!LOG_LEVELS.includes(log)) throw new Refusal(`--log is one of ${LOG_LEVELS.join(", ")}, not "${log}".`);
  if (parity !== undefined && parity !== "reference") throw new Refusal(`--parity is reference, not "${parity}".`);
  return parity === "reference";
}

function bindAddress(flag: string, text: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]+)):([0-9]{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(digits) > 65_535) throw new Refusal(`${flag} takes HOST:PORT, not "${text}".`);
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
