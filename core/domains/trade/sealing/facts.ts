/**
 * When chain facts are sealed: with the settlement that they are about, at once when that is sealed already. When a
 * chain closed an escrow is not known to every node, so no date of its own counts. Source: CONVERGENCE B7, "Chain
 * facts".
 */
import { childrenOfType, contenders, isSealed } from "../../../engine/statements/table.ts";
import type { Reader } from "../../../kernel/table.ts";
import { spellingsOf } from "../settlements/reservation-numbers.ts";
import type { ChainFact } from "../settlements/schema.ts";
import { SettlementInitiate } from "../settlements/schema.ts";
import { Settlements } from "../settlements/tables.ts";

/** Whether every settlement that facts of this number closed is sealed; not so of a fact that closed none yet. */
export function isOver(reader: Reader, fact: ChainFact): boolean {
  const closed = spellingsOf(fact.reservation.toString())
    .flatMap((id) => contenders(reader, "reservation", id))
    .flatMap((request) => childrenOfType(reader, request, SettlementInitiate))
    .filter(({ identity }) => {
      const row = reader.get(Settlements, identity);
      return row !== undefined && (row.decided || row.released);
    });
  return closed.length > 0 && closed.every(({ identity }) => isSealed(reader, identity));
}
