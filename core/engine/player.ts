/**
 * The player: takes the inputs that a node was told, in their order, through the same step, and comes to the same
 * changes, roots and effects. It needs no store, no clock and no network: all they ever brought is among the inputs.
 * Source: DESIGN section 3 "Inputs", section 6 (`replay`).
 */

import type { Input, StoredRow } from "../inputs.ts";
import { openStore } from "../kernel/state.ts";
import { compareText } from "../kernel/text.ts";
import type { DriverOptions, RootTexts } from "./driver.ts";
import { rootsOf, rulesAndState } from "./driver.ts";
import type { Step } from "./step.ts";
import { step } from "./step.ts";

/** A node's memory, input by input. */
export interface Player {
  /** What the node did with this input. */
  play(input: Input): Step;
  roots(): RootTexts;
}

/** A memory that knows nothing yet. Throws where the core does: for a profile whose rules this software lacks. */
export function openPlayer({
  network,
  crypto,
  configuration: given,
}: Pick<DriverOptions, "network" | "crypto" | "configuration">): Player {
  const { configuration, kept } = rulesAndState(network, given);
  let memory = openStore(crypto, network.tables, kept);
  let bootSeed: Uint8Array = new Uint8Array(0);
  let before: Input | undefined;

  /** A driver begins with a new memory where it gave one up, and where a load was broken off. */
  function forget(input: Extract<Input, { readonly type: "store.loaded" }>): void {
    const goesOn = before?.type === "store.loaded" && !before.last && follows(before.rows, input.rows);
    if (before === undefined || goesOn) return;
    memory = openStore(crypto, network.tables, kept);
    if (before.type !== "store.loaded") bootSeed = crypto.sha256(bootSeed);
  }

  return {
    play(input) {
      if (input.type === "store.loaded") forget(input);
      if (input.type === "started") ({ bootSeed } = input);
      before = input;
      const taken = step({ store: memory, crypto, configuration, bootSeed, network }, input);
      memory.commit(taken.changes);
      return taken;
    },
    roots: () => rootsOf(memory),
  };
}

/** Whether rows come after others: a page that begins before the end of the last one begins anew. */
function follows(rows: readonly StoredRow[], next: readonly StoredRow[]): boolean {
  const [last, first] = [rows.at(-1), next[0]];
  if (last === undefined || first === undefined) return true;
  return (compareText(last.table, first.table) || compareText(last.key, first.key)) < 0;
}
