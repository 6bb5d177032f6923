/**
 * Goal: what a disk did not take away, though it was told to, does not set a node apart from others for ever: what its
 * signer's later statements took the place of goes at the next start (CONVERGENCE B1).
 * Method: a node with a trade is told so much that it removes some of it; the test puts that back and starts it again.
 */
import { expect, test } from "vitest";
import { DisputeOpen, MutualSettlementAgree } from "../../core/domains/trade/disputes/schema.ts";
import {
  PaymentSubmitted,
  SettlementInitiate,
  SettlementRejected,
} from "../../core/domains/trade/settlements/schema.ts";
import { spaceOf } from "../../core/engine/statements/space.ts";
import { Pending, Statements } from "../../core/engine/statements/table.ts";
import type { StoreRow } from "../../core/ports/store.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode } from "../rpc/lone-node.ts";
import { at, buyer, merchant, T, tradeSends } from "../rpc/node-with-settlement.ts";

/** A node that was told of a trade, then of more; its rows, and all that it ever removed of the set. */
function trading(tell: (node: LoneNode) => void): { node: LoneNode; rows: Map<string, StoreRow>; removed: StoreRow[] } {
  const [rows, removed] = [new RemembersRemoved(), [] as StoreRow[]];
  rows.removed = removed;
  const node = loneNode(T + 400_000n, undefined, rows);
  for (const { method, data } of tradeSends) node.call(method, { data });
  tell(node);
  return { node, rows, removed: removed.filter(({ table }) => table === Statements.name) };
}

class RemembersRemoved extends Map<string, StoreRow> {
  removed: StoreRow[] = [];
  override delete(place: string): boolean {
    const row = this.get(place);
    if (row !== undefined) this.removed.push(row);
    return super.delete(place);
  }
}

const tells: Readonly<Record<string, (node: LoneNode) => void>> = {
  "payments, of which four count": (node) => {
    const paid = { settlement_id: "set-1", buyer: buyer.peer };
    for (let n = 1; n <= 9; n++)
      node.gossip(PaymentSubmitted, { ...paid, payment_reference: `${n}`, timestamp: at(300_000 + n) }, buyer);
  },
  "rejections, of which the last counts": (node) => {
    const rejected = { settlement_id: "set-1", seller: merchant.peer, discrepancy: "Other" as const };
    for (let n = 1; n <= 3; n++)
      node.gossip(SettlementRejected, { ...rejected, reason: `${n}`, timestamp: at(300_000 + n) }, merchant);
  },
  "agreements, whose signer has a row of his own": (node) => {
    const opened = { opener: buyer.peer, opener_public_key: buyer.key, reason: "unpaid" };
    node.gossip(DisputeOpen, { id: "case", settlement_id: "set-1", ...opened, timestamp: at(300_000) }, buyer);
    for (let n = 1; n <= 3; n++)
      node.gossip(MutualSettlementAgree, { dispute_id: "case", party: buyer.peer, timestamp: at(300_000 + n) }, buyer);
  },
};

test.each(Object.entries(tells))("%s: what is left of the others goes at the next start", (_, tell) => {
  const { node, rows, removed } = trading(tell);
  const [roots, space] = [node.roots(), spaceOf(node.view)];
  expect(removed.length).toBeGreaterThan(1);
  for (const row of removed) rows.set(`${row.table} ${row.key}`, row);
  const again = node.restart();
  expect(again.roots()).toEqual(roots);
  expect(spaceOf(again.view)).toBe(space);
  // And it is gone from the disk.
  for (const { table, key } of removed) expect(rows.has(`${table} ${key}`)).toBe(false);
});

const tablesOfSet = [Statements, Pending];

/** A trade with a payment: the rows, the places of the two statements in them, and in which tables the payment lies. */
function paid() {
  const { node, rows } = trading((each) => {
    const submitted = { settlement_id: "set-1", buyer: buyer.peer, payment_reference: "1", timestamp: at(300_001) };
    each.gossip(PaymentSubmitted, submitted, buyer);
  });
  const keyOf = (type: { readonly name: string }) =>
    [...node.view.keys(Statements)].find((key) => node.view.get(Statements, key)?.type.name === type.name);
  const [parent, child] = [keyOf(SettlementInitiate), keyOf(PaymentSubmitted)];
  const tablesOf = () => tablesOfSet.filter(({ name }) => rows.has(`${name} ${child}`));
  return { node, rows, parent, child, tablesOf };
}

test("a statement whose parent's row was lost waits, and its row says so: gone, it is not back", () => {
  const { node, rows, parent, tablesOf } = paid();
  rows.delete(`${Statements.name} ${parent}`);
  expect(tablesOf()).toEqual([Statements]);
  node.restart();
  expect(tablesOf()).toEqual([Pending]);
});

test.each([true, false])(
  "a row that says that a statement waits, whose parent is here, goes (own row kept: %s)",
  (own) => {
    const { node, rows, child, tablesOf } = paid();
    const [roots, row] = [node.roots(), rows.get(`${Statements.name} ${child}`)];
    if (row === undefined) throw new Error("the payment has a row");
    rows.set(`${Pending.name} ${child}`, { ...row, table: Pending.name });
    if (!own) rows.delete(`${Statements.name} ${child}`);
    expect(node.restart().roots()).toEqual(roots);
    expect(tablesOf()).toEqual([Statements]);
  },
);
