/**
 * A bug that `score` plants: what is wrong with it in one line, and the edit that brings it about. Which run finds it
 * is for the laws to say: no plant has an expectation of its own. Source: DESIGN section 6, `score`.
 */
import { plant } from "../planted/planted-text.ts";

/** Where plants come from: weaknesses of the protocol papers, laws, classics of distributed systems, generated ones. */
export type PlantGroup = "weakness" | "law" | "classic" | "mutant";

export interface Plant {
  /** Short, unlike every other. */
  readonly name: string;
  readonly group: PlantGroup;
  /** What the product does with it. */
  readonly about: string;
  /** The source that is changed, relative to the repository. */
  readonly file: string;
  /** The source with the bug in it; throws where the bug does not fit. */
  readonly apply: (source: string) => string;
}

/** A row of a table of plants: name, what it does, text that stands in the file once, text in its place. */
export type PlantRow = readonly [name: string, about: string, find: string, replace: string];

/** Plants of one group in one file. */
export function plantsIn(group: PlantGroup, file: string, rows: readonly PlantRow[]): readonly Plant[] {
  return rows.map(([name, about, find, replace]) => ({
    ...{ name, group, about, file },
    apply: (source) => plant(source, { file, find, replace }),
  }));
}
