/**
 * What settlements read: the contender that a bare id shows, and lists in order of id.
 * Source: CONVERGENCE "Records and ids"; protocol 02 D.6.
 */

import type { Viewer } from "../../../engine/admission/validation-order.ts";
import { ruleOf } from "../../../engine/overrides.ts";
import { firstOfEach } from "../../../kernel/ordered.ts";
import type { Statement } from "../../../kernel/signed.ts";
import type { Reader } from "../../../kernel/table.ts";
import { entriesOf } from "../../../kernel/table.ts";
import { compareText } from "../../../kernel/text.ts";
import type { Identity, PeerId } from "../../../kernel/values.ts";
import type { Followed } from "./queries.ts";
import { compareFollow } from "./queries.ts";
import type { SettlementInitiate, SettlementRow } from "./schema.ts";
import { Settlements } from "./tables.ts";

/** The settlement that a bare id shows: the first in the follow order. An earned id has only one. */
export function settlementById(reader: Reader, id: string): Followed | undefined {
  return rowsUnder(reader, "id", id).sort(compareFollow)[0];
}

/** A settlement that is shown without being folded. */
export interface Unfolded extends Followed {
  readonly initiate: Statement<SettlementInitiate>;
  /** What its parties signed about it, held or waiting. */
  readonly about: readonly Statement[];
}

/** What is shown beside the folded settlements: nothing. Source: DESIGN §7 #21. */
export function unfoldedSettlements(_reader: Reader): readonly Unfolded[] {
  return [];
}

/** The settlement that an id shows to a caller. */
export function settlementShown(reader: Reader, id: string, { configuration }: Viewer): Followed | undefined {
  const beside = () => ruleOf(configuration, unfoldedSettlements)(reader).find(({ row }) => row.id === id);
  return settlementById(reader, id) ?? beside();
}

/** Some settlements, and those beside them that are shown too, in order of id. */
export function withUnfolded(
  reader: Reader,
  folded: readonly Followed[],
  { configuration }: Viewer,
  isMeant: (row: SettlementRow) => boolean,
): readonly Followed[] {
  const beside = ruleOf(configuration, unfoldedSettlements)(reader).filter(({ row }) => isMeant(row));
  return beside.length === 0 ? folded : [...folded, ...beside].sort((a, b) => compareText(a.row.id, b.row.id));
}

/** The full record as a caller reads it. */
export function settlementRead(row: SettlementRow, { configuration }: Viewer): SettlementRow {
  return ruleOf(configuration, settlementAsFolded)(row);
}

/** A settlement reads as it was folded. */
export function settlementAsFolded(row: SettlementRow): SettlementRow {
  return row;
}

/** Every settlement, one for each id, in order of id. */
export function allSettlements(reader: Reader): readonly Followed[] {
  const all = [...entriesOf(reader, Settlements)].map(([identity, row]) => ({ identity: identity as Identity, row }));
  return firstOfEach(all, ({ row }) => row.id, compareFollow);
}

/** Every settlement of which a wallet is a party, contested ids included, in order of id. */
export function settlementsOfParty(reader: Reader, party: PeerId): readonly Followed[] {
  return rowsUnder(reader, "party", party).sort(
    (a, b) => compareText(a.row.id, b.row.id) || (a.identity < b.identity ? -1 : 1),
  );
}

function rowsUnder(reader: Reader, index: string, value: string): Followed[] {
  return reader.find(Settlements, index, value).flatMap((identity) => {
    const row = reader.get(Settlements, identity);
    return row === undefined ? [] : [{ identity: identity as Identity, row }];
  });
}
