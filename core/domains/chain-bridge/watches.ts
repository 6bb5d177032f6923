/**
 * Which escrows a node watches: those of every settlement it knows, whoever submitted what, so that the case of every
 * unresolved dispute is under watch. A final fact ends the watch; a restart takes all of them up again.
 * Source: protocol 03 A.10.3 R1, R2, R8.
 */

import { Statements } from "../../engine/statements/table.ts";
import type { Turn } from "../../engine/step-context.ts";
import type { ChainAddresses } from "../../solana/addresses.ts";
import { chainAddresses, devnetProfile, reservationNumber } from "../../solana/addresses.ts";
import { Disputes } from "../trade/disputes/tables.ts";
import type { ChainFact, SettlementRow } from "../trade/settlements/schema.ts";
import { ChainFacts, Settlements } from "../trade/settlements/tables.ts";
import { hintsOf } from "./hints.ts";
import { Sightings, Watches } from "./tables.ts";

/** Watched escrows at most, and how many places of these are for disputes and hints alone. Source: DESIGN L10. */
export const WATCHES_MAX = 100_000;
const RESERVED_PLACES = 10_000;
/** Pairs noted of one reservation number. Source: DESIGN L10. */
const PAIRS_MAX = 8;

/** A reaction: watches the escrow of every settlement that this turn brought. */
export function watchNewSettlements(turn: Turn): void {
  if (turn.configuration.chain !== "RpcConnected") return;
  for (const { table, key, record } of turn.draft.changes()) {
    if (table !== Settlements.name || record === undefined) continue;
    const row = turn.draft.get(Settlements, key);
    if (row !== undefined) watchSettlement(turn, row, row.standing === "Disputed");
  }
}

/** Watches everything that the store held: escrows in hand first, then disputes. */
export function watchFromStart(turn: Turn): void {
  if (turn.configuration.chain !== "RpcConnected") return;
  for (const id of turn.draft.keys(Sightings)) {
    const held = turn.draft.get(Sightings, id);
    if (held !== undefined) watch(turn, held.escrow, held.reservation);
  }
  const rows = [...turn.draft.keys(Settlements)].flatMap((key) => turn.draft.get(Settlements, key) ?? []);
  for (const disputed of [true, false]) {
    for (const row of rows) if ((row.standing === "Disputed") === disputed) watchSettlement(turn, row, disputed);
  }
}

/** Watches what a tag names. A tag is a hint of what to watch and nothing more. */
export function watchHinted(turn: Turn, tag: string | null): void {
  if (tag === null || turn.configuration.chain !== "RpcConnected") return;
  for (const hint of hintsOf(tag)) {
    const settlements =
      hint.about === "settlement"
        ? turn.draft.find(Settlements, "id", hint.id)
        : turn.draft.find(Disputes, "id", hint.id).flatMap((key) => turn.draft.get(Disputes, key)?.settlement ?? []);
    for (const identity of settlements) {
      const row = turn.draft.get(Settlements, identity);
      const number = row === undefined ? undefined : numberOf(turn, row);
      if (row === undefined || number === undefined) continue;
      if (hint.address !== null && hint.address !== addressesOf(turn).disputeCase(number).address) continue;
      watchSettlement(turn, row, true);
    }
    if (settlements.length > 0) return;
  }
}

/** Whether a settlement is known that a fact of this escrow names. Source: protocol 03 A.10.3 R1b. */
export function isNamed(turn: Turn, escrow: string, fact: ChainFact): boolean {
  const pairs = turn.draft.get(Watches, escrow)?.pairs ?? [];
  return pairs.some((pair) =>
    turn.draft.find(Settlements, "pair", pair).some((key) => {
      const row = turn.draft.get(Settlements, key);
      const parties = row?.buyer_public_key === fact.buyer && row.seller_public_key === fact.seller;
      return parties && row.amount.base_units === fact.amount;
    }),
  );
}

/** Ends the watch on an escrow. */
export function unwatch(turn: Turn, escrow: string): void {
  if (turn.draft.get(Watches, escrow) === undefined) return;
  turn.draft.put(Watches, escrow, undefined);
  turn.emit({ type: "chain.unwatch", address: escrow });
}

export function addressesOf(turn: Turn): ChainAddresses {
  return chainAddresses(turn.crypto, { ...devnetProfile, escrowProgram: turn.configuration.profile.escrowProgram });
}

function watchSettlement(turn: Turn, row: SettlementRow, urgent: boolean): void {
  const number = numberOf(turn, row);
  if (number === undefined) return;
  const pair = `${row.advertisement}:${row.request}`;
  const [watched] = turn.draft.find(Watches, "reservation", number.toString());
  if (watched !== undefined) return notePair(turn, watched, pair);
  if (isOver(turn, number)) return;
  const places = urgent ? WATCHES_MAX : WATCHES_MAX - RESERVED_PLACES;
  if (turn.draft.size(Watches) >= places) {
    return turn.emit({ type: "log", level: "warn", event: "escrow not watched", fields: { watched: places } });
  }
  const { address } = addressesOf(turn).tradeEscrow(number);
  watch(turn, address, number);
  notePair(turn, address, pair);
}

function notePair(turn: Turn, escrow: string, pair: string): void {
  const held = turn.draft.get(Watches, escrow);
  if (held === undefined || held.pairs.includes(pair) || held.pairs.length >= PAIRS_MAX) return;
  turn.draft.put(Watches, escrow, { ...held, pairs: [...held.pairs, pair] });
}

function watch(turn: Turn, address: string, reservation: bigint): void {
  if (turn.draft.get(Watches, address) !== undefined) return;
  turn.draft.put(Watches, address, { reservation, pairs: [] });
  turn.emit({ type: "chain.watch", address, commitment: turn.configuration.chainCommitment ?? "finalized" });
}

/** The on-chain number of a settlement's reservation, whichever of the request's names the initiate used. */
function numberOf(turn: Turn, row: SettlementRow): bigint | undefined {
  const request = turn.draft.get(Statements, row.request);
  return reservationNumber(request?.type.idOf(request.payload as never) ?? row.reservation_id);
}

/** Whether the escrow was closed for good: a fact is known, and nothing can undo it. */
function isOver(turn: Turn, reservation: bigint): boolean {
  const number = reservation.toString();
  return (
    turn.draft.find(ChainFacts, "reservation", number).length > 0 &&
    turn.draft.find(Sightings, "reservation", number).length === 0
  );
}
