/**
 * Goal: a node that begins with a checkpoint answers as the one that made it and goes on from there; a checkpoint is
 * made only of what is on disk, and used only under the rules by which it was made (L2, L9).
 * Method: a node with a trade, its checkpoint, and another that begins with it, both then told the same; a store that
 * holds its answer back or refuses; heads of other versions, cut short and with other roots.
 */
import { expect, test } from "vitest";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import { Advertisements } from "../../core/domains/trade/advertisements/tables.ts";
import { ReservationRequest } from "../../core/domains/trade/reservations/schema.ts";
import {
  PaymentSubmitted,
  SettlementApproved,
  SettlementCancelled,
  SettlementInitiate,
  SettlementRejected,
} from "../../core/domains/trade/settlements/schema.ts";
import { spaceOf } from "../../core/engine/statements/space.ts";
import type { DriverOptions, Effect, EpochMillis, HeldDriver, NodeDriver } from "../../core/index.ts";
import {
  checkpointOf,
  checkpointRules,
  createDriver,
  devnetNetwork,
  marketplace,
  ok,
  openCheckpoint,
} from "../../core/index.ts";
import { U64_MAX } from "../../core/kernel/compact.ts";
import { entriesOf } from "../../core/kernel/table.ts";
import type { StoreRow } from "../../core/ports/store.ts";
import { crypto, gossipOnly, mapStore, signedData } from "../rpc/lone-node.ts";
import {
  advertisement,
  at,
  buyer,
  initiate,
  merchant,
  request,
  third,
  tradeSends,
} from "../rpc/node-with-settlement.ts";

const configuration = gossipOnly(devnetNetwork);
const terms = { network: marketplace, crypto, rules: checkpointRules("1.2.3", devnetNetwork) };
const bootSeed = new Uint8Array(32);

interface Node {
  readonly driver: NodeDriver;
  call(method: string, params?: unknown): string | null | undefined;
}

function nodeOn(store: DriverOptions["store"], from?: HeldDriver, now = () => at(400_000)): Node {
  let answer: string | null | undefined;
  const perform = (effect: Effect) => {
    if (effect.type === "rpc.reply") answer = effect.body;
  };
  const driver = createDriver({ crypto, store, bootSeed, now, perform, configuration, ...(from && { from }) });
  return {
    driver,
    call(method, params = {}) {
      answer = undefined;
      driver.accept({
        type: "rpc.called",
        replyTo: "1",
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      return answer;
    },
  };
}

/** A node with a trade, and its rows. */
function trading(): { readonly node: Node; readonly rows: Map<string, StoreRow> } {
  const rows = new Map<string, StoreRow>();
  const node = nodeOn(mapStore(rows));
  for (const { method, data } of tradeSends) expect(node.call(method, { data })).not.toContain("error");
  return { node, rows };
}

function sectionsOf(node: Node): readonly Uint8Array[] {
  const made = checkpointOf(node.driver, terms);
  if (!made.ok) throw new Error(made.error);
  return made.value;
}

function begunWith(sections: readonly Uint8Array[], rows: Map<string, StoreRow>): Node {
  const opened = openCheckpoint(sections, terms, configuration);
  if (!opened.ok) throw new Error(opened.error);
  const load: DriverOptions["store"]["load"] = (give) => give(ok({ rows: [], last: true }));
  return nodeOn({ ...mapStore(rows), load }, { ...opened.value, bootSeed });
}

const reads = [
  ["getAdvertisements", {}],
  ["getAdvertisement", { id: "ad-1" }],
  ["getReservations", {}],
  ["getSettlements", {}],
  ["getVolume", {}],
] as const;

test("a node that begins with a checkpoint answers and goes on as the one that made it", () => {
  const { node, rows } = trading();
  const other = begunWith(sectionsOf(node), new Map(rows));
  const byRows = nodeOn(mapStore(new Map(rows)));
  const expectSame = () => {
    for (const each of [other, byRows]) {
      expect(each.driver.roots()).toEqual(node.driver.roots());
      expect(spaceOf(each.driver.view)).toBe(spaceOf(node.driver.view));
      for (const [method, params] of reads) expect(each.call(method, params)).toBe(node.call(method, params));
    }
  };
  expectSame();
  const rejected = { settlement_id: "set-1", seller: merchant.peer, discrepancy: "Other" as const };
  const reject = { ...rejected, reason: "1", timestamp: at(300_000) };
  const data = signedData(SettlementRejected, reject, merchant);
  const answers = [node, other, byRows].map((each) => each.call("sendSettlementRejected", { data }));
  expect(new Set(answers).size).toBe(1);
  expectSame();
  expect(sectionsOf(other).length).toBe(sectionsOf(node).length);
});

test("what was begun with a checkpoint is packed again, and begun with again", () => {
  const { node, rows } = trading();
  const again = begunWith(sectionsOf(begunWith(sectionsOf(node), rows)), rows);
  expect(again.driver.roots()).toEqual(node.driver.roots());
  for (const [method, params] of reads) expect(again.call(method, params)).toBe(node.call(method, params));
});

test("an advertisement of which more was acknowledged than 64 bits hold is begun with as it was", () => {
  const most = { base_units: U64_MAX, decimals: 6 };
  const rows = new Map<string, StoreRow>();
  let ms = 400_000;
  const node = nodeOn(mapStore(rows), undefined, () => at(ms));
  const sent = (method: string, data: string) => expect(node.call(method, { data })).not.toContain("error");
  const whole = { ...advertisement, max_trade: most, initial_liquidity: most };
  sent("sendAdvertisementCreate", signedData(AdvertisementCreate, whole, merchant));
  // Each takes all of it: the second once the merchant gave the first up, who pays and is approved all the same.
  for (const [number, by] of [buyer, third].entries()) {
    const [settlement_id, reservation_id] = [`big-${number}`, `${number + 1}`];
    const requester = { requester: by.peer, requester_public_key: by.key };
    const asked = { ...request, ...requester, id: reservation_id, amount: most, timestamp: at(ms) };
    sent("sendReservationRequest", signedData(ReservationRequest, asked, by));
    const pays = { buyer: by.peer, buyer_public_key: by.key, reservation_id, amount: most };
    const begun = { ...initiate, ...pays, id: settlement_id, timestamp: at(ms + 1) };
    sent("sendSettlementInitiate", signedData(SettlementInitiate, begun, by));
    const givenUp = { settlement_id, canceller: merchant.peer, timestamp: at(ms + 2) };
    if (number === 0) sent("sendSettlementCancelled", signedData(SettlementCancelled, givenUp, merchant));
    ms += 1_900_000;
  }
  for (const [number, by] of [third, buyer].entries()) {
    const settlement_id = `big-${1 - number}`;
    const paid = { settlement_id, buyer: by.peer, payment_reference: null, timestamp: at(ms) };
    sent("sendPaymentSubmitted", signedData(PaymentSubmitted, paid, by));
    const approved = { settlement_id, seller: merchant.peer, timestamp: at(ms + 1) };
    sent("sendSettlementApproved", signedData(SettlementApproved, approved, merchant));
  }
  const held = [...entriesOf(node.driver.view, Advertisements)];
  expect(held.map(([, row]) => row.acknowledged)).toEqual([2n * U64_MAX]);
  const other = begunWith(sectionsOf(node), rows);
  expect(other.driver.roots()).toEqual(node.driver.roots());
  for (const [, row] of held) expect(other.call("getAdvertisement", { id: row.id })).toContain(row.id);
});

test("none is made of what is not on disk yet, of a store that refuses, or of more rows than may be", () => {
  const { node } = trading();
  const finish: (() => void)[] = [];
  const waits = nodeOn({ ...mapStore(new Map()), commit: (_, done) => finish.push(() => done(ok(null))) });
  waits.call("sendAdvertisementCreate", { data: tradeSends[0]?.data });
  const early = checkpointOf(waits.driver, terms);
  expect(early.ok ? undefined : early.error).toBe("what this node holds is not on its disk yet");
  while (finish.length > 0) finish.shift()?.();
  expect(checkpointOf(waits.driver, terms).ok).toBe(true);
  const full = nodeOn({
    ...mapStore(new Map()),
    commit: (_, done) => done({ ok: false, error: { code: "full" } }),
  });
  for (const { method, data } of tradeSends) full.call(method, { data });
  expect(checkpointOf(full.driver, terms)).toMatchObject({ ok: false });
  expect(checkpointOf(node.driver, { ...terms, rowsMax: 1 })).toMatchObject({ ok: false });
});

test("one of another version or network, cut short, or with other roots is not used", () => {
  const { node } = trading();
  const [head = new Uint8Array(0), ...tables] = sectionsOf(node);
  const reasonOf = (sections: readonly Uint8Array[], rules = terms.rules) => {
    const opened = openCheckpoint(sections, { ...terms, rules }, configuration);
    return opened.ok ? undefined : opened.error;
  };
  expect(reasonOf([head, ...tables])).toBe(undefined);
  const strange = "it is of another version or network";
  expect(reasonOf([head, ...tables], checkpointRules("1.2.4", devnetNetwork))).toBe(strange);
  expect(reasonOf([head, ...tables], checkpointRules("1.2.3", { ...devnetNetwork, parity: true }))).toBe(strange);
  expect(reasonOf([])).toBe(strange);
  expect(reasonOf([head.subarray(0, head.length - 1), ...tables])).toBe("it is cut short");
  expect(reasonOf([head, ...tables.slice(1)])).toBe("it is cut short");
  expect(reasonOf([head, ...tables.slice(1), tables[0] ?? head])).toBe("its rows do not sum up to its roots");
});

test("the rules tell every amendment apart", () => {
  const amended = { ...devnetNetwork, amendments: [{ rule: "r", from: 5n as EpochMillis }] };
  expect(new Set([devnetNetwork, amended].map((profile) => checkpointRules("1", profile))).size).toBe(2);
});
