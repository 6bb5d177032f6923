/**
 * Goal: the named suite *redaction*. Whatever people trade and publish, on every node and at every instant no public
 * answer, error, stream message, metrics page or log line names anybody but who published it, a proof opens nothing
 * but the prover's own trades, and no read moves a root (DESIGN L4, L5; §7 #15).
 * Method: random stories on many nodes with a chain. Everybody says everything that the method table takes, and every
 * read of it is called with every id, wallet and content identifier that exists, at random instants; checkers read
 * along. A suite that finds nothing proves nothing unless there was something to find, so that is counted too.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DisputeStatus } from "../../core/domains/trade/disputes/schema.ts";
import { ReservationState } from "../../core/domains/trade/reservations/schema.ts";
import { SettlementState } from "../../core/domains/trade/settlements/schema.ts";
import { methods } from "../../core/index.ts";
import type { Shape } from "../../core/kernel/schema.ts";
import { publications } from "../../sim/actions/publish.ts";
import { openBackends } from "../../sim/backends.ts";
import type { Checker, MakeChecker } from "../../sim/checker.ts";
import { runScenario } from "../../sim/run.ts";
import { forAllAsync } from "../property/for-all.ts";
import { arbRedactionStory, NODES, redactionScenario } from "./redaction-stories.ts";

/** What no story off chain comes to, and why. */
const BEYOND: Readonly<Record<string, string>> = {
  "ProposalActivate taken": "only the chain adopts a proposal",
  "getReservations Expired": "nobody waits for half an hour",
  "getSettlements Completed": "only the chain completes a settlement",
  "getDisputes Resolved": "only the chain decides a dispute",
};
/** What the stories that have a chain come to all the same. */
const ON_CHAIN = ["getSettlements Completed", "getDisputes Resolved"];
/** What trades come to, as it is read. */
const STATES = [
  ...statesOf("getReservations", ReservationState),
  ...statesOf("getSettlements", SettlementState),
  ...statesOf("getDisputes", DisputeStatus),
  // Those who trade read it of themselves, with a proof.
  "getNotificationDispatchesByWallet ReservationCreated",
];

function statesOf(method: string, { shape }: { readonly shape: Shape }): readonly string[] {
  return shape.type === "enumeration" ? shape.names.map((name) => `${method} ${name}`) : [];
}

/** What a run showed, as labels: see `WANTED`. */
type Seen = Set<string>;

function watcher(seen: Seen): MakeChecker {
  return (): Checker => ({
    name: "watcher",
    onAnswer({ node, request, answer }) {
      const told = parsed(answer);
      const made = listed(parsed(request));
      for (const call of made) if (isRecord(call)) seen.add(`${node} is asked ${String(call.method)}`);
      const calls = made.filter((call) => !Array.isArray(told) || (isRecord(call) && "id" in call));
      listed(told).forEach((one, place) => {
        const call = calls[place];
        if (isRecord(call) && typeof call.method === "string" && isRecord(one)) note(seen, call, one);
      });
    },
  });
}

type Json = Readonly<Record<string, unknown>>;

function note(seen: Seen, call: Json, told: Json): void {
  const method = String(call.method);
  if ("error" in told) return void seen.add(`${method} refuses`);
  seen.add(`${method} answers`);
  for (const row of listed(told.result)) {
    if (isRecord(row)) seen.add(`${method} ${String(row.state ?? row.trigger ?? row.status)}`);
  }
  const { mutation } = methods[method] ?? {};
  if (mutation === undefined || !isRecord(call.params)) return;
  const answer = parsed(Buffer.from(String(call.params.data), "base64").toString("utf8"));
  for (const type of mutation.signed) if (isRecord(answer) && type.outer in answer) seen.add(`${type.name} taken`);
}

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null;
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is demanded at all has to be in one case at least. */
const SOMEWHERE = 0.001;
const rows = Object.entries(methods);
const reads = rows.filter(([, row]) => row.kind === "query").map(([name]) => name);

/** Every read answers, and is made of every node, whose roots are compared; proofs are refused; types are taken. */
const WANTED: readonly string[] = [
  ...STATES,
  ...reads.map((name) => `${name} answers`),
  ...rows.filter(([, row]) => row.access === "proof").map(([name]) => `${name} refuses`),
  ...reads.flatMap((name) => Array.from({ length: NODES }, (_, node) => `${node} is asked ${name}`)),
];
const TAKEN = publications().map(({ type }) => `${type.name} taken`);

function shares(...labels: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries(labels.filter((label) => !(label in BEYOND)).map((label) => [label, SOMEWHERE]));
}

describe("redaction", () => {
  test.each([
    [
      "bankrun",
      {
        runs: 1,
        nightly: 20,
        sample: 1,
        shares: { ...shares(...WANTED), ...Object.fromEntries(ON_CHAIN.map((label) => [label, SOMEWHERE])) },
      },
    ],
    ["model", { runs: 1, nightly: 100, sample: 3, shares: shares(...WANTED, ...TAKEN) }],
  ] as const)("random stories of people who trade, publish and pry, on %s", async (chain, plan) => {
    const arbStory = arbRedactionStory(chain === "bankrun");
    await forAllAsync(
      [arbStory, fc.bigInt({ min: 0n, max: 1n << 32n })],
      async (story, seed) => {
        const seen: Seen = new Set();
        const scenario = redactionScenario(story);
        const watched = { ...scenario, safety: [...scenario.safety, watcher(seen)] };
        const { report } = await runScenario(watched, { seed, chain }, openBackends());
        expect(report.violations).toEqual([]);
        const beyond = Object.keys(BEYOND).filter((label) => chain !== "bankrun" || !ON_CHAIN.includes(label));
        for (const label of beyond) expect(seen).not.toContain(label);
        return [...seen].filter((label) => label in plan.shares);
      },
      { ...plan, endOnFailure: true },
    );
  });
});
