/**
 * A ledger of a folder, opened by a node without peers and without a chain, and what that node makes of it.
 */
import { openLedger } from "../../adapters/sqlite/ledger.ts";
import type { NodeDriver } from "../../core/index.ts";
import { createDriver, devnetNetwork, tables } from "../../core/index.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { crypto, gossipOnly } from "../rpc/lone-node.ts";
import { until } from "../until.ts";

/** What is known of a kept ledger. */
export interface Kept {
  /** The instant at which it is opened, in milliseconds: what is due by then changes its roots. */
  readonly now: string;
  /** Rows of each durable table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly roots: ReturnType<NodeDriver["roots"]>;
}

/** Opens, looks and closes. Throws the one line of a ledger that does not open. */
export async function keptIn(folder: string, now: bigint): Promise<Kept> {
  const ledger = openLedger(folder);
  if (!ledger.ok) throw new Error(ledger.error.reason);
  const driver = createDriver({
    ...{ crypto, store: ledger.value, bootSeed: new Uint8Array(32), now: () => now as EpochMillis },
    ...{ configuration: gossipOnly(devnetNetwork), perform: () => {} },
  });
  await until(() => driver.ready());
  const durable = tables.filter((table) => table.durable);
  const rows = Object.fromEntries(durable.map((table) => [table.name, driver.view.size(table)]));
  const roots = driver.roots();
  await new Promise<void>((closed) => ledger.value.close(closed));
  return { now: `${now}`, rows, roots };
}
