/**
 * Bounds on what one record may gather: local refusals of a door, never of the fold; what is refused is not
 * in the set and may come again. Contenders count per signer, so that no stranger uses up another's room.
 * Source: CONVERGENCE "Bounds" (ours).
 */

import { ArbitratorJoin } from "../disputes/schema.ts";
import type { Statement } from "../kernel/signed.ts";
import type { Reader } from "../kernel/table.ts";
import { contenders, Statements, slot } from "../statements/table.ts";

/** Records of one id that one signer may create. Source: CONVERGENCE "Bounds" (ours). */
export const CONTENDERS_MAX = 8;
/** Joiners of one case. Source: CONVERGENCE "Bounds" (ours). */
export const JOINERS_MAX = 64;

/** Whether a record still has room for a statement that is not in the set yet. */
export function hasPlace(reader: Reader, statement: Statement): boolean {
  const { type } = statement;
  const id = type.idOf(statement.payload as never);
  if (type.creates !== undefined && id !== undefined) {
    const own = contenders(reader, type.creates, id).filter((held) => held.signer === statement.signer);
    if (own.length >= CONTENDERS_MAX) return false;
  }
  const parent = type.about(statement.payload as never);
  if (type.name !== ArbitratorJoin.name || parent === undefined) return true;
  return reader.find(Statements, "about", `${slot(parent)}/${type.name}`).length < JOINERS_MAX;
}
