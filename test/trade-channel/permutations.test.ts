/**
 * Goal: no order of arrival, batch, repeat or restart changes a root or what a channel reads.
 * Method: random grants and entries of parties and strangers, under contested ids and names, joins among them.
 * Source: DESIGN L2.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { Settlements } from "../../core/domains/trade/settlements/tables.ts";
import { TradeChannelEntryPost, TradeChannelKeyGrant } from "../../core/domains/trade-channel/schema.ts";
import { entriesOf, grantsOf } from "../../core/domains/trade-channel/views.ts";
import { Seals, Statements } from "../../core/engine/statements/table.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { Actor } from "../convergence/actors.ts";
import { arbitrators, at, merchant, nameOf, sign, stranger, taker } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import type { Replica } from "../convergence/replica.ts";
import { openReplica, received, replicaOf, rootsOf, setsOf } from "../convergence/replica.ts";
import { permutations, shuffleOf } from "../convergence/shuffle.ts";
import { forAll } from "../property/for-all.ts";
import { entry, grant, sealedBytes as text } from "./channel.ts";

const [ada] = arbitrators as [(typeof arbitrators)[number]];
const first = fixtures.initiate(taker, merchant, at(2));
const rival = fixtures.initiate(taker, merchant, at(2), { amount: 9 });
const opening: readonly Statement[] = [
  fixtures.advertisement(merchant, at(0)),
  fixtures.request(taker, at(1)),
  first,
  rival,
];
const everyone = [taker, merchant, stranger, ada];
const names = ["s", "nobody", nameOf(first), nameOf(rival)];

/** Mostly a party, or an arbitrator where arbitrators act; sometimes anybody. */
const mostly = (...usual: readonly Actor[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: fc.constantFrom(...everyone) });

const arbStatement: fc.Arbitrary<Statement> = fc
  .record({
    what: fc.constantFrom("open", "join", "grant", "grant", "grant", "entry", "entry"),
    party: mostly(taker, merchant),
    arbitrator: mostly(ada),
    to: fc.constantFrom(...everyone),
    name: fc.constantFrom("s", ...names),
    sequence: fc.nat({ max: 1 }),
    variant: fc.nat({ max: 3 }),
    length: fc.constantFrom(272, 272, 272, 4_368, 4_369),
    minute: fc.integer({ min: 3, max: 5 }),
  })
  .map(({ what, party, arbitrator, to, name, sequence, variant, length, minute }): Statement => {
    const [settlement_id, timestamp] = [name, at(minute)];
    if (what === "open") return fixtures.open(party, timestamp, { about: name });
    if (what === "join") return fixtures.join(arbitrator, timestamp);
    const who = { secret: new Uint8Array(32), key: party.key, peer: party.peer };
    if (what === "grant") {
      const key_id = new Uint8Array(8).fill(variant);
      return sign(TradeChannelKeyGrant, grant(who, { settlement_id, recipient: to.peer, key_id, timestamp }));
    }
    const payload = text(variant, length);
    return sign(TradeChannelEntryPost, entry(who, { settlement_id, sequence: BigInt(sequence), payload, timestamp }));
  });

/** What the channels of all settlements read. */
function channelText(replica: Replica): string {
  const store = replica.store();
  const lines = [...store.keys(Settlements)].map((identity) => {
    const row = store.get(Settlements, identity);
    const followed = row && { identity: identity as never, row };
    return JSON.stringify(followed && [identity, grantsOf(store, followed), entriesOf(store, followed)], (_, value) =>
      typeof value === "bigint" ? `${value}` : value,
    );
  });
  return lines.sort((a, b) => (a < b ? -1 : 1)).join("\n");
}

/** What the channels of a whole set show, which is what its order must not change. */
function channelLabels(replica: Replica): readonly string[] {
  const text = channelText(replica);
  const channels = text.split("\n").filter((line) => !line.endsWith(",[],[]]"));
  return [
    ...(text.includes('"role"') ? ["a grant is shown"] : []),
    ...(text.includes('"sequence"') ? ["an entry is shown"] : []),
    ...(text.includes('"role":"Arbitrator"') ? ["an arbitrator may read"] : []),
    ...(channels.length > 1 ? ["two settlements have a channel"] : []),
  ];
}

function expectEqual(replica: Replica, whole: Replica): void {
  expect(rootsOf(replica)).toBe(rootsOf(whole));
  expect(channelText(replica)).toBe(channelText(whole));
}

test("every order of a random set gives the same roots and reads", () => {
  forAll(
    [fc.array(arbStatement, { maxLength: 24 }), fc.nat()],
    (statements, seed) => {
      const all = [...opening, ...statements];
      const { shuffled, parts, some, below } = shuffleOf(seed);
      const replica = openReplica();
      for (const batch of parts(shuffled([...all, ...some(all)]))) {
        replica.receive(received(...batch));
        if (below(3) === 0) replica.restart();
      }
      const whole = replicaOf(received(...all));
      expectEqual(replica, whole);
      return channelLabels(whole);
    },
    {
      runs: 100,
      sample: 100,
      shares: {
        ...{ "a grant is shown": 0.5, "an entry is shown": 0.5, "an arbitrator may read": 0.1 },
        "two settlements have a channel": 0.2,
      },
    },
  );
});

test("every order of two grants of one granter, a join and their settlement", () => {
  const who = { secret: new Uint8Array(32), key: taker.key, peer: taker.peer };
  const granted = (minute: number) =>
    sign(TradeChannelKeyGrant, grant(who, { settlement_id: "s", recipient: ada.peer, timestamp: at(minute) }));
  const set = [first, granted(3), granted(4), fixtures.open(taker, at(3)), fixtures.join(ada, at(4))];
  const whole = replicaOf(received(...opening.slice(0, 2), ...set));
  expect(channelText(whole)).toContain('"role":"Arbitrator"');
  for (const order of permutations(set)) {
    const replica = replicaOf(received(...opening.slice(0, 2)));
    for (const statement of order) replica.receive(received(statement));
    expectEqual(replica, whole);
  }
});

const day = (n: number) => at(24 * 60 * n);
const laterTrade = [
  fixtures.request(taker, day(35), { id: "43" }),
  fixtures.initiate(taker, merchant, day(35), { about: "43" }),
];
const merchantGrants = (timestamp: EpochMillis) => {
  const who = { secret: new Uint8Array(32), key: merchant.key, peer: merchant.peer };
  return sign(TradeChannelKeyGrant, grant(who, { settlement_id: "s", recipient: taker.peer, timestamp }));
};

/** When the grants of each channel that has some were signed. */
function grantedIn(replica: Replica): readonly (readonly EpochMillis[])[] {
  const store = replica.store();
  const channels = [...store.keys(Settlements)].map((identity) => {
    const row = store.get(Settlements, identity);
    return row === undefined ? [] : grantsOf(store, { identity: identity as never, row });
  });
  const dates = channels.map((each) => each.map(({ granted_at }) => granted_at));
  return dates.filter((each) => each.length > 0).sort(([one = 0n], [other = 0n]) => (one < other ? -1 : 1));
}

test("a grant in a later trade of the same id takes none from one that has ended, whenever that is sealed", () => {
  const both = [[at(5)], [day(37)]];
  const nodes = ["before", "between", "after"].map((sealed) => {
    const node = openReplica(true);
    node.receive(received(...opening.slice(0, 3), merchantGrants(at(5))));
    if (sealed === "before") node.seal(day(47));
    node.receive(received(...laterTrade, merchantGrants(day(36)), merchantGrants(day(37))));
    if (sealed === "between") node.seal(day(47));
    expect.soft(grantedIn(node), sealed).toEqual(both);
    node.restart();
    node.seal(day(90));
    node.restart();
    expect.soft(grantedIn(node), sealed).toEqual(both);
    const seals = [...node.store().keys(Seals)];
    expect.soft(seals.filter((key) => node.store().get(Statements, key) === undefined)).toEqual([]);
    return node;
  });
  expect(new Set(nodes.map(setsOf)).size).toBe(1);
});
