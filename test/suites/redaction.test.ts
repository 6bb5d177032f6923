/**
 * Goal: the named suite *redaction*. Whatever trades there are and whatever people say, no public read, refusal, stream
 * message, metric or log line ties anybody to a trade, and no read changes a root (DESIGN L4, L5).
 * Method: random trades on many nodes with a chain; everybody says everything he can, a stranger asks every read of the
 * method table for everything he could have heard of, alone and in batches; every answer is searched for everybody.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { methods } from "../../core/index.ts";
import { openBackends } from "../../sim/backends.ts";
import { runScenario } from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { arbTrades, redactionScenario } from "./redaction-stories.ts";

describe("redaction", () => {
  test.each([
    ["bankrun", 2],
    ["model", 5],
  ] as const)(
    "random trades on %s",
    async (chain, numRuns) => {
      const answered = new Set<string>();
      const taken = new Set<string>();
      await fc.assert(
        fc.asyncProperty(arbTrades, fc.bigInt({ min: 0n, max: 1n << 32n }), async (stories, seed) => {
          const scenario = redactionScenario(stories);
          const listener: Scenario["safety"][number] = () => ({
            name: "listener",
            onAnswer({ request, answer }) {
              const [, method] = /^\{"jsonrpc":"2.0","id":\d+,"method":"(\w+)"/.exec(request) ?? [];
              if (method === undefined) return;
              if (method.startsWith("get")) answered.add(method);
              else if (answer.includes('"result"')) taken.add(method);
            },
          });
          const watched = { ...scenario, safety: [...scenario.safety, listener] };
          const { report } = await runScenario(watched, { seed, chain }, openBackends());
          expect(report.violations).toEqual([]);
        }),
        { numRuns, seed: 4, endOnFailure: true },
      );
      const reads = Object.entries(methods).filter(([, row]) => row.kind === "query");
      expect(answered).toEqual(new Set(reads.map(([name]) => name)));
      // What people say beside their trades must get through, or nothing was there to leak.
      for (const method of ["sendReviewPublish", "sendAttachmentPublish", "sendClaimPublish", "sendSessionEstablish"])
        expect([...taken]).toContain(method);
    },
    300_000,
  );
});
