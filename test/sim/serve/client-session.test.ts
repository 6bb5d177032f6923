// Goal: who writes a client needs nothing but what the package publishes: a trade from the offer to the seller's word,
// a dispute, a vote, and transactions of the chain, against `ofs-sim serve` in a process of its own.
// Method: the published client, ofs-node/testing and @solana/web3.js, as a project elsewhere would use them.
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { Connection, Keypair, PublicKey, SystemProgram, Transaction } from "@solana/web3.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestNetwork } from "../../../node/sim/testing.ts";
import { connectNetwork } from "../../../node/sim/testing.ts";

const COMMAND = join(import.meta.dirname, "../../../node/bin/ofs-sim.mjs");
const FLAGS = ["--nodes", "3", "--time", "still", "--chain", "model"];
const PORTS = ["--port", "0", "--chain-port", "0", "--control-port", "0"];
const usdc = (base_units: bigint) => ({ base_units, decimals: 6 });
const price = { base_units: 92n, decimals: 2 };

let child: ChildProcess;
let network: TestNetwork;
beforeAll(async () => {
  child = spawn(process.execPath, [COMMAND, "serve", ...FLAGS, ...PORTS], { stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  const line = await new Promise<string>((resolve) => {
    child.stdout?.on("data", (part: Buffer) => {
      printed += part.toString();
      if (printed.includes("\n")) resolve(printed);
    });
  });
  network = connectNetwork(JSON.parse(line) as TestNetwork["ready"]);
});
afterAll(async () => {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGINT");
  expect(await ended).toBe(0);
});

/** What a statement of somebody's says of its author. */
const authorOf = (name: string) => {
  const { peer, address } = network.wallet(name);
  return { peer, key: address };
};

test("a trade goes from the offer to the seller's word, each party at a node of its own", async () => {
  const [merchant, buyer] = [network.wallet("merchant"), network.wallet("buyer")];
  const [selling, buying] = [network.node(0), network.node(1)];
  const mint = network.ready.mints.find(({ symbol }) => symbol === "USDC")!.mint;
  const { peer, key } = authorOf("merchant");
  const id = (await selling.send(
    "sendAdvertisementCreate",
    {
      ...{
        id: "",
        merchant: peer,
        merchant_public_key: key,
        asset_mint: mint,
        direction: "Sell",
        fiat_currency: "EUR",
      },
      ...{ min_trade: usdc(1_000_000n), max_trade: usdc(90_000_000n), initial_liquidity: usdc(90_000_000n) },
      ...{ pricing: { Fixed: { price } }, payment_methods: ["builtin:sepa"], timestamp: await network.now() },
    },
    merchant,
  )) as string;
  await network.converged();
  const taker = authorOf("buyer");
  const reservation = (await buying.send(
    "sendReservationRequest",
    {
      ...{ id: "", advertisement_id: id, requester: taker.peer, requester_public_key: taker.key },
      ...{ amount: usdc(5_000_000n), agreed_price: price, agreed_mid: null, timestamp: await network.now() },
    },
    buyer,
  )) as string;
  const settlement = "the first settlement";
  await buying.send(
    "sendSettlementInitiate",
    {
      ...{ id: settlement, reservation_id: reservation, buyer: taker.peer, buyer_public_key: taker.key },
      ...{ seller: peer, seller_public_key: key, amount: usdc(5_000_000n), timestamp: await network.now() },
    },
    buyer,
  );
  const paid = { settlement_id: settlement, buyer: taker.peer, payment_reference: null };
  await buying.send("sendPaymentSubmitted", { ...paid, timestamp: await network.now() }, buyer);
  await network.converged();
  const approval = { settlement_id: settlement, seller: peer, timestamp: await network.now() };
  await selling.send("sendSettlementApproved", approval, merchant);
  await network.converged();
  for (const node of [0, 1, 2])
    expect((await network.node(node).call("getSettlement", { id: settlement }))?.state).toBe("Approved");
});

test("a dispute about a paid trade is opened by the buyer, and both agree to settle it", async () => {
  const trade = await network.trade("PaymentSubmitted");
  const { peer, key } = authorOf("buyer");
  const opened = { id: "a quarrel", settlement_id: trade.settlement, reason: "nothing came" };
  await network
    .node(1)
    .send(
      "sendDisputeOpen",
      { ...opened, opener: peer, opener_public_key: key, timestamp: await network.now() },
      network.wallet("buyer"),
    );
  await network.converged();
  for (const [name, node] of [
    ["buyer", 1],
    ["merchant", 0],
  ] as const) {
    const agreed = { dispute_id: opened.id, party: authorOf(name).peer, timestamp: await network.now() };
    await network.node(node).send("sendMutualSettlementAgree", agreed, network.wallet(name));
  }
  await network.converged();
  expect(await network.node(2).call("getDispute", { id: opened.id })).toMatchObject({ resolution: null });
  expect((await network.node(2).call("getSettlement", { id: trade.settlement }))?.state).toBe("Disputed");
});

test("an arbitrator votes on a proposal with the stake that the chain has, and every node counts it", async () => {
  const voter = network.wallet("arbitrator-1");
  const { peer, key } = authorOf("merchant");
  const name = (await network.node(0).send(
    "sendProposalCreate",
    {
      ...{ id: "ofip-1", title: "Longer window", summary: "45 minutes.", category: "Protocol", author: peer },
      ...{ author_public_key: key, onchain_proposal_id: null, timestamp: await network.now() },
    },
    network.wallet("merchant"),
  )) as string;
  await network.converged();
  const ARBITRATOR = 1;
  const seeds = [Buffer.from("stake"), new PublicKey(voter.address).toBuffer(), Buffer.from([ARBITRATOR])];
  const [stake] = PublicKey.findProgramAddressSync(seeds, new PublicKey(network.ready.programs.staking));
  const staked = await new Connection(network.ready.chain.rpc, "confirmed").getAccountInfo(stake);
  expect(staked?.owner.toBase58()).toBe(network.ready.programs.staking);
  const ballot = {
    ...{ proposal_id: name, voter: voter.peer, voter_public_key: voter.address, weight: 1n },
    ...{ choice: "Approve" as const, stake_account: stake.toBase58(), timestamp: await network.now() },
  };
  await network.node(1).send("sendVoteCast", ballot, voter);
  await network.advanceTime(60_000);
  await network.converged();
  for (const node of [0, 1]) {
    const shown = await network.node(node).call("getProposal", { id: "ofip-1" });
    expect(shown).toMatchObject({ status: "Voting", votes: [{ voter: voter.peer, choice: "Approve" }] });
    expect(shown!.votes[0]!.weight).toBeGreaterThan(1n);
  }
});

test("web3.js pays through a node, and reads an escrow that the trade locked", async () => {
  const connection = new Connection(network.ready.chain.rpc, "confirmed");
  const alice = Keypair.fromSecretKey(network.wallet("alice").keyfile);
  const to = new PublicKey(network.wallet("bob").address);
  const before = await connection.getBalance(to);
  const { blockhash } = await network.node(0).call("getLatestBlockhash");
  const transaction = new Transaction({ feePayer: alice.publicKey, recentBlockhash: blockhash }).add(
    SystemProgram.transfer({ fromPubkey: alice.publicKey, toPubkey: to, lamports: 1_234 }),
  );
  transaction.sign(alice);
  await network.node(0).call("sendTransaction", { data: transaction.serialize().toString("base64") });
  await network.control.call("sim_mineSlots", { slots: 5 });
  expect(await connection.getBalance(to)).toBe(before + 1_234);

  const program = new PublicKey(network.ready.programs.escrow);
  const escrows = async () => (await connection.getProgramAccounts(program)).length;
  const known = await escrows();
  await network.trade("AwaitingPayment", { buyer: "bob" });
  expect(await escrows()).toBeGreaterThan(known);
});
