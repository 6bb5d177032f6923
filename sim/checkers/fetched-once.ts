/**
 * What a node refused is not fetched again and again: a difference between two sets that cannot close costs the finding
 * of it, and then next to nothing. Source: CONVERGENCE B4.
 */
import { decodeCompact, toHex } from "../../core/index.ts";
import { FetchResponse } from "../../core/testing.ts";
import type { CheckContext, Checker } from "../checker.ts";
import { carriedBy } from "./frames.ts";

/** How long a refusal is remembered at most, in milliseconds. Source: CONVERGENCE B4. */
const REMEMBERED_MS = 600_000n;
/** Fetches of one statement in that while: several peers may bring it before it is taken, and one refusal is lifted. */
const FETCHES = 4;

/** No node fetches one statement more than a few times in ten minutes. */
export function fetchedOnce({ violate, keep }: CheckContext): Checker {
  const seen = keep(() => new Map<string, bigint[]>());
  return {
    name: "fetched-once",
    onStep({ node, input }) {
      if (input.type !== "message.answered") return;
      const answer = carriedBy(input.bytes, "GossipFetchResponse");
      if (answer === undefined) return;
      for (const { payload } of decodeCompact(FetchResponse, answer)?.events ?? []) {
        const what = `${node}/${toHex(payload)}`;
        const times = [...(seen.get(what) ?? []), input.now].filter((at) => at + REMEMBERED_MS > input.now);
        seen.set(what, times);
        if (times.length > FETCHES) violate(`node ${node} fetched one statement ${times.length} times in ten minutes`);
      }
    },
  };
}
