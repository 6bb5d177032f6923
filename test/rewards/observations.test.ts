/**
 * Goal: a node says of each peer what it saw itself and nothing more (protocol 05 §4.2-4.4): presence by slice of
 * receipt, chain reach only where its own endpoint bears it out, an epoch for seven epochs after it ended.
 * Method: events pushed to one node at chosen instants; the published answer of §15.10 byte for byte.
 */
import { describe, expect, test } from "vitest";
import { BlockhashAnnounced } from "../../core/domains/chain-bridge/gossip-events.ts";
import { EPOCH_MS, epochOf, sliceOf } from "../../core/domains/rewards/epochs.ts";
import { credit, observeServing } from "../../core/domains/rewards/observe.ts";
import { hasServedContent, observationsOf } from "../../core/domains/rewards/queries.ts";
import { Observations } from "../../core/domains/rewards/tables.ts";
import { marketplace, tables } from "../../core/domains.ts";
import { stepContextOf } from "../../core/engine/step-context.ts";
import { devnetNetwork } from "../../core/index.ts";
import { compactWriter } from "../../core/kernel/compact.ts";
import { encodeCompact } from "../../core/kernel/schema.ts";
import { openStore } from "../../core/kernel/state.ts";
import { toBase58 } from "../../core/kernel/text.ts";
import type { EpochMillis, PeerId, Signature } from "../../core/kernel/values.ts";
import { eventId, Frame, frameOf, GossipEvent, OFS_GOSSIP, signedBytes } from "../../core/network/gossip/envelope.ts";
import type { StoreRow } from "../../core/ports/store.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { crypto, gossipOnly, loneNode, parityNode, person } from "../rpc/lone-node.ts";

const EPOCH = 20_298n;
const START = EPOCH * EPOCH_MS;
const HOUR = 3_600_000n;
const [one, two, three] = [person(1), person(2), person(3)];

/** Pushes a blockhash announcement, or anything of another domain, made by a person's own node. */
function push(node: LoneNode, by: Person, options: { readonly at?: bigint; readonly slot?: bigint } = {}): void {
  const timestamp = (options.at ?? node.now) as EpochMillis;
  const announced = { blockhash: "hash", slot: options.slot ?? 0n, observed_at: timestamp };
  const body = {
    event_type: options.slot === undefined ? "SomethingElse" : "BlockhashAnnounced",
    ofs_spec: options.slot === undefined ? 9_000 : 4_300,
    version: 1,
    origin: by.peer,
    timestamp,
    ttl: 1,
    priority: "BackgroundSync" as const,
    payload: encodeCompact(BlockhashAnnounced, announced),
  };
  const signature = toBase58(crypto.sign(by.secret, signedBytes(body))) as Signature;
  const event = { ...body, signature, id: eventId(crypto, { ...body, signature }) };
  const bytes = encodeCompact(Frame, frameOf(OFS_GOSSIP, "GossipPush", encodeCompact(GossipEvent, event), timestamp));
  node.accept({ type: "message.received", from: by.peer, replyTo: "1", bytes });
}

interface Seen {
  readonly peer: string;
  readonly availability_bps: number;
  readonly announced_blockhash: boolean;
}

function seen(node: LoneNode, epoch = EPOCH): readonly Seen[] {
  return (node.call("getRewardObservations", { epoch: Number(epoch) }) as { readonly peers: readonly Seen[] }).peers;
}

test("an instant lies in its epoch and slice", () => {
  expect(epochOf(1_753_800_000_000n)).toBe(EPOCH);
  expect(sliceOf(1_753_800_000_000n)).toBe(14);
  expect(sliceOf(START)).toBe(0);
  expect(sliceOf(START + EPOCH_MS - 1n)).toBe(23);
});

test("the answer of protocol 05 §15.10", () => {
  const rows = new Map<string, StoreRow>();
  const keep = (peer: PeerId, slices: number, proved: boolean) => {
    const writer = compactWriter();
    const observation = { epoch: EPOCH, peer, slices, announced_blockhash: proved, served_content: proved };
    Observations.record.encode(observation, writer);
    const key = `${EPOCH}/${peer}`;
    rows.set(key, { table: Observations.name, key, bytes: writer.finish() });
  };
  keep(one.peer, 2 ** 24 - 2, true);
  keep(two.peer, 2 ** 14, false);
  const node = loneNode(START, undefined, rows);
  expect(node.body('{"jsonrpc":"2.0","id":1,"method":"getRewardObservations","params":{"epoch":20298}}')).toBe(
    '{"jsonrpc":"2.0","id":1,"result":{"epoch":20298,"epoch_end_millis":1753833600000,"epoch_start_millis":1753747200000,"peers":[{"announced_blockhash":false,"availability_bps":416,"connectivity_bps":4000,"peer":"12D3KooWJWoaqZhDaoEFshF7Rh1bpY9ohihFhzcW6d69Lr2NASuq","pinning_bps":7000,"served_content":false},{"announced_blockhash":true,"availability_bps":9583,"connectivity_bps":10000,"peer":"12D3KooWK99VoVxNE7XzyBwXEzW7xhK7Gpv85r9F3V3fyKSUKPH5","pinning_bps":10000,"served_content":true}]}}',
  );
});

test("a peer that answered a challenge serves content, and is there", () => {
  const store = openStore(crypto, tables);
  const context = stepContextOf(store, {
    identities: store.identities,
    now: START as EpochMillis,
    number: 1,
    bootSeed: new Uint8Array(32),
    crypto,
    configuration: gossipOnly(devnetNetwork),
    registry: marketplace,
  });
  observeServing(context, two.peer);
  expect(hasServedContent(context.draft, two.peer, START as EpochMillis)).toBe(true);
  expect(observationsOf(context.draft, EPOCH, START as EpochMillis).peers).toMatchObject([
    { peer: two.peer, served_content: true, pinning_bps: 10_000, availability_bps: 416 },
  ]);
  // Whatever else is heard of it later takes nothing back.
  credit(context, two.peer, START + HOUR, {});
  credit(context, two.peer, START + HOUR, { announced_blockhash: true });
  credit(context, two.peer, START + 2n * HOUR, {});
  expect(observationsOf(context.draft, EPOCH, START as EpochMillis).peers).toMatchObject([
    { peer: two.peer, served_content: true, announced_blockhash: true, availability_bps: 1_250 },
  ]);
});

describe("presence", () => {
  test("counts each slice once, by when an event came", () => {
    const node = loneNode(START);
    for (const hour of [0n, 0n, 1n, 5n]) {
      node.now = START + hour * HOUR + 1n;
      push(node, two);
      node.now += 1n;
      push(node, two);
    }
    expect(seen(node)).toMatchObject([{ peer: two.peer, availability_bps: 1_250 }]);
  });

  test("an old event shows nobody's presence; fifteen minutes are not old", () => {
    const node = loneNode(START + HOUR);
    push(node, two, { at: node.now - 900_001n });
    expect(seen(node)).toEqual([]);
    push(node, three, { at: node.now - 900_000n });
    expect(seen(node)).toMatchObject([{ peer: three.peer }]);
  });

  test("back-dated events fill no slice of the day that is over", () => {
    const node = loneNode(START + EPOCH_MS + 60_000n);
    push(node, two, { at: START + EPOCH_MS - 1n });
    expect(seen(node)).toEqual([]);
    expect(seen(node, EPOCH + 1n)).toMatchObject([{ peer: two.peer }]);
  });

  test("the reference believes the event's own date", () => {
    const node = parityNode(START + 20n * HOUR);
    for (let hour = 0n; hour < 20n; hour++) push(node, two, { at: START + hour * HOUR });
    expect(seen(node)).toMatchObject([{ peer: two.peer, availability_bps: 8_333 }]);
  });

  test("a duplicate and an event of a wrong signature count for nothing", () => {
    const node = loneNode(START);
    push(node, two);
    const before = seen(node);
    push(node, two, { at: START });
    push(node, { ...three, secret: two.secret });
    expect(seen(node)).toEqual(before);
  });

  test("this node's own events make it list itself", () => {
    const node = loneNode(START, undefined, undefined, { listing: { publicRpcUrl: "https://a.org" } });
    node.now += 120_000n;
    node.accept({ type: "timer.fired", timer: "heartbeat" });
    expect(seen(node)).toMatchObject([{ peer: person(9).peer }]);
  });
});

describe("reaching the chain", () => {
  const own = (node: LoneNode, slot: bigint) =>
    node.accept({ type: "chain.observed", observation: { type: "slot", slot, blockhash: "hash" } });
  const announced = (node: LoneNode) =>
    seen(node)
      .filter((peer) => peer.announced_blockhash)
      .map(({ peer }) => peer);

  test.each(["before", "after"])("is credited when this node's endpoint shows the same, %s", (when) => {
    const node = loneNode(START, undefined, undefined, { chain: "RpcConnected" });
    if (when === "before") own(node, 100n);
    push(node, two, { slot: 100n });
    push(node, three, { slot: 99n });
    if (when === "after") own(node, 100n);
    expect(announced(node)).toContain(two.peer);
    expect(announced(node)).not.toContain(three.peer);
  });

  test("is only claimed while nobody bears it out", () => {
    const node = loneNode(START);
    push(node, two, { slot: 100n });
    expect(seen(node)).toMatchObject([{ announced_blockhash: false, connectivity_bps: 4_000 }]);
  });

  test("is credited to the first three origins: later ones may have copied", () => {
    const node = loneNode(START, undefined, undefined, { chain: "RpcConnected" });
    for (const byte of [10, 11, 12, 13]) push(node, person(byte), { slot: 100n });
    own(node, 100n);
    const credited = announced(node).filter((peer) => peer !== person(9).peer);
    expect(new Set(credited)).toEqual(new Set([10, 11, 12].map((byte) => person(byte).peer)));
  });

  test("the reference takes the origin's word", () => {
    const node = parityNode(START);
    push(node, two, { slot: 100n });
    expect(announced(node)).toEqual([two.peer]);
  });
});

describe("epochs", () => {
  test("params may be absent, null or empty: the last completed one", () => {
    const node = loneNode(START);
    push(node, two);
    node.now = START + EPOCH_MS;
    for (const params of [undefined, null, {}, { epoch: null }]) {
      expect(node.call("getRewardObservations", params)).toMatchObject({ epoch: Number(EPOCH), peers: [{}] });
    }
    expect(loneNode(5n).call("getRewardObservations")).toMatchObject({ epoch: 0 });
    expect(node.call("getRewardObservations", { epoch: -1 })).toBe(-32602);
  });

  test("seven completed ones are kept, then dropped when a new one begins", () => {
    const node = loneNode(START);
    push(node, two);
    node.now = START + 7n * EPOCH_MS;
    expect(seen(node)).toHaveLength(1);
    node.now = START + 8n * EPOCH_MS;
    expect(seen(node)).toEqual([]);
    push(node, three);
    expect([...node.view.keys(Observations)]).toEqual([`${EPOCH + 8n}/${three.peer}`]);
  });

  test("an epoch beyond all instants is empty, and its bounds are instants", () => {
    const text = loneNode(START).body(
      '{"jsonrpc":"2.0","id":1,"method":"getRewardObservations","params":{"epoch":18446744073709551615}}',
    );
    expect(text).toContain('"peers":[]');
  });

  test("outlive a restart, stand in no root, and getPeers tells who served content today", () => {
    const node = loneNode(START);
    const before = node.roots();
    push(node, two);
    expect(node.roots()).toEqual(before);
    expect(seen(node.restart())).toEqual(seen(node));
    node.accept({ type: "peer.connected", peer: two.peer, address: null });
    expect(node.call("getPeers")).toMatchObject({
      peers: [{ peer_id: two.peer, served_content: false }],
      content_proof_window: { epoch: Number(EPOCH), epoch_start_millis: Number(START) },
    });
  });
});
