/**
 * Brings what a checkpoint holds to what its store holds now: of the rows, only those are read that were written or
 * removed since. What comes of it is what all rows come to, because a state is a function of sets.
 * Source: CONVERGENCE "Durability"; DESIGN "Laws", L2.
 */

import type { Effect, NodeConfiguration } from "../inputs.ts";
import type { Result } from "../kernel/result.ts";
import { err, ok } from "../kernel/result.ts";
import type { HeldStore } from "../kernel/state.ts";
import { openStore } from "../kernel/state.ts";
import type { Reader } from "../kernel/table.ts";
import type { EpochMillis } from "../kernel/values.ts";
import type { StoreWrite } from "../ports/store.ts";
import type { CheckpointTerms } from "./checkpoint.ts";
import { sectionsOf } from "./checkpoint.ts";
import type { HeldDriver, RootTexts } from "./driver.ts";
import { heldOf, rootsOf, rulesAndState } from "./driver.ts";
import { takeChanges } from "./loaded-rows.ts";
import { stepContextOf } from "./step-context.ts";

/** A memory that is being brought up to date. */
export interface CatchUp {
  /** Takes changes, all removals before everything that was written; or says what is wrong with one, in one line. */
  take(changes: readonly StoreWrite[]): Result<null, string>;
  roots(): RootTexts;
  /** How many rows a store has of it. */
  rows(): number;
  /** What a driver goes on from. */
  held(): HeldDriver;
  /** A checkpoint of it, as `checkpointOf` makes one of a node. */
  sections(): readonly Uint8Array[];
}

/** Goes on from what a checkpoint held, or from nothing. It asks for no instant, no number and no seed of a node. */
export function openCatchUp(
  from: HeldDriver | undefined,
  terms: Pick<CheckpointTerms, "network" | "crypto" | "rules" | "pages">,
  given: NodeConfiguration,
): CatchUp {
  const { network, crypto } = terms;
  const { configuration, kept } = rulesAndState(network, given);
  const memory = openStore(crypto, network.tables, { from: from?.memory, ...kept, pages: terms.pages });
  const units = network.units(crypto);
  const registry = { ...network, units: () => units };
  const held = (): HeldStore => memory.held();
  return {
    take(changes) {
      const told = { now: 0n as EpochMillis, number: 0, bootSeed: new Uint8Array(0), identities: memory.identities };
      const context = stepContextOf(memory, { ...told, crypto, configuration, registry });
      takeChanges(network, context, changes);
      const wrong = context.effects.find(isError);
      if (wrong !== undefined) return err(`a row of ${wrong.fields["table"]} cannot be read`);
      memory.commit(context.draft.changes());
      return ok(null);
    },
    roots: () => rootsOf(memory),
    rows: () => rowsOf(network, memory),
    held: () => heldOf(held()),
    sections: () => sectionsOf(held(), terms),
  };
}

/** How many rows a store has of what a state holds. */
export function rowsOf({ tables }: Pick<CheckpointTerms["network"], "tables">, reader: Reader): number {
  return tables.reduce((sum, table) => sum + (table.durable ? reader.size(table) : 0), 0);
}

function isError(effect: Effect): effect is Extract<Effect, { readonly type: "log" }> {
  return effect.type === "log" && effect.level === "error";
}
