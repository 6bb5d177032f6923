/**
 * The settlement fold: all settlements whose reservations share an id, together, because one chain fact
 * binds to exactly one of them. Source: CONVERGENCE "Chain facts", "Small folds".
 */

import type { FoldUnit, Mark } from "../../../engine/statements/fold.ts";
import { childrenBySigner, contenders, parentsOf } from "../../../engine/statements/table.ts";
import { equalBytes } from "../../../kernel/bytes.ts";
import type { Draft } from "../../../kernel/draft.ts";
import type { Statement } from "../../../kernel/signed.ts";
import { compareStatements } from "../../../kernel/signed.ts";
import type { Reader } from "../../../kernel/table.ts";
import { fromBase58 } from "../../../kernel/text.ts";
import type { Identity } from "../../../kernel/values.ts";
import { DisputeOpen } from "../disputes/schema.ts";
import type { Pair } from "../reservations/queries.ts";
import { groupsOfName, pairsOfInitiate } from "../reservations/queries.ts";
import type { ReservationRequest } from "../reservations/schema.ts";
import type { Followed } from "./queries.ts";
import { compareFollow } from "./queries.ts";
import { spellingsOf } from "./reservation-numbers.ts";
import type { Acts } from "./rules.ts";
import { actsOf, settlementRow } from "./rules.ts";
import type { ChainFact } from "./schema.ts";
import {
  PaymentReversed,
  PaymentSubmitted,
  SettlementApproved,
  SettlementCancelled,
  SettlementInitiate,
  SettlementRejected,
} from "./schema.ts";
import { ChainFacts, Settlements } from "./tables.ts";

/** The unit's name, for those that mark it. */
export const SETTLEMENT_UNIT = "settlement";
/** Who goes on with the facts of a reservation number. */
export const FACTS_UNIT = "facts";

export const settlementFold: FoldUnit = {
  name: SETTLEMENT_UNIT,
  touches: {
    [SettlementInitiate.name]: (draft, statement, mark) => markInitiate(draft, statement, mark),
    [PaymentSubmitted.name]: markParents,
    [PaymentReversed.name]: markParents,
    [SettlementApproved.name]: markParents,
    [SettlementRejected.name]: markParents,
    [SettlementCancelled.name]: markParents,
    [DisputeOpen.name]: markParents,
  },
  refold: refoldGroup,
};

/** What the parties of a settlement signed about it. */
export function actsAbout(reader: Reader, initiate: Statement<SettlementInitiate>): Acts {
  const { buyer, seller } = initiate.payload;
  const statements = childrenBySigner(reader, initiate, buyer);
  return actsOf(
    initiate.payload,
    seller === buyer ? statements : [...statements, ...childrenBySigner(reader, initiate, seller)],
  );
}

function markInitiate(draft: Draft, statement: Statement, mark: Mark): void {
  for (const group of groupsOfName(draft, (statement.payload as SettlementInitiate).reservation_id)) {
    mark(SETTLEMENT_UNIT, group);
  }
}

function markParents(draft: Draft, statement: Statement, mark: Mark): void {
  for (const initiate of parentsOf<SettlementInitiate>(draft, statement)) markInitiate(draft, initiate, mark);
}

/**
 * Folds every settlement on the reservations of one number, or of one id that is none, again. A void request marks
 * whatever its id spells, which may be another request's identity: that is no group, and facts would be lost if it
 * were folded as one.
 */
function refoldGroup(draft: Draft, marked: string, mark: Mark): void {
  const ids = spellingsOf(marked);
  const initiates = new Map<Identity, Statement<SettlementInitiate>>();
  const requests = ids.flatMap((id) =>
    contenders<ReservationRequest>(draft, "reservation", id).filter((request) => request.payload.id === id),
  );
  for (const request of requests) {
    for (const initiate of initiatesOfParties(draft, request)) {
      if (initiate.idForm !== "void") initiates.set(initiate.identity, initiate);
    }
  }
  const folded: Folded[] = [];
  for (const initiate of initiates.values()) {
    const pairs = pairsOfInitiate(draft, initiate);
    const pair = pairs[0];
    if (pair === undefined) continue;
    const acts = actsAbout(draft, initiate);
    folded.push({
      initiate,
      pair,
      pairs,
      acts,
      identity: initiate.identity,
      row: settlementRow(initiate, pair, acts, []),
    });
  }
  const bound = bindFacts(draft, ids[0] ?? marked, folded);
  mark(FACTS_UNIT, ids[0] ?? marked);
  for (const each of folded) {
    const facts = bound.get(each.identity) ?? [];
    const row = facts.length === 0 ? each.row : settlementRow(each.initiate, each.pair, each.acts, facts);
    draft.put(Settlements, each.identity, row);
    for (const open of each.acts.opens) mark("dispute", open.identity);
  }
  for (const id of new Set([marked, ...requests.map((request) => request.payload.id)])) mark("reservation", id);
}

/** What its requester and the merchants whom it names began: whatever strangers say under a number costs it nothing. */
function initiatesOfParties(
  reader: Reader,
  request: Statement<ReservationRequest>,
): readonly Statement<SettlementInitiate>[] {
  const merchants = parentsOf(reader, request).map(({ signer }) => signer);
  const statements = [...new Set([request.signer, ...merchants])].flatMap((each) =>
    childrenBySigner(reader, request, each),
  );
  return statements.filter((each): each is Statement<SettlementInitiate> => each.type.name === SettlementInitiate.name);
}

interface Folded extends Followed {
  readonly initiate: Statement<SettlementInitiate>;
  /** The pair it belongs to, the smallest of those it fits. */
  readonly pair: Pair;
  readonly pairs: readonly Pair[];
  readonly acts: Acts;
}

/**
 * One fact binds to one settlement of those it names by keys, mint and amount: under the earliest request, the one to
 * be followed. What is said under a later request of the number moves no fact away from an earlier one.
 */
function bindFacts(reader: Reader, id: string, folded: readonly Folded[]): ReadonlyMap<Identity, readonly ChainFact[]> {
  const bound = new Map<Identity, ChainFact[]>();
  for (const key of [...reader.find(ChainFacts, "reservation", id)].sort((a, b) => (a < b ? -1 : 1))) {
    const fact = reader.get(ChainFacts, key);
    if (fact === undefined) continue;
    const follower = folded.filter((each) => isAbout(fact, each)).sort(compareBinding)[0];
    if (follower === undefined) continue;
    const held = bound.get(follower.identity);
    if (held === undefined) bound.set(follower.identity, [fact]);
    else held.push(fact);
  }
  return bound;
}

function compareBinding(a: Folded, b: Folded): number {
  return compareStatements(a.pair.request, b.pair.request) || compareFollow(a, b);
}

/**
 * Whether a fact names a settlement's parties, mint and amount. The mint may be that of any pair the
 * settlement fits: a merchant who publishes another advertisement of the id afterwards unbinds no fact.
 * Source: protocol 03 A.10.3 R1b; CONVERGENCE "Chain facts".
 */
function isAbout(fact: ChainFact, { row, pairs }: Folded): boolean {
  return (
    sameKey(fact.buyer, row.buyer_public_key) &&
    sameKey(fact.seller, row.seller_public_key) &&
    pairs.some((pair) => fact.mint === pair.advertisement.payload.asset_mint) &&
    fact.amount === row.amount.base_units
  );
}

function sameKey(a: string, b: string): boolean {
  return equalBytes(fromBase58(a) ?? new Uint8Array(0), fromBase58(b) ?? new Uint8Array(1));
}
