// Goal: the laws about links that are passed over, absences that end and those who arrive find where they are broken,
// and nothing else. Method: steps by hand. That they find bugs in the product, people-planted.test.ts and score show.
import { assert, test } from "vitest";
import type { Effect, Input } from "../../core/index.ts";
import { encodeCompact } from "../../core/index.ts";
import { eventKey, Frame, frameOf, GossipEvent, OFS_GOSSIP, Registration } from "../../core/testing.ts";
import type { MakeChecker, StepSeen } from "../../sim/checker.ts";
import { absencesEndByTwo } from "../../sim/checkers/absences-end-by-two.ts";
import { arrivalsLearnOfServices } from "../../sim/checkers/arrivals-learn-of-services.ts";
import { linksBeginNeeded } from "../../sim/checkers/links-begin-needed.ts";
import { alice, bob, carol, noView, step, watch } from "./checker-bench.ts";

const NOW = 1_800_000_000_000n;
const [peer, other, origin] = [alice.peer, bob.peer, carol.peer];

function seen(input: object, more: Partial<StepSeen> = {}): StepSeen {
  return { ...step(0, { now: NOW, ...input } as unknown as Partial<Input>, "00x", "00x"), ...more };
}

function found(make: MakeChecker, steps: readonly StepSeen[], profile = {}) {
  const { checker, found } = watch(make, profile);
  for (const one of steps) checker.onStep?.(one);
  return found;
}

test("a link that begins is passed over for nobody, nor one whose peer lacked something", () => {
  const event: GossipEvent = {
    ...{ id: new Uint8Array(32).fill(7), event_type: "SomethingNew", ofs_spec: 9, version: 1, origin, ttl: 8 },
    ...{ timestamp: NOW as never, priority: "BackgroundSync", payload: new Uint8Array(3), signature: "1" as never },
  };
  const frame = frameOf(OFS_GOSSIP, "GossipPush", encodeCompact(GossipEvent, event), NOW as never);
  const push = { type: "message.send", to: peer, request: 1n, bytes: encodeCompact(Frame, frame) } as unknown as Effect;
  const lazyFor = (...origins: readonly string[]): StepSeen["view"] => ({
    ...noView,
    get: ({ name }, key) =>
      (name === "events" && key === eventKey(event) ? { event, statement: "s" } : undefined) as never,
    find: ({ name }, _, value) => (name === "broadcast_trees" && value === peer ? origins : []),
  });
  const begins = (view: StepSeen["view"], effects: readonly Effect[] = []) =>
    found(linksBeginNeeded, [seen({ type: "peer.connected", peer }, { view, effects })]);
  const anew = [`node 0 is connected to ${peer} anew and passes the link over`];
  assert.deepEqual(begins(lazyFor(origin)), anew);
  assert.deepEqual(begins(lazyFor()), []);
  assert.deepEqual(begins(lazyFor(origin), [{ type: "peer.disconnect", peer }]), []);
  const lacks = (from: string, view: StepSeen["view"], profile = {}) =>
    found(linksBeginNeeded, [seen({ type: "message.answered", from, request: 3 }, { view, effects: [push] })], profile);
  const over = [`node 0 goes on passing ${peer} over, who lacked what ${origin} put on the wire`];
  assert.deepEqual(lacks(peer, lazyFor(origin)), over);
  assert.deepEqual(lacks(peer, lazyFor(other)), []);
  assert.deepEqual(lacks(other, lazyFor(origin)), []);
  assert.deepEqual(lacks(peer, lazyFor(origin), { parity: true }), []);
});

test("an absence ends with a second peer, or with a file", () => {
  const notes = (away: boolean, peers: readonly string[], input: object) => {
    const change = { table: "attendance", key: "own", record: { whole_at: NOW, away, peers } };
    return seen(input, { changes: [change] as unknown as StepSeen["changes"] });
  };
  const answered = (from: string) => ({ type: "message.answered", from, request: 1 });
  const first = notes(true, [peer], answered(peer));
  const wrong = (from: string) => [`node 0 ends its absence with ${from}, and compared with nobody else`];
  assert.deepEqual(found(absencesEndByTwo, [first, notes(false, [], answered(other))]), []);
  assert.deepEqual(found(absencesEndByTwo, [first, notes(false, [], answered(peer))]), wrong(peer));
  assert.deepEqual(
    found(absencesEndByTwo, [notes(true, [], { type: "started" }), notes(false, [], answered(peer))]),
    wrong(peer),
  );
  assert.deepEqual(found(absencesEndByTwo, [first, notes(false, [], { type: "timer.fired" })]), []);
  assert.deepEqual(
    found(absencesEndByTwo, [first, seen({ type: "store.loaded" }), notes(false, [], answered(peer))]),
    [],
  );
});

test("who arrives hears of services: at once, or within two seconds", () => {
  const record = { type: Registration, timestamp: NOW - 60_000n };
  const registers = {
    changes: [{ table: "statements", key: "r", record }],
  } as unknown as Pick<StepSeen, "changes">;
  const beats = seen({ type: "timer.fired", timer: "heartbeat" }, registers);
  const comes = (more: Partial<StepSeen> = {}) => seen({ type: "peer.connected", peer }, more);
  const due = (ms: bigint) => comes({ effects: [{ type: "timer.set", timer: "heartbeat", at: (NOW + ms) as never }] });
  const wrong = [`node 0 does not register its services again though ${peer} is new`];
  const run = (...steps: readonly StepSeen[]) => found(arrivalsLearnOfServices, steps);
  assert.deepEqual(run(beats, comes()), wrong);
  assert.deepEqual(run(comes()), []);
  assert.deepEqual(run(beats, comes(registers)), []);
  assert.deepEqual(run(beats, due(2_000n)), []);
  assert.deepEqual(run(beats, due(2_001n)), wrong);
  // A clock that went back: what is dated before the last registration would not be newer.
  const ahead = {
    changes: [{ table: "statements", key: "r", record: { type: Registration, timestamp: NOW + 9_000n } }],
  };
  const beatsAhead = seen({ type: "timer.fired", timer: "heartbeat" }, ahead as unknown as typeof registers);
  assert.deepEqual(run(beatsAhead, due(11_000n)), []);
  assert.deepEqual(run(beatsAhead, due(11_001n)), wrong);
  // A file that is announced has its place registered before, by a step of its own; others' registrations come as well.
  const fileMade = (signer?: string) => {
    const record = { type: Registration, signer, timestamp: NOW + 9_000n };
    const changes = [{ table: "statements", key: "r", record }] as unknown as StepSeen["changes"];
    return seen({ type: "snapshot.written" }, { changes });
  };
  assert.deepEqual(run(beats, fileMade(), due(11_000n)), []);
  assert.deepEqual(run(beats, fileMade(), due(11_001n)), wrong);
  assert.deepEqual(run(beats, fileMade(bob.peer), due(11_000n)), wrong);
  assert.deepEqual(run(beats, comes({ effects: [{ type: "peer.disconnect", peer }] })), []);
  assert.deepEqual(run(beats, due(1n), comes()), []);
  assert.deepEqual(run(beats, due(1n), seen({ type: "peer.disconnected", peer }), comes()), wrong);
  assert.deepEqual(run(beats, seen({ type: "store.loaded" }), comes()), []);
});
