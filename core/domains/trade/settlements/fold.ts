/**
 * The settlement fold: what two people began under one reservation number, together, because one chain fact names them
 * and the number, and binds to exactly one of those. Source: CONVERGENCE "Chain facts", "Small folds", B2.
 */

import type { FoldUnit, Mark } from "../../../engine/statements/fold.ts";
import { childrenBySigner, firstOwn, lastOwn, ownStatements } from "../../../engine/statements/own-statements.ts";
import { parentsOf, Statements } from "../../../engine/statements/table.ts";
import { equalBytes } from "../../../kernel/bytes.ts";
import type { Draft } from "../../../kernel/draft.ts";
import type { Statement } from "../../../kernel/signed.ts";
import { compareStatements } from "../../../kernel/signed.ts";
import type { Reader } from "../../../kernel/table.ts";
import { fromBase58 } from "../../../kernel/text.ts";
import type { Identity, PeerId } from "../../../kernel/values.ts";
import { DisputeOpen } from "../disputes/schema.ts";
import type { Pair } from "../reservations/queries.ts";
import { otherParty, pairKey, pairsOfInitiate, pairsWith } from "../reservations/queries.ts";
import type { ReservationRequest } from "../reservations/schema.ts";
import type { Followed } from "./queries.ts";
import { compareFollow, initiatesIn, leastApproved } from "./queries.ts";
import { factNameOf, groupOf, spellingsOf } from "./reservation-numbers.ts";
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
  SettlementRow,
} from "./schema.ts";
import { ChainFacts, Settlements } from "./tables.ts";

/** The unit's name, for those that mark it. */
export const SETTLEMENT_UNIT = "settlement";
/** Who goes on with the facts of a reservation number. */
export const FACTS_UNIT = "facts";
/** Who keeps until when what was asked under a reservation number may change. */
export const ENDS_UNIT = "ends";

export const settlementFold: FoldUnit = {
  name: SETTLEMENT_UNIT,
  touches: {
    [SettlementInitiate.name](draft, statement, mark) {
      mark(SETTLEMENT_UNIT, statement.identity);
      markPairs(draft, statement, mark);
    },
    [PaymentSubmitted.name]: markParents,
    [PaymentReversed.name]: markParents,
    [SettlementApproved.name]: markParents,
    [SettlementRejected.name]: markParents,
    [SettlementCancelled.name]: markParents,
    [DisputeOpen.name]: markParents,
  },
  refold: (draft, marked, mark) => (GROUP.test(marked) ? refoldGroup : refoldOne)(draft, marked, mark),
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

/** What of it makes its record: of opens, which nothing bounds, the first and the last say all that it takes. */
function actsThatCount(reader: Reader, initiate: Statement<SettlementInitiate>): Acts {
  const { buyer, seller } = initiate.payload;
  const statements = [...new Set([buyer, seller])].flatMap((party) => [
    ...ACTS.flatMap((type) => ownStatements(reader, initiate, party, type)),
    ...[firstOwn, lastOwn].flatMap((find) => find(reader, initiate, party, DisputeOpen) ?? []),
  ]);
  return actsOf(initiate.payload, statements);
}

const ACTS = [PaymentSubmitted, PaymentReversed, SettlementApproved, SettlementRejected, SettlementCancelled];

/** What begins a trade makes pairs of its request and the other party's advertisements, whoever shares their name. */
function markPairs(draft: Draft, statement: Statement, mark: Mark): void {
  const initiate = statement as Statement<SettlementInitiate>;
  if (initiate.idForm === "void") return;
  for (const request of parentsOf<ReservationRequest>(draft, initiate)) {
    const merchant = otherParty(initiate.payload, request.signer);
    for (const pair of pairsWith(draft, request, [merchant])) mark("reservation", pairKey(pair));
  }
}

function markParents(draft: Draft, statement: Statement, mark: Mark): void {
  for (const initiate of parentsOf<SettlementInitiate>(draft, statement)) mark(SETTLEMENT_UNIT, initiate.identity);
}

function isSame(before: SettlementRow, row: SettlementRow): boolean {
  return (Object.keys(SettlementRow.fields) as (keyof SettlementRow)[]).every((field) => before[field] === row[field]);
}

/**
 * Folds one settlement again. As long as the chain closed no escrow of its number, nothing binds one rather than
 * another, and what two people said about one of theirs changes no other.
 */
function refoldOne(draft: Draft, identity: string, mark: Mark): void {
  const initiate = draft.get(Statements, identity) as Statement<SettlementInitiate> | undefined;
  if (initiate === undefined || initiate.idForm === "void") return;
  const [pair] = pairsOfInitiate(draft, initiate);
  if (pair === undefined) return;
  const { buyer, seller } = initiate.payload;
  const name = factNameOf(pair.request.payload.id);
  if (draft.count(ChainFacts, "reservation", name) > 0)
    return refoldGroup(draft, groupOf(pair.request.payload.id, buyer, seller), mark);
  writeRow(draft, initiate, settlementRow(initiate, pair, actsThatCount(draft, initiate), []), mark);
}

/** Of many that two people began, what one of them says changes one: the others are not written again. */
function writeRow(draft: Draft, initiate: Statement<SettlementInitiate>, row: SettlementRow, mark: Mark): void {
  const { identity } = initiate;
  const before = draft.get(Settlements, identity);
  const turns = (before?.approved ?? false) !== row.approved;
  const least = turns ? leastApproved(draft, row) : undefined;
  if (before === undefined || !isSame(before, row)) draft.put(Settlements, identity, row);
  mark(ENDS_UNIT, identity);
  // Another than before may be the one that a bare approve acknowledges.
  const others = turns ? [least ?? row, leastApproved(draft, row) ?? row] : [];
  for (const { advertisement, request } of [before ?? row, row, ...others])
    mark("reservation", `${advertisement}:${request}`);
  // A case is marked by its own open; what else it takes from here is whether the chain decided.
  if (before?.decided !== row.decided && row.disputed_at !== null)
    for (const open of actsAbout(draft, initiate).opens) mark("dispute", open.identity);
}

/**
 * Folds what two people began under one number, or under one id that is none, again. Others' settlements of the number
 * are none of theirs: no fact that names these two binds to one of them.
 */
function refoldGroup(draft: Draft, marked: string, mark: Mark): void {
  const [, name = "", buyer, seller] = GROUP.exec(marked) ?? [];
  if (buyer === undefined || seller === undefined) return;
  const folded = initiatesIn(draft, spellingsOf(name), buyer as PeerId, seller as PeerId).flatMap((initiate) => {
    const pairs = pairsOfInitiate(draft, initiate);
    const [pair] = pairs;
    if (pair === undefined) return [];
    const acts = actsThatCount(draft, initiate);
    const row = settlementRow(initiate, pair, acts, []);
    return [{ initiate, pair, pairs, acts, identity: initiate.identity, row }];
  });
  const bound = bindFacts(draft, name, folded);
  mark(FACTS_UNIT, name);
  for (const each of folded) {
    const facts = bound.get(each.identity) ?? [];
    const row = facts.length === 0 ? each.row : settlementRow(each.initiate, each.pair, each.acts, facts);
    writeRow(draft, each.initiate, row, mark);
  }
}

const GROUP = /^(.*)\/([^/]+)\/([^/]+)$/s;

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
