/**
 * The report of a run as an application in one file: reads the recording that stands in the page, and lets its views
 * follow the event that is chosen. It asks nobody for anything. Source: DESIGN section 6.
 */
import { at, h, show } from "../../serve/page/dom.ts";
import { openDiagram } from "./diagram-view.ts";
import { openEvents } from "./events-view.ts";
import type { Filter } from "./filters.ts";
import { openFilters } from "./filters.ts";
import { allLooks } from "./look.ts";
import { showNotes } from "./notes-view.ts";
import type { Run } from "./run-data.ts";
import { firstFrom, labelAt, placeOf, readRun } from "./run-data.ts";
import { openState } from "./state-view.ts";
import { showWhy } from "./why-view.ts";

readRun(at("recording").textContent ?? "")
  .then(begin)
  .catch((error: unknown) => {
    at("notice").className = "bad";
    show(at("notice"), `This page cannot be shown: ${error instanceof Error ? error.message : String(error)}`);
  });

function begin(run: Run): void {
  const state: { chosen: number; filter: Filter } = {
    chosen: -1,
    filter: { nodes: [], places: new Int32Array(0), axis: "order" },
  };
  const choose = (place: number): void => {
    if (place < 0 || place >= run.count) return;
    state.chosen = place;
    const event = run.event[place] as number;
    at<HTMLInputElement>("go-to").value = String(event);
    show(at("chosen"), `event ${event}, node ${run.node[place]}: ${labelAt(run, place)}`);
    diagram.choose(place);
    events.choose(place);
    states.choose(place);
    document.body.dataset.chosen = String(event);
  };
  /** Goes on by so many of the events shown; of the chosen event's node alone where that is asked. */
  const step = (by: number, own = false): void => {
    const { places } = state.filter;
    const here = firstFrom(places, places.length, state.chosen);
    const away = by > 0 && places[here] !== state.chosen ? by - 1 : by;
    if (!own) return choose(places[Math.max(0, Math.min(places.length - 1, here + away))] ?? -1);
    const node = run.node[state.chosen];
    const way = Math.sign(by);
    for (let index = here + (away === 0 ? 0 : way); index >= 0 && index < places.length; index += way)
      if (run.node[places[index] as number] === node) return choose(places[index] as number);
  };
  const aside = (by: number): void => {
    const { nodes, places } = state.filter;
    const next = nodes[nodes.indexOf(run.node[state.chosen] as number) + by];
    if (next === undefined) return;
    const here = firstFrom(places, places.length, state.chosen);
    for (let far = 1; far < places.length; far++)
      for (const index of [here - far, here + far]) {
        const place = places[index];
        if (place !== undefined && run.node[place] === next) return choose(place);
      }
  };
  const states = openState(run, (question) => showWhy(run, question, choose));
  const diagram = openDiagram(run, { choose, step, aside });
  const events = openEvents(run, choose, step);
  at("go-to").addEventListener("change", () => choose(placeOf(run, Number(at<HTMLInputElement>("go-to").value))));
  show(at("legend"), ...legend());
  showNotes(run, choose);
  openFilters(run, (filter) => {
    state.filter = filter;
    show(at("shown"), `${filter.places.length} of ${run.count} events, ${filter.nodes.length} nodes`);
    diagram.filter(filter);
    events.filter(filter.places);
  });
  const [broken] = run.recording.notes.violations;
  choose(broken === undefined ? 0 : Math.max(0, placeOf(run, broken.event)));
  document.body.dataset.ready = "yes";
}

function legend(): readonly HTMLElement[] {
  return allLooks().map(({ name, colour }) => {
    const dot = h("i", {});
    dot.style.background = `var(${colour})`;
    return h("span", {}, dot, name);
  });
}
