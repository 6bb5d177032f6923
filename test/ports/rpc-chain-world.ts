/**
 * The chain port over real RPC servers on this machine: as many endpoints as a test wants over one simulated chain,
 * each with conditions of its own. The port polls every few milliseconds, so that tests wait for facts alone.
 */
import { expect } from "vitest";
import type { RpcChainOptions } from "../../adapters/chain/rpc.ts";
import { openRpcChain } from "../../adapters/chain/rpc.ts";
import type { ChainObservation } from "../../core/index.ts";
import type { ChainPort } from "../../core/ports/chain.ts";
import { createLiquidityVault, depositLiquidity } from "../../sim/chain/instructions.ts";
import type { ServerConditions } from "../../sim/chain/server/conditions.ts";
import type { JsonValue } from "../../sim/chain/server/json-text.ts";
import type { LiveChain } from "../../sim/chain/server/served-chain.ts";
import type { RpcServer } from "../../sim/chain/server/server.ts";
import { openRpcServer } from "../../sim/chain/server/server.ts";
import { signTransaction } from "../../sim/chain/transaction.ts";
import { addressOf, at, crypto, tokensOf, usdc, wallets } from "../sim/chain/chain-world.ts";
import { openModelChain } from "../sim/chain/server/served-test-chain.ts";
import { NEVER_MS, until } from "../until.ts";
import type { ChainWorld } from "./chain.contract.ts";

/** Polls in which a port at rest has looked at everything. */
const POLLS_OF_REST = 12;
/** Between two looks of a test, in milliseconds. */
const LOOK_MS = 5;
/** Nothing ends because the machine is slow, nothing is left alone after a failure, and the clock stands still. */
const PATIENT = {
  ...{ pollMs: 5, page: 5, retryMs: 5, reconnectMs: 5, backOffMs: 0 },
  ...{ timeoutMs: NEVER_MS, handshakeMs: NEVER_MS, pingEveryMs: NEVER_MS },
};

export interface RpcChainWorld extends ChainWorld {
  readonly chain: LiveChain;
  /** The port's clock in milliseconds: it stands still unless a test moves it. */
  readonly clock: { now: number };
  readonly servers: readonly RpcServer[];
}

/** What a world is made of, if not of its own chain and the product. */
export interface RpcChainSetting {
  /** A chain that others look at too, and close. */
  readonly chain?: LiveChain;
  readonly openPort?: typeof openRpcChain;
}

export async function openRpcChainWorld(
  endpoints: number,
  options: Partial<RpcChainOptions> = {},
  /** Conditions that some servers keep whatever the test asks for. */
  kept: Readonly<Record<number, Partial<ServerConditions>>> = {},
  { chain: shared, openPort = openRpcChain }: RpcChainSetting = {},
): Promise<RpcChainWorld> {
  const chain = shared ?? (await openModelChain());
  const servers = await Promise.all(Array.from({ length: endpoints }, () => openRpcServer({ chain })));
  const condition = (changed: Partial<ServerConditions>) => {
    for (const [place, server] of servers.entries()) server.setConditions({ ...changed, ...kept[place] });
  };
  condition({});
  const clock = { now: 0 };
  let life: { readonly port: ChainPort; readonly seen: ChainObservation[] };
  const open = () => {
    const seen: ChainObservation[] = [];
    const urls = servers.map(({ url }) => url);
    const observe = (observation: ChainObservation) => void seen.push(observation);
    life = { seen, port: openPort({ urls, crypto, observe, now: () => clock.now, ...PATIENT, ...options }) };
  };
  open();
  const close = () => new Promise<void>((done) => life.port.close(done));
  const polls = () => servers.reduce((sum, { asked }) => sum + (asked.get("getLatestBlockhash") ?? 0), 0);
  return {
    chain,
    clock,
    servers,
    get port() {
      return life.port;
    },
    get seen() {
      return life.seen;
    },
    blockhash: () => chain.cluster.latestBlockhash("processed").blockhash,
    finalized: () => chain.cluster.slot("finalized"),
    send(wire) {
      expect(chain.submit(wire).ok).toBe(true);
    },
    pass: (slots) => chain.advance(slots),
    async until(holds) {
      await until(async () => {
        if (holds()) return true;
        await chain.advance(1);
        return false;
      }, LOOK_MS);
    },
    async rest() {
      const enough = polls() + POLLS_OF_REST * endpoints;
      await until(() => polls() > enough, LOOK_MS);
    },
    condition: ({ failing = false, lagSlots = 0n }) => condition({ conduct: failing ? "fails" : "serves", lagSlots }),
    forget: () => chain.change((cluster) => cluster.reorganize(cluster.slot("finalized"), () => "lost")),
    async reopen() {
      await close();
      open();
    },
    async end() {
      await close();
      await Promise.all(servers.map((server) => server.close()));
      if (shared === undefined) await chain.close();
    },
  };
}

/** Members of a JSON object that a server answers. */
export type Members = Readonly<Record<string, JsonValue>>;

const merchant = addressOf("merchant");
/** The account that tests watch. */
export const vault = at.liquidityVault(merchant, usdc.mint).address;

/** What the port told of one type. */
export function told<T extends ChainObservation["type"]>(
  { seen }: RpcChainWorld,
  type: T,
): Extract<ChainObservation, { readonly type: T }>[] {
  return seen.filter((each): each is Extract<ChainObservation, { readonly type: T }> => each.type === type);
}

/** A transaction that makes the vault, or fails because it is there. */
export function vaultWire(world: RpcChainWorld): Uint8Array {
  const instructions = [createLiquidityVault(at, merchant, usdc)];
  const blockhash = world.blockhash();
  return signTransaction({ payer: merchant, instructions, blockhash }, [wallets.merchant], crypto);
}

/** Worlds in which the vault was made. */
const withVault = new WeakSet<RpcChainWorld>();

function depositWire(world: RpcChainWorld): Uint8Array {
  const instructions = [depositLiquidity(at, merchant, usdc, tokensOf("merchant", usdc), 5n)];
  const blockhash = world.blockhash();
  return signTransaction({ payer: merchant, instructions, blockhash }, [wallets.merchant], crypto);
}

/** A transaction that makes the vault, or pays into it, sent past the port and final; answers its signature. */
export async function happen(world: RpcChainWorld): Promise<string> {
  const sent = world.chain.submit(withVault.has(world) ? depositWire(world) : vaultWire(world));
  withVault.add(world);
  await world.pass(40);
  return sent.ok ? sent.value : "";
}
