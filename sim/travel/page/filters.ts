/**
 * Which events are shown: of some nodes, of a kind, with a text in their line, or that changed some record.
 */

import { at, h } from "../../serve/page/dom.ts";
import { eventKinds } from "../format.ts";
import { nodesOf } from "./node-list.ts";
import type { Run } from "./run-data.ts";
import { labelAt } from "./run-data.ts";

export interface Filter {
  /** Nodes in their order; all where nothing is asked for. */
  readonly nodes: readonly number[];
  /** Places of the events that are shown. */
  readonly places: Int32Array;
  readonly axis: "order" | "time";
}

/** Fills the fields that choose, and answers what they ask for whenever that changes. */
export function openFilters(run: Run, apply: (filter: Filter) => void): void {
  const { recording } = run;
  const kinds = eventKinds.filter((_, number) => run.kind.includes(number));
  at("only-kind").append(h("option", { value: "" }, "all"), ...kinds.map((kind) => h("option", {}, kind)));
  const tables = [...recording.tables].sort((a, b) => (a < b ? -1 : 1));
  at("only-table").append(h("option", { value: "" }, "any"), ...tables.map((table) => h("option", {}, table)));
  const again = (): void => apply(filterOf(run));
  at("filters").addEventListener("submit", (event) => {
    event.preventDefault();
    again();
  });
  for (const id of ["only-kind", "only-table", "axis"]) at(id).addEventListener("change", again);
  at("no-filter").addEventListener("click", () => {
    for (const id of ["only-nodes", "only-kind", "only-text", "only-table", "only-record"])
      at<HTMLInputElement>(id).value = "";
    again();
  });
  again();
}

function textIn(id: string): string {
  return at<HTMLInputElement>(id).value.trim();
}

function filterOf(run: Run): Filter {
  const nodes = nodesOf(textIn("only-nodes"), run.recording.notes.nodes.length);
  const shown = new Set(nodes);
  const kind = eventKinds.findIndex((each) => each === textIn("only-kind"));
  const text = textIn("only-text").toLowerCase();
  const changing = changingEvents(run, nodes, textIn("only-table"), textIn("only-record"));
  const places: number[] = [];
  for (let place = 0; place < run.count; place++) {
    if (!shown.has(run.node[place] as number) || (kind >= 0 && run.kind[place] !== kind)) continue;
    if (changing !== undefined && !changing.has(`${run.node[place]} ${run.event[place]}`)) continue;
    if (text !== "" && !labelAt(run, place).toLowerCase().includes(text)) continue;
    places.push(place);
  }
  return { nodes, places: Int32Array.from(places), axis: textIn("axis") === "time" ? "time" : "order" };
}

/** Events that changed a record of a table, or one that holds some text; nothing where neither is asked for. */
function changingEvents(
  { recording }: Run,
  nodes: readonly number[],
  table: string,
  record: string,
): ReadonlySet<string> | undefined {
  if (table === "" && record === "") return undefined;
  const holds = new Map<number, boolean>([[0, false]]);
  const isHeld = (place: number): boolean => {
    const known = holds.get(place) ?? recording.text(place).includes(record);
    holds.set(place, known);
    return known;
  };
  const found = new Set<string>();
  for (const node of nodes)
    for (const change of recording.changesOf(node, recording.from, recording.events)) {
      if ("forgotten" in change || (table !== "" && change.table !== table)) continue;
      if (record === "" || isHeld(change.key) || isHeld(change.text ?? 0)) found.add(`${node} ${change.event}`);
    }
  return found;
}
