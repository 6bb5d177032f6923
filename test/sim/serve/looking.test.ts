// Goal: what control shows of a network is what nodes, links and chain are: who is linked, cut and down; what happened,
// once each; one trade and no other, across nodes and chain; a record on every node. Method: its client over HTTP.
import { describe, expect, test } from "vitest";
import { recordText } from "../../../sim/record-text.ts";
import { ControlRefusal } from "../../../sim/serve/control/caller.ts";
import { EVENTS_KEPT_MAX, openEventLog } from "../../../sim/serve/event-log.ts";
import { advertise, clientOf, controlOf, openTestServed, passes, walletOf } from "./test-network.ts";

const reasonOf = (call: Promise<unknown>) =>
  call.then(
    () => "no refusal",
    (error: unknown) => (error instanceof ControlRefusal ? error.reason : String(error)),
  );

describe("the topology", () => {
  test("has every connection once, and says which are cut, who is down, and what messages meet", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    const before = await control.call("sim_getTopology");
    const pairs = before.links.map(({ one, other }) => [one, other].sort((a, b) => a - b).join("-"));
    expect(pairs.sort((a, b) => (a < b ? -1 : 1))).toEqual(["0-1", "0-2", "1-2"]);
    expect(before.links.every(({ open, cut }) => open && !cut)).toBe(true);
    await control.call("sim_partition", { groups: [[0], [1, 2]] });
    await control.call("sim_setLatency", { least: 100, most: 300 });
    await control.call("sim_setLoss", { millionths: 5_000 });
    await control.call("sim_setClockSkew", { node: 1, behind: 7_000 });
    const cut = await control.call("sim_getTopology");
    const isCut = ({ one, other }: (typeof cut.links)[number]) => one === 0 || other === 0;
    for (const link of cut.links) expect([link.one, link.other, link.cut]).toEqual([link.one, link.other, isCut(link)]);
    expect(cut).toMatchObject({ cuts: [{ groups: [[0], [1, 2]], one_way: false }], loss: 5_000 });
    expect(cut.latency).toEqual({ type: "uniform", least: 100, most: 300 });
    expect(cut.nodes[1]).toMatchObject({ ahead: 0n, behind: 7_000n });
    await control.call("sim_crash", { node: 2 });
    expect((await control.call("sim_getTopology")).nodes.map(({ up }) => up)).toEqual([true, true, false]);
  });
});

describe("events", () => {
  test("tell of a statement on each node, and of what control did; a revert takes them back", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    const { newest: first } = await control.call("sim_getEvents");
    const { id } = await control.call("sim_snapshot");
    await advertise(network, 1, "the offer");
    await passes(network, 2_000);
    const { events, newest } = await control.call("sim_getEvents", { after: first });
    const told = events.filter(({ kind }) => kind === "statement");
    expect(told.map(({ node }) => node)).toHaveLength(3);
    expect(told[0]).toMatchObject({ node: 1, client: true, from: null, text: "AdvertisementCreated" });
    for (const { about } of told) expect(about).toEqual(["advertisement:the offer"]);
    expect(told.slice(1).every(({ client, from }) => !client && from !== null)).toBe(true);
    await control.call("sim_crash", { node: 2 });
    const last = (await control.call("sim_getEvents", { after: newest })).events;
    expect(last.map(({ kind, node, text }) => [kind, node, text])).toEqual([
      ["crashed", 2, "its process ended"],
      ["control", null, 'crash {"node":2}'],
    ]);
    await control.call("sim_revert", { id });
    const after = await control.call("sim_getEvents", { after: first });
    expect(after.events.map(({ text }) => text)).toEqual([`revert {"id":"${id}"}`]);
    expect((await control.call("sim_getEvents", { after: newest + 9n })).events).toEqual([]);
    expect((await control.call("sim_getEvents", { limit: 2 })).events).toHaveLength(2);
  });

  test("are kept up to a bound, the newest", () => {
    const log = openEventLog(() => undefined);
    for (let n = 1; n <= 3 * EVENTS_KEPT_MAX; n += 1) log.noted(n, `event ${n} ${"x".repeat(1_000)}`);
    const kept = log.after(0);
    expect([kept.length, log.newest()]).toEqual([EVENTS_KEPT_MAX, 3 * EVENTS_KEPT_MAX]);
    expect(kept.at(-1)?.number).toBe(3 * EVENTS_KEPT_MAX);
    expect(kept[0]?.text.length).toBe(400);
  });
});

describe("the story of a trade", () => {
  test("has its statements, its transactions and what nodes show, and nothing of another on the same offer", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    const trade = await control.call("sim_seedTrade", { state: "Completed" });
    const alice = walletOf(network, "alice");
    await clientOf(network, 1).send(
      "sendReservationRequest",
      {
        ...{ id: "77", advertisement_id: trade.advertisement, requester: alice.peer },
        ...{ requester_public_key: alice.publicKey, amount: { base_units: 5_000_000n, decimals: 6 } },
        ...{ agreed_price: { base_units: 92n, decimals: 2 }, agreed_mid: null },
        timestamp: network.host.world().loop.epoch(),
      },
      { publicKey: alice.keypair.publicKey, sign: alice.sign },
    );
    await passes(network, 2_000);
    const other = await control.call("sim_getStory", { id: "77" });
    expect(other.about).toEqual(["reservation:77", `advertisement:${trade.advertisement}`]);
    const story = await control.call("sim_getStory", { id: trade.settlement });
    expect(story.about).toEqual([
      `settlement:${trade.settlement}`,
      `reservation:${trade.reservation}`,
      `advertisement:${trade.advertisement}`,
    ]);
    const statements = story.lines.filter(({ slot }) => slot === null);
    expect(statements.map(({ text }) => text.split(" ")[0])).toEqual([
      "AdvertisementCreated",
      "ReservationRequested",
      "SettlementInitiated",
      "PaymentSubmitted",
      "SettlementApproved",
    ]);
    for (const { nodes } of statements) expect(new Set(nodes.map(({ node }) => node))).toEqual(new Set([0, 1, 2]));
    const chain = story.lines.filter(({ slot }) => slot !== null);
    expect(chain.length).toBeGreaterThanOrEqual(2);
    expect(chain.every(({ failed, signature }) => !failed && signature !== null)).toBe(true);
    expect(chain.some(({ nodes }) => nodes.length >= 2)).toBe(true);
    const shows = story.shows.filter(({ record }) => record === `settlement ${trade.settlement}`);
    expect(shows.slice(0, 2).map(({ node, state }) => [node, state])).toEqual([
      [0, "Completed"],
      [1, "Completed"],
    ]);
    const byReservation = await control.call("sim_getStory", { id: trade.reservation });
    expect(byReservation.lines).toEqual(story.lines);
    expect(await reasonOf(control.call("sim_getStory", { id: "no such trade" }))).toBe("UNKNOWN_RECORD");
  });

  test.each(["Completed", "Resolved", "Reserved"] as const)(
    "shows of a trade that is %s what nodes answer",
    async (at) => {
      const network = await openTestServed();
      const control = controlOf(network);
      const { advertisement, reservation, settlement, dispute } = await control.call("sim_seedTrade", { state: at });
      await control.call("sim_setClockSkew", { node: 1, ahead: 3_600_000 });
      const { shows } = await control.call("sim_getStory", { id: reservation });
      const answered = [];
      for (const node of [0, 1, 2]) {
        const asked = clientOf(network, node);
        const found = [
          [`advertisement ${advertisement}`, (await asked.call("getAdvertisement", { id: advertisement }))?.status],
          [`reservation ${reservation}`, (await asked.call("getReservation", { id: reservation }))?.state],
          [`settlement ${settlement}`, (await asked.call("getSettlement", { id: settlement }))?.state],
          [`dispute ${dispute}`, (await asked.call("getDispute", { id: dispute ?? "none" }))?.status],
        ] as const;
        answered.push(...found.flatMap(([record, state]) => (state === undefined ? [] : [{ node, record, state }])));
      }
      const order = (rows: readonly { node: number; record: string }[]) =>
        rows.map((row) => JSON.stringify(row)).sort();
      expect(order(shows)).toEqual(order(answered));
      expect(shows.filter(({ record }) => record.startsWith("reservation "))).toHaveLength(3);
    },
  );
});

describe("records", () => {
  test("are found by label, and compared on every node", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    await control.call("sim_partition", { groups: [[0], [1, 2]] });
    await advertise(network, 0, "an offer");
    const { total, keys } = await control.call("sim_getKeys", { node: 0, table: "advertisements", find: "an of" });
    expect([total, keys.map(({ label }) => label)]).toEqual([1n, ["an offer"]]);
    const where = { table: "advertisements", key: keys[0]!.key };
    const apart = await control.call("sim_compareRecord", where);
    expect(apart.nodes.map(({ record }) => record !== null)).toEqual([true, false, false]);
    expect(apart.equal).toBe(false);
    await control.call("sim_heal");
    await control.call("sim_awaitConverged", { within: 300_000 });
    const same = await control.call("sim_compareRecord", where);
    expect(same.equal).toBe(true);
    expect(JSON.parse(same.nodes[2]!.record!)).toMatchObject({ id: "an offer", fiat_currency: "EUR" });
    const tables = await control.call("sim_getTables", { node: 1 });
    expect(tables.find(({ table }) => table === "advertisements")).toMatchObject({ root: "state", records: 1n });
    const unknown = { table: "no table", key: "k" };
    expect(await reasonOf(control.call("sim_getKeys", { node: 0, table: "no table" }))).toBe("UNKNOWN_RECORD");
    expect(await reasonOf(control.call("sim_compareRecord", unknown))).toBe("UNKNOWN_RECORD");
    expect(await reasonOf(control.call("sim_getTables", { node: 3 }))).toBe("UNKNOWN_NODE");
    await control.call("sim_crash", { node: 1 });
    expect(await reasonOf(control.call("sim_getTables", { node: 1 }))).toBe("NODE_IS_DOWN");
  });

  test("are written with every digit, and bytes in hexadecimal", () => {
    const record = { big: 18_446_744_073_709_551_615n, bytes: Uint8Array.of(1, 255), map: new Map([["a", 1]]), no: [] };
    const text = recordText(record);
    expect(text).toBe(
      '{\n  "big": 18446744073709551615,\n  "bytes": "01ff",\n  "map": {\n    "a": 1\n  },\n  "no": []\n}',
    );
  });
});

describe("the chain", () => {
  test("shows slots by level and fork, their transactions, and what one logged", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    await control.call("sim_seedTrade", { state: "AwaitingPayment" });
    await control.call("sim_stallFinality", { stalled: true });
    const skipped = await control.call("sim_skipSlots", { slots: 2 });
    const view = await control.call("sim_getBlocks", { limit: 64 });
    expect(view).toMatchObject({ current: skipped.current, stalled: true, waiting: false, rivals: [] });
    expect(view.slots[0]).toMatchObject({ slot: skipped.current, blockhash: null, transactions: [] });
    const found = view.slots.flatMap(({ slot, transactions }) => transactions.map((one) => ({ slot, ...one })));
    const escrow = found.find(({ programs }) => programs.includes(network.ready.programs.escrow))!;
    const told = await control.call("sim_getTransaction", { signature: escrow.signature });
    expect(told).toMatchObject({ slot: escrow.slot, error: null });
    expect(told.instructions).toEqual(escrow.instructions);
    expect(told.logs.some((line) => line.includes(network.ready.programs.escrow))).toBe(true);
    const done = found.flatMap(({ instructions }) => instructions);
    expect(done).toEqual(expect.arrayContaining(["create trade escrow", "fund trade escrow"]));
    const levels = new Set(view.slots.map(({ level }) => level));
    expect(levels).toContain("finalized");
    const older = await control.call("sim_getBlocks", { before: 5n, limit: 10 });
    expect(older.slots.map(({ slot }) => slot)).toEqual([4n, 3n, 2n, 1n, 0n]);
    const { forks } = view;
    await control.call("sim_reorg", { depth: 3 });
    expect((await control.call("sim_getBlocks")).forks).toBe(forks + 1);
    expect(await reasonOf(control.call("sim_getTransaction", { signature: "none" }))).toBe("UNKNOWN_RECORD");
  });
});
