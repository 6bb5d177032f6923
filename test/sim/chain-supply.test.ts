// Goal: nodes see the simulated chain as they would a real one: in time, finalized, oldest first, once in each life;
// and see the same whatever executes it. Method: a merchant makes a vault on every executor.

import { assert, describe, test } from "vitest";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import type { ChainObservation } from "../../core/index.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { ChainPort } from "../../core/ports/chain.ts";
import { chainAddresses, simulatedProfile } from "../../core/solana/addresses.ts";
import { settlementMints } from "../../sim/chain/genesis.ts";
import { createLiquidityVault } from "../../sim/chain/instructions.ts";
import { CHAIN_POLL_MS } from "../../sim/chain-endpoint.ts";
import { openChainSupply } from "../../sim/chain-supply.ts";
import { createLoop } from "../../sim/clock.ts";
import type { EndpointConditions } from "../../sim/endpoint-conditions.ts";
import { healthyEndpoint } from "../../sim/endpoint-conditions.ts";
import { createFaultLedger } from "../../sim/faults.ts";
import type { ChainSetting } from "../../sim/setup.ts";
import { openWallet } from "../../sim/wallet.ts";
import { WORLD_START } from "../../sim/world.ts";

const crypto = openNativeCrypto();
const at = chainAddresses(crypto, simulatedProfile);
const merchant = openWallet(crypto, 1n, "merchant");
const usdc = settlementMints[1]!;
const vault = at.liquidityVault(merchant.address, usdc.mint).address;
const profile = { ...simulatedProfile, name: "simulated", parity: false, mints: [] };

async function openTestNetwork(choice: ChainSetting["choice"], conditions: Partial<EndpointConditions> = {}) {
  const loop = createLoop(WORLD_START as EpochMillis);
  const faults = createFaultLedger(loop);
  const supply = await openChainSupply(crypto, {
    ...{ choice, seed: 1n, loop, faults, profile },
    participants: [{ name: "merchant", merchant: true, wallet: merchant }],
    nodes: [openWallet(crypto, 1n, "node/0")],
  });
  supply.setConditions(0, { ...healthyEndpoint, ...conditions });
  const seen: { readonly at: number; readonly what: ChainObservation }[] = [];
  const port: ChainPort = supply.open(0, (what) => void seen.push({ at: loop.now(), what }))!;
  const of = <T extends ChainObservation["type"]>(type: T) =>
    seen.flatMap(({ at: time, what }) =>
      what.type === type ? [{ at: time, ...(what as Extract<ChainObservation, { readonly type: T }>) }] : [],
    );
  return { loop, faults, supply, port, seen, of };
}

type TestNetwork = Awaited<ReturnType<typeof openTestNetwork>>;

/** Signs over a blockhash that the node itself learned, and hands the transaction to its port. */
async function makeVault(testNetwork: TestNetwork, from = 20_000): Promise<void> {
  await testNetwork.loop.runUntil(from);
  const blockhash = testNetwork.of("slot").at(-1)!.blockhash;
  const wire = merchant.transaction({ instructions: [createLiquidityVault(at, merchant.address, usdc)], blockhash });
  testNetwork.port.submit("signature", wire);
  await testNetwork.loop.runUntil(from + 40_000);
}

for (const choice of ["model", "litesvm", "bankrun"] as const) {
  describe(`a chain of ${choice}`, () => {
    test("takes a transaction, finalizes it, and shows it and its account to who watches", async () => {
      const testNetwork = await openTestNetwork(choice);
      testNetwork.port.watch(vault);
      await makeVault(testNetwork);
      assert.equal(testNetwork.of("submitted").length, 1);
      const [transaction, ...more] = testNetwork.of("transaction");
      assert.deepEqual(more, []);
      assert.equal(transaction?.succeeded, true);
      assert.equal(transaction?.commitment, "finalized");
      assert.ok((transaction?.at ?? 0) > 20_000 + 32 * 400, "finalized before it is told");
      assert.ok((transaction?.slot ?? 0n) > 50n, "in a slot after it was sent");
      testNetwork.port.read(vault, transaction?.slot ?? 0n);
      await testNetwork.loop.runUntil(61_000);
      assert.equal(testNetwork.of("account").at(-1)?.account?.owner, simulatedProfile.escrowProgram);
      await testNetwork.supply.close();
    });
  });
}

describe("a node's endpoint", () => {
  test("tells slots that grow, with their blockhashes, at every poll", async () => {
    const testNetwork = await openTestNetwork("model");
    await testNetwork.loop.runUntil(10 * CHAIN_POLL_MS);
    const slots = testNetwork.of("slot").map((one) => one.slot);
    assert.ok(slots.length >= 9 && slots.length <= 11);
    assert.deepEqual(
      slots,
      [...slots].sort((a, b) => (a < b ? -1 : 1)),
    );
    assert.equal(slots[0], 0n);
    assert.ok(slots.at(-1)! > 190n);
  });

  test("sees the same whatever executes the chain", async () => {
    const seen = [];
    for (const choice of ["model", "litesvm", "bankrun"] as const) {
      const testNetwork = await openTestNetwork(choice);
      testNetwork.port.watch(vault);
      await makeVault(testNetwork);
      seen.push(testNetwork.seen);
      await testNetwork.supply.close();
    }
    assert.deepEqual(seen[1], seen[0]);
    assert.deepEqual(seen[2], seen[0]);
  });

  test("tells a new life everything again, and a closed one nothing more", async () => {
    const testNetwork = await openTestNetwork("model");
    testNetwork.port.watch(vault);
    await makeVault(testNetwork);
    const before = testNetwork.seen.length;
    testNetwork.port.close(() => undefined);
    const again: ChainObservation[] = [];
    testNetwork.supply.open(0, (what) => void again.push(what))?.watch(vault);
    await testNetwork.loop.runUntil(90_000);
    assert.equal(testNetwork.seen.length, before);
    assert.equal(again.filter((what) => what.type === "transaction").length, 1);
  });

  test("watching later finds what happened before; not watching finds nothing", async () => {
    const testNetwork = await openTestNetwork("model");
    await makeVault(testNetwork);
    assert.equal(testNetwork.of("transaction").length, 0);
    testNetwork.port.watch(vault);
    testNetwork.port.watch(vault);
    await testNetwork.loop.runUntil(61_000);
    assert.equal(testNetwork.of("transaction").length, 1);
    testNetwork.port.unwatch(vault);
    await testNetwork.loop.runUntil(120_000);
    assert.equal(testNetwork.of("transaction").length, 1);
  });

  test("tells transactions oldest first, failed ones too", async () => {
    const testNetwork = await openTestNetwork("model");
    testNetwork.port.watch(vault);
    await makeVault(testNetwork);
    await makeVault(testNetwork, 80_000);
    const told = testNetwork.of("transaction");
    assert.deepEqual(
      told.map((one) => one.succeeded),
      [true, false],
    );
    testNetwork.port.unwatch(vault);
    testNetwork.port.watch(vault);
    await testNetwork.loop.runUntil(130_000);
    const again = testNetwork.of("transaction").slice(2);
    assert.deepEqual(
      again.map((one) => one.signature),
      told.map((one) => one.signature),
    );
  });

  test("refuses what no block can take, and answers an unknown account with nothing", async () => {
    const testNetwork = await openTestNetwork("model");
    testNetwork.port.submit("broken", Uint8Array.of(1, 2, 3));
    const blockhash = "11111111111111111111111111111111";
    testNetwork.port.submit(
      "stale",
      merchant.transaction({ instructions: [createLiquidityVault(at, merchant.address, usdc)], blockhash }),
    );
    testNetwork.port.read(vault, 0n);
    await testNetwork.loop.runUntil(1_000);
    assert.deepEqual(
      testNetwork
        .of("refused")
        .map((one) => one.signature)
        .sort(),
      ["broken", "stale"],
    );
    assert.match(
      testNetwork.of("refused").find((one) => one.signature === "stale")?.reason ?? "",
      /BLOCKHASH_NOT_FOUND/,
    );
    assert.equal(testNetwork.of("account")[0]?.account, null);
  });

  test("an account is read as of a slot not older than the one asked for", async () => {
    const testNetwork = await openTestNetwork("model");
    testNetwork.port.read(vault, 60n);
    await testNetwork.loop.runUntil(36_000);
    assert.deepEqual(testNetwork.of("account"), []);
    await testNetwork.loop.runUntil(60_000);
    assert.equal(testNetwork.of("account").length, 1);
    assert.ok(testNetwork.of("account")[0]!.slot >= 60n);
  });

  test("one that fails says so, and one that lags tells later; both are counted", async () => {
    const failing = await openTestNetwork("model", { failure: 1_000_000 });
    await failing.loop.runUntil(30_000);
    assert.ok(failing.of("unavailable").length >= 1);
    assert.equal(failing.of("slot").length, 0);
    assert.equal(failing.faults.counts()[0]?.kind, "chain-failure");
    failing.port.submit("signature", Uint8Array.of(1));
    failing.supply.setConditions(0, healthyEndpoint);
    await failing.loop.runUntil(60_000);
    assert.ok(failing.of("slot").length >= 2, "it goes on when the endpoint does");
    assert.equal(failing.of("refused").length, 1);
    const lagging = await openTestNetwork("model");
    lagging.port.watch(vault);
    lagging.supply.setConditions(0, healthyEndpoint);
    await lagging.loop.runUntil(19_000);
    lagging.supply.setConditions(0, { ...healthyEndpoint, lagSlots: 500n });
    await makeVault(lagging);
    assert.equal(lagging.of("transaction").length, 0);
    assert.ok(lagging.faults.counts().some((count) => count.kind === "chain-lag" && count.effective > 0));
    lagging.supply.setConditions(0, healthyEndpoint);
    await lagging.loop.runUntil(80_000);
    assert.equal(lagging.of("transaction").length, 1);
  });
});
