/**
 * Goal: the boundaries of a rate and of what is admitted: expiry, the seven days after it, one vote a provider, who
 * counts, which pair was asked, and that no ingress lets in what another refuses (protocol 05 §3.4, §3.5, §14.11-15).
 * Method: one node behind its ingresses, at the instants around each boundary.
 */
import { describe, expect, test } from "vitest";
import { RECORDS_PER_PROVIDER_MAX } from "../../core/domains/oracles/bounds.ts";
import { OraclePublish, OracleRecord } from "../../core/domains/oracles/schema.ts";
import { HealthUpdate, Registration, Withdrawal } from "../../core/domains/providers/schema.ts";
import { toHex } from "../../core/kernel/bytes.ts";
import { encodeCompact } from "../../core/kernel/schema.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { loneNode, parityNode, person, signedData } from "../rpc/lone-node.ts";
import { plus, publication, registration, T, usdcKes, withdrawal } from "./market.ts";

const [ora, pia, quo] = [person(1), person(2), person(3)];
const DAY = 86_400_000;
const PAIR = { base: "USDC", quote: "KES" };

function registered(node: LoneNode = loneNode(T), ...providers: readonly Person[]): LoneNode {
  for (const by of providers.length === 0 ? [ora] : providers) node.gossip(Registration, registration(by), by);
  return node;
}

function publish(node: LoneNode, over: Partial<OraclePublish> = {}, by = ora): unknown {
  return node.call("sendOraclePublish", { data: signedData(OraclePublish, publication(by, over), by) });
}

function tagAt(node: LoneNode, ms: number, pair = PAIR): unknown {
  node.now = T + BigInt(ms);
  const rate = node.call("getExchangeRate", pair) as { readonly status: string; readonly rate?: number };
  expect(node.call("getMedianExchangeRate", pair)).toBe(rate.status === "current" ? rate.rate : null);
  if (rate.status !== "current") expect(Object.keys(rate)).toEqual(["status"]);
  return rate.status === "current" ? rate.rate : rate.status;
}

describe("a rate", () => {
  test("is current until the millisecond before it ends, stale for seven days, then was never heard of", () => {
    const node = registered();
    expect(tagAt(node, 0)).toBe("noData");
    expect(publish(node)).toBe("usdc-kes");
    expect([0, 59_999, 60_000, 60_001].map((ms) => tagAt(node, ms))).toEqual([129.52, 129.52, "stale", "stale"]);
    const forgotten = 60_000 + 7 * DAY;
    expect([forgotten, forgotten + 1].map((ms) => tagAt(node, ms))).toEqual(["stale", "noData"]);
    node.now = T + BigInt(forgotten);
    expect(node.call("getOracleRecord", { id: "usdc-kes" })).toMatchObject({ version: 1, published_at: Number(T) });
    node.now += 1n;
    expect(node.call("getOracleRecord", { id: "usdc-kes" })).toBeNull();
    expect(node.call("getOracleRecords")).toEqual([]);
  });

  test("lapsed when it was published is taken and stale", () => {
    const node = registered();
    expect(publish(node, { timestamp: plus(-60_000), expires_at: plus(-1) })).toBe("usdc-kes");
    expect(tagAt(node, 0)).toBe("stale");
  });

  test("is one vote of each provider: its newest that has not run out", () => {
    const node = registered(loneNode(T), ora, pia, quo);
    publish(node, { id: "a", data: usdcKes(1), timestamp: plus(-3) });
    publish(node, { id: "b", data: usdcKes(2), timestamp: plus(-2), expires_at: plus(1_000) });
    publish(node, { id: "c", data: usdcKes(3), timestamp: plus(-1), expires_at: plus(500) });
    publish(node, { data: usdcKes(10) }, pia);
    publish(node, { data: usdcKes(20), expires_at: plus(30_000) }, quo);
    expect([0, 500, 1_000].map((ms) => tagAt(node, ms))).toEqual([10, 10, 10]);
    expect([30_000, 59_999, 60_000].map((ms) => tagAt(node, ms))).toEqual([10, 10, "stale"]);
    const alone = registered();
    publish(alone, { id: "a", data: usdcKes(1), timestamp: plus(-3) });
    publish(alone, { id: "b", data: usdcKes(2), timestamp: plus(-2), expires_at: plus(500) });
    publish(alone, { id: "c", data: usdcKes(3), timestamp: plus(-2), version: 0n });
    expect([0, 499, 500].map((ms) => tagAt(alone, ms))).toEqual([2, 2, 3]);
  });

  test("under the reference's rules is over all records, and a withdrawn provider's stays", () => {
    const node = registered(parityNode(T));
    for (const [id, rate] of ["a", "b", "c"].map((name, i) => [name, 5 - i] as const))
      publish(node, { id, data: usdcKes(rate) });
    expect(tagAt(node, 0)).toBe(4);
    node.gossip(Withdrawal, withdrawal(ora, plus(1)), ora);
    expect(tagAt(node, 1)).toBe(4);
  });

  test("counts while its provider's registration is not withdrawn, lapsed or of any health", () => {
    const node = registered();
    publish(node, { expires_at: plus(DAY) });
    node.gossip(HealthUpdate, { service_id: "svc", provider: ora.peer, state: "Offline", timestamp: T }, ora);
    expect(tagAt(node, 700_000)).toBe(129.52);
    node.gossip(Withdrawal, withdrawal(ora, plus(700_000)), ora);
    expect(tagAt(node, 700_000)).toBe("noData");
    expect(node.call("getOracleRecord", { id: "usdc-kes" })).toBeNull();
    node.gossip(Registration, registration(ora, { timestamp: plus(700_001) }), ora);
    expect(tagAt(node, 700_001)).toBe(129.52);
    const other = { timestamp: plus(700_002), service_type: { Security: "WalletFlaggingProvider" } } as const;
    node.gossip(Registration, registration(ora, other), ora);
    expect(tagAt(node, 700_002)).toBe("noData");
  });

  test("of a pair is asked byte for byte, but for a currency's spelling", () => {
    const node = registered();
    publish(node);
    for (const quote of ["kes", " KES", "Kes\t"]) expect(tagAt(node, 0, { base: "USDC", quote })).toBe(129.52);
    for (const pair of [
      { base: "usdc", quote: "KES" },
      { base: "USDC ", quote: "KES" },
      { base: "KES", quote: "USDC" },
      { base: "USDCKES", quote: "" },
      { base: "USD", quote: "CKES" },
    ])
      expect(tagAt(node, 0, pair)).toBe("noData");
  });

  test("moves with its record: another pair under the same id leaves none behind", () => {
    const node = registered();
    publish(node);
    publish(node, { version: 2n, data: { ExchangeRate: { base: "USDT", quote: "KES", rate: 130 } } });
    expect(tagAt(node, 0)).toBe("noData");
    expect(tagAt(node, 0, { base: "USDT", quote: "KES" })).toBe(130);
    const note = { PaymentInfrastructure: { rail: "m-pesa", available: true, note: null } } as const;
    publish(node, { version: 3n, data: note });
    expect(tagAt(node, 0, { base: "USDT", quote: "KES" })).toBe("noData");
    expect(node.call("getOracleRecord", { id: "usdc-kes" })).toMatchObject({ data: note });
  });

  test("is asked of a record that lapsed only when none is current, and of the highest version first", () => {
    const node = registered(loneNode(T), ora, pia);
    publish(node, { version: 9n, expires_at: plus(10) });
    publish(node, { version: 2n, expires_at: plus(20) }, pia);
    const shownAt = (ms: number) => {
      node.now = T + BigInt(ms);
      return (node.call("getOracleRecord", { id: "usdc-kes" }) as { readonly provider: string }).provider;
    };
    expect([9, 10, 19, 20].map(shownAt)).toEqual([ora.peer, pia.peer, pia.peer, ora.peer]);
    expect(node.call("getOracleRecords")).toHaveLength(1);
  });
});

describe("a publication", () => {
  test("has the bytes that are stored in snapshots", () => {
    const { timestamp, ...rest } = publication(ora, { id: "usdc-kes-1" });
    expect(toHex(encodeCompact(OracleRecord, { ...rest, published_at: timestamp }))).toBe(
      "0a757364632d6b65732d31260024080112208a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c000455534443034b4553713d0ad7a330604001808481b58533e0d884b58533",
    );
  });

  test.each<[string, Partial<OraclePublish>]>([
    ["as long as 24 hours", { expires_at: plus(DAY) }],
    ["versions up to 10^15 above its date", { version: T + 1_000_000_000_000_000n }],
    ["the smallest rate", { data: usdcKes(5e-324) }],
    ["the largest rate", { data: usdcKes(1.7976931348623157e308) }],
  ])("is admitted at every ingress with %s", (_, over) => {
    expect(publish(registered(), over)).toBe("usdc-kes");
    const peer = registered();
    peer.gossip(OraclePublish, publication(ora, over), ora);
    expect(peer.call("getOracleRecords")).toHaveLength(1);
  });

  test.each<[string, Partial<OraclePublish>]>([
    ["a millisecond over 24 hours", { expires_at: plus(DAY + 1) }],
    ["no lifetime", { expires_at: T }],
    ["a version further above its date", { version: T + 1_000_000_000_000_001n }],
    ["a rate of zero", { data: usdcKes(0) }],
    ["a negative rate", { data: usdcKes(-1) }],
    [
      "more than 16 KiB",
      { data: { PaymentInfrastructure: { rail: "r".repeat(16_384), available: true, note: null } } },
    ],
    ["a date too far ahead", { timestamp: plus(300_001), expires_at: plus(400_000) }],
  ])("is refused at every ingress with %s, neither kept nor passed on", (_, over) => {
    expect(publish(registered(), over)).toBe(3);
    const peer = registered();
    const before = peer.roots();
    peer.gossip(OraclePublish, publication(ora, over), ora);
    expect(peer.roots()).toEqual(before);
    expect(peer.restart().call("getOracleRecords")).toEqual([]);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])(
    "of %s comes from a peer alone, and no profile admits it",
    (rate) => {
      for (const node of [registered(), registered(parityNode(T))]) {
        const before = node.roots();
        node.gossip(OraclePublish, publication(ora, { data: usdcKes(rate) }), ora);
        expect(node.roots()).toEqual(before);
      }
    },
  );

  test("before its provider's registration is kept, and counts once that is known", () => {
    const node = loneNode(T);
    node.gossip(OraclePublish, publication(ora), ora);
    expect(tagAt(node, 0)).toBe("noData");
    registered(node);
    expect(tagAt(node, 0)).toBe(129.52);
  });

  test("of a provider that lapsed is refused over RPC", () => {
    const node = registered();
    node.now = T + 600_001n;
    expect(publish(node, { timestamp: plus(600_001), expires_at: plus(700_000) })).toBe(2);
  });

  test("must count its version up, in its provider's own record", () => {
    const node = registered(loneNode(T), ora, pia);
    expect(publish(node, { version: 5n })).toBe("usdc-kes");
    expect(publish(node, { version: 5n, timestamp: plus(1) })).toBe(2);
    expect(publish(node, { version: 4n, timestamp: plus(1) })).toBe(2);
    expect(publish(node, { version: 6n, timestamp: plus(-1), data: usdcKes(7) })).toBe("usdc-kes");
    expect(publish(node, { version: 1n }, pia)).toBe("usdc-kes");
    expect(tagAt(node, 0)).toBe(129.52);
    const parity = registered(parityNode(T), ora, pia);
    publish(parity, { version: 5n });
    expect(publish(parity, { version: 5n }, pia)).toBe(2);
  });

  test("beyond a provider's bound of records is refused, and what it has may still be renewed", () => {
    const node = registered(loneNode(T), ora, pia);
    for (let n = 0; n < RECORDS_PER_PROVIDER_MAX; n++)
      node.gossip(OraclePublish, publication(ora, { id: `r${n}` }), ora);
    expect(publish(node, { id: "more" })).toBe(2);
    node.gossip(OraclePublish, publication(ora, { id: "more" }), ora);
    expect(node.call("getOracleRecord", { id: "more" })).toBeNull();
    expect(publish(node, { id: "r0", version: 2n })).toBe("r0");
    expect(publish(node, { id: "more" }, pia)).toBe("more");
  });
});
