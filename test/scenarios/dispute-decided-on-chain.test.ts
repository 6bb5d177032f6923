// Goal: the flagship scenario comes out as the chain decides, under every executor alike, and a node that showed
// anything else would be caught. Method: whole runs, whose answers are read as strangers read them; a lie is planted.
import { assert, beforeAll, describe, test } from "vitest";
import { programEvents } from "../../core/solana/events.ts";
import { scenarios } from "../../scenarios/index.ts";
import { openBackends } from "../../sim/backends.ts";
import { ARBITRATOR_STAKE_MIN } from "../../sim/chain/genesis.ts";
import type { Checker } from "../../sim/checker.ts";
import type { RunResult } from "../../sim/run.ts";
import { runScenario } from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import type { RunOptions } from "../../sim/setup.ts";
import type { Recorded } from "../sim/travel/recorded.ts";
import { record } from "../sim/travel/recorded.ts";

const scenario = scenarios.find((one) => one.name === "dispute-decided-on-chain")!;
const GOSSIP_ONLY = [3, 7];

interface Seen {
  /** By node: every resolution that any answer about a dispute showed, `null` among them. */
  readonly shown: Map<number, Set<string | null>>;
  /** Events by which the chain decided, as nodes observed them. */
  readonly decisions: { readonly weight: bigint; readonly arbitrators: number }[];
  /** Reservations whose release nodes observed. */
  readonly released: Set<bigint>;
}

function watcher(): { readonly seen: Seen; readonly make: Scenario["safety"][number] } {
  const seen: Seen = { shown: new Map(), decisions: [], released: new Set() };
  const make: Scenario["safety"][number] = ({ profile }): Checker => ({
    name: "watcher",
    onAnswer({ node, request, answer }) {
      if (!request.includes('"getDispute"')) return;
      const { result } = JSON.parse(answer) as { readonly result: { readonly resolution: string | null } | null };
      if (result === null) return;
      seen.shown.set(node, (seen.shown.get(node) ?? new Set()).add(result.resolution));
    },
    onStep({ input }) {
      if (input.type !== "chain.observed" || input.observation.type !== "transaction") return;
      for (const event of programEvents(input.observation.logs, profile.escrowProgram)) {
        if (event.type === "EscrowReleased") seen.released.add(event.fields.reservation_id);
        if (event.type !== "DisputeResolved") continue;
        seen.decisions.push({ weight: event.fields.winning_weight, arbitrators: event.fields.arbitrator_count });
      }
    },
  });
  return { seen, make };
}

function play(options: Partial<RunOptions> = {}, changes: Partial<Scenario> = {}): Promise<RunResult> {
  return runScenario({ ...scenario, ...changes }, { seed: 1n, chain: "model", ...options }, openBackends());
}

describe("dispute-decided-on-chain", () => {
  /** One run with a recording, which several tests look at. */
  let drawn: Promise<Recorded>;
  beforeAll(() => {
    drawn = record(scenario, { seed: 1n, chain: "model" });
  });

  test("nodes with an endpoint end with the chain's decision, the others with none, and nobody showed another", async () => {
    const { seen, make } = watcher();
    const { report, ending } = await play({}, { safety: [...scenario.safety, make] });
    assert.deepEqual(report.violations, []);
    for (const [node, mode, status, resolution] of ending.rows) {
      const blind = GOSSIP_ONLY.includes(Number(node));
      const expected = blind
        ? ["gossip-only", "AwaitingChainExecution", "none"]
        : ["rpc-connected", "Resolved", "BuyerWins"];
      assert.deepEqual([mode, status, resolution], expected, `node ${node}`);
      assert.deepEqual([...seen.shown.get(Number(node))!], blind ? [null] : [null, "BuyerWins"], `node ${node}`);
    }
    assert.equal(ending.rows.length, 8);
    assert.equal(new Set(ending.rows.map((row) => row[4])).size, 1, "equal numbers of statements");
    // Five voted, one of them by way of a node that sees no chain; the two heavy ones won.
    assert.deepEqual([...new Set(seen.decisions.map((one) => one.arbitrators))], [5]);
    assert.deepEqual([...new Set(seen.decisions.map((one) => one.weight))], [7n * ARBITRATOR_STAKE_MIN]);
    for (const reservation of [1001n, 1002n, 1003n]) assert.ok(seen.released.has(reservation), `${reservation}`);
  });

  test("the cut hides reveals: for a while the halves show different votes", async () => {
    const { report, story } = (await drawn).result;
    assert.deepEqual(
      report.faults.map(({ kind, effective }) => [kind, effective]),
      [["partition", 1]],
    );
    const reads = (node: number, text: string) =>
      story.some((line) => line.includes(`node ${node}`) && line.endsWith(text));
    assert.ok(reads(0, "AwaitingChainExecution, revealed 3 MerchantWins"));
    assert.ok(reads(4, "RevealPhase, revealed 2 BuyerWins"));
    assert.ok(reads(0, "revealed 2 BuyerWins and 3 MerchantWins, resolution BuyerWins"));
  });

  test("a run is the same twice, with or without a recording, and whatever executes the chain", async () => {
    const runs = [
      await play(),
      (await drawn).result,
      await play({ chain: "litesvm" }),
      await play({ chain: "bankrun" }),
    ];
    for (const { report } of runs) assert.deepEqual(report.violations, []);
    assert.equal(new Set(runs.map(({ report }) => report.trace_hash)).size, 1);
    assert.equal(new Set(runs.map(({ report }) => report.state_root)).size, 1);
    assert.notEqual((await play({ seed: 2n })).report.trace_hash, runs[0]?.report.trace_hash);
  });

  test("the recording holds every statement of the dispute on every node, and the nodes' sight of the execution", async () => {
    const { recording } = await drawn;
    const seen = [...recording.eventsFrom(1, recording.events)].map((each) => ({
      ...each,
      taken: /takes (.*)/.exec(recording.text(each.label))?.[1] ?? "",
    }));
    const names = /DisputeOpened|ArbitratorJoined|VoteCommitted|VoteRevealed/;
    const taking = seen.filter(({ taken }) => names.test(taken));
    const count = (text: string) =>
      [...text.matchAll(/(?:(\d+) × )?(\w+)/g)].reduce(
        (sum, [, times, name]) => sum + (names.test(name ?? "") ? Number(times ?? 1) : 0),
        0,
      );
    // One opened, five joined, committed and revealed: sixteen statements, each new once to each of eight nodes.
    assert.equal(
      taking.reduce((sum, { taken }) => sum + count(taken), 0),
      16 * 8,
    );
    assert.equal(taking.filter(({ kind }) => kind === "rpc.called").length, 16);
    assert.ok(taking.filter(({ kind }) => kind !== "rpc.called").every(({ cause }) => cause > 0));
    assert.ok(
      taking.some(({ kind }) => kind === "message.answered"),
      "what the cut hid was asked for later",
    );
    const decided = recording.notes.nodes.flatMap((_, node) => {
      const rows = [...recording.stateAt(node, recording.events).rows.values()];
      const texts = rows.filter(({ table }) => table === "settlements").map(({ text }) => recording.text(text));
      return texts.some((text) => text.includes('"resolution":"BuyerWins"')) ? [node] : [];
    });
    assert.deepEqual(decided, [0, 1, 2, 4, 5, 6]);
  });

  test("a node that makes an outcome of reveals is caught", async () => {
    const { openDriver, ...rest } = openBackends();
    const lying = (body: string | null) => body?.replace('"resolution":null', '"resolution":"MerchantWins"') ?? null;
    const result = await runScenario(
      scenario,
      { seed: 1n, chain: "model" },
      {
        ...rest,
        openDriver: (options) =>
          openDriver({
            ...options,
            perform: (effect) =>
              options.perform(effect.type === "rpc.reply" ? { ...effect, body: lying(effect.body) } : effect),
          }),
      },
    );
    assert.match(result.report.violations[0]?.check ?? "", /no-resolution-without-execution|chain-decides/);
  });
});
