// Goal: the settlement table holds line by line, and no statement vetoes another signer's act (CONVERGENCE "No
// retroactive veto"). An act is in effect while the record says so: a payment while the state is PaymentSubmitted,
// Approved, Rejected or Disputed; an approve while the record carries it; an open while the state is Disputed.
// Method: all 65,536 subsets of a trade's sixteen statements through the pure rules, times one more statement and
// times the chain facts; a sample of them through the whole engine, Sell and Buy, with the reservation's row.
import { assert, describe, test } from "vitest";
import { Reservations } from "../../core/domains/trade/reservations/tables.ts";
import { settlementRow } from "../../core/domains/trade/settlements/rules.ts";
import type { ChainFact, SettlementRow, SettlementState } from "../../core/domains/trade/settlements/schema.ts";
import { Settlements } from "../../core/domains/trade/settlements/tables.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { at, merchant, taker } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import { received, replicaOf } from "../convergence/replica.ts";
import { shuffleOf } from "../convergence/shuffle.ts";
import type { Piece } from "./small-scope.ts";
import { actsOfPieces, piecesOf, stateByTable, subset } from "./small-scope.ts";

const SUBSETS = 1 << 16;
const PAID: readonly SettlementState[] = ["PaymentSubmitted", "Approved", "Rejected", "Disputed"];

function trade(direction: "Sell" | "Buy") {
  const [buyer, seller] = direction === "Sell" ? [taker, merchant] : [merchant, taker];
  const advertisement = fixtures.advertisement(merchant, at(-60), { direction });
  const request = fixtures.request(taker, at(-1));
  const initiate = fixtures.initiate(buyer, seller, at(0));
  return { pair: { advertisement, request }, advertisement, request, initiate, pieces: piecesOf(buyer, seller) };
}

/** Bits of the pieces whose act the record shows to be in effect. */
function inEffect(pieces: readonly Piece[], mask: number, row: SettlementRow): number {
  let bits = 0;
  for (const [i, piece] of pieces.entries()) {
    if (((mask >> i) & 1) === 0 || piece.by === "stranger") continue;
    if (piece.name.startsWith("pay") && PAID.includes(row.signed_state)) bits |= 1 << i;
    if (piece.name.startsWith("approve") && row.approved) bits |= 1 << i;
    if (piece.name.startsWith("open") && row.signed_state === "Disputed") bits |= 1 << i;
  }
  return bits;
}

describe.each(["Sell", "Buy"] as const)("a trade's sixteen statements, %s", (direction) => {
  const { pair, advertisement, request, initiate, pieces } = trade(direction);
  const rowOf = (mask: number, facts: readonly ChainFact[] = []) =>
    settlementRow(initiate, pair, actsOfPieces(initiate.payload, subset(pieces, mask)), facts);

  test("every subset reads as the table says, and one more statement by another vetoes nothing", () => {
    const effects = new Uint16Array(SUBSETS);
    for (let mask = 0; mask < SUBSETS; mask++) {
      const row = rowOf(mask);
      if (row.state !== stateByTable(subset(pieces, mask))) {
        assert.equal(row.state, stateByTable(subset(pieces, mask)), namesOf(subset(pieces, mask)));
      }
      effects[mask] = inEffect(pieces, mask, row);
    }
    for (let mask = 0; mask < SUBSETS; mask++) {
      for (const [i, added] of pieces.entries()) {
        const more = mask | (1 << i);
        const lost = (effects[mask] ?? 0) & ~(effects[more] ?? 0);
        if (lost === 0) continue;
        const vetoed = subset(pieces, lost).filter((piece) => piece.by !== added.by);
        if (vetoed.length > 0)
          assert.fail(`${added.name} vetoed ${namesOf(vetoed)} in ${namesOf(subset(pieces, mask))}`);
      }
    }
  });

  test("a fact decides whatever was signed", () => {
    const outcomes = [
      [fact("released", null), "Completed"],
      [fact("decided", "BuyerWins"), "Completed"],
      [fact("decided", "MutualSettlement"), "Completed"],
      [fact("decided", null), "Completed"],
      [fact("decided", "MerchantWins"), "Cancelled"],
      [fact("decided", "Invalid"), "Cancelled"],
    ] as const;
    for (let mask = 0; mask < SUBSETS; mask += 7) {
      for (const [observed, state] of outcomes) assert.equal(rowOf(mask, [observed]).state, state);
    }
  });

  test("the whole engine says the same of a sample, and follows it with the reservation", () => {
    const random = shuffleOf(direction === "Sell" ? 1 : 2);
    for (let round = 0; round < 400; round++) {
      const mask = random.below(SUBSETS);
      const signed: Statement[] = subset(pieces, mask).map((piece) => piece.statement);
      const replica = replicaOf(received(...random.shuffled([...signed, advertisement, request, initiate])));
      assert.deepEqual(replica.store().get(Settlements, initiate.identity), rowOf(mask));
      const reservation = replica.store().get(Reservations, `${advertisement.identity}:${request.identity}`);
      const row = rowOf(mask);
      const isGivenUp = row.cancelled_by_seller && row.payment_submitted_at === null;
      const stands = direction === "Buy" && !(row.cancelled_by_buyer || row.rejected || isGivenUp);
      const acknowledged = row.approved || stands;
      assert.equal(reservation?.acknowledged, acknowledged, namesOf(subset(pieces, mask)));
      assert.equal(reservation?.sold, row.approved);
      assert.equal(reservation?.touched, row.ever_paid || row.disputed_at !== null);
    }
  });
});

function fact(kind: ChainFact["kind"], resolution: ChainFact["resolution"]): ChainFact {
  const terminal_split = kind === "decided" && resolution === null ? "NoConsensus" : null;
  const [buyer, seller] = [taker.key, merchant.key];
  const bound = { reservation: 42n, buyer, seller, mint: fixtures.MINTS[0], amount: 10n };
  return { kind, ...bound, resolution, terminal_split, transaction: "t", timestamp: at(1) };
}

function namesOf(pieces: readonly Piece[]): string {
  return pieces.map((piece) => piece.name).join(", ");
}
