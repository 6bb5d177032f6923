// Goal: R1 to R11 of protocol 03 A.10.3 hold on a node, and each check catches a bug in the rule it is about.
// Method: stories told by an endpoint; bugs are planted while the core is loaded.
import { expect, test } from "vitest";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import type { Core } from "./case-node.ts";
import type { Rule } from "./rules.ts";
import * as rules from "./rules.ts";

const bug = (file: string, find: string, replace: string): PlantedBug => ({
  file: `core/${file}`,
  find,
  replace,
});

const table: readonly (readonly [string, Rule, PlantedBug])[] = [
  ["R1", rules.R1, bug("solana/addresses.ts", "value < 1n << 64n", "value < 1n << 70n")],
  ["R1b", rules.R1b, bug("domains/trade/settlements/fold.ts", "fact.amount === row.amount.base_units", "true")],
  ["R3", rules.R3, bug("domains/chain-bridge/follow.ts", 'return commitment === "finalized" ||', "return true ||")],
  ["R4", rules.R4, bug("domains/chain-bridge/agreement.ts", "value.outcome === outcome &&", "")],
  [
    "R5",
    rules.R5,
    bug(
      "domains/chain-bridge/follow.ts",
      "for (const { escrow, reservation, closes } of read.unexplained) {",
      "for (const { escrow, reservation, closes } of read.unexplained) {\n    context.draft.put(Watches, escrow, undefined);",
    ),
  ],
  ["R6", rules.R6, bug("domains/chain-bridge/chain-facts.ts", "if (!held.taken) return;", "return;")],
  [
    "R7",
    rules.R7,
    bug("domains/chain-bridge/asking.ts", "if (!held.taken || held.final) {", "if (held.attempts === 0) {"),
  ],
  ["R8", rules.R8, bug("domains/chain-bridge/domain.ts", "onStart: [watchFromStart, askAgain]", "onStart: [askAgain]")],
  [
    "R9",
    rules.R9,
    bug(
      "domains/chain-bridge/watches.ts",
      'export function watchNewSettlements(context: StepContext): void {\n  if (context.configuration.chain !== "RpcConnected") return;',
      "export function watchNewSettlements(context: StepContext): void {",
    ),
  ],
  ["R10", rules.R10, bug("domains/chain-bridge/chain-facts.ts", "if (other === id) continue;", "continue;")],
  [
    "R11",
    rules.R11,
    bug("domains/chain-bridge/fact-names.ts", "concat(program, decided, ended)", "concat(decided, ended)"),
  ],
  ["W1", rules.W1, bug("domains/chain-bridge/agreement.ts", "event.amount === escrow.amount &&", "")],
];

test.each(table)("%s holds, and a bug in it is caught", async (name, rule, planted) => {
  expect(rule()).toBeUndefined();
  const found = await withPlantedBug(planted, async (load) => rule(await load<Core>("core/index.ts")));
  expect(found).toMatch(new RegExp(`^${name}:`));
});
