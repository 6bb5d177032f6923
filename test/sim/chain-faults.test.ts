// Goal: every way in which the simulated chain breaks is at hand for scenarios, counts what it did (L12), leaves a
// world that comes right, and is the same in the same run (L1). Method: the flagship scenario under chain faults;
// endpoints one fault at a time, of which each must be counted and each gone once it is healed.

import { assert, describe, test } from "vitest";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import type { ChainObservation } from "../../core/index.ts";
import { chainAddresses, simulatedProfile } from "../../core/solana/addresses.ts";
import { scenarios } from "../../scenarios/index.ts";
import { openBackends } from "../../sim/backends.ts";
import { settlementMints } from "../../sim/chain/genesis.ts";
import { createLiquidityVault } from "../../sim/chain/instructions.ts";
import type { SubmissionTerms } from "../../sim/chain-faults.ts";
import { openChainSupply } from "../../sim/chain-supply.ts";
import { createLoop } from "../../sim/clock.ts";
import type { EndpointConditions } from "../../sim/endpoint-conditions.ts";
import { healthyEndpoint } from "../../sim/endpoint-conditions.ts";
import {
  badEndpoint,
  badSubmissions,
  forkedChain,
  reorganization,
  restart,
  skippedSlots,
  stalledFinality,
} from "../../sim/fault-plans.ts";
import type { FaultKind } from "../../sim/faults.ts";
import { createFaultLedger } from "../../sim/faults.ts";
import { runScenario } from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { seconds } from "../../sim/scenario.ts";
import type { RunOptions } from "../../sim/setup.ts";
import { openWallet } from "../../sim/wallet.ts";
import { WORLD_START } from "../../sim/world.ts";

const flagship = scenarios.find((one) => one.name === "dispute-decided-on-chain")!;

/** The flagship on a chain that forks around its releases and its execution, and stalls between them. */
const forked: Scenario = {
  ...flagship,
  confirmed: [1, 4],
  faults: [
    ...flagship.faults,
    skippedSlots(400_000, { from: seconds(5), until: seconds(50) }),
    badSubmissions({ late: 300_000, lateSlots: 9n }, { from: seconds(5), until: seconds(60) }),
    reorganization(seconds(20), 30, { late: 300_000 }),
    stalledFinality({ from: seconds(62), until: seconds(85) }),
    reorganization(seconds(84), 60, { late: 200_000 }),
    ...[230, 238, 246, 254, 262].map((at) => reorganization(seconds(at), 20, { late: 700_000 })),
    forkedChain([1, 5], "main", { from: seconds(170), until: seconds(215), depth: 10 }),
    badEndpoint(2, { lagSlots: 20n, failure: 200_000 }, { from: seconds(10), until: seconds(300) }),
    badEndpoint(6, { timeout: 200_000, repeat: 1_000_000 }, { from: seconds(10), until: seconds(300) }),
    restart(4, { at: seconds(250) }),
  ],
  lasts: seconds(310),
};

const play = (options: Partial<RunOptions> = {}) =>
  runScenario(forked, { seed: 3n, chain: "model", ...options }, openBackends());

describe("a run on a chain that forks", () => {
  test("comes right, and every fault did something", async () => {
    const { report, ending } = await play();
    assert.deepEqual(report.violations, []);
    const idle = report.faults.filter((count) => count.effective === 0).map(({ kind }) => kind);
    assert.deepEqual(idle, []);
    const kinds = report.faults.map(({ kind }) => kind);
    for (const kind of ["chain-skipped-slot", "chain-fork", "chain-stall", "chain-late", "chain-lag"] as const) {
      assert.ok(kinds.includes(kind), kind);
    }
    const resolutions = ending.rows.filter(([, mode]) => mode === "rpc-connected").map((row) => row[3]);
    assert.deepEqual([...new Set(resolutions)], ["BuyerWins"]);
    assert.equal(new Set(ending.rows.filter(([, mode]) => mode === "rpc-connected").map((row) => row[6])).size, 1);
  });

  test("is the same twice, and whatever executes the chain", async () => {
    const runs = [await play(), await play(), await play({ chain: "litesvm" })];
    assert.equal(new Set(runs.map(({ report }) => report.trace_hash)).size, 1);
    assert.deepEqual(runs[2]?.report.faults, runs[0]?.report.faults);
    assert.notEqual((await play({ seed: 4n })).report.trace_hash, runs[0]?.report.trace_hash);
  });

  test("is refused on bankrun before anything starts", async () => {
    const refused = play({ chain: "bankrun" }).then(
      () => "ran",
      (error: unknown) => String(error),
    );
    assert.match(await refused, /^RangeError: .* forks the chain, which bankrun cannot: use --chain litesvm or model$/);
  });
});

const crypto = openNativeCrypto();
const at = chainAddresses(crypto, simulatedProfile);
const merchant = openWallet(crypto, 1n, "merchant");
const usdc = settlementMints[1]!;
const vault = at.liquidityVault(merchant.address, usdc.mint).address;

/** One endpoint, and a merchant who makes a vault through it after 21 s. */
async function openTestNetwork(conditions: Partial<EndpointConditions> = {}, submissions: SubmissionTerms = {}) {
  const loop = createLoop(WORLD_START);
  const faults = createFaultLedger(loop);
  const profile = { ...simulatedProfile, name: "s", parity: false, mints: [] };
  const supply = await openChainSupply(crypto, {
    ...{ choice: "model", seed: 1n, loop, faults, profile },
    participants: [{ name: "merchant", merchant: true, wallet: merchant }],
    nodes: [openWallet(crypto, 1n, "node/0")],
  });
  const seen: ChainObservation[] = [];
  const port = supply.open(0, (what) => void seen.push(what))!;
  port.watch(vault, "confirmed");
  await loop.runUntil(21_000);
  const slots = seen.flatMap((one) => (one.type === "slot" ? [one] : []));
  const { blockhash } = slots.at(-1)!;
  const instructions = [createLiquidityVault(at, merchant.address, usdc)];
  supply.setConditions(0, { ...healthyEndpoint, ...conditions });
  supply.setSubmissions(submissions);
  seen.length = 0;
  port.submit("signature", merchant.transaction({ instructions, blockhash }));
  const of = <T extends ChainObservation["type"]>(type: T) =>
    seen.flatMap((one) => (one.type === type ? [one as Extract<ChainObservation, { readonly type: T }>] : []));
  const count = (kind: FaultKind) => faults.counts().find((one) => one.kind === kind);
  return { loop, supply, port, seen, of, count };
}

describe("an endpoint", () => {
  test.each([
    ["chain-failure", { failure: 1_000_000 }, "the endpoint failed"],
    ["chain-timeout", { timeout: 1_000_000 }, "the endpoint did not answer"],
    ["chain-rate-limit", { requestsPerSecond: 0 }, "the endpoint was asked too often"],
  ] as const)("with %s says so, is counted, and works again", async (kind, conditions, reason) => {
    const testNetwork = await openTestNetwork(conditions);
    await testNetwork.loop.runUntil(60_000);
    assert.ok(testNetwork.of("unavailable").some((one) => one.reason === reason));
    assert.equal(testNetwork.of("transaction").length + testNetwork.of("slot").length, 0);
    assert.equal(testNetwork.of("refused").length, 1, "the submission too");
    assert.ok((testNetwork.count(kind)?.effective ?? 0) >= 3);
    const before = testNetwork.count(kind)?.injected;
    testNetwork.supply.setConditions(0, {});
    testNetwork.port.submit("again", new Uint8Array(1));
    await testNetwork.loop.runUntil(100_000);
    assert.ok(testNetwork.of("slot").length >= 3);
    assert.equal(testNetwork.count(kind)?.injected, before);
  });

  test("that lies tells what is not so, and is counted", async () => {
    const testNetwork = await openTestNetwork({ lie: 1_000_000 });
    testNetwork.port.read(vault, 0n);
    await testNetwork.loop.runUntil(70_000);
    const slots = testNetwork.of("slot").map((one) => one.slot);
    assert.ok(slots.every((slot) => slot > 1_000_000_000n));
    const [told] = testNetwork.of("transaction");
    assert.ok(told !== undefined && (!told.succeeded || told.logs.length === 0 || told.logs.length > 0));
    assert.ok((testNetwork.count("chain-lie")?.effective ?? 0) > 3);
  });

  test("that withholds tells a transaction as it was signed, and of what it did no word", async () => {
    const testNetwork = await openTestNetwork({ withhold: 1_000_000 });
    await testNetwork.loop.runUntil(70_000);
    const [told] = testNetwork.of("transaction");
    assert.deepInclude(told, { succeeded: true, logs: [] });
    assert.doesNotHaveAnyKeys(told, ["loaded", "inner"]);
    assert.ok(testNetwork.of("slot").length >= 3);
    assert.ok((testNetwork.count("chain-failure")?.effective ?? 0) > 0);
  });

  test("hands a transaction on twice, and the chain takes it once", async () => {
    const testNetwork = await openTestNetwork({ repeat: 1_000_000 });
    await testNetwork.loop.runUntil(70_000);
    assert.deepEqual(testNetwork.count("chain-duplicate"), { kind: "chain-duplicate", injected: 1, effective: 1 });
    assert.equal(testNetwork.supply.cluster.signaturesForAddress(vault).length, 1);
  });

  test("tells a transaction when it is confirmed and again when it is final; another node's only once final", async () => {
    const testNetwork = await openTestNetwork();
    await testNetwork.loop.runUntil(70_000);
    assert.deepEqual(
      testNetwork.of("transaction").map(({ commitment }) => commitment),
      ["confirmed", "finalized"],
    );
  });

  test("tells that a fork dropped a transaction to who asks, and tells it again where it lands", async () => {
    const testNetwork = await openTestNetwork();
    await testNetwork.loop.runUntil(31_000);
    const [first] = testNetwork.of("transaction");
    assert.equal(first?.commitment, "confirmed");
    testNetwork.loop.at(31_000, () => testNetwork.supply.reorganize(40n, { late: 1_000_000 }));
    testNetwork.loop.at(31_001, () => testNetwork.port.check(first!.signature));
    await testNetwork.loop.runUntil(31_300);
    assert.equal(testNetwork.of("absent").length, 1);
    assert.ok(testNetwork.of("absent")[0]!.confirmed >= first!.slot);
    await testNetwork.loop.runUntil(80_000);
    const told = testNetwork.of("transaction");
    assert.ok(told.at(-1)!.slot > first!.slot);
    assert.equal(told.at(-1)!.commitment, "finalized");
    assert.deepEqual(testNetwork.count("chain-fork"), { kind: "chain-fork", injected: 1, effective: 1 });
  });

  test("follows the rival, or now one and now the other, while there is one", async () => {
    const testNetwork = await openTestNetwork({ follows: "either" });
    testNetwork.loop.at(25_000, () => testNetwork.supply.fork(40n, { lost: 1_000_000 }));
    testNetwork.loop.at(25_500, () => {
      for (let n = 0; n < 20; n += 1) testNetwork.port.read(vault, 0n, "confirmed");
    });
    await testNetwork.loop.runUntil(27_000);
    const held = testNetwork.of("account").map((one) => one.account !== null);
    assert.deepEqual(new Set(held), new Set([true, false]), "one branch has the vault, the other has not");
    assert.ok((testNetwork.count("chain-contradiction")?.effective ?? 0) > 0);
    testNetwork.loop.at(28_000, () => testNetwork.supply.settle("rival"));
    testNetwork.loop.at(28_001, () => testNetwork.port.read(vault, 0n, "confirmed"));
    await testNetwork.loop.runUntil(29_000);
    assert.equal(testNetwork.of("account").at(-1)?.account, null, "the branch without it won");
  });
});

describe("a submission", () => {
  test.each([
    ["chain-drop", { drop: 1_000_000 }, []],
    ["chain-fail", { fail: 1_000_000 }, [false]],
    ["chain-late", { late: 1_000_000, lateSlots: 30n }, [true]],
  ] as const)("with %s", async (kind, terms, succeeded) => {
    const testNetwork = await openTestNetwork({}, terms);
    await testNetwork.loop.runUntil(90_000);
    assert.equal(testNetwork.of("submitted").length, 1, "its sender is told that it was taken");
    const final = testNetwork.of("transaction").filter((one) => one.commitment === "finalized");
    assert.deepEqual(
      final.map((one) => one.succeeded),
      [...succeeded],
    );
    assert.deepEqual(testNetwork.count(kind), { kind, injected: 1, effective: 1 });
    if (kind === "chain-late") assert.ok(final[0]!.slot > 80n);
  });
});

test("finality that stalls shows nothing new as final, until it goes on", async () => {
  const testNetwork = await openTestNetwork();
  const stall = testNetwork.supply.stall();
  await testNetwork.loop.runUntil(90_000);
  assert.deepEqual(
    testNetwork.of("transaction").map(({ commitment }) => commitment),
    ["confirmed"],
  );
  assert.equal(testNetwork.count("chain-stall")?.effective, 1);
  testNetwork.supply.goOn(stall);
  await testNetwork.loop.runUntil(130_000);
  assert.equal(testNetwork.of("transaction").at(-1)?.commitment, "finalized");
});

test("healing ends forks, stalls and all other faults", async () => {
  const testNetwork = await openTestNetwork({ failure: 1_000_000 }, { drop: 1_000_000 });
  testNetwork.loop.at(22_000, () => testNetwork.supply.fork(1n, {}));
  testNetwork.loop.at(23_000, () => {
    testNetwork.supply.stall();
    testNetwork.supply.heal();
  });
  await testNetwork.loop.runUntil(100_000);
  assert.ok(testNetwork.supply.cluster.slot("finalized") > 150n);
  assert.ok(testNetwork.of("slot").length > 3);
});
