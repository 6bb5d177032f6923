/**
 * Goal: a node with a chain endpoint sees what the chain executed, and no other node takes its word for it (L3); a
 * gossip-only node learns blockhashes from its peers and sends transactions through them (protocol 03 C1, R8, R9).
 * Method: two real processes, a served chain that runs the escrow program, and a dispute from its offer to its
 * execution; the test moves the chain and waits for facts.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { EpochMillis, FiatCurrency, Fields, MintAddress, RecordOf, SignedType } from "../../core/index.ts";
import { toBase64 } from "../../core/index.ts";
import type { PaymentMethodId } from "../../core/testing.ts";
import {
  AdvertisementCreate,
  DisputeOpen,
  PaymentSubmitted,
  ReservationRequest,
  SettlementInitiate,
} from "../../core/testing.ts";
import { treasuriesFor } from "../../sim/chain/genesis.ts";
import * as build from "../../sim/chain/instructions.ts";
import type { LiveChain } from "../../sim/chain/server/served-chain.ts";
import type { RpcServer } from "../../sim/chain/server/server.ts";
import { openRpcServer } from "../../sim/chain/server/server.ts";
import type { Instruction } from "../../sim/chain/transaction.ts";
import type { Wallet } from "../../sim/wallet.ts";
import { walletOfSecret } from "../../sim/wallet.ts";
import type { Name } from "../sim/chain/chain-world.ts";
import { addressOf, at, commitmentOf, crypto, tokensOf, usdc, wallets } from "../sim/chain/chain-world.ts";
import { openTestChain } from "../sim/chain/server/served-test-chain.ts";
import { until } from "../until.ts";
import type { NodeProcess } from "./node-process.ts";
import { answerOf, call, startNode, untilAnswered, untilMeasured } from "./node-process.ts";

const RESERVATION = 4_242n;
const AMOUNT = 25_000_000n;
const WINDOW_SECS = 60n;
/** Slots of a window, and then some. */
const WINDOW_SLOTS = 160;
/** Slots after which what happened is finalized. */
const FINAL_SLOTS = 40;
const judges = ["judge1", "judge2", "judge3"] as const satisfies readonly Name[];

const folder = mkdtempSync(join(tmpdir(), "ofs-node-"));
const closing: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const close of closing.reverse()) await close();
  rmSync(folder, { recursive: true });
});

const walletOf = (name: Name): Wallet => walletOfSecret(crypto, name, wallets[name].secretKey);
const [merchant, buyer] = [walletOf("merchant"), walletOf("buyer")];
const trade = {
  reservation: RESERVATION,
  mint: usdc.mint,
  tokenProgram: usdc.tokenProgram,
  merchant: merchant.address,
};
const units = (base_units: bigint) => ({ base_units, decimals: usdc.decimals });
const price = { base_units: 13_000n, decimals: 2 };
const now = () => BigInt(Date.now()) as EpochMillis;

async function start(ledger: string, ...more: readonly string[]): Promise<NodeProcess> {
  const node = await startNode(join(folder, ledger), ...more);
  closing.push(() => node.kill());
  return node;
}

async function send<F extends Fields>(
  node: NodeProcess,
  method: string,
  wallet: Wallet,
  type: SignedType<F>,
  payload: RecordOf<F>,
): Promise<void> {
  expect(await call(node.rpc, method, { data: wallet.data(type, payload) })).toHaveProperty("result");
}

/** Puts a transaction into a block, past the nodes. */
async function happen(chain: LiveChain, name: Name, ...instructions: readonly Instruction[]): Promise<void> {
  const { blockhash } = chain.cluster.latestBlockhash("processed");
  const sent = chain.submit(walletOf(name).transaction({ instructions, blockhash }));
  await chain.advance(1);
  expect(sent.ok && chain.cluster.signatureStatus(sent.value)?.err).toBeNull();
}

/** The trade as its parties tell it to a node, up to the dispute. */
async function tellTrade(node: NodeProcess): Promise<void> {
  const seller = { merchant: merchant.peer, merchant_public_key: merchant.publicKey };
  await send(node, "sendAdvertisementCreate", merchant, AdvertisementCreate, {
    ...{ id: "ad-chain", ...seller, asset_mint: usdc.mint as MintAddress, direction: "Sell", timestamp: now() },
    fiat_currency: "KES" as FiatCurrency,
    ...{ min_trade: units(1_000_000n), max_trade: units(100_000_000n), initial_liquidity: units(100_000_000n) },
    pricing: { Fixed: { price } },
    payment_methods: ["builtin:mpesa-kenya" as PaymentMethodId],
  });
  const requester = { requester: buyer.peer, requester_public_key: buyer.publicKey };
  await send(node, "sendReservationRequest", buyer, ReservationRequest, {
    ...{ id: RESERVATION.toString(), advertisement_id: "ad-chain", ...requester, amount: units(AMOUNT) },
    ...{ agreed_price: price, agreed_mid: null, timestamp: now() },
  });
  await send(node, "sendSettlementInitiate", buyer, SettlementInitiate, {
    ...{ id: "settlement-chain", reservation_id: RESERVATION.toString(), amount: units(AMOUNT), timestamp: now() },
    ...{ buyer: buyer.peer, buyer_public_key: buyer.publicKey },
    ...{ seller: merchant.peer, seller_public_key: merchant.publicKey },
  });
  const paid = { settlement_id: "settlement-chain", buyer: buyer.peer, payment_reference: null, timestamp: now() };
  await send(node, "sendPaymentSubmitted", buyer, PaymentSubmitted, paid);
  const opener = { opener: buyer.peer, opener_public_key: buyer.publicKey, reason: "paid, nothing came" };
  const open = { id: "dispute-chain", settlement_id: "settlement-chain", ...opener, timestamp: now() };
  await send(node, "sendDisputeOpen", buyer, DisputeOpen, open);
}

/** The case on chain: opened, voted on by three, executed. */
async function decide(chain: LiveChain): Promise<void> {
  const windows = { commitSecs: WINDOW_SECS, revealSecs: WINDOW_SECS };
  await happen(
    chain,
    "merchant",
    build.createTradeEscrow(at, trade, buyer.address, AMOUNT, 1_800n),
    build.fundTradeEscrow(at, trade),
  );
  await happen(chain, "buyer", build.openDisputeCase(at, trade, buyer.address, buyer.address, windows));
  for (const judge of judges) {
    const commitment = commitmentOf(RESERVATION, judge, 0, 7);
    await happen(chain, judge, build.commitDisputeVote(at, RESERVATION, addressOf(judge), commitment));
  }
  await chain.advance(WINDOW_SLOTS);
  for (const judge of judges) {
    const salt = new Uint8Array(32).fill(7);
    await happen(chain, judge, build.revealDisputeVote(at, RESERVATION, addressOf(judge), 0, salt));
  }
  await chain.advance(WINDOW_SLOTS);
  const treasuries = treasuriesFor(at, usdc);
  await happen(chain, "stranger", build.executeDisputeOutcome(at, trade, tokensOf("buyer", usdc), treasuries));
}

test("one node sees the chain, the other does not believe it", async () => {
  const chain = await openTestChain();
  closing.push(() => chain.close());
  const server: RpcServer = await openRpcServer({ chain });
  closing.push(() => server.close());
  // A node tells its peers of a slot when it sees one: there is none to see before they are connected.
  server.setConditions({ conduct: "fails", methods: ["getLatestBlockhash"] });
  const endpoint = ["--solana-rpc-url", server.url, "--solana-poll-secs", "1"];
  const first = await start("first", ...endpoint);
  const second = await start("second", "--entrypoint", first.gossip);
  for (const node of [first, second]) await untilMeasured(node, /^ofs_peers_connected 1$/m);
  server.setConditions({});
  const ask = async (node: NodeProcess, method: string, params: unknown) =>
    (await call(node.rpc, method, params)).result;

  expect(await ask(first, "getChainStatus", {})).toMatchObject({ mode: "RpcConnected" });
  expect(await ask(second, "getChainStatus", {})).toMatchObject({ mode: "GossipOnly" });

  // A blockhash from the gossip-only node, and a transaction through it. The chain stands still until it is there.
  type Head = { readonly blockhash: string; readonly slot: number };
  const { blockhash } = await untilAnswered<Head>(second, "getLatestBlockhash", {}, () => true);
  const liquidity = [
    build.createLiquidityVault(at, merchant.address, usdc),
    build.depositLiquidity(at, merchant.address, usdc, tokensOf("merchant", usdc), 100_000_000n),
    build.reserveLiquidity(at, merchant.address, usdc.mint, 100_000_000n),
  ];
  const data = toBase64(merchant.transaction({ instructions: liquidity, blockhash }));
  expect(await ask(second, "sendTransaction", { data })).toEqual({ queued: true });
  const { address } = at.liquidityVault(merchant.address, usdc.mint);
  await until(() => (server.asked.get("sendTransaction") ?? 0) > 0);
  await until(async () => {
    await chain.advance(1);
    return chain.cluster.account(address, "processed") !== undefined;
  });

  await tellTrade(first);
  type Seen = { readonly status: string; readonly resolution: string | null };
  const id = { id: "dispute-chain" };
  const dispute = (node: NodeProcess) => ask(node, "getDispute", id);
  await untilAnswered<Seen>(second, "getDispute", id, ({ status }) => status === "Open");
  await decide(chain);
  await chain.advance(FINAL_SLOTS);
  const seen = await untilAnswered<Seen>(first, "getDispute", id, ({ status }) => status === "Resolved");
  expect(seen.resolution).toBe("BuyerWins");
  expect(await dispute(second)).toMatchObject({ status: "Open", resolution: null });

  // What it saw it keeps, without its endpoint's help.
  await first.kill();
  const again = await start("first", ...endpoint);
  expect(await dispute(again)).toEqual(seen);
  expect(await dispute(second)).toMatchObject({ status: "Open", resolution: null });
});

test("a node does not start with an endpoint that is none", async () => {
  const given = ["--ledger", join(folder, "never"), "--solana-rpc-url", "127.0.0.1:8899"];
  const { code, err } = await answerOf("start", ...given);
  expect(code).toBe(2);
  expect(err).toContain("--solana-rpc-url: takes an http or https URL");
  expect(err.trimEnd().split("\n")).toHaveLength(1);
});
