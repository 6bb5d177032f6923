/**
 * Everything that can be signed about one trade, as sixteen statements, and what a subset of them makes of it.
 * Source: CONVERGENCE "Precedence tables", settlement.
 */

import type { Acts } from "../../core/domains/trade/settlements/rules.ts";
import { actsOf } from "../../core/domains/trade/settlements/rules.ts";
import type { SettlementInitiate, SettlementState } from "../../core/domains/trade/settlements/schema.ts";
import { counting } from "../../core/engine/statements/counting.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { Actor } from "../convergence/actors.ts";
import { at, stranger } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";

/** One of the sixteen: what it is, and whose. */
export interface Piece {
  readonly name: string;
  readonly by: "buyer" | "seller" | "stranger";
  readonly statement: Statement;
}

/** The sixteen statements about the settlement `s`; dates are spread so that every order of dates occurs. */
export function piecesOf(buyer: Actor, seller: Actor): readonly Piece[] {
  const piece = (name: string, by: Piece["by"], statement: Statement): Piece => ({ name, by, statement });
  return [
    piece("pay early", "buyer", fixtures.payment(buyer, at(-3), "s", "early")),
    piece("pay", "buyer", fixtures.payment(buyer, at(4), "s", "first")),
    piece("pay again", "buyer", fixtures.payment(buyer, at(8), "s", "again")),
    piece("reverse early", "buyer", fixtures.reversal(buyer, at(-2))),
    piece("reverse", "buyer", fixtures.reversal(buyer, at(6))),
    piece("reverse late", "buyer", fixtures.reversal(buyer, at(9))),
    piece("cancel B", "buyer", fixtures.settlementCancel(buyer, at(3))),
    piece("open B", "buyer", fixtures.open(buyer, at(7), { id: "d-buyer" })),
    piece("approve early", "seller", fixtures.approve(seller, at(-5))),
    piece("approve", "seller", fixtures.approve(seller, at(5))),
    piece("reject", "seller", fixtures.reject(seller, at(-6))),
    piece("reject late", "seller", fixtures.reject(seller, at(10))),
    piece("cancel S", "seller", fixtures.settlementCancel(seller, at(-9))),
    piece("open S", "seller", fixtures.open(seller, at(-8), { id: "d-seller" })),
    piece("stranger pays", "stranger", fixtures.payment(stranger, at(20))),
    piece("stranger cancels", "stranger", fixtures.settlementCancel(stranger, at(-20))),
  ];
}

/** The pieces of a subset, given as bits. */
export function subset(pieces: readonly Piece[], mask: number): readonly Piece[] {
  return pieces.filter((_, i) => (mask >> i) & 1);
}

export function actsOfPieces(initiate: SettlementInitiate, pieces: readonly Piece[]): Acts {
  return actsOf(
    initiate,
    counting(
      {},
      pieces.map((piece) => piece.statement),
    ),
  );
}

/** The table of CONVERGENCE, lines 3 to 9, read off the names of what was signed. */
export function stateByTable(pieces: readonly Piece[]): SettlementState {
  const has = (...names: readonly string[]) => pieces.some((piece) => names.includes(piece.name));
  const paid = has("pay early", "pay", "pay again");
  if (has("open B", "open S")) return "Disputed";
  if (paid && has("approve", "approve early")) return "Approved";
  if (paid && has("reject", "reject late")) return "Rejected";
  if (has("cancel B")) return "Cancelled";
  if (newestMoveIsPayment(pieces)) return "PaymentSubmitted";
  return has("cancel S") ? "Cancelled" : "AwaitingPayment";
}

/** Dates of the buyer's moves, newest first, decide: his own acts among themselves. */
function newestMoveIsPayment(pieces: readonly Piece[]): boolean {
  const order = ["reverse late", "pay again", "reverse", "pay", "reverse early", "pay early"];
  const newest = order.find((name) => pieces.some((piece) => piece.name === name));
  return newest?.startsWith("pay") ?? false;
}
