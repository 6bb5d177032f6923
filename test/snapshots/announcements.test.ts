/**
 * Goal: which announcements are held and shown: a producer's four newest, of registered producers, of slots that the
 * chain can have reached; the latest is the highest slot; the same at every ingress and in every order (protocol 05
 * §6.3, §6.9, §6.13, §6.14, §14.5, §14.23, §14.24).
 * Method: one node behind its ingresses; every permutation of small sets through the whole engine.
 */
import { assert, describe, expect, test } from "vitest";
import { Registration, Withdrawal } from "../../core/domains/providers/schema.ts";
import { Location, SnapshotAnnounce } from "../../core/domains/snapshots/schema.ts";
import { CHECKPOINT, Checkpoints, Snapshots } from "../../core/domains/snapshots/tables.ts";
import { Statements } from "../../core/engine/statements/table.ts";
import { compactReader, compactWriter } from "../../core/kernel/compact.ts";
import { decodeJson } from "../../core/kernel/schema.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { actor, sign } from "../convergence/actors.ts";
import { openReplica, received, replicaOf, rootsOf } from "../convergence/replica.ts";
import { permutations } from "../convergence/shuffle.ts";
import { announcement, BLOCKHASH, plus, registration, SNAPSHOT_SERVICE, T, withdrawal } from "../oracles/market.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { loneNode, parityNode, person, signedData } from "../rpc/lone-node.ts";

const [ann, ben] = [person(1), person(2)];
const SLOT = 412_000_000n;

function producing(node: LoneNode = loneNode(T)): LoneNode {
  for (const by of [ann, ben]) node.gossip(Registration, registration(by, SNAPSHOT_SERVICE), by);
  return node;
}

function announce(node: LoneNode, over: Partial<SnapshotAnnounce> = {}, by: Person = ann): unknown {
  return node.call("sendSnapshotAnnounce", { data: signedData(SnapshotAnnounce, announcement(by, over), by) });
}

function ids(node: LoneNode): readonly string[] {
  return (node.call("getSnapshots") as readonly { readonly id: string }[]).map(({ id }) => id);
}

function latest(node: LoneNode): string | undefined {
  return (node.call("getLatestSnapshot") as { readonly id: string } | null)?.id;
}

function observe(node: LoneNode, slot: bigint): void {
  node.accept({ type: "chain.observed", observation: { type: "slot", slot, blockhash: BLOCKHASH } });
}

describe("announcements", () => {
  test("are listed by id; the latest is of the highest slot, then of the greatest id", () => {
    const node = producing();
    expect([latest(node), ids(node), node.call("getCheckpointSlot")]).toEqual([undefined, [], null]);
    announce(node, { id: "b", slot: 5n });
    announce(node, { id: "a", slot: 6n });
    announce(node, { id: "c", slot: 6n }, ben);
    announce(node, { id: "d", slot: 4n }, ben);
    expect([latest(node), ids(node)]).toEqual(["c", ["a", "b", "c", "d"]]);
    expect(node.call("getSnapshot", { id: "b" })).toMatchObject({ slot: 5, producer: ann.peer });
  });

  test("of one producer are the four newest by slot and date; an older one is refused, and a peer's is not kept", () => {
    const node = producing();
    for (const slot of [1n, 2n, 3n, 4n, 5n]) expect(announce(node, { id: `s${slot}`, slot })).toBe(`s${slot}`);
    expect(ids(node)).toEqual(["s2", "s3", "s4", "s5"]);
    expect(announce(node, { id: "s1", slot: 1n })).toBe(2);
    const before = node.roots();
    node.gossip(SnapshotAnnounce, announcement(ann, { id: "s1", slot: 1n }), ann);
    expect(node.roots()).toEqual(before);
    expect(ids(node.restart())).toEqual(["s2", "s3", "s4", "s5"]);
    expect(announce(node, { id: "s2b", slot: 2n, created_at: plus(1) })).toBe("s2b");
    expect(ids(node)).toEqual(["s2b", "s3", "s4", "s5"]);
  });

  test("of a producer that withdrew are not shown, and return with it; of one that lapsed they stay", () => {
    const node = producing();
    announce(node);
    node.now = T + 700_000n;
    expect(ids(node)).toEqual(["snap-1"]);
    expect(announce(node, { id: "snap-2", created_at: plus(700_000) })).toBe(2);
    node.gossip(Withdrawal, withdrawal(ann, plus(700_000)), ann);
    expect([ids(node), latest(node), node.call("getSnapshot", { id: "snap-1" })]).toEqual([[], undefined, null]);
    node.gossip(Registration, registration(ann, { ...SNAPSHOT_SERVICE, timestamp: plus(700_001) }), ann);
    expect(ids(node)).toEqual(["snap-1"]);
    const oracle = { ...announcement(ann), service_type: { MarketData: "FxOracle" } } as const;
    node.gossip(Registration, registration(ann, { service_type: oracle.service_type, timestamp: plus(700_002) }), ann);
    expect(ids(node)).toEqual([]);
  });

  test("of one id by two producers: the smaller (date, identity) is shown; a hidden one blocks nobody", () => {
    const node = producing();
    announce(node, { created_at: plus(2) });
    expect(announce(node, { created_at: plus(1) }, ben)).toBe(7);
    node.gossip(SnapshotAnnounce, announcement(ben, { created_at: plus(1) }), ben);
    expect(node.call("getSnapshot", { id: "snap-1" })).toMatchObject({ producer: ben.peer });
    const squatted = loneNode(T);
    squatted.gossip(Registration, registration(ann, SNAPSHOT_SERVICE), ann);
    squatted.gossip(SnapshotAnnounce, announcement(ben), ben);
    expect(announce(squatted)).toBe("snap-1");
  });

  test("before the registration of its producer is kept, and shown once that is known", () => {
    const node = loneNode(T);
    node.gossip(SnapshotAnnounce, announcement(ann), ann);
    expect(ids(node)).toEqual([]);
    expect(ids(producing(node))).toEqual(["snap-1"]);
  });
});

describe("a slot", () => {
  test("may be as far ahead as the chain can have come, and not one further; neither kept nor passed on", () => {
    const node = producing();
    observe(node, SLOT);
    node.now = T + 4_001n;
    const most = SLOT + 11n + 1_500n;
    expect(announce(node, { id: "far", slot: most + 1n })).toBe(1005);
    const before = node.roots();
    node.gossip(SnapshotAnnounce, announcement(ann, { id: "far", slot: most + 1n }), ann);
    expect(node.roots()).toEqual(before);
    expect(announce(node, { id: "near", slot: most })).toBe("near");
  });

  test("is bounded by the newest one held, however old", () => {
    const node = producing();
    observe(node, SLOT);
    node.now = T + 400_000n;
    expect(announce(node, { id: "far", slot: SLOT + 1_000n + 1_501n })).toBe(1005);
    expect(announce(node, { id: "near", slot: SLOT + 1_000n + 1_500n })).toBe("near");
  });

  test("that no chain can have reached since 1970 is refused by everybody", () => {
    expect(announce(producing(), { slot: T / 400n })).toBe("snap-1");
    expect(announce(producing(), { slot: T / 400n + 1n })).toBe(1005);
  });

  test("short of that cannot be judged by a node without one, which forgets it when it learns better", () => {
    const node = producing();
    expect(announce(node, { slot: 4_000_000_000n })).toBe("snap-1");
    expect(latest(node)).toBe("snap-1");
    announce(node, { id: "true", slot: SLOT }, ben);
    observe(node, SLOT);
    expect([latest(node), ids(node)]).toEqual(["true", ["true"]]);
    // Not only hidden: whoever knew better never held it, and all must come to hold the same.
    expect(node.view.size(Snapshots)).toBe(1);
    expect(ids(node.restart())).toEqual(["true"]);
  });

  test("is not judged under the reference's rules", () => {
    const node = producing(parityNode(T));
    observe(node, SLOT);
    expect(announce(node, { id: "far and wide", slot: SLOT * 2n })).toBe("far and wide");
    expect(latest(node)).toBe("far and wide");
  });
});

describe("a location", () => {
  const takes = (location: string) => decodeJson(Location, location).ok;
  test.each(["http://a", "https://a.example/b?c#d", "http://[::1]:80/", `http://a/${"x".repeat(2_039)}`])(
    "%.40s is one",
    (location) => expect(takes(location)).toBe(true),
  );
  test.each([
    "",
    "file:///etc/shadow",
    "HTTP://a",
    "http://",
    "http:///a",
    "http://?a",
    "http://u@a",
    "http://a b",
    "http://a/é",
    "http://a/\u007f",
    "http://a/\n",
    `http://a/${"x".repeat(2_040)}`,
  ])("%.40j is none", (location) => expect(takes(location)).toBe(false));
  test("may hold an @ behind its authority", () => expect(takes("http://a/@b")).toBe(true));
});

test("the checkpoint is eight bytes, the least significant first, and this node's own", () => {
  const writer = compactWriter();
  Checkpoints.record.encode(SLOT, writer);
  expect(Buffer.from(writer.finish()).toString("hex")).toBe("009f8e1800000000");
  const reader = compactReader(Buffer.from("009f8e1800000000", "hex"));
  expect(Checkpoints.record.read(reader, new Map())).toBe(SLOT);
  expect([Checkpoints.root, Checkpoints.durable]).toEqual(["local", true]);
  const node = loneNode(T);
  const before = node.roots();
  const row = { table: Checkpoints.name, key: CHECKPOINT, bytes: Buffer.from("009f8e1800000000", "hex") };
  node.accept({ type: "store.loaded", rows: [row], last: true });
  expect(node.call("getCheckpointSlot")).toBe(Number(SLOT));
  expect(node.roots()).toEqual(before);
});

test("every order of more announcements than are held keeps the same ones", () => {
  const [one, two] = [actor("one"), actor("two")];
  const own = [1n, 2n, 3n, 4n].map((slot) => sign(SnapshotAnnounce, announcement(one, { id: `s${slot}`, slot })));
  const again = sign(SnapshotAnnounce, announcement(one, { id: "s1", slot: 1n, created_at: plus(1) }));
  const highest = sign(SnapshotAnnounce, announcement(one, { id: "s9", slot: 9n, created_at: plus(-9) }));
  const other = sign(SnapshotAnnounce, announcement(two, { id: "s9", slot: 1n }));
  const statements: readonly Statement[] = [...own, again, highest, other];
  const whole = replicaOf(received(...statements));
  const kept = new Set([...own.slice(1), highest, other].map(({ identity }) => identity as string));
  assert.deepEqual(new Set(whole.store().keys(Statements)), kept);
  assert.deepEqual(new Set(whole.store().keys(Snapshots)), kept);
  for (const order of permutations(statements)) {
    const replica = openReplica();
    for (const [place, each] of order.entries()) {
      replica.receive(received(each));
      if (place === 4) replica.restart();
    }
    assert.equal(rootsOf(replica), rootsOf(whole));
  }
});
