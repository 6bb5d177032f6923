/**
 * Goal: a node makes a file every interval, once a slot was ever observed and never before; of the slot it observed and
 * no other; announced when it is safe; and `state` is what the protocol says (protocol 05 §6.4, §6.5, §6.6, §15.9).
 * Method: one node whose orders are obeyed, step by step; restarts; failures of the disk.
 */
import { describe, expect, test } from "vitest";
import { newestSlot } from "../../core/domains/chain-bridge/newest-slot.ts";
import { OraclePublish } from "../../core/domains/oracles/schema.ts";
import { Registration } from "../../core/domains/providers/schema.ts";
import { encodeEntry, nextEntry, openState, openStatements, stateOf } from "../../core/domains/snapshots/contents.ts";
import { families } from "../../core/domains/snapshots/families.ts";
import { PAGE_RECORDS } from "../../core/domains/snapshots/produce.ts";
import { membersOf } from "../../core/domains/snapshots/tar.ts";
import { Statements } from "../../core/engine/statements/table.ts";
import { devnetNetwork } from "../../core/index.ts";
import { publication, registration, SNAPSHOT_SERVICE, T } from "../oracles/market.ts";
import { crypto, gossipOnly, person } from "../rpc/lone-node.ts";
import { trade } from "../rpc/node-with-settlement.ts";
import { announceSlot } from "./slots.ts";
import type { Shelf, StagedNode } from "./stage.ts";
import { baseOf, EVERY_MS, producer, SLOT, snapshotting, stage } from "./stage.ts";

function making(told = {}): StagedNode {
  return stage({ who: producer, now: T, shelf: new Map() as Shelf, told: { ...snapshotting(producer), ...told } });
}

interface Announced {
  readonly id: string;
  readonly slot: number;
  readonly created_at: number;
  readonly size_bytes: number;
  readonly state_root: readonly number[];
  readonly locations: readonly string[];
}
const announced = (node: StagedNode) => node.call("getSnapshots") as readonly Announced[];

describe("a node makes a file", () => {
  test("one whole interval after its start, and then every interval", () => {
    const node = making();
    node.observe(SLOT);
    node.pass(EVERY_MS - 1);
    expect(node.written).toEqual([]);
    node.pass(1);
    expect(node.written).toEqual([`snap-${SLOT}-${T + BigInt(EVERY_MS)}`]);
    node.pass(3 * EVERY_MS);
    expect(node.written).toHaveLength(4);
    expect(node.call("getCheckpointSlot")).toBe(null);
  });

  test("never without a slot, however long; as soon as one was heard, of that one, however old", () => {
    const node = making();
    node.pass(10 * EVERY_MS);
    expect([node.written, announced(node)]).toEqual([[], []]);
    expect(node.told().filter((line) => line === "no snapshot: no slot was ever observed")).toHaveLength(10);
    announceSlot(node, person(50), SLOT);
    node.pass(2 * 3_600_000);
    expect(new Set(announced(node).map(({ slot }) => slot))).toEqual(new Set([Number(SLOT)]));
    expect(node.written.length).toBeGreaterThan(100);
  });

  test("of the slot that it held before a restart", () => {
    const before = making();
    announceSlot(before, person(50), SLOT);
    const after = before.again();
    after.pass(EVERY_MS);
    expect(after.written).toEqual([`snap-${SLOT}-${T + BigInt(EVERY_MS)}`]);
    expect(newestSlot(after.view)?.slot).toBe(SLOT);
  });

  test("not where nobody could fetch it, and not when told so", () => {
    for (const told of [
      { listing: {} },
      { snapshots: { anchors: [] } },
      { listing: { snapshotUrls: ["http://a.test"] } },
    ]) {
      const node = making(told);
      node.observe(SLOT);
      node.pass(3 * EVERY_MS);
      expect([node.written, announced(node)]).toEqual([[], []]);
    }
  });

  test("and announces it once it is safe: its size, its digest, where it is, itself registered", () => {
    const shelf: Shelf = new Map();
    const node = stage({ who: producer, now: T, shelf, told: snapshotting(producer) });
    node.observe(SLOT);
    node.pass(EVERY_MS);
    const [made] = announced(node);
    const archive = shelf.get(made?.locations[0] ?? "");
    const state = membersOf(archive ?? new Uint8Array(0))?.get("state") ?? new Uint8Array(0);
    expect(made?.locations).toEqual([`${baseOf(producer)}/snapshot/${made?.id}`]);
    expect(made?.state_root).toEqual([...crypto.sha256(state)]);
    expect([made?.size_bytes, made?.created_at]).toEqual([archive?.length, Number(T) + EVERY_MS]);
    const events = node.effects.map((effect) => effect.type);
    expect(events.indexOf("snapshot.write")).toBeGreaterThan(0);
  });

  test("and says nothing of one that could not be written", () => {
    const node = making();
    node.observe(SLOT);
    node.now += BigInt(EVERY_MS);
    node.accept({ type: "timer.fired", timer: "snapshot-production" });
    node.accept({ type: "timer.fired", timer: "snapshot-page" });
    const id = `snap-${SLOT}-${node.now}`;
    expect(node.effects.some((effect) => effect.type === "snapshot.write" && effect.id === id)).toBe(true);
    const outcome = { ok: false, code: "DATABASE_ERROR", reason: "the disk is full" } as const;
    node.accept({ type: "snapshot.written", id: "another", outcome: { ok: true, sizeBytes: 9 } });
    node.accept({ type: "snapshot.written", id, outcome });
    node.accept({ type: "snapshot.written", id, outcome: { ok: true, sizeBytes: 9 } });
    expect(announced(node)).toEqual([]);
  });
});

describe("a file holds", () => {
  test("nineteen families in order, and every signed statement in order", () => {
    const shelf: Shelf = new Map();
    const now = 1_786_000_000_000n;
    const node = stage({ who: producer, now, shelf, told: snapshotting(producer) });
    trade(node);
    node.now = now + 400_000n;
    node.observe(SLOT);
    node.pass(EVERY_MS);
    const members = membersOf([...shelf.values()].at(-1) ?? new Uint8Array(0));
    const [state, statements] = [members?.get("state"), members?.get("statements")];
    const keys = keysOf(state ?? new Uint8Array(0));
    expect([...keys.keys()]).toEqual(families.map(({ name }) => name));
    expect(keys.get("advertisements")).toEqual(["ad-1"]);
    expect(keys.get("reservations")).toEqual(["4711001"]);
    expect(keys.get("settlements")).toEqual(["set-1"]);
    expect(keys.get("registry_services")).toEqual([`snapshot-${producer.key}`]);
    expect(openStatements(statements ?? new Uint8Array(0))?.left).toBe(node.view.size(Statements) - 1);
  });

  test("the published state, when a node holds what it says (§15.9)", () => {
    const first = person(1);
    const node = making({ listing: {} });
    node.gossip(
      Registration,
      registration(first, { service_id: "svc-1", supported_ofs: [1500, 7000], capabilities: ["USDC/KES"] }),
      first,
    );
    node.gossip(OraclePublish, publication(first, { id: "usdc-kes-1" }), first);
    const at = { now: T, configuration: gossipOnly(devnetNetwork) };
    const state = stateOf(
      families.map(({ name, names, entries }) => {
        const bytes = names(node.view, at).flatMap((each) => entries(node.view, each, at).map(encodeEntry));
        return { name, count: bytes.length, bytes };
      }),
    );
    expect([state.length, Buffer.from(crypto.sha256(state)).toString("hex")]).toEqual([
      572,
      "6b5dae332ca1822df32cf26656975e954bebb29063a29abaf771610a1009a46c",
    ]);
  });

  test("as many records as there are, over as many pages as it takes; no step encodes more than a page", () => {
    const node = making();
    node.observe(SLOT);
    const services = PAGE_RECORDS + 500;
    for (let n = 0; n < services; n++) {
      const by = person(60 + (n % 40));
      node.gossip(Registration, registration(by, { ...SNAPSHOT_SERVICE, service_id: `svc-${n}` }), by);
    }
    node.now += BigInt(EVERY_MS);
    node.accept({ type: "timer.fired", timer: "snapshot-production" });
    let pages = 0;
    while (!node.effects.some(({ type }) => type === "snapshot.write")) {
      node.accept({ type: "timer.fired", timer: "snapshot-page" });
      pages += 1;
    }
    expect(pages).toBe(Math.ceil((2 * services) / PAGE_RECORDS));
    const write = node.effects.find((effect) => effect.type === "snapshot.write");
    const state = write?.type === "snapshot.write" ? membersOf(write.archive)?.get("state") : undefined;
    expect(keysOf(state ?? new Uint8Array(0)).get("registry_services")).toHaveLength(services + 1);
  });
});

/** Keys by family, as texts. */
function keysOf(state: Uint8Array): ReadonlyMap<string, readonly string[]> {
  const keys = new Map<string, string[]>();
  let cursor = openState(state);
  while (cursor !== undefined) {
    const next = nextEntry(state, cursor);
    if (next === undefined || next === "done") return next === "done" ? keys : new Map();
    if (next.entry === undefined) keys.set(next.cursor.family, []);
    else keys.get(next.cursor.family)?.push(new TextDecoder().decode(next.entry.key));
    cursor = next.cursor;
  }
  return keys;
}
