/**
 * Disputes about settlements that the reference shows and the fold does not: a case needs its settlement, whatever that
 * is about. Opens, seats and votes are those that are held, or wait for what is never folded.
 * Source: protocol 03 A.5; DESIGN §7 #21.
 */

import { statementsAbout } from "../domains/trade/disputes/panels.ts";
import { disputeOf, openingBy, panelOf } from "../domains/trade/disputes/rules.ts";
import { DisputeOpen } from "../domains/trade/disputes/schema.ts";
import type { DisputeRow } from "../domains/trade/disputes/tables.ts";
import type { Unfolded } from "../domains/trade/settlements/views.ts";
import { childrenOfType, Pending, slot } from "../engine/statements/table.ts";
import type { Statement } from "../kernel/signed.ts";
import type { Reader } from "../kernel/table.ts";
import { recordsOf } from "../kernel/table.ts";
import type { CryptoPort } from "../ports/crypto.ts";
import { unreservedSettlements } from "./unreserved-settlements.ts";

/** Every case about a settlement that is not folded, in order of settlement and open. */
export function unreservedDisputes(reader: Reader, hash: CryptoPort["sha256"]): readonly DisputeRow[] {
  return unreservedSettlements(reader).flatMap((about) =>
    opensAbout(reader, about).map((open) => caseOf(reader, hash, about, open)),
  );
}

/** What waits for a case. */
export function waitingInCase(reader: Reader, dispute: string): readonly Statement[] {
  return recordsOf(reader, Pending, "waiting", slot({ kind: "dispute", name: dispute }));
}

function opensAbout(reader: Reader, { initiate, row }: Unfolded): readonly Statement<DisputeOpen>[] {
  const held = childrenOfType<DisputeOpen>(reader, initiate, DisputeOpen);
  const waiting = recordsOf(reader, Pending, "waiting", slot({ kind: "settlement", name: row.id })).filter(
    (statement): statement is Statement<DisputeOpen> => statement.type.name === DisputeOpen.name,
  );
  return [...held, ...waiting]
    .filter(({ signer, idForm }) => idForm !== "void" && (signer === row.buyer || signer === row.seller))
    .sort((a, b) => (a.identity < b.identity ? -1 : 1));
}

function caseOf(
  reader: Reader,
  hash: CryptoPort["sha256"],
  { identity, row }: Unfolded,
  open: Statement<DisputeOpen>,
): DisputeRow {
  const statements = [...statementsAbout(reader, open, row), ...waitingInCase(reader, open.payload.id)];
  const panel = panelOf(openingBy(hash), [row.buyer, row.seller], statements);
  return { ...disputeOf(open, row, panel), settlement: identity, open: open.identity };
}
