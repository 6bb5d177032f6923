/**
 * What disputes read: the contender that a bare id shows, lists in order of id, and who may see what.
 * Source: CONVERGENCE "Dispute", "Records and ids"; protocol 03 A.7.
 */

import type { Viewer } from "../../../engine/admission/validation-order.ts";
import type { Overrides } from "../../../engine/overrides.ts";
import { ruleOf } from "../../../engine/overrides.ts";
import { contenders } from "../../../engine/statements/table.ts";
import { firstOfEach } from "../../../kernel/ordered.ts";
import type { Reader } from "../../../kernel/table.ts";
import { entriesOf, recordsOf } from "../../../kernel/table.ts";
import { compareText } from "../../../kernel/text.ts";
import type { PeerId } from "../../../kernel/values.ts";
import type { CryptoPort } from "../../../ports/crypto.ts";
import { disputeIn } from "./panels.ts";
import type { DisputeOpen } from "./schema.ts";
import type { CaseRow, DisputeRow } from "./tables.ts";
import { Disputes, Panels } from "./tables.ts";

/** When and for whom a dispute is read. */
export type DisputeViewer = Viewer & { readonly crypto: CryptoPort };

/**
 * The dispute that a bare id shows: the smallest (opened, identity), then the settlement's. An earned id is one open's.
 */
export function disputeById(reader: Reader, id: string): DisputeRow | undefined {
  const shown = caseById(reader, id);
  return shown && disputeIn(reader, shown);
}

/** The same without its panel. */
function caseById(reader: Reader, id: string): CaseRow | undefined {
  return casesUnder(reader, "id", id).sort(compareShown)[0];
}

/** Cases that are read, and take steps, without being folded: none. Source: DESIGN §7 #21. */
export function unfoldedDisputes(_reader: Reader, _hash: CryptoPort["sha256"]): readonly DisputeRow[] {
  return [];
}

/** The cases beside the folded ones, to a caller. */
function besideFolded(reader: Reader, { configuration, crypto }: DisputeViewer): readonly DisputeRow[] {
  return ruleOf(configuration, unfoldedDisputes)(reader, (bytes) => crypto.sha256(bytes));
}

/** The dispute that a bare id shows to a caller. */
export function disputeShown(reader: Reader, id: string, viewer: DisputeViewer): DisputeRow | undefined {
  return disputeById(reader, id) ?? besideFolded(reader, viewer).find((row) => row.id === id);
}

/** Some disputes, and those beside them that are read too, in order of id. */
export function withUnfoldedDisputes(
  reader: Reader,
  folded: readonly DisputeRow[],
  viewer: DisputeViewer,
  isMeant: (row: DisputeRow) => boolean,
): readonly DisputeRow[] {
  const beside = besideFolded(reader, viewer).filter(isMeant);
  return beside.length === 0 ? folded : [...folded, ...beside].sort((a, b) => compareText(a.id, b.id));
}

/** Every dispute, one for each id, in order of id. */
export function allDisputes(reader: Reader): readonly DisputeRow[] {
  const cases = [...entriesOf(reader, Disputes)].map(([, row]) => row);
  return firstOfEach(cases, ({ id }) => id, compareShown).map((row) => disputeIn(reader, row));
}

/** A dispute as a caller reads it. */
export function disputeRead(reader: Reader, row: DisputeRow, { configuration }: Viewer): DisputeRow {
  return ruleOf(configuration, disputeAsFolded)(row, reader);
}

/** A dispute reads as it was folded. */
export function disputeAsFolded(row: DisputeRow, _reader: Reader): DisputeRow {
  return row;
}

/** Every dispute that a wallet may read in full: its parties, and arbitrators who may. */
export function disputesOfWallet(reader: Reader, wallet: PeerId, rules: Overrides): readonly DisputeRow[] {
  const own = new Map(
    [...casesUnder(reader, "party", wallet), ...casesJoined(reader, wallet)].map((row) => [place(row), row]),
  );
  return [...own.values()]
    .map((row) => disputeIn(reader, row))
    .filter((row) => isReadBy(row, wallet, rules))
    .sort((a, b) => compareText(a.id, b.id) || compareText(place(a), place(b)));
}

/** Whether a wallet may read a dispute in full. */
export function isReadBy(row: DisputeRow, wallet: PeerId, rules: Overrides): boolean {
  if (row.buyer === wallet || row.seller === wallet) return true;
  return row.arbitrators.includes(wallet) && ruleOf({ rules }, mayArbitratorRead)(row, wallet);
}

/** An arbitrator reads a case in full once he has committed. Source: protocol 03 A.7. */
export function mayArbitratorRead({ commitments }: DisputeRow, wallet: PeerId): boolean {
  return commitments.some((commitment) => commitment.arbitrator === wallet);
}

/** One open may stand in several settlements of one id. */
function place({ open, settlement }: Pick<CaseRow, "open" | "settlement">): string {
  return `${open}:${settlement}`;
}

/** The cases that a name reaches: one open may stand in several settlements. */
export function casesNamed(reader: Reader, name: string): readonly CaseRow[] {
  const opens = contenders<DisputeOpen>(reader, "dispute", name);
  return opens.flatMap(({ identity }) => casesUnder(reader, "open", identity));
}

/** Cases of names under which somebody took a seat. */
function casesJoined(reader: Reader, person: PeerId): readonly CaseRow[] {
  const names = reader.find(Panels, "joiner", person).flatMap((key) => reader.get(Panels, key)?.name ?? []);
  return names.flatMap((name) => casesNamed(reader, name));
}

function casesUnder(reader: Reader, index: string, value: string): CaseRow[] {
  return [...recordsOf(reader, Disputes, index, value)];
}

function compareShown(a: CaseRow, b: CaseRow): number {
  if (a.opened_at !== b.opened_at) return a.opened_at < b.opened_at ? -1 : 1;
  if (a.open !== b.open) return a.open < b.open ? -1 : 1;
  return a.settlement < b.settlement ? -1 : 1;
}
