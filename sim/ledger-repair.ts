/**
 * What becomes of a node whose ledger does not load, as in production: its process ends, naming the row; its operator
 * keeps what can be read (`ofs-node repair`) and starts it again; peers send again what they hold.
 * Source: protocol 05 §11.2, §11.3; node/README.md "the ledger is damaged".
 */
import type { StorePort } from "../core/ports/store.ts";
import type { Clock, Part } from "./clock.ts";
import type { NodeDisk } from "./disk.ts";

/** How long an operator takes. Source: DESIGN "Simulated world". */
const REPAIR_MS = 5_000;

/** The process of a node, as its operator handles it. */
export interface OperatedNode {
  readonly disk: NodeDisk;
  /** Processes so far. */
  readonly starts: () => number;
  readonly isUp: () => boolean;
  readonly stop: () => void;
  readonly start: () => void;
}

interface RepairDue {
  readonly kind: "unloadable" | "repaired";
  /** The process that could not load. */
  readonly start: number;
}

/** Watches what a node loads; the answer is the same store, watched. */
export function openLedgerWatch(clock: Clock, name: string, node: OperatedNode): (store: StorePort) => StorePort {
  const part: Part<null, RepairDue> = clock.part(
    `${name}/repair`,
    () => null,
    ({ kind, start }: RepairDue) => {
      if (start !== node.starts()) return;
      if (kind === "unloadable") {
        node.stop();
        return part.after(REPAIR_MS, { kind: "repaired", start });
      }
      if (node.isUp()) return;
      node.disk.repair();
      node.start();
    },
  );
  return (store) => ({
    ...store,
    load(give) {
      store.load((result) => {
        give(result);
        if (!result.ok && node.disk.isDamaged()) part.after(0, { kind: "unloadable", start: node.starts() });
      });
    },
  });
}
