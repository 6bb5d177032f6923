/**
 * Goal: a file counts whole or not at all, from whom it may and as often as it may: rows 1 to 15 of protocol 05 §6.9,
 * the choice of §6.11, and our laws: every statement proves itself, no chain fact comes from a file.
 * Method: one node makes a file of a trade; others take it, or what a forger made of it.
 */
import { describe, expect, test } from "vitest";
import { Registration } from "../../core/domains/providers/schema.ts";
import { encodeEntry, STATE, STATEMENTS, statementsOf, stateOf } from "../../core/domains/snapshots/contents.ts";
import type { Location, SnapshotAnnounce } from "../../core/domains/snapshots/schema.ts";
import { SEARCH_EVERY_MS } from "../../core/domains/snapshots/search.ts";
import { Checkpoints } from "../../core/domains/snapshots/tables.ts";
import { ENTRIES_PER_PAGE, STATEMENTS_PER_PAGE } from "../../core/domains/snapshots/take.ts";
import { membersOf, tarOf } from "../../core/domains/snapshots/tar.ts";
import { ChainFacts } from "../../core/domains/trade/settlements/tables.ts";
import { utf8 } from "../../core/kernel/text.ts";
import { registration } from "../oracles/market.ts";
import { person } from "../rpc/lone-node.ts";
import { dispute } from "../rpc/node-with-settlement.ts";
import { checkpointOf, decide, fresh, MADE, made, offered, statementsIn, T, TRANSACTION, tell } from "./offers.ts";
import type { Shelf, StagedNode } from "./stage.ts";
import { baseOf, EVERY_MS, producer, SLOT, stage, taker, taking } from "./stage.ts";

const DAY = 86_400_000;

describe("a fresh node", () => {
  test("takes the file: every statement of its producer, and the checkpoint, which outlives restarts", () => {
    const shelf: Shelf = new Map();
    const { archive, node: source } = made(shelf);
    const node = offered(archive);
    const [held, missing] = [statementsIn(node), new Set(statementsIn(source))];
    for (const identity of held) missing.delete(identity);
    // All but the announcement of the very file, which came by gossip under another name.
    expect(missing.size).toBe(1);
    expect(node.call("getSettlement", { id: "set-1" })).toMatchObject({ state: "AwaitingPayment" });
    expect(checkpointOf(node)).toBe(Number(SLOT));
    expect(checkpointOf(node.again())).toBe(Number(SLOT));
    expect(node.fetched).toEqual(["file"]);
    node.pass(DAY);
    expect(node.fetched).toEqual(["file"]);
  });

  test("shows no chain fact of it: no resolution, no release, no volume, though the producer's records have them", () => {
    const shelf: Shelf = new Map();
    const { node: source } = made(shelf);
    dispute(source, person(0x44));
    decide(source);
    expect(source.call("getDispute", { id: "dis-1" })).toMatchObject({ status: "Resolved", resolution: "BuyerWins" });
    expect(source.call("getSettlement", { id: "set-1" })).toMatchObject({
      state: "Completed",
      escrow_release_signature: TRANSACTION,
    });
    expect(JSON.stringify(source.call("getSettledVolume"))).toContain("20000000");
    source.pass(EVERY_MS);
    const archive = shelf.get(`${baseOf(producer)}/snapshot/${source.written.at(-1)}`) ?? new Uint8Array(0);
    expect(new TextDecoder("latin1").decode(membersOf(archive)?.get(STATE))).toContain(TRANSACTION);
    const node = offered(archive);
    expect(checkpointOf(node)).toBe(Number(SLOT));
    expect(node.call("getDispute", { id: "dis-1" })).toMatchObject({
      status: "Open",
      resolution: null,
      onchain_execution_signature: null,
    });
    expect(node.call("getSettlement", { id: "set-1" })).toMatchObject({
      state: "Disputed",
      escrow_release_signature: null,
    });
    expect([node.view.size(ChainFacts), node.roots().facts]).toEqual([0, "0".repeat(64)]);
    expect(JSON.stringify(node.call("getSettledVolume"))).not.toContain("20000000");
    expect(node.call("getSettledVolume")).toMatchObject({ assets: [], unattributed_settlements: 0 });
  });

  test("keeps what it held, and takes what it lacked", () => {
    const shelf: Shelf = new Map();
    const { archive } = made(shelf);
    const node = fresh(new Map([["http://shelf.net/file", archive]]));
    const own = person(77);
    node.gossip(Registration, registration(own, { service_id: "own", timestamp: MADE as never }), own);
    const before = statementsIn(node);
    tell(node, archive);
    node.pass(SEARCH_EVERY_MS);
    for (const identity of before) expect(statementsIn(node)).toContain(identity);
    expect(checkpointOf(node)).toBe(Number(SLOT));
  });

  test("tries the highest slot first, every location of it, then the next; the first that verifies ends it", () => {
    const { archive } = made(new Map());
    const node = fresh(new Map([["http://b.net/good", archive]]));
    tell(node, archive, { id: "high", slot: SLOT + 9n, locations: ["http://a.net/1", "http://a.net/2"] as Location[] });
    tell(node, archive, { id: "low", slot: SLOT, locations: ["http://b.net/bad", "http://b.net/good"] as Location[] });
    tell(node, archive, { id: "lowest", slot: SLOT - 1n, locations: ["http://b.net/good"] as Location[] });
    tell(node, archive, { id: "nowhere", slot: SLOT + 99n, locations: [] });
    node.pass(SEARCH_EVERY_MS);
    expect(node.fetched).toEqual(["high", "high", "low", "low"]);
    expect(checkpointOf(node)).toBe(Number(SLOT));
  });

  test("searches every half a minute, or as often as it is told", () => {
    const { archive } = made(new Map());
    for (const [told, everyMs] of [
      [{}, 30_000],
      [{ searchEveryMs: 1_000 }, 1_000],
    ] as const) {
      const snapshots = { anchors: [producer.key], ...told };
      const node = fresh(new Map([["http://shelf.net/file", archive]]), { snapshots });
      tell(node, archive);
      node.pass(everyMs - 1);
      expect(node.fetched).toEqual([]);
      node.pass(1);
      expect(checkpointOf(node)).toBe(Number(SLOT));
    }
  });

  test("never fetches its own", () => {
    const { archive } = made(new Map());
    const node = fresh(new Map([["http://shelf.net/file", archive]]), { snapshots: { anchors: [taker.key] } });
    tell(node, archive, {}, taker);
    node.pass(SEARCH_EVERY_MS);
    expect([node.fetched, checkpointOf(node)]).toEqual([[], null]);
  });

  test("without a word about snapshots does neither", () => {
    const { archive } = made(new Map());
    const node = stage({ who: taker, now: MADE, shelf: new Map([["http://shelf.net/file", archive]]) });
    tell(node, archive);
    node.pass(DAY);
    expect([node.fetched, node.written]).toEqual([[], []]);
  });
});

describe("before it is fetched, a file is refused", () => {
  const refused = (over: Partial<SnapshotAnnounce>, told = {}, by = producer) => {
    const node = offered(made(new Map()).archive, over, told, by);
    expect([node.fetched, checkpointOf(node)]).toEqual([[], null]);
    return node.told().find((line) => line.startsWith("snapshot not taken"));
  };
  test.each([
    ["of another protocol version", { protocol_version: 1 }, "PROTOCOL_VERSION_MISMATCH"],
    ["larger than a file may be", { size_bytes: 536_870_913n }, "SNAPSHOT_VERIFICATION_FAILED"],
    ["not compressed", { compression: "None" }, "UNSUPPORTED_OPERATION"],
    ["compressed in another way", { compression: "Zstd" }, "UNSUPPORTED_OPERATION"],
  ] as const)("%s", (_, over, code) => {
    expect(refused(over)).toBe(`snapshot not taken: ${code}`);
  });

  test("of one who is no anchor, for the first", () => {
    expect(refused({}, {}, person(7))).toBe("snapshot not taken: SNAPSHOT_VERIFICATION_FAILED");
  });

  test("of one who is not registered now", () => {
    const { archive } = made(new Map());
    const node = fresh(new Map([["http://shelf.net/file", archive]]));
    tell(node, archive, {});
    node.now += 700_000n;
    node.pass(SEARCH_EVERY_MS);
    expect(node.fetched).toEqual([]);
    tell(node, archive, {});
    node.pass(SEARCH_EVERY_MS);
    expect(checkpointOf(node)).toBe(Number(SLOT));
  });
});

describe("when it came, a file is refused whole", () => {
  const { archive, id } = made(new Map());
  const members = membersOf(archive) ?? new Map<string, Uint8Array>();
  const [state, statements] = [members.get(STATE) ?? new Uint8Array(0), members.get(STATEMENTS) ?? new Uint8Array(0)];
  const tar = (newState = state, newStatements = statements) =>
    tarOf([
      { name: STATE, bytes: newState },
      { name: STATEMENTS, bytes: newStatements },
    ]);
  const entry = (key: string, value = "v") => encodeEntry({ key: utf8(key), value: utf8(value) });
  const family = (name: string, ...bytes: Uint8Array[]) => ({ name, count: bytes.length, bytes });
  const flipped = (bytes: Uint8Array, at: number) => {
    const copy = bytes.slice();
    copy[at] = (copy[at] ?? 0) ^ 1;
    return copy;
  };

  const SIZE = { size_bytes: 12n };
  const ROOT = { state_root: new Uint8Array(32) };
  test.each([
    ["of another size", archive, SIZE, "not the announced size"],
    ["of another digest", archive, ROOT, "not the announced digest"],
    ["that is no archive", utf8("hello"), {}, "not an archive of state and statements"],
    ["without state", tarOf([{ name: STATEMENTS, bytes: statements }]), {}, "not an archive of state and statements"],
    ["without statements", tarOf([{ name: STATE, bytes: state }]), {}, "not an archive of state and statements"],
    ["whose state ends early", tar(state.subarray(0, state.length - 1)), {}, "an entry of state"],
    ["with a reserved family", tar(stateOf([family("snapshot_checkpoint", entry("local"))])), {}, "an entry of state"],
    ["with an unknown family", tar(stateOf([family("zebras")])), {}, "an entry of state"],
    ["with families out of order", tar(stateOf([family("sessions"), family("disputes")])), {}, "an entry of state"],
    ["with a family twice", tar(stateOf([family("sessions"), family("sessions")])), {}, "an entry of state"],
    ["with a record that is none", tar(stateOf([family("sessions", entry("a"))])), {}, "an entry of state"],
    ["with a block of another name", tar(stateOf([family("pinned_content", entry("a"))])), {}, "an entry of state"],
    [
      "with entries out of order",
      tar(stateOf([family("notification_dispatches", entry("b"), entry("a"))])),
      {},
      "an entry of state",
    ],
    [
      "with an entry twice",
      tar(stateOf([family("notification_dispatches", entry("a"), entry("a"))])),
      {},
      "an entry of state",
    ],
    ["whose statements end early", tar(state, statements.subarray(0, statements.length - 1)), {}, "a statement"],
    ["with another's signature", tar(state, flipped(statements, statements.length - 3)), {}, "a statement"],
    ["with an unknown event", tar(state, statementsOf({ count: 1, bytes: [entry("Zebra")] })), {}, "a statement"],
  ] as const)("%s", (_, forged, over, reason) => {
    const node = offered(forged, over);
    const roots = fresh(new Map());
    tell(roots, forged, over);
    expect(node.told()).toContain(`snapshot not taken: ${reason}`);
    expect(checkpointOf(node)).toBe(null);
    expect(node.roots()).toEqual(roots.roots());
  });

  test("and not when its entries are in order", () => {
    const node = offered(tar(stateOf([family("notification_dispatches", entry("a"), entry("b"))])));
    expect(checkpointOf(node)).toBe(Number(SLOT));
  });

  test("with every single byte of a statement changed", () => {
    for (let at = 1; at < Math.min(statements.length, 1_200); at += 29) {
      const node = offered(tar(state, flipped(statements, at)));
      expect([at, checkpointOf(node)]).toEqual([at, null]);
    }
  });

  test("but not for what the clock alone forbids: a statement of the future is left out", () => {
    const shelf: Shelf = new Map([["http://shelf.net/file", archive]]);
    const node = stage({ who: taker, now: T - 3_600_000n, shelf, told: taking });
    tell(node, archive);
    node.pass(SEARCH_EVERY_MS);
    expect([checkpointOf(node), node.call("getAdvertisements")]).toEqual([Number(SLOT), []]);
  });

  test("and an old one is what a file is for", () => {
    const shelf: Shelf = new Map([["http://shelf.net/file", archive]]);
    const node = stage({ who: taker, now: T + BigInt(60 * DAY), shelf, told: taking });
    tell(node, archive);
    node.pass(SEARCH_EVERY_MS);
    expect(node.call("getAdvertisement", { id: "ad-1" })).toMatchObject({ id: "ad-1" });
  });

  test("and what comes unasked changes nothing", () => {
    const node = fresh(new Map());
    const before = node.effects.length;
    const outcome = { ok: true, sizeBytes: archive.length, archive } as const;
    node.accept({ type: "snapshot.fetched", id, location: "http://shelf.net/file", outcome });
    expect([node.effects.length, checkpointOf(node)]).toEqual([before, null]);
  });
});

describe("the checkpoint", () => {
  const { archive } = made(new Map());
  const second = (node: StagedNode, over: Partial<SnapshotAnnounce>) => {
    tell(node, archive, { id: "second", ...over });
    node.pass(SEARCH_EVERY_MS);
    return node.fetched;
  };

  test("ends the search, until what others signed is older than H; then only a higher slot is taken", () => {
    const node = offered(archive);
    expect(second(node, { slot: SLOT + 1_000n })).toEqual(["file"]);
    node.now += BigInt(7 * DAY - 60_000);
    expect(second(node, { id: "third", slot: SLOT })).toEqual(["file"]);
    node.now += BigInt(7 * DAY - 60_000);
    expect(second(node, { id: "third", slot: SLOT })).toEqual(["file"]);
    node.now += BigInt(7 * DAY + 60_000);
    expect(second(node, { id: "fourth", slot: SLOT - 1n })).toEqual(["file", "second"]);
    expect(checkpointOf(node)).toBe(Number(SLOT + 1_000n));
    node.now += BigInt(8 * DAY);
    expect(second(node, { id: "fifth", slot: SLOT + 1_000n })).toEqual(["file", "second"]);
    expect(second(node, { id: "sixth", slot: SLOT + 1_001n })).toEqual(["file", "second", "sixth"]);
    expect(second(node, { id: "seventh", slot: SLOT + 9_000n })).toEqual(["file", "second", "sixth"]);
  });

  test("of a node that was down for longer than H lets it take another", () => {
    const node = offered(archive);
    node.now += BigInt(8 * DAY);
    const again = node.again();
    tell(again, archive, { id: "second", slot: SLOT + 100n });
    again.pass(SEARCH_EVERY_MS);
    expect(checkpointOf(again)).toBe(Number(SLOT + 100n));
  });

  test("is set in the step in which everything counts, and in no earlier one", () => {
    const node = fresh(new Map([["http://shelf.net/file", archive]]));
    tell(node, archive);
    const before = node.roots();
    node.accept({ type: "timer.fired", timer: "snapshot-bootstrap" });
    const ask = node.effects.findLast((effect) => effect.type === "snapshot.fetch");
    if (ask?.type !== "snapshot.fetch") throw new Error("nothing was asked for");
    const { id, location } = ask;
    const outcome = { ok: true, sizeBytes: archive.length, archive } as const;
    node.accept({ type: "snapshot.fetched", id, location, outcome });
    let steps = 0;
    while (node.view.size(Checkpoints) === 0) {
      expect(node.roots()).toEqual(before);
      node.accept({ type: "timer.fired", timer: "snapshot-page" });
      steps += 1;
    }
    expect(node.roots()).not.toEqual(before);
    expect(steps).toBe(3);
    expect([ENTRIES_PER_PAGE, STATEMENTS_PER_PAGE]).toEqual([1_024, 256]);
  });

  test("is not there after a loss in the middle, and nothing of the file; the search begins again", () => {
    const node = fresh(new Map([["http://shelf.net/file", archive]]));
    tell(node, archive);
    const before = node.roots();
    node.accept({ type: "timer.fired", timer: "snapshot-bootstrap" });
    const outcome = { ok: true, sizeBytes: archive.length, archive } as const;
    node.accept({ type: "snapshot.fetched", id: "file", location: "http://shelf.net/file", outcome });
    node.accept({ type: "timer.fired", timer: "snapshot-page" });
    const again = node.again();
    expect([checkpointOf(again), again.roots()]).toEqual([null, before]);
    again.pass(SEARCH_EVERY_MS);
    expect(checkpointOf(again)).toBe(Number(SLOT));
  });
});
