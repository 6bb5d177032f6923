/**
 * What settlements read: the contender that a bare id shows, and lists in order of id.
 * Source: CONVERGENCE "Records and ids"; protocol 02 D.6.
 */

import type { Viewer } from "../../../engine/admission/door.ts";
import { isParity } from "../../../engine/admission/door.ts";
import type { Reader } from "../../../kernel/table.ts";
import { compareText } from "../../../kernel/text.ts";
import type { Identity, PeerId } from "../../../kernel/values.ts";
import type { Followed } from "./queries.ts";
import { compareFollow, isUndecidedByReference } from "./queries.ts";
import type { SettlementRow } from "./schema.ts";
import { Settlements } from "./tables.ts";

/** The settlement that a bare id shows: the first in the follow order. An earned id has only one. */
export function settlementById(reader: Reader, id: string): Followed | undefined {
  return rowsUnder(reader, "id", id).sort(compareFollow)[0];
}

/** The full record as a caller reads it; under parity a case that the reference cannot read stays Disputed. */
export function settlementRead(row: SettlementRow, viewer: Viewer): SettlementRow {
  if (!isParity(viewer) || !isUndecidedByReference(row)) return row;
  const updated_at = row.disputed_at ?? row.created_at;
  return { ...row, state: row.standing, escrow_release_signature: null, updated_at };
}

/** Every settlement, one for each id, in order of id. */
export function allSettlements(reader: Reader): readonly Followed[] {
  const ids = new Set<string>();
  for (const key of reader.keys(Settlements)) {
    const row = reader.get(Settlements, key);
    if (row !== undefined) ids.add(row.id);
  }
  return [...ids].sort(compareText).flatMap((id) => settlementById(reader, id) ?? []);
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
