/**
 * A test chain that is served over RPC: the wallets of chain-world.ts, a faucet, and as many servers as a test wants.
 * The chain moves when the test says so.
 */
import { Connection } from "@solana/web3.js";
import { onTestFinished } from "vitest";
import { toBase58, utf8 } from "../../../../core/kernel/text.ts";
import { systemProgram } from "../../../../core/solana/addresses.ts";
import type { OpenExecutor } from "../../../../sim/chain/executor.ts";
import { openLitesvm } from "../../../../sim/chain/executors/litesvm.ts";
import { modelExecutors } from "../../../../sim/chain/executors/model.ts";
import { lookupTableAccount } from "../../../../sim/chain/lookup-tables.ts";
import type { LiveChain } from "../../../../sim/chain/server/served-chain.ts";
import { openLiveChain } from "../../../../sim/chain/server/served-chain.ts";
import type { RpcServer } from "../../../../sim/chain/server/server.ts";
import { openRpcServer } from "../../../../sim/chain/server/server.ts";
import { NEVER_MS } from "../../../until.ts";
import { crypto, firstDay, keyring, START_UNIX } from "../chain-world.ts";
import { closingTable } from "../trade-story.ts";

const faucetKey = crypto.sha256(utf8("wallet faucet"));
const faucet = { secretKey: faucetKey, publicKey: crypto.publicKey(faucetKey) };
const FAUCET_LAMPORTS = 1_000_000_000_000_000n;

/** A test chain, closed when the test ends. */
export async function openTestChain(open: OpenExecutor = openLitesvm): Promise<LiveChain> {
  const purse = { lamports: FAUCET_LAMPORTS, owner: systemProgram, data: new Uint8Array(0), executable: false };
  const table = { address: closingTable.address, account: lookupTableAccount(closingTable.addresses) };
  const chain = await openLiveChain({
    crypto,
    open,
    seed: crypto.sha256(utf8("served town")),
    startMs: START_UNIX * 1_000n,
    genesis: [...firstDay(), { address: toBase58(faucet.publicKey), account: purse }, table],
    signers: [...keyring, faucet],
    faucet,
  });
  await chain.advance(40);
  return chain;
}

/** The same on the model, for tests that are not about the program. */
export function openModelChain(): Promise<LiveChain> {
  return openTestChain(modelExecutors(crypto));
}

export interface ServedTestChain {
  readonly chain: LiveChain;
  readonly server: RpcServer;
  readonly connection: Connection;
}

/** One chain, one server, and web3.js connected to it; all closed when the test ends. */
export async function openServedTestChain(open?: OpenExecutor): Promise<ServedTestChain> {
  const chain = await openTestChain(open);
  const server = await openRpcServer({ chain });
  onTestFinished(async () => {
    await server.close();
    await chain.close();
  });
  const connection = new Connection(server.url, {
    commitment: "confirmed",
    confirmTransactionInitialTimeout: NEVER_MS,
  });
  return { chain, server, connection };
}

/** Slots in which everything is final, and no blockhash too old yet. */
const SLOTS_MAX = 100;

/** Moves the chain on while something is awaited; then waits, so that nothing expires under who is slow. */
export async function whileMoving<T>(chain: LiveChain, awaited: Promise<T>): Promise<T> {
  let over = false;
  const done = () => {
    over = true;
  };
  awaited.then(done, done);
  for (let slot = 0; !over && slot < SLOTS_MAX; slot++) {
    await chain.advance(1);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return awaited;
}
