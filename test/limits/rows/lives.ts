/**
 * Limits on the lives of records: how long before and after one what others say about it counts, and how many are
 * sealed at once.
 */
import { Statements } from "../../../core/engine/statements/table.ts";
import type { EpochMillis } from "../../../core/kernel/values.ts";
import { at, merchant, taker } from "../../convergence/actors.ts";
import * as fixtures from "../../convergence/fixtures.ts";
import { received, replicaOf } from "../../convergence/replica.ts";
import type { Limit } from "../limit.ts";
import { most } from "../limit.ts";

const COUNTS_OR_WAITS = { within: "counts", beyond: "waits" } as const;

/** What becomes of a payment that is dated so long after its settlement was begun. */
function paidAfter(ms: bigint): string {
  const trade = [fixtures.advertisement(merchant, at(0)), fixtures.request(taker, at(1))];
  const initiate = fixtures.initiate(taker, merchant, at(20));
  const payment = fixtures.payment(taker, (initiate.timestamp + ms) as EpochMillis);
  const store = replicaOf(received(...trade, initiate, payment)).store();
  return store.get(Statements, payment.identity) === undefined ? "waits" : "counts";
}

/** What becomes of a settlement that is dated so long before its request. */
function begunBefore(ms: number): string {
  const initiate = fixtures.initiate(taker, merchant, at(20));
  const request = fixtures.request(taker, (initiate.timestamp + BigInt(ms)) as EpochMillis);
  const store = replicaOf(received(fixtures.advertisement(merchant, at(0)), request, initiate)).store();
  return store.get(Statements, initiate.identity) === undefined ? "waits" : "counts";
}

export const limits: readonly Limit[] = [
  most("core/engine/statements/table.ts BEFORE_RECORD_MS_MAX", 600_000, (n) => paidAfter(BigInt(-n)), COUNTS_OR_WAITS),
  most("core/engine/statements/table.ts BEGUN_BEFORE_RECORD_MS_MAX", 1_800_000, begunBefore, COUNTS_OR_WAITS),
  most("rule: the life of a settlement", 30 * 86_400_000, (n) => paidAfter(BigInt(n)), COUNTS_OR_WAITS),
];
