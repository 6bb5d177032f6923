/**
 * Goal: a node that takes a file and then hears the rest ends in the same three roots as one that heard everything, in
 * whatever order, and as the file's producer; a second file by the first taker is the same again (CONVERGENCE
 * "Snapshots"; DESIGN L2).
 * Method: random statements of every domain, really signed: stories of trades, and of all other domains payloads about
 * a few shared names; a random part of them is in the file, the rest comes by gossip before or after.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import { marketplace } from "../../core/domains.ts";
import { Statements } from "../../core/engine/statements/table.ts";
import type { Fields, RecordOf } from "../../core/kernel/schema-composites.ts";
import type { SignedType, Statement } from "../../core/kernel/signed.ts";
import { arbitraryOf } from "../../sim/arbitraries/of-schema.ts";
import { actor, at } from "../convergence/actors.ts";
import type { Intent } from "../convergence/story.ts";
import { arbIntents, storyOf } from "../convergence/workload.ts";
import { forAll } from "../property/for-all.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { person } from "../rpc/lone-node.ts";
import type { Shelf, SignedBy } from "./stage.ts";
import { EVERY_MS, producer, replay, SLOT, snapshotting, stage, taker, taking } from "./stage.ts";

const NOW = at(180);
const people = Array.from({ length: 8 }, (_, n) => person(100 + n));
/** Members that name records, and the few names that they take. */
const NAMING = /(?:^|_)(?:id|settlement)$/;
const NAMES = ["one", "two", "three"];
const TRADES = new Set([
  "Advertisement",
  "Reservation",
  "Settlement",
  "PaymentS",
  "PaymentR",
  "Dispute",
  "Arbitrator",
  "Vote",
  "Mutual",
]);

/** Statements of the other domains: a type, a payload, and whose it is. */
const others = marketplace.types.filter(({ name, event }) => {
  return event !== "" && ![...TRADES].some((trade) => name.startsWith(trade) && name !== "VoteCast");
});
function arbStatement(type: SignedType): fc.Arbitrary<SignedBy> {
  return fc.tuple(arbitraryOf(type.payload), fc.nat(7), fc.nat(2), fc.nat(120)).map(([payload, who, name, minute]) => {
    const by = people[who] ?? producer;
    return { type, payload: aboutFew(type, payload, by, NAMES[name] ?? "one", minute), by };
  });
}
/** Two of each type, of which some are said, in some order. */
const arbOthers = fc.tuple(...[...others, ...others].map(arbStatement)).chain((each) => fc.shuffledSubarray(each));

/** The payload as somebody says it, at some minute, about one of the few names. */
function aboutFew(type: SignedType, payload: RecordOf<Fields>, by: Person, name: string, minute: number) {
  const record: Record<string, unknown> = { ...payload };
  for (const [member, value] of Object.entries(payload)) {
    if (typeof value === "string" && NAMING.test(member)) record[member] = name;
    if (member === "expires_at" && value !== null) record[member] = at(minute + 60);
    if (member === "rate") record[member] = 129.5;
  }
  for (const [wanted, read] of [
    [by.peer, type.signerOf],
    [by.key, type.keyOf],
    [at(minute), type.timeOf],
  ] as const) {
    const member = memberRead(record, read as (value: never) => unknown);
    if (member !== undefined) record[member] = wanted;
  }
  return record as RecordOf<Fields>;
}

function memberRead(record: object, read: (record: never) => unknown): string | undefined {
  let member: string | undefined;
  read(
    new Proxy(record, {
      get(target, name) {
        if (typeof name === "string") member = name;
        return Reflect.get(target, name);
      },
    }) as never,
  );
  return member;
}

/** Stories of trades are told by people without keys of their own; here they get them. */
const ACTORS = ["mia", "max", "tia", "tom", "ada", "bob", "cyd", "dan", "stranger"].map((name, n) => {
  return { as: actor(name), by: person(120 + n) };
});
const SPELLINGS = new Map(
  ACTORS.flatMap(({ as, by }) => [
    [as.peer as string, by.peer as string],
    [as.key as string, by.key as string],
  ]),
);

function tradesOf(intents: readonly Intent[]): readonly SignedBy[] {
  return storyOf(intents).observations.flatMap((observation) =>
    observation.type === "statement" ? [signedAnew(observation.statement)] : [],
  );
}

function signedAnew({ type, payload, signer }: Statement): SignedBy {
  const by = ACTORS.find(({ as }) => as.peer === signer)?.by ?? producer;
  return { type, payload: respelt(payload) as RecordOf<Fields>, by };
}

function respelt(value: unknown): unknown {
  if (typeof value === "string") return SPELLINGS.get(value) ?? value;
  if (value instanceof Uint8Array || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(respelt);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, respelt(inner)]));
}

function listener(): LoneNode {
  return stage({ who: person(43), now: NOW, shelf: new Map() });
}

/** How a list is dealt out: in the file, heard before it, heard after it; any number of these, one at least. */
const arbDeal = fc.integer({ min: 1, max: 7 });
const dealt = (deal: readonly number[], place: number, bit: number) => ((deal[place % deal.length] ?? 7) & bit) !== 0;

/** Every type that a file may carry is in some of the cases. */
const everyType = Object.fromEntries(
  marketplace.types
    .filter(({ event }) => event !== "")
    .map(({ name }) => [name, others.some((type) => type.name === name) ? 0.4 : 0.03]),
);

test("a file and what it lacks give the roots of everything, whoever heard what and when", () => {
  forAll(
    [arbIntents(5, 40), arbOthers, fc.array(arbDeal, { minLength: 1, maxLength: 60 })],
    (intents, random, deal) => {
      const all = [...tradesOf(intents), ...random];
      const part = (bit: number) => all.filter((_, place) => dealt(deal, place, bit));
      const shelf: Shelf = new Map();
      const source = stage({ who: producer, now: NOW, shelf, told: snapshotting(producer) });
      replay(source, part(1));
      source.observe(SLOT);
      source.pass(EVERY_MS);
      // Whoever takes a file has heard of it and of its producer.
      const made = ofProducer(source);
      const node = stage({ who: taker, now: source.now, shelf, told: taking });
      replay(node, part(2));
      replay(node, made);
      node.pass(60_000);
      expect(node.call("getCheckpointSlot")).toBe(Number(SLOT));
      replay(node, part(4).toReversed());
      const whole = listener();
      whole.now = node.now;
      replay(whole, [...made, ...all.toReversed()]);
      replay(node, all);
      expect(node.roots()).toEqual(whole.roots());
      expect(node.again().roots()).toEqual(whole.roots());
    },
    {
      runs: 20,
      nightly: 500,
      classes: (intents, random, deal) => {
        const all = [...tradesOf(intents), ...random];
        const parts = [1, 2, 4].filter((bit) => all.some((_, place) => dealt(deal, place, bit)));
        return [...new Set(all.map(({ type }) => type.name)), `${parts.length} parts`];
      },
      shares: { ...everyType, "3 parts": 0.5, "2 parts": 0.02 },
    },
  );
});

test("what a file carries is all that its producer holds", () => {
  const holds = (intents: readonly Intent[], random: readonly SignedBy[]) => {
    const shelf: Shelf = new Map();
    const source = stage({ who: producer, now: NOW, shelf, told: snapshotting(producer) });
    replay(source, [...tradesOf(intents), ...random]);
    source.observe(SLOT);
    source.pass(EVERY_MS);
    const node = stage({ who: taker, now: source.now, shelf, told: taking });
    replay(node, ofProducer(source));
    node.pass(60_000);
    expect(node.roots()).toEqual(source.roots());
  };
  forAll([arbIntents(5, 40), arbOthers], holds, {
    runs: 20,
    nightly: 500,
    classes: (intents, random) => [...tradesOf(intents), ...random].map(({ type }) => type.name),
    shares: everyType,
  });
});

/** What a producer said of itself. */
function ofProducer(source: LoneNode): readonly SignedBy[] {
  return [...source.view.keys(Statements)].flatMap((identity) => {
    const statement = source.view.get(Statements, identity);
    if (statement?.signer !== producer.peer) return [];
    return [{ type: statement.type, payload: statement.payload as RecordOf<Fields>, by: producer }];
  });
}
