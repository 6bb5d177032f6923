/**
 * When processes were down: from where each ended to where it began again.
 */
import { eventKinds } from "../format.ts";
import type { Run } from "./run-data.ts";

/** Places of the run; of a process that never began again, the end of the run. */
export interface Outage {
  readonly node: number;
  readonly from: number;
  readonly until: number;
}

export function outagesOf(run: Run): readonly Outage[] {
  const [crashed, loaded, started] = (["crashed", "store.loaded", "started"] as const).map((kind) =>
    eventKinds.indexOf(kind),
  );
  const down = new Map<number, number>();
  const outages: Outage[] = [];
  for (let place = 0; place < run.count; place++) {
    const [node, kind] = [run.node[place] as number, run.kind[place]];
    const from = down.get(node);
    if (kind === crashed) down.set(node, place);
    else if (from !== undefined && (kind === loaded || kind === started)) {
      outages.push({ node, from, until: place });
      down.delete(node);
    }
  }
  for (const [node, from] of down) outages.push({ node, from, until: run.count });
  return outages;
}
