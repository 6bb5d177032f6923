/**
 * What a node counts as each signer's, and in all, is what it holds: bytes of statements that are not sealed, and apart
 * those of what waits. Limits rest on it, and are so far away in most worlds that nothing else sees a wrong sum.
 * Source: CONVERGENCE B3.
 */
import type { Change, Reader } from "../../core/index.ts";
import type { Statement } from "../../core/testing.ts";
import { bytesOfRecord, Pending, Seals, Spaces, Statements } from "../../core/testing.ts";
import type { CheckContext, Checker } from "../checker.ts";

const ALL = "all";
const WAITING = "waiting/";

/** What one node holds, and whose it is: by what it counts, `waiting/` before the identity of what waits. */
interface Counted {
  readonly held: Map<string, { readonly signer: string; readonly bytes: number }>;
  readonly sums: Map<string, number>;
}

/** Nodes know how much of their space is whose. */
export function spaceIsCounted({ violate, keep }: CheckContext): Checker {
  const nodes = keep(() => new Map<number, Counted>());
  // A memory that is built again is counted again.
  const forget = (node: number) => void nodes.delete(node);
  return {
    name: "space-is-counted",
    onStep({ node, input, changes, view }) {
      if (input.type === "store.loaded") return forget(node);
      const known = nodes.get(node);
      // A node counts from its start on, and not while its store takes no writes.
      if (known === undefined && input.type !== "started") return;
      const counted = known ?? countedIn(view);
      nodes.set(node, counted);
      const counting = known === undefined ? [] : changes.filter(isCounted);
      if (known !== undefined && counting.length === 0) return;
      const signers = known === undefined ? [ALL] : counting.flatMap((change) => recounted(counted, view, change));
      for (const whose of new Set(signers)) {
        for (const name of [whose, WAITING + whose]) {
          const [own, right] = [view.get(Spaces, name) ?? 0, counted.sums.get(name) ?? 0];
          if (own !== right) violate(`node ${node} counts ${own} bytes of ${name}, and holds ${right}`);
        }
      }
    },
    onCrash: ({ node }) => forget(node),
    onCommit: ({ node, report }) => (report.type === "failed" ? forget(node) : undefined),
  };
}

function countedIn(view: Reader): Counted {
  const counted: Counted = { held: new Map(), sums: new Map() };
  for (const key of view.keys(Statements)) recounted(counted, view, { table: Statements.name, key });
  for (const key of view.keys(Pending)) recounted(counted, view, { table: Pending.name, key });
  return counted;
}

/** Whether what a table holds counts, or says what does. */
function isCounted({ table }: Change): boolean {
  return table === Statements.name || table === Pending.name || table === Seals.name;
}

/** Counts what a key of a table is now instead of what it was; answers whose sums that changes. */
function recounted(
  { held, sums }: Counted,
  view: Reader,
  { table, key }: Pick<Change, "table" | "key">,
): readonly string[] {
  const isWaiting = table === Pending.name;
  const kind = isWaiting ? WAITING : "";
  const [before, now] = [held.get(kind + key), isWaiting ? view.get(Pending, key) : unsealed(view, key)];
  const bytes = now === undefined ? 0 : bytesOfRecord(Statements, now, view.sharing).length;
  const signer = now?.signer ?? before?.signer;
  if (signer === undefined) return [];
  for (const whose of [signer, ALL]) {
    const sum = (sums.get(kind + whose) ?? 0) + bytes - (before?.bytes ?? 0);
    sums.set(kind + whose, sum);
  }
  if (now === undefined) held.delete(kind + key);
  else held.set(kind + key, { signer, bytes });
  return [signer, ALL];
}

function unsealed(view: Reader, key: string): Statement | undefined {
  return view.get(Seals, key) === undefined ? view.get(Statements, key) : undefined;
}
