/**
 * Draws what of the run is in sight: nodes as lines, gaps where their processes were down, faults as bands, events as
 * dots, and what led to them as arrows while there are few enough to follow.
 */
import { clockText } from "../../clock-text.ts";
import { eventKinds } from "../format.ts";
import type { Layout } from "./layout.ts";
import { GUTTER, HEAD, indexAt, unitOf, xOf, yOf } from "./layout.ts";
import { colours, lookOf } from "./look.ts";
import type { Outage } from "./outages.ts";
import { firstFrom, labelAt } from "./run-data.ts";

/** Events in sight up to which arrows are drawn, and up to which their lines are read for colours. */
const ARROWS = 3_000;
const READ = 20_000;
const HEAD_TEXT = 22;
/** How strong arrows are, and from how many in sight on they fade, so that events stay to be seen; never below this. */
const [ARROW, FADES_FROM, FAINTEST] = [0.55, 200, 0.1];

interface Drawn {
  readonly layout: Layout;
  readonly canvas: CanvasRenderingContext2D;
  readonly colour: (name: string) => string;
  /** Index of a node among those shown, by its number; -1 where it is not. */
  readonly columns: Int32Array;
  /** Events in sight, as indexes among those shown. */
  readonly first: number;
  readonly last: number;
}

export function draw(
  layout: Layout,
  canvas: CanvasRenderingContext2D,
  outages: readonly Outage[],
  chosen: number,
): void {
  const { run, filter, width, height } = layout;
  const columns = new Int32Array(run.recording.notes.nodes.length).fill(-1);
  for (const [index, node] of filter.nodes.entries()) columns[node] = index;
  const first = Math.max(0, indexAt(layout, layout.top - 20 / layout.scale));
  const last = Math.min(filter.places.length, indexAt(layout, layout.top + height / layout.scale) + 1);
  const drawn: Drawn = { layout, canvas, colour: colours(), columns, first, last };
  canvas.clearRect(0, 0, width, height);
  canvas.font = "12px system-ui, sans-serif";
  canvas.textBaseline = "middle";
  drawLines(drawn);
  drawFaults(drawn);
  drawOutages(drawn, outages);
  if (last - first <= ARROWS) drawArrows(drawn);
  drawEvents(drawn);
  drawViolations(drawn);
  drawChosen(drawn, chosen);
  drawInstants(drawn);
  drawHeads(drawn);
}

function drawLines({ layout, canvas, colour }: Drawn): void {
  canvas.strokeStyle = colour("--node-line");
  canvas.lineWidth = 1;
  canvas.beginPath();
  for (const index of layout.filter.nodes.keys()) {
    const x = Math.round(xOf(layout, index)) + 0.5;
    if (x < GUTTER || x > layout.width) continue;
    canvas.moveTo(x, HEAD);
    canvas.lineTo(x, layout.height);
  }
  canvas.stroke();
}

/** The height of an instant, whatever stands beside what. */
function heightAt({ layout }: Drawn, time: number): number {
  const { run, filter } = layout;
  if (filter.axis === "time") return yOf(layout, time);
  return yOf(layout, heightIndex(layout, firstFrom(run.time, run.count, time)));
}

/** The index among events shown of the first that is not before a place. */
function heightIndex({ filter }: Layout, place: number): number {
  return firstFrom(filter.places, filter.places.length, place);
}

function drawFaults(drawn: Drawn): void {
  const { layout, canvas, colour } = drawn;
  for (const { text, from, until, kind, groups } of layout.run.recording.notes.faults) {
    const [top, bottom] = [Math.max(HEAD, heightAt(drawn, from)), Math.min(layout.height, heightAt(drawn, until))];
    if (bottom < HEAD || top > layout.height) continue;
    canvas.fillStyle = colour("--fault");
    if (kind !== "crash") canvas.fillRect(GUTTER, top, layout.width - GUTTER, Math.max(2, bottom - top));
    canvas.fillStyle = colour("--process");
    canvas.fillText(text, GUTTER + 4, top + 8, layout.width - GUTTER - 8);
    drawBorders(drawn, groups, top, bottom);
  }
}

/** Where nodes that stand side by side are kept apart. */
function drawBorders(
  { layout, canvas, colour }: Drawn,
  groups: readonly (readonly number[])[],
  top: number,
  bottom: number,
) {
  const groupOf = (node: number) => groups.findIndex((group) => group.includes(node));
  canvas.strokeStyle = colour("--process");
  canvas.setLineDash([6, 4]);
  canvas.beginPath();
  for (const [index, node] of layout.filter.nodes.entries()) {
    const next = layout.filter.nodes[index + 1];
    const [here, there] = [groupOf(node), next === undefined ? -1 : groupOf(next)];
    if (here < 0 || there < 0 || here === there) continue;
    const x = xOf(layout, index + 0.5);
    canvas.moveTo(x, top);
    canvas.lineTo(x, bottom);
  }
  canvas.stroke();
  canvas.setLineDash([]);
}

function drawOutages(drawn: Drawn, outages: readonly Outage[]): void {
  const { layout, canvas, colour, columns } = drawn;
  for (const { node, from, until } of outages) {
    const index = columns[node] as number;
    if (index < 0) continue;
    const [top, bottom] = [yOf(layout, unitAt(layout, from)), yOf(layout, unitAt(layout, until))];
    if (bottom < HEAD || top > layout.height) continue;
    const x = xOf(layout, index);
    canvas.fillStyle = colour("--panel");
    canvas.fillRect(x - 2, Math.max(HEAD, top), 4, Math.max(0, Math.min(layout.height, bottom) - Math.max(HEAD, top)));
    canvas.strokeStyle = colour("--process");
    canvas.lineWidth = 2;
    canvas.beginPath();
    for (const y of [top, bottom]) {
      canvas.moveTo(x - 6, y);
      canvas.lineTo(x + 6, y);
    }
    canvas.stroke();
    canvas.lineWidth = 1;
  }
}

/** The unit of a place of the run, shown or not. */
function unitAt(layout: Layout, place: number): number {
  if (layout.filter.axis === "time") return layout.run.time[Math.min(place, layout.run.count - 1)] ?? 0;
  return heightIndex(layout, place);
}

function drawArrows({ layout, canvas, colour, columns, first, last }: Drawn): void {
  const { run, filter } = layout;
  canvas.lineWidth = 1;
  canvas.globalAlpha = ARROW * Math.max(FAINTEST, Math.min(1, FADES_FROM / (last - first)));
  for (let index = first; index < last; index++) {
    const place = filter.places[index] as number;
    const cause = run.cause[place] as number;
    if (cause < 0 || run.node[cause] === run.node[place]) continue;
    const from = columns[run.node[cause] as number] as number;
    if (from < 0) continue;
    const to = columns[run.node[place] as number] as number;
    canvas.strokeStyle = colour(lookOf(eventKinds[run.kind[place] as number] ?? "started", labelAt(run, place)).colour);
    canvas.beginPath();
    canvas.moveTo(xOf(layout, from), yOf(layout, unitAt(layout, cause)));
    canvas.lineTo(xOf(layout, to), yOf(layout, unitOf(layout, index)));
    canvas.stroke();
  }
  canvas.globalAlpha = 1;
}

function drawEvents({ layout, canvas, colour, columns, first, last }: Drawn): void {
  const { run, filter } = layout;
  const reads = last - first <= READ;
  const size = Math.max(1.5, Math.min(5, layout.scale * 0.4, layout.column * 0.45));
  // Where lines stand close, what is too narrow to be seen is as tall as there is room.
  const tall = Math.max(1.5, Math.min(8, layout.scale * 0.4));
  // Of events that fall on one dot the first is drawn.
  const taken = new Set<number>();
  for (let index = first; index < last; index++) {
    const place = filter.places[index] as number;
    const node = columns[run.node[place] as number] as number;
    const [x, y] = [xOf(layout, node), yOf(layout, unitOf(layout, index))];
    if (x < GUTTER || x > layout.width) continue;
    const kind = eventKinds[run.kind[place] as number] ?? "started";
    const look = lookOf(kind, reads ? labelAt(run, place) : "");
    const dot = Math.round(y) * 4_096 + node;
    if (!reads && look.colour !== "--process" && taken.has(dot)) continue;
    taken.add(dot);
    canvas.fillStyle = colour(look.colour);
    if (size < 2) canvas.fillRect(x - 1.5, y - tall / 2, 3, tall);
    else if (kind === "crashed") drawCross(canvas, x, y, size + 2, colour("--process"));
    else if (kind === "store.loaded" || kind === "started") canvas.fillRect(x - size, y - size, 2 * size, 2 * size);
    else {
      canvas.beginPath();
      canvas.arc(x, y, size, 0, 2 * Math.PI);
      canvas.fill();
    }
  }
}

function drawCross(canvas: CanvasRenderingContext2D, x: number, y: number, size: number, colour: string): void {
  canvas.strokeStyle = colour;
  canvas.lineWidth = 2.5;
  canvas.beginPath();
  for (const side of [-1, 1]) {
    canvas.moveTo(x - size, y - side * size);
    canvas.lineTo(x + size, y + side * size);
  }
  canvas.stroke();
  canvas.lineWidth = 1;
}

function drawViolations(drawn: Drawn): void {
  const { layout, canvas, colour } = drawn;
  for (const { event, check } of layout.run.recording.notes.violations) {
    const y = yOf(layout, unitAt(layout, firstFrom(layout.run.event, layout.run.count, event)));
    if (y < HEAD || y > layout.height) continue;
    canvas.strokeStyle = colour("--bad");
    canvas.fillStyle = colour("--bad");
    canvas.lineWidth = 2;
    canvas.beginPath();
    canvas.moveTo(GUTTER, y + 8);
    canvas.lineTo(layout.width, y + 8);
    canvas.stroke();
    canvas.lineWidth = 1;
    canvas.fillText(`broken: ${check}`, GUTTER + 4, y + 18);
  }
}

function drawChosen({ layout, canvas, colour, columns }: Drawn, chosen: number): void {
  if (chosen < 0) return;
  const index = columns[layout.run.node[chosen] as number] as number;
  const y = yOf(layout, unitAt(layout, chosen));
  canvas.fillStyle = colour("--pick");
  canvas.fillRect(0, y - 8, layout.width, 16);
  if (index < 0) return;
  canvas.strokeStyle = colour("--accent");
  canvas.lineWidth = 2;
  canvas.beginPath();
  canvas.arc(xOf(layout, index), y, 8, 0, 2 * Math.PI);
  canvas.stroke();
  canvas.lineWidth = 1;
}

function drawInstants({ layout, canvas, colour, first, last }: Drawn): void {
  const { run, filter } = layout;
  canvas.fillStyle = colour("--panel");
  canvas.fillRect(0, HEAD, GUTTER - 12, layout.height);
  canvas.fillStyle = colour("--dim");
  let below = HEAD;
  let told = "";
  for (let index = first; index < last; index++) {
    const y = yOf(layout, unitOf(layout, index));
    if (y < below + 8) continue;
    const text = clockText(run.time[filter.places[index] as number] as number);
    if (text !== told) canvas.fillText(text, 4, y);
    told = text;
    below = y + HEAD_TEXT - 8;
  }
}

function drawHeads({ layout, canvas, colour }: Drawn): void {
  canvas.fillStyle = colour("--panel");
  canvas.fillRect(0, 0, layout.width, HEAD);
  canvas.textAlign = "center";
  const every = Math.max(1, Math.ceil(HEAD_TEXT / layout.column));
  for (const [index, node] of layout.filter.nodes.entries()) {
    const x = xOf(layout, index);
    if (index % every !== 0 || x < GUTTER || x > layout.width) continue;
    const { gossipOnly } = layout.run.recording.notes.nodes[node] ?? { gossipOnly: false };
    canvas.fillStyle = colour(gossipOnly ? "--note" : "--ink");
    canvas.fillText(
      layout.column > 60 && !gossipOnly ? `node ${node}` : layout.column > 100 ? `${node} gossip-only` : `${node}`,
      x,
      HEAD / 2,
    );
  }
  canvas.textAlign = "start";
}
