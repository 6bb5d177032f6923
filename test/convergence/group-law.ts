/**
 * The law of settlements folded one by one, as a check that returns what is wrong. The groups are folded by the product
 * in its other way; what their rows should say, and which one a reservation follows, is worked out here from all that
 * was said, without any order that an index keeps. Source: CONVERGENCE B5, "Follow order".
 */
import { Reservations } from "../../core/domains/trade/reservations/tables.ts";
import { actsAbout, SETTLEMENT_UNIT } from "../../core/domains/trade/settlements/fold.ts";
import { groupOf } from "../../core/domains/trade/settlements/reservation-numbers.ts";
import { signedStateOf } from "../../core/domains/trade/settlements/rules.ts";
import type { SettlementInitiate, SettlementRow } from "../../core/domains/trade/settlements/schema.ts";
import { ChainFacts, Settlements } from "../../core/domains/trade/settlements/tables.ts";
import { marketplace } from "../../core/domains.ts";
import { foldInto } from "../../core/engine/statements/fold.ts";
import { Statements } from "../../core/engine/statements/table.ts";
import { draftOf } from "../../core/kernel/draft.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { Store } from "../../core/kernel/state.ts";
import { crypto } from "./actors.ts";
import type { Observation } from "./replica.ts";
import { openReplica } from "./replica.ts";
import { shuffleOf } from "./shuffle.ts";

export interface Grouped {
  readonly different: string | undefined;
  readonly labels: readonly string[];
}

export function groupLaw(observations: readonly Observation[], schedule: number): Grouped {
  const random = shuffleOf(schedule);
  const replica = openReplica();
  const labels = new Set<string>();
  for (const part of random.parts(random.shuffled(observations))) {
    for (const each of random.shuffled(part)) replica.receive([each]);
    const different = unlikeItsGroup(replica.store()) ?? unlikeAllStatements(replica.store());
    for (const label of labelsOf(replica.store())) labels.add(label);
    if (different !== undefined) return { different, labels: [...labels] };
  }
  return { different: undefined, labels: [...labels] };
}

/** Every group folded once more as a whole: no record may change. */
function unlikeItsGroup(store: Store): string | undefined {
  const draft = draftOf(store);
  const fold = foldInto(draft, marketplace.units(crypto));
  for (const [, { reservation_id, buyer, seller }] of rowsOf(store))
    fold.mark(SETTLEMENT_UNIT, groupOf(reservation_id, buyer, seller));
  fold.run();
  const changed = draft.changes().find(({ table }) => table === Settlements.name || table === Reservations.name);
  return changed && `folded together, ${changed.table} ${changed.key} differs`;
}

/** What rows take from their acts, and reservations from their rows, by going through all of them. */
function unlikeAllStatements(store: Store): string | undefined {
  for (const [key, row] of rowsOf(store)) {
    const acts = actsAbout(store, store.get(Statements, key) as Statement<SettlementInitiate>);
    const opened = acts.opens.map(({ timestamp }) => timestamp);
    if (row.signed_state !== signedStateOf(acts)) return `${key} is in another state`;
    if (row.disputed_at !== (opened[0] ?? null)) return `${key} was disputed at another date`;
    if (opened.some((date) => row.updated_at < date || row.ends_at < date)) return `${key} ends before an open`;
  }
  for (const key of store.keys(Reservations)) {
    const own = rowsOf(store).filter(([, { advertisement, request }]) => `${advertisement}:${request}` === key);
    const [followed] = own.sort(byFollowOrder)[0] ?? [null];
    const held = store.get(Reservations, key);
    if (held?.settlement !== followed) return `${key} follows ${held?.settlement}, and ${followed} comes first`;
    const touched = own.some(([, row]) => row.ever_paid || row.disputed_at !== null || row.decided || row.released);
    if (held?.touched !== touched) return `${key} was ${touched ? "" : "not "}touched`;
  }
  return undefined;
}

type Held = readonly [string, SettlementRow];

function rowsOf(store: Store): Held[] {
  return [...store.keys(Settlements)].map((key) => [key, store.get(Settlements, key) as SettlementRow] as const);
}

function byFollowOrder([a, left]: Held, [b, right]: Held): number {
  const ranks: ((row: SettlementRow) => boolean)[] = [
    (row) => row.state === "Completed",
    (row) => row.approved,
    (row) => row.signed_state === "Disputed",
    (row) => row.signed_state === "PaymentSubmitted",
    (row) => !row.cancelled_by_buyer && !row.cancelled_by_seller,
    (row) => !row.reject_signed,
  ];
  for (const rank of ranks) if (rank(left) !== rank(right)) return rank(left) ? -1 : 1;
  if (left.created_at !== right.created_at) return left.created_at < right.created_at ? -1 : 1;
  return a < b ? -1 : 1;
}

function labelsOf(store: Store): readonly string[] {
  const rows = rowsOf(store).map(([, row]) => row);
  const many = (names: readonly string[]) => new Set(names).size < names.length;
  const facts = [...store.keys(ChainFacts)].map((key) => store.get(ChainFacts, key)?.reservation.toString());
  return [
    ...(many(rows.map((row) => groupOf(row.reservation_id, row.buyer, row.seller))) ? ["several of two people"] : []),
    ...(many(rows.map((row) => `${row.advertisement}:${row.request}`)) ? ["several of a pair"] : []),
    ...(rows.some((row) => !facts.includes(row.reservation_id)) ? ["by itself"] : []),
    ...(rows.some((row) => facts.includes(row.reservation_id)) ? ["with facts"] : []),
  ];
}
