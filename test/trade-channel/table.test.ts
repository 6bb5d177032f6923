/**
 * Goal: every pair of the README's table, who may read what, and the bounds.
 * Method: the real ingresses, RPC and gossip; reads prove their wallet. Source: protocol 02 J.3, J.4, O.28.
 */
import { describe, expect, test } from "vitest";
import type { TradeChannel } from "../../core/domains/trade-channel/schema.ts";
import {
  CHANNEL_STATEMENTS_MAX,
  ENTRIES_PER_AUTHOR_MAX,
  TradeChannelEntryPost,
  TradeChannelKeyGrant,
} from "../../core/domains/trade-channel/schema.ts";
import { Pending, Statements } from "../../core/engine/statements/table.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { loneNode, person } from "../rpc/lone-node.ts";
import { at, buyer, dispute, merchant, T, third, trade } from "../rpc/node-with-settlement.ts";
import { entry, grant, read, sealedBytes, sendEntry, sendGrant } from "./channel.ts";

const arbitrator = person(0x44);
const channel = (node: LoneNode, by: Person = buyer) => read(node, by) as TradeChannel;
const grants = (node: LoneNode, by?: Person) =>
  channel(node, by).grants.map(({ granter, recipient, granted_at }) => [granter, recipient, Number(granted_at)]);
const entries = (node: LoneNode) =>
  channel(node).entries.map(({ author, sequence, posted_at, payload }) => [
    author,
    Number(sequence),
    Number(posted_at),
    payload.ciphertext[0],
  ]);
const ms = (timestamp: EpochMillis) => Number(timestamp);

describe("a read", () => {
  test("is empty lists at first, byte for byte what was left, and names its settlement", () => {
    const node = trade(loneNode(T));
    expect(read(node, buyer)).toEqual({ settlement_id: "set-1", grants: [], entries: [] });
    sendGrant(node, grant(merchant));
    sendEntry(node, entry(merchant));
    const json = (value: unknown) =>
      JSON.parse(
        JSON.stringify(value, (_, each: unknown) =>
          each instanceof Uint8Array ? [...each] : typeof each === "bigint" ? Number(each) : each,
        ),
      ) as Record<string, unknown>;
    const { timestamp: granted_at, ...granted } = json(grant(merchant));
    const { timestamp: posted_at, ...posted } = json(entry(merchant));
    expect(read(node, merchant)).toEqual({
      settlement_id: "set-1",
      grants: [{ ...granted, role: "Party", granted_at }],
      entries: [{ ...posted, posted_at }],
    });
  });

  test("is for parties, and for a joined arbitrator once he has a grant: then his own grants, and all entries", () => {
    const node = trade(loneNode(T));
    dispute(node, arbitrator);
    sendGrant(node, grant(merchant));
    sendEntry(node, entry(merchant));
    expect([read(node, third), read(node, arbitrator), read(node, buyer, "nope")]).toEqual([2001, 2001, 5008]);
    expect(sendGrant(node, grant(merchant, { recipient: arbitrator.peer }))).toBeNull();
    expect(grants(node, arbitrator)).toEqual([[merchant.peer, arbitrator.peer, ms(at(310_000))]]);
    expect(channel(node, arbitrator)).toMatchObject({ grants: [{ role: "Arbitrator" }], entries: [{ sequence: 0 }] });
    expect(grants(node).length).toBe(2);
  });

  test("changes nothing, and survives a restart", () => {
    const node = trade(loneNode(T));
    sendGrant(node, grant(merchant));
    sendEntry(node, entry(merchant));
    const before = [node.roots(), channel(node)];
    expect([node.roots(), channel(node.restart())]).toEqual(before);
    for (const message of node.published) expect(message).not.toContain(merchant.peer);
  });
});

describe("grants", () => {
  test("are listed by recipient, then granter, one of each", () => {
    const node = trade(loneNode(T));
    for (const [by, recipient] of [
      [merchant, buyer],
      [buyer, merchant],
      [buyer, buyer],
      [merchant, merchant],
    ] as const) {
      expect(sendGrant(node, grant(by, { recipient: recipient.peer }), by)).toBeNull();
    }
    const byRecipient = [buyer, merchant].flatMap((to) => [buyer, merchant].map((by) => [by.peer, to.peer]));
    expect(grants(node).map(([by, to]) => [by, to])).toEqual(byRecipient);
  });

  test("of one granter to one recipient are one: the newest, whichever came first", () => {
    const [older, newer] = [grant(merchant), grant(merchant, { timestamp: at(330_000) })];
    for (const order of [
      [older, newer],
      [newer, older],
    ]) {
      const node = trade(loneNode(T));
      for (const each of order) expect(sendGrant(node, each)).toBeNull();
      expect(grants(node)).toEqual([[merchant.peer, buyer.peer, ms(at(330_000))]]);
    }
  });

  test("to an arbitrator count from his join on, and a stranger's never", () => {
    const node = trade(loneNode(T));
    const early = grant(merchant, { recipient: arbitrator.peer });
    expect(sendGrant(node, early)).toBe(2001);
    node.gossip(TradeChannelKeyGrant, early, merchant);
    node.gossip(TradeChannelKeyGrant, grant(third), third);
    expect(grants(node)).toEqual([]);
    dispute(node, arbitrator);
    expect(grants(node)).toEqual([[merchant.peer, arbitrator.peer, ms(at(310_000))]]);
  });

  test("hold a sealed key of at most 1024 bytes, whichever way they come", () => {
    const node = trade(loneNode(T));
    const sealed = (length: number) => ({ ...grant(merchant).sealed_key, ciphertext: new Uint8Array(length) });
    const longer = grant(merchant, { sealed_key: sealed(1_025) });
    expect(sendGrant(node, longer)).toBe(3);
    node.gossip(TradeChannelKeyGrant, longer, merchant);
    expect(grants(node)).toEqual([]);
    expect(sendGrant(node, grant(merchant, { sealed_key: sealed(1_024), timestamp: at(320_000) }))).toBeNull();
    expect(grants(node).length).toBe(1);
  });

  test("that came before their settlement wait for it", () => {
    const node = loneNode(T + 400_000n);
    node.gossip(TradeChannelKeyGrant, grant(merchant), merchant);
    node.gossip(TradeChannelEntryPost, entry(merchant), merchant);
    expect(node.view.size(Statements)).toBe(0);
    trade(node);
    expect([grants(node).length, entries(node).length]).toEqual([1, 1]);
  });
});

describe("entries", () => {
  test("of two authors stand beside one another, in order of time, author, sequence", () => {
    const node = trade(loneNode(T));
    sendEntry(node, entry(merchant, { sequence: 1n }));
    sendEntry(node, entry(merchant));
    sendEntry(node, entry(buyer), buyer);
    sendEntry(node, entry(buyer, { sequence: 9n, timestamp: at(315_000) }), buyer);
    expect(entries(node).map(([author, sequence]) => [author, sequence])).toEqual([
      [buyer.peer, 9],
      [buyer.peer, 0],
      [merchant.peer, 0],
      [merchant.peer, 1],
    ]);
  });

  test("under one sequence are one: the same words again are no news, others are refused, by gossip the first stands", () => {
    const node = trade(loneNode(T));
    expect(sendEntry(node, entry(merchant))).toBeNull();
    const size = node.view.size(Statements);
    expect(sendEntry(node, entry(merchant, { timestamp: at(330_000) }))).toBeNull();
    expect(node.view.size(Statements)).toBe(size);
    expect(sendEntry(node, entry(merchant, { kind: "Message" }))).toBe(7);
    expect(sendEntry(node, entry(merchant, { payload: sealedBytes(7) }))).toBe(7);
    node.gossip(TradeChannelEntryPost, entry(merchant, { payload: sealedBytes(8), timestamp: at(340_000) }), merchant);
    expect(entries(node)).toEqual([[merchant.peer, 0, ms(at(320_000)), 6]]);
    node.gossip(TradeChannelEntryPost, entry(merchant, { payload: sealedBytes(9), timestamp: at(305_000) }), merchant);
    expect(entries(node)).toEqual([[merchant.peer, 0, ms(at(305_000)), 9]]);
  });

  test("have at most 4368 bytes, whichever way they come; a stranger's never count", () => {
    const node = trade(loneNode(T));
    expect(sendEntry(node, entry(merchant, { payload: sealedBytes(1, 4_368) }))).toBeNull();
    const long = entry(merchant, { sequence: 1n, payload: sealedBytes(1, 4_369) });
    expect(sendEntry(node, long)).toBe(3);
    node.gossip(TradeChannelEntryPost, long, merchant);
    node.gossip(TradeChannelEntryPost, entry(third), third);
    expect(entries(node).length).toBe(1);
  });

  test("are as many of one author as are shown, and twice that by gossip", () => {
    const node = trade(loneNode(T));
    for (let i = 0; i < ENTRIES_PER_AUTHOR_MAX; i++) {
      expect(sendEntry(node, entry(merchant, { sequence: BigInt(i) }))).toBeNull();
    }
    const more = (i: number) => entry(merchant, { sequence: BigInt(i), timestamp: at(330_000) });
    expect(sendEntry(node, more(ENTRIES_PER_AUTHOR_MAX))).toBe(9);
    for (let i = ENTRIES_PER_AUTHOR_MAX; i < CHANNEL_STATEMENTS_MAX + 5; i++) {
      node.gossip(TradeChannelEntryPost, more(i), merchant);
    }
    expect(node.view.size(Statements)).toBe(3 + CHANNEL_STATEMENTS_MAX);
    expect(sendEntry(node, entry(buyer), buyer)).toBeNull();
    expect(entries(node).length).toBe(ENTRIES_PER_AUTHOR_MAX + 1);
  });

  test("and grants leave every state as it is", () => {
    const node = trade(loneNode(T));
    const before = node.roots().state;
    sendGrant(node, grant(merchant));
    sendEntry(node, entry(merchant));
    expect(node.roots().state).toBe(before);
  });
});

test("a grant of before its settlement waits whenever it comes, also beside a newer one and after a restart", () => {
  const [early, newer] = [grant(merchant, { timestamp: at(-1_200_000) }), grant(merchant)];
  const nodes = [
    [early, newer],
    [newer, early],
  ].map((order) => {
    const node = trade(loneNode(T));
    for (const each of order) node.gossip(TradeChannelKeyGrant, each, merchant);
    return node;
  });
  for (const node of [...nodes, ...nodes.map((each) => each.restart())]) {
    expect([...node.view.keys(Pending)].map((key) => node.view.get(Pending, key)?.timestamp)).toEqual([at(-1_200_000)]);
    expect(grants(node)).toEqual([[merchant.peer, newer.recipient, Number(newer.timestamp)]]);
  }
});

test("what strangers leave is no part of the set, whenever they do", () => {
  const [early, late, without] = [loneNode(T + 400_000n), trade(loneNode(T)), trade(loneNode(T))];
  for (const node of [early, late]) {
    node.gossip(TradeChannelKeyGrant, grant(third), third);
    for (let n = 0; n < 40; n++) node.gossip(TradeChannelEntryPost, entry(third, { sequence: BigInt(n) }), third);
    node.gossip(TradeChannelKeyGrant, grant(merchant), merchant);
  }
  trade(early);
  sendGrant(without, grant(merchant));
  for (const node of [early, late, late.restart()]) {
    expect(node.roots()).toEqual(without.roots());
    expect(grants(node)).toEqual(grants(without));
  }
});
