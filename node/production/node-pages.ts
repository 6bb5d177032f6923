/**
 * Where a production node keeps its sealed rows while it runs: a file without a name beside its ledger. One that cannot
 * be opened costs memory only. A page that came back otherwise than it was written ends the node, with one line: what
 * it holds is in the ledger too, and a start reads that. Source: DESIGN §9.1.
 */
import { resolve } from "node:path";
import type { PageFile } from "../../adapters/pages/page-file.ts";
import { openPageFile } from "../../adapters/pages/page-file.ts";
import type { Line } from "./logs.ts";

interface NodePagesOptions {
  readonly ledger: string;
  readonly log: ((line: Line) => void) | undefined;
  /** The node cannot go on, in one line. */
  readonly fail: (line: string) => void;
}

/** The pages of a node, or nothing where they have to be kept in memory. */
export function openNodePages({ ledger, log, fail }: NodePagesOptions): PageFile | undefined {
  const warn = (event: string, reason: string) =>
    log?.({ module: "node", level: "warn", event, fields: { reason, directory: resolve(ledger) } });
  const file = openPageFile({
    directory: ledger,
    onDamage: (line) =>
      fail(`${line}, in the file of ${resolve(ledger)} without a name. Look at its disk; start again.`),
    onRefused(reason) {
      if (reason !== undefined) warn("sealed rows stay in memory: the disk takes no page", reason);
    },
  });
  if (file.ok) return file.value;
  warn("sealed rows stay in memory: no file for their pages", file.error);
  return undefined;
}
