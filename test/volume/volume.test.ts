// Goal: the settled volume is one row for each asset, never a total; what cannot be attributed is counted and shown;
// the asset is the one that the chain moved (DESIGN L8; protocol 02 F, P.3).
// Method: trades by gossip-free statements on a replica with chain facts; the published answer on a whole node whose
// store held the facts before.
import { assert, describe, expect, test } from "vitest";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import type { ChainFact, SettlementInitiate } from "../../core/domains/trade/settlements/schema.ts";
import { ChainFacts } from "../../core/domains/trade/settlements/tables.ts";
import { settledVolume } from "../../core/domains/volume/queries.ts";
import { AssetVolume, VOLUME_SCOPE } from "../../core/domains/volume/schema.ts";
import type { Pending } from "../../core/engine/statements/table.ts";
import { Statements } from "../../core/engine/statements/table.ts";
import { decodeJson, devnetNetwork, parseJson } from "../../core/index.ts";
import { compactWriter, U128_MAX } from "../../core/kernel/compact.ts";
import { ANSWER, decodeCompact, encodeCompact } from "../../core/kernel/schema.ts";
import { u128 } from "../../core/kernel/schema-scalars.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { MintAddress } from "../../core/kernel/values.ts";
import type { StoreRow } from "../../core/ports/store.ts";
import type { Actor } from "../convergence/actors.ts";
import { at, merchant, nameOf, rival, sign, taker } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import type { Observation } from "../convergence/replica.ts";
import { received, replicaOf, seen } from "../convergence/replica.ts";
import { loneNode } from "../rpc/lone-node.ts";

const USDC = "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU" as MintAddress;
const USDT = "C4rSGhdxWhSFQuFcAxQti1JvBxriwHJoHtJjfhs5p24Y" as MintAddress;
const UNNAMED = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU" as MintAddress;

interface TradeFields {
  readonly number: string;
  readonly amount: number;
  readonly mint?: MintAddress;
  readonly buyer?: Actor;
  /** Leaves the advertisement out. */
  readonly orphan?: true;
}

/** One trade up to its settlement, with an advertisement of its own. */
function trade({ number, amount, mint = USDC, buyer = taker, orphan }: TradeFields) {
  const decimals = fixtures.units(1_000_000_000);
  const ad = fixtures.advertisement(merchant, at(0), {
    id: `ad${number}`,
    mint,
    max: 1_000_000_000,
    liquidity: decimals,
  });
  const request = fixtures.request(buyer, at(1), { id: number, about: `ad${number}`, amount });
  const initiate = fixtures.initiate(buyer, merchant, at(2), { id: `s${number}`, about: number, amount });
  return { initiate, statements: orphan ? [request, initiate] : [ad, request, initiate] };
}

function fact(initiate: Statement<SettlementInitiate>, more: Partial<ChainFact> = {}): ChainFact {
  const { reservation_id, buyer_public_key, seller_public_key, amount } = initiate.payload;
  return {
    kind: "released",
    reservation: BigInt(reservation_id),
    buyer: buyer_public_key,
    seller: seller_public_key,
    mint: USDC,
    amount: amount.base_units,
    resolution: null,
    terminal_split: null,
    transaction: `release ${reservation_id}`,
    timestamp: at(9),
    ...more,
  };
}

const volumeOf = (observations: readonly Observation[]) =>
  settledVolume(replicaOf(observations).store(), devnetNetwork.mints);

/** Three confirmed, of which one of an unnamed mint and one without its advertisement; two more known. */
function published() {
  const named = trade({ number: "1", amount: 20_000_000 });
  const unnamed = trade({ number: "2", amount: 700, mint: UNNAMED });
  const orphan = trade({ number: "3", amount: 55, orphan: true });
  const open = [trade({ number: "4", amount: 5 }), trade({ number: "5", amount: 6, buyer: rival })];
  return {
    statements: [named, unnamed, orphan, ...open].flatMap(({ statements }) => statements),
    facts: [fact(named.initiate), fact(unnamed.initiate, { mint: UNNAMED }), fact(orphan.initiate)],
  };
}

const PUBLISHED =
  '{"jsonrpc":"2.0","id":40,"result":{"assets":[{"asset_mint":"2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU",' +
  '"asset_symbol":"USDC","base_units":20000000,"decimals":6,"settlements":1},' +
  '{"asset_mint":"4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU","asset_symbol":null,"base_units":700,' +
  '"decimals":null,"settlements":1}],"scope":"settlements this node has replicated and independently observed ' +
  'confirmed on chain; not necessarily the network\'s entire history","settlements_known":5,' +
  '"unattributed_settlements":1}}';

test("the published answer, to the byte, from a node that starts with what it had stored", () => {
  const { statements, facts } = published();
  const rows = new Map<string, StoreRow>();
  const keep = (table: typeof Statements | typeof Pending | typeof ChainFacts, key: string, record: unknown) => {
    const writer = compactWriter();
    table.record.encode(record as never, writer);
    rows.set(`${table.name} ${key}`, { table: table.name, key, bytes: writer.finish() });
  };
  for (const statement of statements) keep(Statements, statement.identity, statement);
  for (const observation of facts.map(seen))
    if (observation.type === "seen") keep(ChainFacts, observation.id, observation.fact);
  const node = loneNode(at(10), undefined, rows);
  for (const params of [
    '{"jsonrpc":"2.0","id":40,"method":"getSettledVolume","params":{}}',
    '{"jsonrpc":"2.0","id":40,"method":"getSettledVolume"}',
    '{"jsonrpc":"2.0","id":40,"method":"getSettledVolume","params":["anything"]}',
  ])
    expect(node.body(params)).toBe(PUBLISHED);
});

describe("rows", () => {
  test("nothing is confirmed without a fact, however far a trade went", () => {
    const { statements } = trade({ number: "1", amount: 9 });
    const paid = [...statements, fixtures.payment(taker, at(3), "s1"), fixtures.approve(merchant, at(4), "s1")];
    assert.deepEqual(volumeOf(received(...paid)), {
      assets: [],
      unattributed_settlements: 0n,
      settlements_known: 1n,
      scope: VOLUME_SCOPE,
    });
  });

  test("one for each mint, the largest first, then by mint; rows and unattributed add up to the confirmed", () => {
    const trades = [
      trade({ number: "1", amount: 10 }),
      trade({ number: "2", amount: 30 }),
      trade({ number: "3", amount: 40, mint: USDT }),
      trade({ number: "4", amount: 900, mint: UNNAMED }),
    ];
    const mints = [USDC, USDC, USDT, UNNAMED];
    const facts = trades.map(({ initiate }, i) => seen(fact(initiate, { mint: mints[i] as MintAddress })));
    const volume = volumeOf([...received(...trades.flatMap(({ statements }) => statements)), ...facts]);
    assert.deepEqual(
      volume.assets.map((row) => [row.asset_symbol, row.decimals, row.base_units, row.settlements]),
      [
        [null, null, 900n, 1n],
        ["USDC", 6, 40n, 2n],
        ["USDT", 6, 40n, 1n],
      ],
    );
    const rows = volume.assets.reduce((sum, row) => sum + row.settlements, 0n);
    assert.equal(rows + volume.unattributed_settlements, 4n);
  });

  test("a decision towards the buyer counts, one towards the merchant does not", () => {
    const { initiate, statements } = trade({ number: "1", amount: 9 });
    const decided = (resolution: ChainFact["resolution"]) =>
      volumeOf([...received(...statements), seen(fact(initiate, { kind: "decided", resolution }))]).assets.length;
    assert.deepEqual(
      ["BuyerWins", "MutualSettlement", "MerchantWins", "Invalid"].map((it) => decided(it as never)),
      [1, 1, 0, 0],
    );
    assert.equal(decided(null), 1);
  });

  test("a deleted advertisement keeps its record, and its trades stay attributed", () => {
    const { initiate, statements } = trade({ number: "1", amount: 9 });
    const deleted = fixtures.statusSet(merchant, "ad1", "Deleted", at(20));
    const volume = volumeOf([...received(...statements, deleted), seen(fact(initiate))]);
    assert.deepEqual([volume.assets.length, volume.unattributed_settlements], [1, 0n]);
  });

  test("the asset is the fact's where a settlement fits advertisements of two mints", () => {
    const { initiate, statements } = trade({ number: "1", amount: 9 });
    const earlier = fixtures.advertisement(merchant, at(-9), { id: "ad1", mint: USDT });
    const both = received(...statements, earlier);
    assert.deepEqual(
      [USDC, USDT].map((mint) =>
        volumeOf([...both, seen(fact(initiate, { mint }))]).assets.map((row) => row.asset_mint),
      ),
      [[USDC], [USDT]],
    );
  });
});

describe("unattributed settlements", () => {
  const { initiate, statements } = trade({ number: "7", amount: 9, orphan: true });
  const seenFact = seen(fact(initiate));

  test("are known and confirmed without their advertisement, and move into a row when it arrives", () => {
    const without = volumeOf([...received(...statements), seenFact]);
    assert.deepEqual([without.assets, without.unattributed_settlements, without.settlements_known], [[], 1n, 1n]);
    const [ad] = trade({ number: "7", amount: 9 }).statements;
    const complete = volumeOf([...received(...statements, ad as Statement), seenFact]);
    assert.deepEqual(
      [complete.assets.length, complete.unattributed_settlements, complete.settlements_known],
      [1, 0n, 1n],
    );
  });

  test("are counted once, whatever else their buyer signed and however often the chain spoke", () => {
    const again = fixtures.initiate(taker, merchant, at(3), { id: "other", about: "7", amount: 9 });
    const decision = seen(fact(initiate, { kind: "decided", resolution: "BuyerWins", transaction: "second" }));
    const volume = volumeOf([...received(...statements, again), seenFact, decision]);
    assert.deepEqual([volume.unattributed_settlements, volume.settlements_known], [1n, 1n]);
  });

  test("are not counted without a fact of their keys and amount", () => {
    const stranger = fixtures.initiate(rival, merchant, at(3), { id: "other", about: "7", amount: 9 });
    const volume = volumeOf([...received(...statements.slice(0, 1), stranger), seenFact]);
    assert.deepEqual([volume.unattributed_settlements, volume.settlements_known], [0n, 0n]);
  });

  test("are not counted when the chain gave the escrow back", () => {
    const returned = seen(fact(initiate, { kind: "decided", resolution: "MerchantWins" }));
    assert.equal(volumeOf([...received(...statements), returned]).unattributed_settlements, 0n);
  });

  test("are not counted for a fact that a settlement has taken", () => {
    const held = trade({ number: "1", amount: 9 });
    const rivalRequest = fixtures.request(taker, at(5), { id: "1", about: "nowhere", amount: 9 });
    const rivalInitiate = fixtures.initiate(taker, merchant, at(6), { about: nameOf(rivalRequest), amount: 9 });
    const observations = received(...held.statements, rivalRequest, rivalInitiate);
    const volume = volumeOf([...observations, seen(fact(held.initiate))]);
    assert.deepEqual([volume.assets.length, volume.unattributed_settlements, volume.settlements_known], [1, 0n, 1n]);
  });

  test("are found where the initiate names its request by identity", () => {
    const [request] = statements;
    const named = fixtures.initiate(taker, merchant, at(2), { about: nameOf(request as Statement), amount: 9 });
    const volume = volumeOf([...received(request as Statement, named), seenFact]);
    assert.equal(volume.unattributed_settlements, 1n);
  });
});

test("a sum above 64 bits is written whole, up to 128 bits", () => {
  const amount = fixtures.units((1n << 64n) - 1n);
  const observations = ["1", "2"].flatMap((number) => {
    const { payload } = fixtures.advertisement(merchant, at(0), { id: `ad${number}`, mint: USDC, liquidity: amount });
    const ad = sign(AdvertisementCreate, { ...payload, max_trade: amount });
    const request = fixtures.request(taker, at(1), { id: number, about: `ad${number}`, amount });
    const initiate = fixtures.initiate(taker, merchant, at(2), { id: `s${number}`, about: number, amount });
    return [...received(ad, request, initiate), seen(fact(initiate))];
  });
  const [row] = volumeOf(observations).assets;
  assert.equal(row?.base_units, (1n << 65n) - 2n);
  assert.include(AssetVolume.write(row as AssetVolume, ANSWER), '"base_units":36893488147419103230,');
  for (const value of [0n, (1n << 65n) - 2n, U128_MAX]) {
    assert.equal(decodeCompact(u128, encodeCompact(u128, value)), value);
    assert.deepEqual(read(value.toString()), value);
  }
  assert.deepEqual([read((U128_MAX + 1n).toString()), read("-1"), read("1.0"), read('"1"')], Array(4).fill(null));
});

function read(text: string): bigint | null {
  const parsed = parseJson(text);
  const decoded = parsed.ok ? decodeJson(u128, parsed.value) : parsed;
  return decoded.ok ? decoded.value.value : null;
}
