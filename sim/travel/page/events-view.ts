/**
 * The events that are shown as a list of lines, of which only those in sight are elements.
 */
import { clockText } from "../../clock-text.ts";
import { at, h, show } from "../../serve/page/dom.ts";
import type { Run } from "./run-data.ts";
import { firstFrom, labelAt } from "./run-data.ts";

/** Pixels of a line, as the style has it, and lines beyond what is in sight. */
const LINE = 28;
const MORE = 8;

export interface EventsView {
  filter(places: Int32Array): void;
  choose(place: number): void;
}

export function openEvents(run: Run, choose: (place: number) => void, step: (by: number) => void): EventsView {
  const list = at("events");
  const state: { places: Int32Array; chosen: number } = { places: new Int32Array(0), chosen: -1 };
  const redraw = (): void => {
    const first = Math.max(0, Math.floor(list.scrollTop / LINE) - MORE);
    const last = Math.min(state.places.length, Math.ceil((list.scrollTop + list.clientHeight) / LINE) + MORE);
    at("events-all").style.height = `${state.places.length * LINE}px`;
    const seen = at("events-seen");
    seen.style.top = `${first * LINE}px`;
    show(
      seen,
      ...[...state.places.slice(first, last)].map((place) => lineOf(run, place, place === state.chosen, choose)),
    );
    list.toggleAttribute("aria-activedescendant", false);
    const chosen = document.getElementById(`event-${state.chosen}`);
    if (chosen !== null) list.setAttribute("aria-activedescendant", chosen.id);
  };
  list.addEventListener("scroll", redraw, { passive: true });
  new ResizeObserver(redraw).observe(list);
  list.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    step(by);
  });
  return {
    filter(places) {
      state.places = places;
      redraw();
    },
    choose(place) {
      state.chosen = place;
      const top = firstFrom(state.places, state.places.length, place) * LINE;
      if (top < list.scrollTop) list.scrollTop = top;
      else if (top + LINE > list.scrollTop + list.clientHeight) list.scrollTop = top + LINE - list.clientHeight;
      redraw();
    },
  };
}

function lineOf(run: Run, place: number, chosen: boolean, choose: (place: number) => void): HTMLElement {
  const label = labelAt(run, place);
  return h(
    "div",
    {
      ...{ class: "event", role: "option", id: `event-${place}`, title: label, "aria-selected": String(chosen) },
      onclick: () => choose(place),
    },
    `${run.event[place]}  ${clockText(run.time[place] as number)}`,
    h("b", {}, `node ${run.node[place]}`),
    label,
  );
}
