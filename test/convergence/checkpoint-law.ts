/**
 * The law of checkpoints as a check that returns what is wrong: a set that was packed and opened reads as it did, and
 * whatever comes after brings both to the same. Source: DESIGN "Laws", L2; CONVERGENCE "Durability".
 */

import { RegistersInForce } from "../../core/domains/trade/advertisements/tables.ts";
import { Unsealed } from "../../core/domains/trade/sealing/tables.ts";
import { marketplace, tables } from "../../core/domains.ts";
import { Attaching } from "../../core/engine/statements/attaching.ts";
import { Statements } from "../../core/engine/statements/table.ts";
import { openPackedState } from "../../core/kernel/packed-state.ts";
import { packState } from "../../core/kernel/packing.ts";
import { compareText } from "../../core/kernel/text.ts";
import { crypto } from "./actors.ts";
import { difference } from "./convergence-law.ts";
import type { Observation, Replica } from "./replica.ts";
import { openReplica, recordsText, rootsOf } from "./replica.ts";
import { shuffleOf } from "./shuffle.ts";

/** A replica that begins with what another holds, packed. */
export function unpacked(replica: Replica): Replica | undefined {
  const packed = packState(crypto, tables, replica.store().held());
  const { typesByName: types, derives } = marketplace;
  const held = openPackedState(packed, { crypto, tables, types, derives });
  return held && openReplica(false, Infinity, held);
}

/** What is wrong with one story that is packed, read and gone on with at random places; nothing when the law holds. */
export function checkpointDefect(observations: readonly Observation[], schedule: number): string | undefined {
  const random = shuffleOf(schedule);
  const whole = openReplica();
  let other = openReplica();
  for (const part of random.parts(random.shuffled(observations))) {
    for (const replica of [whole, other]) replica.receive(part);
    if (whole.store().size(Attaching) > 0 || random.below(2) === 0) continue;
    const again = unpacked(other);
    if (again === undefined) return "what was packed is not opened";
    // Half of them are read before they are written into: what was computed by then is not computed again.
    if (random.below(2) === 0 && recordsText(again, whole) !== recordsText(whole))
      return difference(recordsText(whole), recordsText(again, whole));
    other = again;
  }
  const isSame = rootsOf(whole) === rootsOf(other) && recordsText(whole) === recordsText(other, whole);
  if (!isSame) return difference(recordsText(whole), recordsText(other, whole));
  return localText(whole) === localText(other) ? undefined : difference(localText(whole), localText(other));
}

/** What is local and was computed at once: the hours in which to seal, and what merchants signed. */
function localText(replica: Replica): string {
  const store = replica.store();
  const hours = [...store.keys(Unsealed)].map((key) => `${key} ${store.get(Unsealed, key)?.due}`);
  return `${hours.sort(compareText).join("\n")}\n${registersText(replica)}`;
}

/** What merchants signed, by advertisement. */
export function registersText(replica: Replica): string {
  const store = replica.store();
  const registers = [...store.keys(Statements)].map((key) => {
    const held = store.get(RegistersInForce, key);
    const lists = held && [held.prices, held.terms, held.statuses];
    return `${key} ${lists?.map((list) => list.map(({ statement }) => statement.identity).join(",")).join(" ")}`;
  });
  return registers.sort(compareText).join("\n");
}
