/**
 * Goal: what one signer says again and again about one record takes the room of a few statements and nobody else's, and
 * which of them count depends on no order of arrival (CONVERGENCE B1).
 * Method: random acts of parties and strangers about contested settlements and cases, many of each, dated at random,
 * naming a record by its id or by its identity; nodes are told them in two orders, and in parts, and then tell each
 * other what they hold.
 */
import fc from "fast-check";
import { assert, expect, test } from "vitest";
import { disputeIn } from "../../core/domains/trade/disputes/panels.ts";
import { Disputes, Panels } from "../../core/domains/trade/disputes/tables.ts";
import { Settlements } from "../../core/domains/trade/settlements/tables.ts";
import { TradeChannelKeyGrant } from "../../core/domains/trade-channel/schema.ts";
import { grantsOf } from "../../core/domains/trade-channel/views.ts";
import { isOvertaken } from "../../core/engine/statements/own-statements.ts";
import { Statements } from "../../core/engine/statements/table.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { compareText } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { forAll } from "../property/for-all.ts";
import { grant } from "../trade-channel/channel.ts";
import type { Actor } from "./actors.ts";
import { arbitrators, at, merchant, nameOf, sign, stranger, taker } from "./actors.ts";
import { difference } from "./convergence-law.ts";
import * as fixtures from "./fixtures.ts";
import type { Replica } from "./replica.ts";
import { openReplica, received, recordsText, rootsOf } from "./replica.ts";
import { shuffleOf } from "./shuffle.ts";

const [ada, bob] = arbitrators as [typeof merchant, typeof merchant];
const initiates = [20, 21].map((minute) => fixtures.initiate(taker, merchant, at(minute)));
const opens = [50, 51].map((minute) => fixtures.open(taker, at(minute)));
const grounds = [fixtures.advertisement(merchant, at(0)), fixtures.request(taker, at(10)), ...initiates, ...opens];
const VOTES = ["BuyerWins", "MerchantWins"] as const;

/** One act; the numbers choose who, what, when and under which name. */
function actOf([what, who, minutes, name]: readonly [number, number, number, number]): Statement {
  const by = [taker, merchant, stranger, ada, bob][who] ?? stranger;
  const settlement = ["s", ...initiates.map(nameOf)][name] ?? "s";
  const dispute = ["d", ...opens.map(nameOf)][name] ?? "d";
  const when = at(60 + minutes);
  const vote = VOTES[minutes % 2] ?? "BuyerWins";
  const acts = [
    () => fixtures.payment(by, when, settlement),
    () => fixtures.reversal(by, when, settlement),
    () => fixtures.approve(by, when, settlement),
    () => fixtures.reject(by, when, settlement),
    () => fixtures.settlementCancel(by, when, settlement),
    () => fixtures.join(by, when, dispute),
    () => fixtures.commit(by, when, vote, minutes % 3, dispute),
    () => fixtures.reveal(by, when, vote, minutes % 3, dispute),
    () => granted(by, ada, when, settlement),
    () => granted(by, minutes % 2 === 0 ? taker : merchant, when, settlement),
  ];
  return (acts[what % acts.length] ?? acts[0])?.() as Statement;
}

function granted(by: Actor, to: Actor, timestamp: EpochMillis, settlement_id: string): Statement {
  const granter = { secret: new Uint8Array(32), key: by.key, peer: by.peer };
  return sign(TradeChannelKeyGrant, grant(granter, { settlement_id, recipient: to.peer, timestamp }));
}

/** Few of each choice, so that signers repeat themselves. */
const arbActs = fc.array(fc.tuple(fc.nat({ max: 9 }), fc.nat({ max: 4 }), fc.nat({ max: 25 }), fc.nat({ max: 2 })), {
  minLength: 20,
  maxLength: 60,
});

function toldAll(statements: readonly Statement[], bounded = true): Replica {
  const replica = openReplica(bounded);
  for (const statement of statements) replica.receive(received(statement));
  return replica;
}

function held(replica: Replica): readonly Statement[] {
  const store = replica.store();
  return [...store.keys(Statements)].flatMap((key) => store.get(Statements, key) ?? []);
}

/** Every record as it is read: what people said of cases without what counts in none. */
function readOf(replica: Replica): string {
  const store = replica.store();
  const cases = [...store.keys(Disputes)].sort(compareText).flatMap((key) => store.get(Disputes, key) ?? []);
  const panels = cases.map((row) => JSON.stringify(disputeIn(store, row), textOfMember));
  const trades = [...store.keys(Settlements)].sort(compareText).flatMap((identity) => {
    const row = store.get(Settlements, identity);
    return row === undefined ? [] : JSON.stringify(grantsOf(store, { identity: identity as never, row }), textOfMember);
  });
  const records = recordsText(replica).split("\n");
  return [...records.filter((line) => !line.startsWith(`${Panels.name} `)), ...panels, ...trades].join("\n");
}

function textOfMember(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}` : value;
}

function sameOf(a: Replica, b: Replica): void {
  assert.equal(rootsOf(a), rootsOf(b), difference(recordsText(a), recordsText(b)));
}

test("merged in any order, the same of a signer's statements count, and as few are held", () => {
  forAll(
    [arbActs, fc.integer()],
    (chosen, seed) => {
      const acts = chosen.map(actOf);
      const { shuffled } = shuffleOf(seed);
      const whole = toldAll([...grounds, ...acts]);
      sameOf(toldAll(shuffled([...grounds, ...acts])), whole);
      const half = shuffled(acts);
      const parts = [half.slice(0, half.length / 2), half.slice(half.length / 2)].map((part) =>
        toldAll(shuffled([...grounds, ...part])),
      ) as [Replica, Replica];
      const told = parts.map(held) as [readonly Statement[], readonly Statement[]];
      parts[0].receive(received(...told[1]));
      parts[1].receive(received(...told[0]));
      for (const part of parts) sameOf(part, whole);
      // What was dropped counted nowhere: the records are those of a node that holds everything.
      assert.equal(readOf(toldAll(shuffled([...grounds, ...acts]), false)), readOf(whole));
      const store = whole.store();
      for (const statement of held(whole)) expect(isOvertaken(store, statement)).toBe(false);
      return held(whole).length < new Set([...grounds, ...acts].map(({ identity }) => identity)).size
        ? ["something was overtaken"]
        : [];
    },
    { runs: 40, sample: 60, shares: { "something was overtaken": 0.7 } },
  );
});
