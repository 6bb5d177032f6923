/**
 * Copied commitments: two arbitrators of one case handed in the same one. Both are kept, for refusing would let a
 * copier who reaches a node first lock the honest one out; the pair is flagged in the log. Source: protocol 03 W-14.
 */

import { contenders, namesOf } from "../../../engine/statements/table.ts";
import type { StepContext } from "../../../engine/step-context.ts";
import type { DisputeOpen } from "./schema.ts";
import type { PanelRow } from "./tables.ts";
import { commitmentPlace, Panels, panelKey } from "./tables.ts";

/** A reaction: says once for each copy that it is there. It counts those who have one commitment, and reads none. */
export function flagCopies(context: StepContext): void {
  const flagged = new Set<string>();
  for (const { table, key } of context.draft.changes()) {
    if (table !== Panels.name) continue;
    const after = context.draft.get(Panels, key);
    const known = new Set(context.base.get(Panels, key)?.commitments.map((each) => placeOf(after, each)) ?? []);
    const joinedNow = after?.joined === true && context.base.get(Panels, key)?.joined !== true;
    if (after?.joined !== true) continue;
    for (const commitment of after.commitments) {
      const place = placeOf(after, commitment);
      if (flagged.has(place) || (known.has(place) && !joinedNow)) continue;
      flagged.add(place);
      flag(context, after, commitment);
    }
  }
}

function placeOf(row: PanelRow | undefined, commitment: Uint8Array): string {
  return commitmentPlace(row?.name ?? "", commitment);
}

/** Others who took a seat, under whichever name of the case, and handed in this commitment. */
function flag(context: StepContext, { name, person }: PanelRow, commitment: Uint8Array): void {
  const [open] = contenders<DisputeOpen>(context.draft, "dispute", name);
  if (open === undefined) return;
  let copies = 0;
  for (const { name: each } of namesOf(open)) {
    const place = commitmentPlace(each, commitment);
    const own = context.draft.get(Panels, panelKey(person, each));
    const isOwn = own?.joined === true && own.commitments.some((held) => commitmentPlace(each, held) === place);
    copies += context.draft.count(Panels, "commitment", place) - (isOwn ? 1 : 0);
  }
  if (copies === 0) return;
  context.emit({ type: "log", level: "warn", event: "copied commitment", fields: { case: open.identity, copies } });
}
