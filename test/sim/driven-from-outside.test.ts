// Goal: who drives a world from outside can begin it at any instant, write an account of its chain, hand in a
// transaction, record what ran, and hold the run while it goes on. Method: a small world on the model executor.
import { assert, describe, test } from "vitest";
import { chainAddresses, simulatedProfile } from "../../core/solana/addresses.ts";
import { openBackends } from "../../sim/backends.ts";
import type { OpenExecutor } from "../../sim/chain/executor.ts";
import { settlementMints, WALLET_LAMPORTS } from "../../sim/chain/genesis.ts";
import { createLiquidityVault } from "../../sim/chain/instructions.ts";
import type { Recorder } from "../../sim/chain/server/recorder.ts";
import { openRecorder } from "../../sim/chain/server/recorder.ts";
import { openChainSupply } from "../../sim/chain-supply.ts";
import { emptyUntil } from "../../sim/clock.ts";
import { holdRun } from "../../sim/held-run.ts";
import type { Run } from "../../sim/run.ts";
import { openRun } from "../../sim/run.ts";
import { defineScenario } from "../../sim/scenario.ts";
import type { Backends, ChainSupply, RunOptions } from "../../sim/setup.ts";

const usual = openBackends();
const at = chainAddresses(usual.crypto, simulatedProfile);
const mint = settlementMints[1]!;
const scenario = defineScenario({
  ...{ name: "driven", description: "two nodes and a merchant", source: "DESIGN section 5", nodes: 2, chain: "model" },
  ...{ participants: [{ name: "merchant", merchant: true }], lasts: 1_000_000_000_000 },
});
/** A year after the day on which worlds begin. */
const LATER = 365 * 86_400_000;

interface Driven {
  readonly run: Run;
  readonly supply: ChainSupply;
  readonly recorder: Recorder;
}

async function openDriven(options: Partial<RunOptions> = {}, before?: Recorder): Promise<Driven> {
  const held: { supply?: ChainSupply; recorder?: Recorder } = {};
  const backends: Backends = {
    ...usual,
    openChain: async (setting) => {
      const through = (open: OpenExecutor) => {
        held.recorder = openRecorder(open, before?.held());
        return held.recorder.open;
      };
      held.supply = await openChainSupply(usual.crypto, { ...setting, through });
      return held.supply;
    },
  };
  const run = await openRun(scenario, { seed: 5n, ...options }, backends);
  return { run, supply: held.supply!, recorder: held.recorder! };
}

const merchantOf = ({ run }: Driven) => run.world.walletOf("merchant");
const lamportsOf = (driven: Driven) => driven.supply.cluster.account(merchantOf(driven).address, "processed")?.lamports;

/** Sends the making of a vault, and lets it become final. */
async function makeVault(driven: Driven): Promise<string> {
  const { supply, run } = driven;
  await supply.catchUp();
  const { blockhash } = supply.cluster.latestBlockhash("processed");
  const merchant = merchantOf(driven);
  const instructions = [createLiquidityVault(at, merchant.address, mint)];
  const taken = supply.submit(merchant.transaction({ instructions, blockhash }));
  assert.ok(taken.ok);
  await run.world.loop.runUntil(run.world.loop.now() + 20_000);
  await supply.catchUp();
  return taken.value;
}

describe("a world that is driven from outside", () => {
  test("begins at the instant that it is told, with every node ready soon after", async () => {
    const driven = await openDriven({ from: emptyUntil(LATER) });
    const { world } = driven.run;
    await world.loop.runUntil(LATER + 5_000);
    assert.deepEqual(
      world.nodes.map((node) => node.driver()?.ready()),
      [true, true],
    );
    assert.deepEqual(world.violations, []);
    await driven.supply.catchUp();
    assert.equal(driven.supply.cluster.currentSlot(), BigInt(LATER + 5_000) / 400n);
    await driven.run.close();
  });

  test("takes a transaction past every node, and records what ran", async () => {
    const driven = await openDriven();
    const signature = await makeVault(driven);
    assert.equal(driven.supply.cluster.signatureStatus(signature)?.err, null);
    assert.deepEqual(driven.recorder.since(0), { signatures: [signature], count: 1 });
    assert.isDefined(driven.recorder.balancesOf(signature));
    await driven.run.close();
  });

  test("shows an account that was written as every level allows, and keeps it on a fork", async () => {
    const driven = await openDriven();
    const { supply, run } = driven;
    await run.world.loop.runUntil(60_000);
    await supply.catchUp();
    const before = supply.cluster.account(merchantOf(driven).address, "processed")!;
    await supply.cluster.putAccount(merchantOf(driven).address, { ...before, lamports: 7_000_000_000n });
    assert.equal(lamportsOf(driven), 7_000_000_000n);
    assert.equal(supply.cluster.account(merchantOf(driven).address, "finalized")?.lamports, WALLET_LAMPORTS);
    const signature = await makeVault(driven);
    assert.equal(supply.cluster.signatureStatus(signature)?.err, null);
    assert.ok((lamportsOf(driven) ?? 0n) < 7_000_000_000n, "fee and rent are paid of what was written");
    await supply.cluster.putAccount(merchantOf(driven).address, undefined);
    assert.equal(lamportsOf(driven), undefined);
    await run.close();
  });

  test("is held while it goes on, and another goes on from there", async () => {
    const driven = await openDriven();
    await driven.run.world.loop.runUntil(10_000);
    const [held, records] = [holdRun(driven.run), driven.recorder];
    assert.ok(held.ok);
    const earlier = { held: () => kept } as Recorder;
    const kept = records.held();
    await makeVault(driven);
    const other = await openDriven({ from: held.value, walletOf: driven.run.world.walletOf }, earlier);
    assert.equal(other.run.world.loop.now(), 10_000);
    assert.equal(other.recorder.since(0).count, 0);
    assert.equal(lamportsOf(other), WALLET_LAMPORTS);
    await makeVault(other);
    assert.equal(other.run.world.trace.head(), driven.run.world.trace.head());
    assert.equal(lamportsOf(other), lamportsOf(driven));
    await Promise.all([driven.run.close(), other.run.close()]);
  });
});
