/**
 * Goal: rows that were written and removed since a checkpoint bring it to what the node holds that wrote them, with all
 * that a start would have counted or noted of all rows; and what was dropped since leaves no record (L2).
 * Method: lone nodes with a trade, with receipts that are swept, and with announcements of slots that cannot be; their
 * rows before and after; rows that cannot be read.
 */
import { expect, test } from "vitest";
import { DeliveryReport } from "../../core/domains/notifications/schema.ts";
import { KEPT_MS } from "../../core/domains/notifications/sweep.ts";
import { Receipts } from "../../core/domains/notifications/tables.ts";
import { Registration } from "../../core/domains/providers/schema.ts";
import { SnapshotAnnounce } from "../../core/domains/snapshots/schema.ts";
import { FRESHNESS, Freshnesses, Snapshots } from "../../core/domains/snapshots/tables.ts";
import { SettlementRejected } from "../../core/domains/trade/settlements/schema.ts";
import { DatedHours } from "../../core/engine/dated-rows.ts";
import { spaceOf } from "../../core/engine/statements/space.ts";
import type { CatchUp } from "../../core/index.ts";
import { checkpointRules, devnetNetwork, marketplace, openCatchUp, openCheckpoint } from "../../core/index.ts";
import { openStore } from "../../core/kernel/state.ts";
import type { StoreRow } from "../../core/ports/store.ts";
import { changesSince } from "../convergence/catch-up-law.ts";
import { shuffleOf } from "../convergence/shuffle.ts";
import { gateway, register, reportOf } from "../notifications/stage.ts";
import { announcement, BLOCKHASH, T as MARKET_T, registration, SNAPSHOT_SERVICE } from "../oracles/market.ts";
import { crypto, gossipOnly, loneNode, signedData } from "../rpc/lone-node.ts";
import { at, buyer, merchant, T, tradeSends } from "../rpc/node-with-settlement.ts";

const terms = { network: marketplace, crypto, rules: checkpointRules("1", devnetNetwork) };
const configuration = gossipOnly(devnetNetwork);
type Rows = ReadonlyMap<string, StoreRow>;

/** What some rows come to that were packed, and then caught up with others. */
function caughtUp(before: Rows, now: Rows): CatchUp {
  const first = openCatchUp(undefined, terms, configuration);
  for (const page of changesSince(new Map(), before, shuffleOf(1))) expect(first.take(page).ok).toBe(true);
  const opened = openCheckpoint(first.sections(), terms, configuration);
  if (!opened.ok) throw new Error(opened.error);
  const catchUp = openCatchUp(opened.value, terms, configuration);
  for (const page of changesSince(before, now, shuffleOf(2))) expect(catchUp.take(page).ok).toBe(true);
  expect(catchUp.rows()).toBe(now.size);
  return catchUp;
}

function keysOf(name: string, catchUp: CatchUp): readonly string[] {
  return [...(catchUp.held().memory.tables.get(name)?.rows.keys() ?? [])];
}

test("bytes, hours and dates are counted as the node counted them", () => {
  const rows = new Map<string, StoreRow>();
  const node = loneNode(T + 400_000n, undefined, rows);
  const [last, ...first] = [...tradeSends].reverse();
  for (const { method, data } of first.reverse()) expect(node.call(method, { data })).not.toBeTypeOf("number");
  const before = new Map(rows);
  node.call(last?.method ?? "", { data: last?.data });
  const rejected = { settlement_id: "set-1", seller: merchant.peer, discrepancy: "Other" as const, reason: "1" };
  const data = signedData(SettlementRejected, { ...rejected, timestamp: at(300_000) }, merchant);
  node.call("sendSettlementRejected", { data });
  const catchUp = caughtUp(before, rows);
  expect(catchUp.roots()).toEqual(node.roots());
  const memory = openStore(crypto, marketplace.tables, { from: catchUp.held().memory });
  for (const signer of [undefined, merchant.peer, buyer.peer])
    expect(spaceOf(memory, signer)).toBe(spaceOf(node.view, signer));
  expect(new Set(memory.keys(DatedHours))).toEqual(new Set(node.view.keys(DatedHours)));
  expect(memory.get(Freshnesses, FRESHNESS)?.newest).toBe(at(300_000));
});

test("a report that was swept leaves no receipt, and a newer one its own", () => {
  const rows = new Map<string, StoreRow>();
  const node = loneNode(T, undefined, rows);
  register(node);
  const post = { notification_id: "11".repeat(32), service_id: "gw-8", recipient_wallet: merchant.peer };
  const reported = { ...post, trigger: "SettlementApproved" };
  const sent = (status: DeliveryReport["status"], minutes: number) =>
    node.gossip(DeliveryReport, reportOf(reported as never, { status, timestamp: at(minutes * 60_000) }), gateway);
  sent("Sent", 1);
  const before = new Map(rows);
  sent("Delivered", 2);
  const newer = new Map(rows);
  expect(caughtUp(before, newer).roots()).toEqual(node.roots());
  node.now = T + BigInt(KEPT_MS) + 600_000n;
  node.accept({ type: "timer.fired", timer: "notification-sweep" });
  expect(node.view.size(Receipts)).toBe(0);
  for (const then of [before, newer]) {
    const catchUp = caughtUp(then, rows);
    expect(catchUp.roots()).toEqual(node.roots());
    expect(keysOf(Receipts.name, catchUp)).toEqual([]);
  }
});

test("an announcement that was dropped is listed no more", () => {
  const rows = new Map<string, StoreRow>();
  const node = loneNode(MARKET_T, undefined, rows);
  node.gossip(Registration, registration(merchant, SNAPSHOT_SERVICE), merchant);
  node.gossip(SnapshotAnnounce, announcement(merchant, { slot: 4_000_000_000n }), merchant);
  expect(node.view.size(Snapshots)).toBe(1);
  const before = new Map(rows);
  node.accept({ type: "chain.observed", observation: { type: "slot", slot: 412_000_000n, blockhash: BLOCKHASH } });
  expect(node.view.size(Snapshots)).toBe(0);
  const catchUp = caughtUp(before, rows);
  expect(catchUp.roots()).toEqual(node.roots());
  expect(keysOf(Snapshots.name, catchUp)).toEqual([]);
});

test("a row that cannot be read is told, and nothing of its page is taken", () => {
  const catchUp = openCatchUp(undefined, terms, configuration);
  const roots = catchUp.roots();
  const row = { table: "statements", key: "0".repeat(64), bytes: Uint8Array.of(255) };
  expect(catchUp.take([row])).toEqual({ ok: false, error: "a row of statements cannot be read" });
  expect(catchUp.roots()).toEqual(roots);
});
