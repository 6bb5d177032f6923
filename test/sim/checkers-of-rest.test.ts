// Goal: the laws about what a node remembers find a range that is looked into again, a refusal that lost its ground or
// goes too soon, a wrong sum of space, a timer that never rests and a reading that counts twice, and nothing else.
// Method: steps by hand. That each also finds a bug in the product, nodes-planted.test.ts and score show.
import { assert, describe, test } from "vitest";
import type { Effect } from "../../core/index.ts";
import { encodeCompact } from "../../core/index.ts";
import {
  Events,
  FetchRequest,
  Looks,
  Pending,
  Refusals,
  Seals,
  SetRequest,
  SetResponse,
  Spaces,
  Statements,
} from "../../core/testing.ts";
import type { StepSeen } from "../../sim/checker.ts";
import { carriersStay } from "../../sim/checkers/carriers-stay.ts";
import { factsAreWeighed } from "../../sim/checkers/facts-are-weighed.ts";
import { rangesRest } from "../../sim/checkers/ranges-rest.ts";
import { refusalsAreLifted } from "../../sim/checkers/refusals-are-lifted.ts";
import { refusalsStay } from "../../sim/checkers/refusals-stay.ts";
import { spaceIsCounted } from "../../sim/checkers/space-is-counted.ts";
import { timersRest } from "../../sim/checkers/timers-rest.ts";
import { watch } from "./checker-bench.ts";
import type { Rows } from "./frame-bench.ts";
import { DAY_MS, frame, from, hex, id, memory, NOW, seen } from "./frame-bench.ts";

describe("ranges rest", () => {
  const digest = (byte: number) => new Uint8Array(16).fill(byte);
  const asks = (request: number, own: number, ...prefixes: string[]) => {
    const ranges = prefixes.map((prefix) => ({ prefix, digest: digest(own) }));
    const bytes = frame("GossipSetRequest", encodeCompact(SetRequest, { profile: id(1), ranges }));
    return { type: "message.send", to: from, request, bytes } as unknown as Effect;
  };
  const tells = (request: number, ...contents: object[]) => ({
    ...{ type: "message.answered", from, request },
    bytes: frame("GossipSetResponse", encodeCompact(SetResponse, { contents } as never)),
  });
  const branches = (theirs: number) => ({
    ...{ prefix: "", identities: [] },
    branches: Array.from({ length: 16 }, (_, digit) => digest(digit === 1 ? theirs : 0)),
  });
  const lists = (...firsts: number[]) => ({ prefix: "1", branches: [], identities: firsts.map((first) => id(first)) });
  const refused = { [Refusals.name]: { [hex(0x12)]: { lifted: false, until: NOW + 99n * DAY_MS } } };

  /** What is found when a range is looked into twice, the second time after something. */
  function twice(between: readonly StepSeen[] = [], second = { own: 1, theirs: 2, now: NOW }, rows: Rows = refused) {
    const { checker, found } = watch(rangesRest);
    const compare = ({ own, theirs, now }: typeof second, request: number) => {
      checker.onStep?.(seen({ type: "timer.fired" }, { effects: [asks(request, 9, "")] }));
      checker.onStep?.(seen(tells(request, branches(theirs)), { effects: [asks(request + 1, own, "1")] }));
      checker.onStep?.(seen({ ...tells(request + 1, lists(0x12)), now }, { view: memory(rows) }));
    };
    compare({ own: 1, theirs: 2, now: NOW }, 1);
    for (const one of between) checker.onStep?.(one);
    compare(second, 3);
    return found;
  }
  const wrong = [`node 0 looks into "1" with ${from} again, where nothing has changed`];
  const changed = (name: string, key: string) =>
    seen({ type: "timer.fired" }, { changes: [{ table: name, key, record: undefined }] });

  test("finds one that is looked into again though neither side has changed, within ten minutes", () => {
    assert.deepEqual(twice(), wrong);
    assert.deepEqual(twice([], { own: 3, theirs: 2, now: NOW }), []);
    assert.deepEqual(twice([], { own: 1, theirs: 3, now: NOW }), []);
    assert.deepEqual(twice([], { own: 1, theirs: 2, now: NOW + 599_999n }), wrong);
    assert.deepEqual(twice([], { own: 1, theirs: 2, now: NOW + 600_000n }), []);
  });

  test("takes none for at rest in which something is left, here or there", () => {
    assert.deepEqual(twice([], undefined, {}), []);
    assert.deepEqual(twice([], undefined, { ...refused, [Statements.name]: { [hex(0x13)]: {} } }), []);
  });

  test("wakes those of a peer that connects, and where a refusal changes", () => {
    assert.deepEqual(twice([seen({ type: "peer.connected", peer: from })]), []);
    assert.deepEqual(twice([changed(Refusals.name, hex(0x12))]), []);
    assert.deepEqual(twice([changed(Refusals.name, hex(0x22))]), wrong);
    assert.deepEqual(twice([changed(Statements.name, hex(0x12))]), wrong);
  });
});

describe("ranges that are fetched whole", () => {
  const fetches = () => {
    const payload = encodeCompact(FetchRequest, { identities: [], prefixes: ["1"] });
    return { type: "message.send", to: from, request: 7, bytes: frame("GossipFetchRequest", payload) } as never;
  };
  const told = (theirs: number | readonly number[], now = NOW, prefix = "") => {
    const contents = [theirs].flat().map((digest) => ({
      ...{ prefix: "", identities: [] },
      branches: Array.from({ length: 16 }, () => new Uint8Array(16).fill(digest)),
    }));
    const bytes = frame("GossipSetResponse", encodeCompact(SetResponse, { contents }));
    const ranges = [{ prefix, digest: new Uint8Array(16) }];
    const asked = frame("GossipSetRequest", encodeCompact(SetRequest, { profile: id(1), ranges }));
    const sent = { type: "message.send", to: from, request: 1, bytes: asked } as never;
    return [
      seen({ type: "timer.fired", now }, { effects: [sent] }),
      seen({ type: "message.answered", from, request: 1, bytes, now }, { effects: [fetches()] }),
    ];
  };
  function found(...steps: readonly StepSeen[]) {
    const { checker, found: all } = watch(rangesRest);
    for (const one of steps) checker.onStep?.(one);
    return all;
  }
  const change = (name: string, key: string) =>
    seen({ type: "timer.fired" }, { changes: [{ table: name, key, record: undefined }] });

  const wrong = [`node 0 fetches all of "1" from ${from} again, where nothing has changed`];

  test("are new where a peer tells what he was not asked for, and what he tells first counts", () => {
    assert.deepEqual(found(...told(2), ...told(3, NOW, "7")), []);
    assert.deepEqual(found(...told(2), ...told(2, NOW, "7")), wrong);
    assert.deepEqual(found(...told(2), ...told([2, 3])), wrong);
    assert.deepEqual(found(...told(2), ...told([3, 2])), []);
  });

  test("are so once, until one side changes, somebody connects, or ten minutes are over", () => {
    assert.deepEqual(found(...told(2), ...told(2)), wrong);
    assert.deepEqual(found(...told(2), ...told(3)), []);
    assert.deepEqual(found(...told(2), ...told(2, NOW + 600_000n)), []);
    assert.deepEqual(found(...told(2), seen({ type: "peer.connected", peer: from }), ...told(2)), []);
    for (const { name } of [Statements, Pending, Seals, Refusals]) {
      assert.deepEqual(found(...told(2), change(name, hex(0x12)), ...told(2)), []);
      assert.deepEqual(found(...told(2), change(name, hex(0x22)), ...told(2)), wrong);
    }
  });
});

describe("refusals are lifted", () => {
  const statement = (more = {}) => ({
    type: { name: "x", creates: "advertisement", idOf: () => "a", about: () => ({ kind: "offer", name: "b" }) },
    ...{ payload: {}, idForm: "plain", name: "", bare: "s", tagged: null, ...more },
  });
  function found(
    indexed: Readonly<Record<string, readonly string[]>>,
    rows: Rows = {},
    table = "statements",
    more = {},
  ) {
    const { checker, found: all } = watch(refusalsAreLifted);
    const changes = [{ table, key: "k", record: statement(more) }];
    const view = memory({ [Refusals.name]: { other: {} }, ...rows }, indexed);
    checker.onStep?.(seen({ type: "message.answered" }, { changes, view }));
    return all;
  }

  test("finds one of what is held", () => {
    const held = { [Refusals.name]: { k: {} } };
    assert.deepEqual(found({}, held), ["node 0 holds k and remembers that it refused it"]);
    assert.deepEqual(found({}), []);
  });

  test("finds one for want of space that ends later than ten minutes from now", () => {
    const kept = (space: boolean, until: bigint) => {
      const { checker, found: all } = watch(refusalsAreLifted);
      const changes = [{ table: Refusals.name, key: "k", record: undefined }];
      const view = memory({ [Refusals.name]: { k: { space, until } } }, {});
      checker.onStep?.(seen({ type: "message.answered", now: 1_000n } as never, { changes, view }));
      return all;
    };
    assert.deepEqual([...kept(true, 601_000n), ...kept(false, 601_001n)], []);
    const told = "node 0 refuses k for want of space until 601001, and it is 1000";
    assert.deepEqual(kept(true, 601_001n), [told]);
  });

  test("finds one of what is about a record that comes, and of what creates a record that is spoken of", () => {
    const wrong = ["node 0 takes k and goes on refusing other, which may rest on it"];
    const [child, parent] = [{ "about advertisement/a": ["other"] }, { "creates offer/b": ["other"] }];
    assert.deepEqual(found(child), wrong);
    assert.deepEqual(found(parent), wrong);
    // What waits creates nothing yet, and a second signature changes nothing.
    assert.deepEqual(found(child, {}, "pending"), []);
    assert.deepEqual(found(parent, {}, "pending"), wrong);
    assert.deepEqual(found(child, {}, "statements", { tagged: "t" }), []);
  });
});

describe("space is counted", () => {
  const row = (signer: string) => ({ signer });
  /** A memory whose records all take three bytes. */
  const view = (rows: Rows) => ({
    ...memory(rows),
    sharing: { of: () => new Uint8Array(3) } as never,
  });
  const change = (name: string, key: string) => ({ table: name, key, record: undefined });

  test("finds a sum that is not what is held, when a node begins and when something comes or goes", () => {
    const { checker, found } = watch(spaceIsCounted);
    const first = { s1: row("a") };
    const begin = (sums: Rows[string]) =>
      checker.onStep?.(
        seen({ type: "started" }, { view: view({ [Statements.name]: first, [Spaces.name]: sums }) as never }),
      );
    begin({ all: 3, a: 3 });
    assert.deepEqual(found, []);
    const waits = { [Statements.name]: first, [Pending.name]: { p: row("b") } };
    const comes = (sums: Rows[string]) =>
      checker.onStep?.(
        seen(
          { type: "message.received" },
          { changes: [change(Pending.name, "p")], view: view({ ...waits, [Spaces.name]: sums }) as never },
        ),
      );
    comes({ all: 3, a: 3, "waiting/all": 3, "waiting/b": 3 });
    assert.deepEqual(found, []);
    comes({ all: 3, a: 3, "waiting/all": 3 });
    assert.deepEqual(found, ["node 0 counts 0 bytes of waiting/b, and holds 3"]);
    const sealed = view({ ...waits, [Seals.name]: { s1: {} }, [Spaces.name]: { "waiting/all": 3, all: 3 } });
    checker.onStep?.(seen({ type: "timer.fired" }, { changes: [change(Seals.name, "s1")], view: sealed as never }));
    assert.deepEqual(found.slice(1), ["node 0 counts 3 bytes of all, and holds 0"]);
    checker.onCrash?.({ node: 0 } as never);
    begin({ all: 4 });
    assert.equal(found.length, 3);
  });
});

describe("timers rest", () => {
  const fired = (timer: string, at?: bigint, changes: readonly object[] = []) =>
    seen({ type: "timer.fired", timer }, {
      changes,
      effects: at === undefined ? [] : [{ type: "timer.set", timer: "seal", at }],
    } as never);
  const change = { table: Seals.name, key: "s", record: {} };

  test("finds one that changes nothing and comes again at once", () => {
    const { checker, found } = watch(timersRest);
    const again = [fired("seal"), fired("seal", NOW + 1n), fired("sweep", NOW), fired("seal", NOW, [change])];
    for (const one of again) checker.onStep?.(one);
    assert.deepEqual(found, []);
    checker.onStep?.(fired("seal", NOW));
    assert.deepEqual(found, ["node 0 changes nothing when the timer seal comes, and lets it come again at once"]);
  });

  test("finds one that comes again and again within a second, whatever it changes", () => {
    const clock = { now: 0 };
    const { checker, found } = watch(timersRest, {}, clock);
    const come = (timer: string, times: number) => {
      for (let step = 0; step < times; step++) checker.onStep?.(fired(timer, NOW, [change]));
    };
    come("seal", 1_024);
    come("attach", 1_024);
    clock.now = 1_000;
    come("seal", 1_024);
    assert.deepEqual(found, []);
    clock.now = 1_999;
    come("seal", 1);
    assert.deepEqual(found, ["node 0 lets the timer seal come more than 1024 times a second"]);
  });
});

describe("what is remembered stays", () => {
  const received = { type: "message.received" } as const;
  const put = (table: string, key: string, record: object | undefined) => ({ table, key, record });

  function refusals(last: Partial<StepSeen>, input: object = received, until = NOW + 1n) {
    const { checker, found } = watch(refusalsStay);
    const view = memory({});
    checker.onStep?.(seen(received, { view, changes: [put(Refusals.name, "k", { until })] }));
    checker.onStep?.(seen({ ...input, now: NOW }, { view, changes: [put(Refusals.name, "k", undefined)], ...last }));
    return found;
  }
  test("finds a refusal that is forgotten before its time, and none that is over or was taken after all", () => {
    assert.deepEqual(refusals({}), [`node 0 forgets at ${NOW} that it refused k until ${NOW + 1n}`]);
    assert.deepEqual(refusals({}, received, NOW), []);
    const gone = put(Refusals.name, "k", undefined);
    for (const { name } of [Statements, Pending])
      assert.deepEqual(refusals({ changes: [gone, put(name, "k", {})] }), []);
    assert.deepEqual(refusals({}, { type: "store.loaded" }), []);
    const full = Object.fromEntries(Array.from({ length: 65_535 }, (_, n) => [`${n}`, {}]));
    assert.deepEqual(refusals({ view: memory({ [Refusals.name]: full }) }), []);
  });

  /** A statement that waits with an event of a date, and joins the set with or without it. */
  function carriers(left: readonly string[], timestamp = NOW, input: object = received) {
    const { checker, found } = watch(carriersStay);
    const rows = { [Events.name]: { e: { event: { timestamp } } } };
    const before = memory(rows, { k: ["e"] });
    checker.onStep?.(seen(received, { view: before, changes: [put(Pending.name, "k", {})] }));
    const changes = [put(Pending.name, "k", undefined), put(Statements.name, "k", {})];
    checker.onStep?.(seen({ ...input, now: NOW }, { view: memory(rows, { k: left }), changes }));
    return found;
  }
  test("finds an event that goes when what it carries joins the set, and none whose time has come", () => {
    assert.deepEqual(carriers([]), ["node 0 drops what carried k when that joins the set"]);
    assert.deepEqual(carriers(["e"]), []);
    assert.deepEqual(carriers([], NOW - 7n * DAY_MS), []);
    assert.deepEqual(carriers([], NOW, { type: "store.loaded" }), []);
  });
});

describe("facts are weighed", () => {
  test("finds a reading that could be counted twice, and none in what is only confirmed", () => {
    const found = (commitment: string, look: object) => {
      const { checker, found: all } = watch(factsAreWeighed);
      const observation = { type: "account", address: "e", slot: 7n, account: null, commitment };
      const changes = [{ table: Looks.name, key: "e", record: look }];
      const view = memory({ [Looks.name]: { e: look } });
      checker.onStep?.(seen({ type: "chain.observed", observation }, { view, changes }));
      return all;
    };
    const counted = { readings: 2, slot: 7n, escrow_slot: null, dispute_slot: null };
    assert.deepEqual(found("finalized", counted), ["node 0 would count what it read of e as of slot 7 twice"]);
    assert.deepEqual(found("finalized", { ...counted, slot: 8n }), []);
    assert.deepEqual(found("finalized", { ...counted, dispute_slot: 7n }), []);
    assert.deepEqual(found("confirmed", counted), []);
  });
});
