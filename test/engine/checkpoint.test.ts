/**
 * Goal: a node that begins with a checkpoint answers as the one that made it and goes on from there; a checkpoint is
 * made only of what is on disk, and used only under the rules by which it was made (L2, L9).
 * Method: a node with a trade, its checkpoint, and another that begins with it, both then told the same; a store that
 * holds its answer back or refuses; heads of other versions, cut short and with other roots.
 */
import { expect, test } from "vitest";
import { SettlementRejected } from "../../core/domains/trade/settlements/schema.ts";
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
import type { StoreRow } from "../../core/ports/store.ts";
import { crypto, gossipOnly, mapStore, signedData } from "../rpc/lone-node.ts";
import { at, merchant, T, tradeSends } from "../rpc/node-with-settlement.ts";

const configuration = gossipOnly(devnetNetwork);
const terms = { network: marketplace, crypto, rules: checkpointRules("1.2.3", devnetNetwork) };
const bootSeed = new Uint8Array(32);

interface Node {
  readonly driver: NodeDriver;
  call(method: string, params?: unknown): string | null | undefined;
}

function nodeOn(store: DriverOptions["store"], from?: HeldDriver): Node {
  let answer: string | null | undefined;
  const perform = (effect: Effect) => {
    if (effect.type === "rpc.reply") answer = effect.body;
  };
  const now = () => (T + 400_000n) as EpochMillis;
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
