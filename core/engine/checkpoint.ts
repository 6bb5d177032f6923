/**
 * A checkpoint: what a node holds, packed so that the next start reads pages and folds nothing. It stands for the rows
 * of a store at one moment, and for the rules by which they were folded; whoever keeps it sees to the first.
 * Source: CONVERGENCE "Durability".
 */

import type { NetworkProfile } from "../inputs.ts";
import { compactReader, compactWriter } from "../kernel/compact.ts";
import { openPackedState } from "../kernel/packed-state.ts";
import { packState, rowsToEncode } from "../kernel/packing.ts";
import type { Result } from "../kernel/result.ts";
import { err, ok } from "../kernel/result.ts";
import type { HeldStore, Roots } from "../kernel/state.ts";
import { rootText } from "../kernel/state.ts";
import type { Reader } from "../kernel/table.ts";
import type { CryptoPort } from "../ports/crypto.ts";
import type { PagesPort } from "../ports/pages.ts";
import type { Network } from "./domain.ts";
import type { HeldDriver, NodeDriver } from "./driver.ts";
import { heldOf, rulesAndState } from "./driver.ts";
import { Attaching } from "./statements/attaching.ts";
import { HeldCalls } from "./statements/held-calls.ts";

/** Version of what follows, counted up when the layout of packed tables changes. Source: DESIGN "Formats". */
export const CHECKPOINT_VERSION = 8;
const ROOTS = ["statements", "facts", "state", "archive"] as const satisfies readonly (keyof Roots)[];

/** By what a checkpoint is made and read. */
export interface CheckpointTerms {
  readonly network: Network;
  readonly crypto: CryptoPort;
  /** Everything that decides what is folded from the same rows: the software's version and the network's profile. */
  readonly rules: string;
  /** Rows that are encoded anew at most: what would take longer is not worth the wait. */
  readonly rowsMax?: number;
  /** Where sealed rows lie of what is opened; in memory unless said. */
  readonly pages?: PagesPort | undefined;
}

/** A head and the packed tables that it names, in order; or why there is none, in one line. */
export function checkpointOf(driver: NodeDriver, terms: CheckpointTerms): Result<readonly Uint8Array[], string> {
  const { network, rowsMax = Infinity } = terms;
  const held = driver.held("bytes");
  if (!isAtRest(held)) return err("what this node holds is not on its disk yet");
  if (!isFolded(driver.view)) return err("statements are still to be attached");
  const rows = rowsToEncode(network.tables, held.memory);
  if (rows > rowsMax) return err(`${rows} rows are new, which is more than ${rowsMax}`);
  return ok(sectionsOf(held.memory, terms));
}

/** Whether nothing of what a node holds is still to be attached: its records are those of its set. */
export function isFolded(reader: Reader): boolean {
  return reader.size(Attaching) + reader.size(HeldCalls) === 0;
}

/** A head and the packed tables of a state that is all on disk. */
export function sectionsOf(
  memory: HeldStore,
  { network, crypto, rules }: Pick<CheckpointTerms, "network" | "crypto" | "rules">,
): readonly Uint8Array[] {
  const { roots, tables } = packState(crypto, network.tables, memory);
  const head = compactWriter();
  head.text(rulesText(rules));
  for (const root of ROOTS) head.text(rootText(roots[root]));
  head.varint(tables.size);
  for (const name of tables.keys()) head.text(name);
  return [head.finish(), ...tables.values()];
}

/** What a driver goes on from that begins with a checkpoint; or why it cannot be used, in one line. */
export function openCheckpoint(
  sections: readonly Uint8Array[],
  terms: CheckpointTerms,
  given: Parameters<typeof rulesAndState>[1],
): Result<HeldDriver, string> {
  const { network, crypto, rules, pages } = terms;
  const [first, ...packed] = sections;
  const head = compactReader(first ?? new Uint8Array(0));
  if (head.text() !== rulesText(rules)) return err("it is of another version or network");
  const texts = ROOTS.map(() => head.text());
  const names = Array.from({ length: head.count(1) }, () => head.text());
  const isWhole = names.length === packed.length && texts.every((text) => /^[0-9a-f]{64}$/.test(text));
  if (head.failed() || !isWhole) return err("it is cut short");
  const roots = Object.fromEntries(ROOTS.map((root, at) => [root, BigInt(`0x${texts[at]}`)])) as unknown as Roots;
  const tables = new Map(names.map((name, at) => [name, packed[at] as Uint8Array]));
  const opening = { crypto, tables: network.tables, derives: network.derives, pages };
  const memory = openPackedState({ roots, tables }, { ...opening, ...rulesAndState(network, given).kept });
  if (memory === undefined) return err("its rows do not sum up to its roots");
  return ok(heldOf(memory));
}

/** What decides what comes of the same rows: the software's version, and all that nodes of a network agree on. */
export function checkpointRules(version: string, profile: NetworkProfile): string {
  return JSON.stringify([version, profile], (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value));
}

function rulesText(rules: string): string {
  return `checkpoint ${CHECKPOINT_VERSION} ${rules}`;
}

/** Whether memory is what the store holds, and nothing is under way between them. */
function isAtRest({ ready, refusing, flying, open }: HeldDriver): boolean {
  return ready && refusing === "no" && flying === undefined && open.writes.length === 0;
}
