/**
 * Stories in which few names are used again and again for two months, in lives that overlap or follow one another.
 * Source: CONVERGENCE B1, B6, B7.
 */
import fc from "fast-check";
import { ReviewPublish } from "../../core/domains/reviews/schema.ts";
import { TradeChannelEntryPost, TradeChannelKeyGrant } from "../../core/domains/trade-channel/schema.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { reviewed } from "../identity/fixtures.ts";
import { entry, grant, sealedBytes } from "../trade-channel/channel.ts";
import type { Actor } from "./actors.ts";
import { arbitrators, at, merchant, nameOf, rival, sign, stranger, taker } from "./actors.ts";
import * as fixtures from "./fixtures.ts";

const DAY = 24 * 60;
const LIFE = 30 * DAY;
const [ada] = arbitrators as [Actor];

export interface Trade {
  readonly begun: number;
  readonly after: number;
  readonly number: "42" | "43";
  readonly buyer: Actor;
  readonly seller: Actor;
  readonly disputed: number | null;
}

export interface Act {
  readonly what: number;
  readonly by: Actor;
  readonly trade: number;
  readonly name: number;
  readonly after: number;
  readonly variant: number;
}

export const arbTrade: fc.Arbitrary<Trade> = fc.record({
  begun: fc.oneof(fc.nat({ max: 60 }), fc.nat({ max: 64 * DAY }), fc.integer({ min: 28 * DAY, max: 36 * DAY })),
  after: fc.nat({ max: 15 }),
  number: fc.constantFrom("42", "43"),
  buyer: fc.constantFrom(taker, taker, taker, stranger),
  seller: fc.constantFrom(merchant, merchant, merchant, rival),
  disputed: fc.option(fc.nat({ max: LIFE })),
});

export const arbAct: fc.Arbitrary<Act> = fc.record({
  what: fc.nat({ max: 12 }),
  by: fc.constantFrom(taker, merchant, taker, merchant, stranger, rival),
  trade: fc.nat({ max: 5 }),
  name: fc.nat({ max: 9 }),
  after: fc.oneof(fc.nat({ max: 120 }), fc.nat({ max: LIFE + DAY })),
  variant: fc.nat({ max: 2 }),
});

/** Requests, initiates and cases, and what people say of them, under `s` and `d` or under what they are called by. */
export function storyOf(trades: readonly Trade[], acts: readonly Act[]): readonly Statement[] {
  const begun = trades.map(({ begun: minute, after, number, buyer, seller, disputed }) => {
    const initiate = fixtures.initiate(buyer, seller, at(minute + after), { about: number });
    const open = disputed === null ? [] : [fixtures.open(buyer, at(minute + after + disputed))];
    return { minute, initiate, open, all: [fixtures.request(buyer, at(minute), { id: number }), initiate, ...open] };
  });
  const settlements = begun.map(({ initiate }) => nameOf(initiate));
  const cases = begun.flatMap(({ open }) => open.map(nameOf));
  const sent = acts.map((act) => {
    const minute = begun[act.trade % begun.length]?.minute ?? 0;
    return wordOf(act, minute + act.after, settlements[act.name] ?? "s", cases[act.name] ?? "d");
  });
  const offers = [fixtures.advertisement(merchant, at(0)), fixtures.advertisement(rival, at(3))];
  const all = [...offers, ...begun.flatMap((each) => each.all), ...sent];
  return [...new Map(all.map((each) => [each.identity, each])).values()];
}

function wordOf({ what, by, variant }: Act, minute: number, settlement: string, about: string): Statement {
  const [when, who] = [at(minute), { secret: new Uint8Array(32), key: by.key, peer: by.peer }];
  const to = [taker, merchant, ada][variant] ?? ada;
  const post = { settlement_id: settlement, sequence: BigInt(variant % 2), payload: sealedBytes(variant) };
  const makers = [
    () => fixtures.payment(by, when, settlement),
    () => fixtures.reversal(by, when, settlement),
    () => fixtures.approve(by, when, settlement),
    () => fixtures.reject(by, when, settlement),
    () => fixtures.settlementCancel(by, when, settlement),
    () => fixtures.reservationCancel(by, variant === 0 ? "42" : "43", when),
    () => fixtures.join(variant === 0 ? by : ada, when, about),
    () => fixtures.commit(ada, when, "BuyerWins", variant, about),
    () => fixtures.reveal(ada, when, "BuyerWins", variant, about),
    () => sign(ReviewPublish, reviewed(by, when, { settlement, comment: `${variant}` })),
    () => sign(TradeChannelKeyGrant, grant(who, { settlement_id: settlement, recipient: to.peer, timestamp: when })),
    () => sign(TradeChannelEntryPost, entry(who, { ...post, timestamp: when })),
    () => fixtures.priceUpdate(merchant, "ad", fixtures.fixed(100 + (variant % 2)), when),
  ];
  return (makers[what] ?? makers[0])?.() as Statement;
}

/** A grant in each of two trades of one id, the second as the first is about to be sealed: some hear it after that. */
export function grantedAgain(): readonly Statement[] {
  const granted = (after: number) => ({ what: 10, by: merchant, trade: 0, name: 9, after, variant: 0 });
  const trade = { after: 1, number: "42", buyer: taker, seller: merchant, disputed: null } as const;
  const trades = [0, 35 * DAY].map((begun) => ({ ...trade, begun }));
  return storyOf(trades, [granted(5), granted(58 * DAY)]);
}
