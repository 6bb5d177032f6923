/**
 * When chain facts are sealed: with the settlement that they are about, at once when that is sealed already. When a
 * chain closed an escrow is not known to every node, so no date of its own counts. Source: CONVERGENCE B7, "Chain
 * facts".
 */

import { isSealed } from "../../../engine/statements/table.ts";
import type { Reader } from "../../../kernel/table.ts";
import { initiatesIn } from "../settlements/queries.ts";
import { partiesOfFact, spellingsOf } from "../settlements/reservation-numbers.ts";
import type { ChainFact } from "../settlements/schema.ts";
import { Settlements } from "../settlements/tables.ts";

/**
 * Whether every settlement of its number that facts closed between the two people whom a fact names is sealed; not so
 * of a fact that closed none yet. It binds to nothing that others began under the number.
 */
export function isOver(reader: Reader, fact: ChainFact): boolean {
  const [buyer, seller] = partiesOfFact(fact);
  const closed = initiatesIn(reader, spellingsOf(fact.reservation.toString()), buyer, seller).filter(({ identity }) => {
    const row = reader.get(Settlements, identity);
    return row !== undefined && (row.decided || row.released);
  });
  return closed.length > 0 && closed.every(({ identity }) => isSealed(reader, identity));
}
