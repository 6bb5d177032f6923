/**
 * The diagram on its canvas: drawn when something changed, moved by wheel, touch, pointer, buttons and keys.
 */
import { at } from "../../serve/page/dom.ts";
import { draw } from "./drawing.ts";
import type { Filter } from "./filters.ts";
import type { Layout } from "./layout.ts";
import { createLayout, fitNodes, indexAt, pan, refilter, reveal, unitOf, widen, xOf, yOf, zoom } from "./layout.ts";
import { outagesOf } from "./outages.ts";
import type { Run } from "./run-data.ts";
import { firstFrom } from "./run-data.ts";

/** How much one key, button or notch of a wheel zooms. */
const ZOOM = 1.4;
/** Pixels that a finger may tremble within one tap, and how near a tap has to be to an event. */
const TREMBLE = 5;
const NEAR = 14;

export interface DiagramView {
  filter(filter: Filter): void;
  /** Marks an event and brings it into sight. */
  choose(place: number): void;
}

/** What the diagram asks for. */
export interface Asks {
  readonly choose: (place: number) => void;
  readonly step: (by: number, own: boolean) => void;
  /** Goes to the node beside, at the same time. */
  readonly aside: (by: number) => void;
}

export function openDiagram(run: Run, asks: Asks): DiagramView {
  const canvas = at<HTMLCanvasElement>("diagram");
  const layout = createLayout(run);
  const outages = outagesOf(run);
  const state = { chosen: -1, waits: false };
  const redraw = (): void => {
    if (state.waits) return;
    state.waits = true;
    requestAnimationFrame(() => {
      state.waits = false;
      const context = canvas.getContext("2d");
      if (context === null) return;
      const ratio = window.devicePixelRatio;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      draw(layout, context, outages, state.chosen);
      canvas.dataset.drawn = `${layout.filter.places.length}`;
    });
  };
  const resize = (): void => {
    const { clientWidth, clientHeight } = canvas;
    canvas.width = Math.round(clientWidth * window.devicePixelRatio);
    canvas.height = Math.round(clientHeight * window.devicePixelRatio);
    const fresh = layout.width === 0;
    layout.width = clientWidth;
    layout.height = clientHeight;
    if (fresh || layout.left === 0) fitNodes(layout);
    // What was chosen before there was any height is brought into sight now.
    if (fresh) choose(state.chosen);
    else redraw();
  };
  const choose = (place: number): void => {
    state.chosen = place;
    const { places, nodes } = layout.filter;
    if (place >= 0)
      reveal(layout, firstFrom(places, places.length, place), Math.max(0, nodes.indexOf(run.node[place] as number)));
    redraw();
  };
  new ResizeObserver(resize).observe(canvas);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  bindPointer(canvas, layout, redraw, (x, y) => {
    const place = nearest(layout, x, y);
    if (place >= 0) asks.choose(place);
  });
  bindKeys(canvas, layout, redraw, asks);
  bindButtons(layout, redraw, asks);
  return {
    filter(filter) {
      refilter(layout, filter);
      redraw();
    },
    choose,
  };
}

/** The event that is nearest to a point; -1 where none is near. */
function nearest(layout: Layout, x: number, y: number): number {
  const { run, filter } = layout;
  const reach = NEAR / layout.scale;
  const at = layout.top + (y - yOf(layout, layout.top)) / layout.scale;
  let [found, best] = [-1, NEAR];
  const last = Math.min(filter.places.length, indexAt(layout, at + reach) + 1);
  for (let index = indexAt(layout, at - reach); index < last; index++) {
    const place = filter.places[index] as number;
    const column = filter.nodes.indexOf(run.node[place] as number);
    const far = Math.hypot(xOf(layout, column) - x, yOf(layout, unitOf(layout, index)) - y);
    if (far < best) [found, best] = [place, far];
  }
  return found;
}

function bindPointer(
  canvas: HTMLCanvasElement,
  layout: Layout,
  redraw: () => void,
  tap: (x: number, y: number) => void,
): void {
  const down = new Map<number, { x: number; y: number; moved: number }>();
  const spread = (): number => {
    const [a, b] = [...down.values()];
    return a === undefined || b === undefined ? 0 : Math.hypot(a.x - b.x, a.y - b.y);
  };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const zooms = event.ctrlKey || event.metaKey || event.altKey;
    if (zooms) zoom(layout, event.deltaY < 0 ? ZOOM : 1 / ZOOM, event.offsetY);
    else if (event.shiftKey) pan(layout, event.deltaY + event.deltaX, 0);
    else pan(layout, event.deltaX, event.deltaY);
    redraw();
  });
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    down.set(event.pointerId, { x: event.offsetX, y: event.offsetY, moved: 0 });
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = down.get(event.pointerId);
    if (before === undefined) return;
    const [x, y, was] = [event.offsetX - before.x, event.offsetY - before.y, spread()];
    down.set(event.pointerId, { x: event.offsetX, y: event.offsetY, moved: before.moved + Math.hypot(x, y) });
    if (down.size === 1) pan(layout, -x, -y);
    else if (was > 0) zoom(layout, spread() / was, event.offsetY);
    redraw();
  });
  for (const name of ["pointerup", "pointercancel"] as const)
    canvas.addEventListener(name, (event) => {
      const ended = down.get(event.pointerId);
      down.delete(event.pointerId);
      if (name === "pointerup" && ended !== undefined && ended.moved < TREMBLE) tap(event.offsetX, event.offsetY);
    });
}

function bindKeys(canvas: HTMLCanvasElement, layout: Layout, redraw: () => void, asks: Asks): void {
  const page = () => layout.height * 0.8;
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => asks.step(1, false),
    ArrowUp: () => asks.step(-1, false),
    ArrowRight: () => asks.aside(1),
    ArrowLeft: () => asks.aside(-1),
    PageDown: () => pan(layout, 0, page()),
    PageUp: () => pan(layout, 0, -page()),
    Home: () => pan(layout, 0, -Number.MAX_SAFE_INTEGER),
    End: () => pan(layout, 0, Number.MAX_SAFE_INTEGER),
    "+": () => zoom(layout, ZOOM),
    "=": () => zoom(layout, ZOOM),
    "-": () => zoom(layout, 1 / ZOOM),
    "]": () => widen(layout, ZOOM),
    "[": () => widen(layout, 1 / ZOOM),
  };
  canvas.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (event.shiftKey && event.key.startsWith("Arrow") && event.key !== "ArrowLeft" && event.key !== "ArrowRight")
      asks.step(event.key === "ArrowDown" ? 1 : -1, true);
    else act();
    redraw();
  });
}

function bindButtons(layout: Layout, redraw: () => void, asks: Asks): void {
  const bind = (id: string, act: () => void): void =>
    at(id).addEventListener("click", () => {
      act();
      redraw();
    });
  bind("previous", () => asks.step(-1, false));
  bind("next", () => asks.step(1, false));
  bind("previous-own", () => asks.step(-1, true));
  bind("next-own", () => asks.step(1, true));
  bind("closer", () => zoom(layout, ZOOM));
  bind("further", () => zoom(layout, 1 / ZOOM));
  bind("wider", () => widen(layout, ZOOM));
  bind("narrower", () => widen(layout, 1 / ZOOM));
}
