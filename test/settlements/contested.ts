/**
 * Random trades whose ids are contested: two advertisements of one id, requests under few numbers, some of them earned,
 * several settlements under one id, and what their parties do about each. Source: CONVERGENCE "Records and ids" (ours).
 */
import fc from "fast-check";
import { ReservationRequest } from "../../core/domains/trade/reservations/schema.ts";
import type { SettlementRow } from "../../core/domains/trade/settlements/schema.ts";
import { SettlementInitiate } from "../../core/domains/trade/settlements/schema.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { Actor } from "../convergence/actors.ts";
import { at, called, earning, merchant, nameOf, rival, stranger, taker } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";

/** Two merchants sell under one id, so that a request about it is a request to both. */
export const opening: readonly Statement[] = [
  fixtures.advertisement(merchant, at(-9)),
  fixtures.advertisement(stranger, at(-8)),
];
export const people: readonly Actor[] = [taker, rival, merchant, stranger];

interface Trade {
  readonly by: Actor;
  readonly seller: Actor;
  readonly minute: number;
  readonly number: "42" | "43" | "4";
  readonly settlement: string;
  readonly earns: "its own id" | "another's" | "none";
  readonly begins: boolean;
  readonly acts: readonly (keyof typeof acts)[];
}

const acts = {
  pay: (by: Actor, _: Actor, minute: number, id: string) => fixtures.payment(by, at(minute), id),
  reverse: (by: Actor, _: Actor, minute: number, id: string) => fixtures.reversal(by, at(minute), id),
  approve: (_: Actor, seller: Actor, minute: number, id: string) => fixtures.approve(seller, at(minute), id),
  reject: (_: Actor, seller: Actor, minute: number, id: string) => fixtures.reject(seller, at(minute), id),
  cancel: (by: Actor, _: Actor, minute: number, id: string) => fixtures.settlementCancel(by, at(minute), id),
  refuse: (_: Actor, seller: Actor, minute: number, id: string) => fixtures.settlementCancel(seller, at(minute), id),
  open: (by: Actor, _: Actor, minute: number, id: string) =>
    fixtures.open(by, at(minute), { id: `d-${id}`, about: id }),
} as const;

const arbTrade: fc.Arbitrary<Trade> = fc.record({
  by: fc.constantFrom(taker, rival),
  seller: fc.constantFrom(merchant, stranger),
  minute: fc.integer({ min: 0, max: 3 }),
  number: fc.constantFrom("42", "43", "4"),
  settlement: fc.constantFrom("s", "s", "T"),
  earns: fc.constantFrom("its own id", "another's", "another's", "none", "none"),
  begins: fc.nat(4).map((n) => n > 1),
  acts: fc.array(fc.constantFrom("pay", ...(Object.keys(acts) as (keyof typeof acts)[])), { maxLength: 3 }),
});

/** The statements of a few trades: requests, initiates, and what is said about each initiate by its content. */
export const arbContested: fc.Arbitrary<readonly Statement[]> = fc
  .array(arbTrade, { minLength: 1, maxLength: 7 })
  .map((trades) => {
    let earned = "42";
    return trades.flatMap((trade): readonly Statement[] => {
      const asked = fixtures.request(trade.by, at(trade.minute), { id: trade.number });
      const request =
        trade.earns === "none"
          ? asked
          : trade.earns === "another's"
            ? called(ReservationRequest, asked, earned)
            : earning(ReservationRequest, asked);
      if (trade.earns === "its own id") earned = request.payload.id;
      if (!trade.begins) return [request];
      const about = request.payload.id;
      const begun = fixtures.initiate(trade.by, trade.seller, at(trade.minute + 1), { id: trade.settlement, about });
      const initiate = trade.minute === 0 ? earning(SettlementInitiate, begun) : begun;
      const statements = trade.acts.map((act, n) =>
        acts[act](trade.by, trade.seller, trade.minute + 2 + n, nameOf(initiate)),
      );
      return [request, initiate, ...statements];
    });
  });

/** The follow order as one text: approved, disputed, paid now, not cancelled, not rejected, then the smallest. */
export function followText(row: SettlementRow, identity: string): string {
  const ranks = [
    row.approved,
    row.signed_state === "Disputed",
    row.signed_state === "PaymentSubmitted",
    !(row.cancelled_by_buyer || row.cancelled_by_seller),
    !row.reject_signed,
  ];
  return `${ranks.map((first) => (first ? 0 : 1)).join("")} ${row.created_at} ${identity}`;
}
