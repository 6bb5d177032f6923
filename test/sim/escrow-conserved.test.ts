// Goal: what is in escrow is neither made nor lost without an alarm, whatever nodes and endpoints say of it.
// Method: a program that keeps other books, takes other amounts or pays twice, under scenarios that end trades in all
// ways; the sound program under all of them is in test/scenarios.
import { describe, expect, test } from "vitest";
import { devnetNetwork as profile } from "../../core/index.ts";
import type { ChainView } from "../../sim/chain/chain-view.ts";
import { tokenAccountBytes } from "../../sim/chain/token.ts";
import type { StepSeen } from "../../sim/checker.ts";
import { escrowConserved } from "../../sim/checkers/escrow-conserved.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { violationsIn } from "../scenarios/loaded.ts";
import { fresh } from "./checker-bench.ts";

const MINT = "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU";
const OWNER = "11111111111111111111111111111111";

interface Row {
  readonly name: string;
  readonly bug: PlantedBug;
  readonly scenario: string;
  readonly finds: RegExp;
}

const bugs: readonly Row[] = [
  {
    name: "a payout that forgets what it settled",
    bug: {
      file: "sim/chain/model/payout.ts",
      find: "booked(vault, { pending_settlement: -escrow.amount, settled: escrow.amount })",
      replace: "booked(vault, { pending_settlement: -escrow.amount })",
    },
    scenario: "dispute-decided-on-chain",
    finds: /^the vault of \w+ for \w+: a total of \d+, and \d+ reserved, \d+ available, 0 settled, \d+ pending$/,
  },
  {
    name: "a deposit that counts more than it moves",
    bug: {
      file: "sim/chain/model/liquidity.ts",
      find: "booked(vault, { total: amount, available: amount })",
      replace: "booked(vault, { total: amount + 1n, available: amount + 1n })",
    },
    scenario: "dispute-decided-on-chain",
    finds: /^the vault of \w+ for \w+: \d+ tokens, and \d+ in its books$/,
  },
];

/** A chain on which somebody holds so many tokens of a mint and so many lamports, and when that was written by hand. */
function chainOf(
  held: { readonly tokens: bigint; readonly lamports: bigint },
  written = 0n,
  final = 1_000n,
): ChainView {
  const data = tokenAccountBytes({ mint: MINT, authority: OWNER, amount: held.tokens, nativeReserve: null });
  const account = { lamports: held.lamports, owner: OWNER, data, executable: false };
  const slot = (level: string) => (level === "finalized" ? final : 1_000n);
  return { slot, written: () => written, accounts: () => new Map([["tokens", account]]) } as unknown as ChainView;
}

describe("the whole chain", () => {
  test.each([
    ["as it was", { tokens: 5n, lamports: 9n }, undefined],
    ["fewer lamports: fees", { tokens: 5n, lamports: 8n }, undefined],
    ["one token more", { tokens: 6n, lamports: 9n }, /^there were 5 tokens of \w+, and are 6$/],
    ["one token less", { tokens: 4n, lamports: 9n }, /^there were 5 tokens of \w+, and are 4$/],
    ["one lamport more", { tokens: 5n, lamports: 10n }, /^there were 9 lamports, and are 10$/],
  ] as const)("%s", (_, later, finds) => {
    const now = { chain: chainOf({ tokens: 5n, lamports: 9n }) };
    const found: string[] = [];
    const context = { violate: (message: string) => void found.push(message), people: () => [], keep: fresh, profile };
    const checker = escrowConserved({ ...context, time: () => 0, chain: () => now.chain });
    const slot = (of: bigint) => ({ type: "chain.observed", observation: { type: "slot", slot: of } });
    checker.onStep?.({ input: slot(64n) } as unknown as StepSeen);
    now.chain = chainOf(later);
    checker.onStep?.({ input: slot(127n) } as unknown as StepSeen);
    checker.onStep?.({ input: slot(9_999n) } as unknown as StepSeen);
    expect(found).toEqual([]);
    checker.onStep?.({ input: slot(128n) } as unknown as StepSeen);
    if (finds === undefined) expect(found).toEqual([]);
    else expect(found).toEqual([expect.stringMatching(finds)]);
  });
});

test("what is written past every program counts once it is final, and nothing before", () => {
  const some = { tokens: 5n, lamports: 9n };
  const more = { tokens: 6n, lamports: 99n };
  const looks = [
    [chainOf(some), 0],
    [chainOf(more, 900n, 899n), 0],
    [chainOf(some, 900n, 899n), 0],
    [chainOf(more, 900n, 900n), 0],
    [chainOf({ ...more, lamports: 100n }, 900n, 901n), 1],
    [chainOf(some, 900n, 902n), 2],
  ] as const;
  const found: string[] = [];
  const now = { chain: looks[0][0] };
  const context = { violate: (message: string) => void found.push(message), people: () => [], keep: fresh, profile };
  const checker = escrowConserved({ ...context, time: () => 0, chain: () => now.chain });
  for (const [at, [chain, broken]] of looks.entries()) {
    now.chain = chain;
    const observation = { type: "slot", slot: BigInt(at + 1) * 64n };
    checker.onStep?.({ input: { type: "chain.observed", observation } } as unknown as StepSeen);
    expect(found.length, `look ${at}`).toBe(broken);
  }
});

describe("a program that", () => {
  test.each(bugs)("$name is found", async ({ bug, scenario, finds }) => {
    await withPlantedBug(bug, async (load) => {
      const found = await violationsIn(load, scenario);
      const conserved = found.filter(({ check }) => check === "escrow-conserved").map(({ message }) => message);
      expect(
        conserved.some((message) => finds.test(message)),
        JSON.stringify(found),
      ).toBe(true);
    });
  });
});
