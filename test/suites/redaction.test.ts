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
import { methods } from "../../core/index.ts";
import { speeches } from "../../sim/actions/publish.ts";
import { openBackends } from "../../sim/backends.ts";
import type { Checker, MakeChecker } from "../../sim/checker.ts";
import { runScenario } from "../../sim/run.ts";
import { arbRedactionStory, NODES, redactionScenario } from "./redaction-stories.ts";

/** Only the chain opens the way to these: a proposal that it adopted, and the link of one to its chain half. */
const BEYOND: readonly string[] = ["ProposalActivate", "sendProposalActivate", "getProposalChainLink"];
/** What trades off chain come to, as it is read. */
const OFF_CHAIN = [
  ...["EscrowLocked", "Settling", "Settled", "Cancelled"].map((state) => `getReservations ${state}`),
  ...["AwaitingPayment", "PaymentSubmitted", "Approved", "Rejected", "Cancelled", "Disputed"].map(
    (state) => `getSettlements ${state}`,
  ),
  ...["Open", "AwaitingChainExecution"].map((status) => `getDisputes ${status}`),
  // Those who trade read it of themselves, with a proof.
  "getNotificationDispatchesByWallet ReservationCreated",
];
const ON_CHAIN = ["getSettlements Completed", "getDisputes Resolved"];

interface Seen {
  /** Types of which some node took a statement. */
  readonly taken: Set<string>;
  /** Rows that answered a call, and those that refused one. */
  readonly answered: Set<string>;
  readonly refused: Set<string>;
  /** States that lists showed, and what notifications were about. */
  readonly states: Set<string>;
  /** Which node was asked which read, as `node method`. */
  readonly asked: Set<string>;
}

function watcher(seen: Seen): MakeChecker {
  return (): Checker => ({
    name: "watcher",
    onAnswer({ node, request, answer }) {
      const told = parsed(answer);
      const made = listed(parsed(request));
      for (const call of made) if (isRecord(call)) seen.asked.add(`${node} ${String(call.method)}`);
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
  if ("error" in told) return void seen.refused.add(method);
  seen.answered.add(method);
  for (const row of listed(told.result)) {
    if (isRecord(row)) seen.states.add(`${method} ${String(row.state ?? row.trigger ?? row.status)}`);
  }
  const { mutation } = methods[method] ?? {};
  if (mutation === undefined || !isRecord(call.params)) return;
  const said = parsed(Buffer.from(String(call.params.data), "base64").toString("utf8"));
  for (const type of mutation.signed) if (isRecord(said) && type.outer in said) seen.taken.add(type.name);
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

/** What is wanted and was not seen. */
function missing(wanted: readonly string[], seen: ReadonlySet<string>): readonly string[] {
  return wanted.filter((name) => !seen.has(name) && !BEYOND.includes(name));
}

describe("redaction", () => {
  test.each([
    ["bankrun", 2, true],
    ["model", 4, false],
  ] as const)("random stories of people who trade, publish and pry, on %s", async (chain, numRuns, onChain) => {
    const sets = () => ({ taken: new Set<string>(), answered: new Set<string>(), refused: new Set<string>() });
    const seen: Seen = { ...sets(), states: new Set(), asked: new Set() };
    await fc.assert(
      fc.asyncProperty(arbRedactionStory(onChain), fc.bigInt({ min: 0n, max: 1n << 32n }), async (story, seed) => {
        const scenario = redactionScenario(story);
        const watched = { ...scenario, safety: [...scenario.safety, watcher(seen)] };
        const { report } = await runScenario(watched, { seed, chain }, openBackends());
        expect(report.violations).toEqual([]);
      }),
      { numRuns, seed: 20_262, endOnFailure: true },
    );
    const rows = Object.entries(methods);
    const reads = rows.filter(([, row]) => row.kind === "query").map(([name]) => name);
    expect(missing(onChain ? [...OFF_CHAIN, ...ON_CHAIN] : OFF_CHAIN, seen.states)).toEqual([]);
    expect(missing(reads, seen.answered)).toEqual([]);
    const proofs = rows.filter(([, row]) => row.access === "proof").map(([name]) => name);
    expect(missing(proofs, seen.refused)).toEqual([]);
    // Every read was made of every node, and the checker compared its roots before and after.
    const everywhere = reads.flatMap((name) => Array.from({ length: NODES }, (_, node) => `${node} ${name}`));
    expect(missing(everywhere, seen.asked)).toEqual([]);
    const types = speeches().map(({ type }) => type.name);
    if (!onChain) expect(missing(types, seen.taken)).toEqual([]);
  });
});
