/**
 * Where things stand in the diagram: which event at which height, which node at which width, and what is in sight.
 */
import type { Filter } from "./filters.ts";
import type { Run } from "./run-data.ts";
import { firstFrom } from "./run-data.ts";

/** Pixels of an event's height at first, at least and at most; of time, pixels of a millisecond. */
const ORDER = { first: 16, least: 0.004, most: 64 };
const TIME = { first: 0.1, least: 0.000_001, most: 40 };
/** Pixels of the column of instants, of the heads of nodes, and of a node at least. */
export const GUTTER = 84;
export const HEAD = 26;
const COLUMN = 3;

export interface Layout {
  readonly run: Run;
  filter: Filter;
  width: number;
  height: number;
  /** What stands at the top, and pixels of a unit: an event in order, or a millisecond. */
  top: number;
  scale: number;
  /** How far the nodes are pushed to the left, and pixels of each. */
  left: number;
  column: number;
}

export function createLayout(run: Run): Layout {
  const nodes = Array.from({ length: run.recording.notes.nodes.length }, (_, node) => node);
  const filter: Filter = { nodes, places: new Int32Array(0), axis: "order" };
  return { run, filter, width: 0, height: 0, top: 0, scale: ORDER.first, left: 0, column: COLUMN };
}

/** Takes a filter up; what was at the top stays there. */
export function refilter(layout: Layout, filter: Filter): void {
  const before = layout.filter;
  const place = before.places[Math.max(0, indexAt(layout, layout.top))];
  const isOtherAxis = filter.axis !== before.axis;
  layout.filter = filter;
  if (isOtherAxis) layout.scale = filter.axis === "order" ? ORDER.first : TIME.first;
  if (place !== undefined) layout.top = unitOf(layout, firstFrom(filter.places, filter.places.length, place));
  if (place === undefined) layout.top = unitOf(layout, 0);
  if (before.nodes.length !== filter.nodes.length) fitNodes(layout);
  settle(layout);
}

/** All nodes in sight, if they fit. */
export function fitNodes(layout: Layout): void {
  layout.column = Math.min(140, Math.max(COLUMN, (layout.width - GUTTER) / Math.max(1, layout.filter.nodes.length)));
  layout.left = 0;
}

/** The unit of a shown event, by its index among those shown. */
export function unitOf({ run, filter }: Layout, index: number): number {
  if (filter.axis === "order") return index;
  const place = filter.places[Math.min(index, filter.places.length - 1)];
  return place === undefined ? 0 : (run.time[place] as number);
}

/** The first shown event at a unit or after it. */
export function indexAt(layout: Layout, unit: number): number {
  const { run, filter } = layout;
  const { places } = filter;
  if (filter.axis === "order") return Math.min(places.length, Math.max(0, Math.ceil(unit)));
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((run.time[places[middle] as number] as number) < unit) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function yOf(layout: Layout, unit: number): number {
  return HEAD + (unit - layout.top) * layout.scale;
}

/** The middle of a node's column, by its index among those shown. */
export function xOf({ column, left }: Layout, index: number): number {
  return GUTTER - left + (index + 0.5) * column;
}

/** Zooms around a height: what is there stays there. */
export function zoom(layout: Layout, factor: number, y = layout.height / 2): void {
  const { least, most } = layout.filter.axis === "order" ? ORDER : TIME;
  const held = layout.top + (y - HEAD) / layout.scale;
  layout.scale = Math.min(most, Math.max(least, layout.scale * factor));
  layout.top = held - (y - HEAD) / layout.scale;
  settle(layout);
}

export function widen(layout: Layout, factor: number): void {
  layout.column = Math.min(400, Math.max(COLUMN, layout.column * factor));
  settle(layout);
}

export function pan(layout: Layout, x: number, y: number): void {
  layout.left += x;
  layout.top += y / layout.scale;
  settle(layout);
}

/** Brings an event into sight, by its index, and a node by its own. */
export function reveal(layout: Layout, index: number, node: number): void {
  const y = yOf(layout, unitOf(layout, index));
  if (y < HEAD + 20 || y > layout.height - 20)
    layout.top = unitOf(layout, index) - (layout.height - HEAD) / 2 / layout.scale;
  const x = xOf(layout, node);
  if (x < GUTTER || x > layout.width) layout.left += x - (layout.width + GUTTER) / 2;
  settle(layout);
}

/** Nothing but the run is in sight. */
function settle(layout: Layout): void {
  const { places, nodes } = layout.filter;
  const [first, last] = [unitOf(layout, 0), unitOf(layout, Math.max(0, places.length - 1))];
  const sight = (layout.height - HEAD - 20) / layout.scale;
  layout.top = Math.max(first - 10 / layout.scale, Math.min(layout.top, last - sight));
  if (last - first < sight) layout.top = first - 10 / layout.scale;
  layout.left = Math.max(0, Math.min(layout.left, nodes.length * layout.column - (layout.width - GUTTER)));
}
