/**
 * Panels, found when they are read: of what people said under the names of a case, what counts in it. Parties are left
 * out here, since the same words stand under every case of the name. Source: CONVERGENCE "Dispute", B1, B2.
 */

import { counting } from "../../../engine/statements/counting.ts";
import { isWithinLife, namesOf, Statements } from "../../../engine/statements/table.ts";
import { known } from "../../../kernel/assert.ts";
import type { Statement } from "../../../kernel/signed.ts";
import type { Reader } from "../../../kernel/table.ts";
import type { PeerId } from "../../../kernel/values.ts";
import type { SettlementInitiate } from "../settlements/schema.ts";
import { Settlements } from "../settlements/tables.ts";
import type { Panel, Seat } from "./rules.ts";
import { disputeOf, panelOf } from "./rules.ts";
import type { DisputeOpen } from "./schema.ts";
import type { CaseRow, DisputeRow, PanelRow } from "./tables.ts";
import { Panels, panelKey } from "./tables.ts";

type Parties = Pick<SettlementInitiate, "buyer" | "seller">;

/** What counts about a dispute on one settlement. */
export function panelAbout(reader: Reader, open: Statement<DisputeOpen>, { buyer, seller }: Parties): Panel {
  return panelAmong(reader, open, [buyer, seller], [...joinersOf(reader, open), buyer, seller]);
}

/** What one person has on a panel; nothing if he is a party or has not joined. */
export function seatOn(reader: Reader, row: CaseRow, person: PeerId): Seat | undefined {
  return panelAmong(reader, openOf(reader, row), [row.buyer, row.seller], [person]).seats[0];
}

/** A case with its panel, as it is read. */
export function disputeIn(reader: Reader, row: CaseRow): DisputeRow {
  const open = openOf(reader, row);
  const settlement = known(reader.get(Settlements, row.settlement), "the settlement of a case");
  const dispute = disputeOf(open, settlement, panelAbout(reader, open, row));
  return { settlement: row.settlement, open: row.open, ...dispute };
}

/** What arbitrators who joined and the parties said about a case. */
export function statementsAbout(
  reader: Reader,
  open: Statement<DisputeOpen>,
  { buyer, seller }: Parties,
): readonly Statement[] {
  const people = new Set([...joinersOf(reader, open), buyer, seller]);
  return [...people].flatMap((person) => actsOf(reader, open, rowsOf(reader, open, person)));
}

function panelAmong(
  reader: Reader,
  open: Statement<DisputeOpen>,
  parties: readonly PeerId[],
  people: readonly PeerId[],
): Panel {
  const rows = [...new Set(people)].map((person) => rowsOf(reader, open, person));
  const openings = new Map(rows.flatMap((own) => own.flatMap((row) => row.openings)));
  return panelOf(
    ({ identity }) => known(openings.get(identity), "a reveal's commitment"),
    parties,
    rows.flatMap((own) => actsOf(reader, open, own)),
  );
}

function openOf(reader: Reader, { open }: CaseRow): Statement<DisputeOpen> {
  return known(reader.get(Statements, open), "the open of a case") as Statement<DisputeOpen>;
}

function joinersOf(reader: Reader, open: Statement<DisputeOpen>): ReadonlySet<PeerId> {
  const keys = namesOf(open).flatMap(({ name }) => reader.find(Panels, "joined", name));
  return new Set(keys.flatMap((key) => reader.get(Panels, key)?.person ?? []));
}

/** A person's words under each name of a case. */
function rowsOf(reader: Reader, open: Statement<DisputeOpen>, person: PeerId): readonly PanelRow[] {
  return namesOf(open).flatMap(({ name }) => reader.get(Panels, panelKey(person, name)) ?? []);
}

function actsOf(reader: Reader, open: Statement<DisputeOpen>, rows: readonly PanelRow[]): readonly Statement[] {
  const acts = rows.flatMap((row) => row.acts.flatMap((identity) => reader.get(Statements, identity) ?? []));
  return counting(
    reader,
    acts.filter((act) => isWithinLife(reader, open, act)),
  );
}
