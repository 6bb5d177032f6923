/**
 * The feed of events: the newest first, of all nodes or of those that are chosen.
 */
import type { EventSeen, Events } from "./answers.ts";
import { at, h, show } from "./dom.ts";
import { clockText } from "./wall-clock.ts";

/** Events that the page keeps, and those that it shows. */
const KEPT = 1_000;
const SHOWN = 100;

export interface EventsView {
  /** The number of the newest event that is here. */
  newest(): number | bigint;
  take(events: Events): void;
  draw(chosen: ReadonlySet<number>): void;
  /** Forgets all of them: the next are of another network. */
  forget(): void;
}

/** `follow` is told the id of a record that somebody wants the story of. */
export function openEventsView(follow: (id: string) => void): EventsView {
  const state: { newest: number | bigint; events: EventSeen[]; drawn: string } = { newest: 0, events: [], drawn: "" };
  const draw = (chosen: ReadonlySet<number>): void => {
    const kind = at<HTMLSelectElement>("event-kind").value;
    const fits = ({ node, kind: own }: EventSeen) =>
      (chosen.size === 0 || node === null || chosen.has(node)) && (kind === "" || kind === own);
    const shown = state.events.filter(fits).slice(-SHOWN).reverse();
    const drawn = `${shown[0]?.number} ${shown.length} ${kind} ${[...chosen].join(" ")}`;
    if (drawn === state.drawn) return;
    state.drawn = drawn;
    show(at("events"), ...shown.map((event) => lineOf(event, follow)));
    show(at("event-count"), `${shown.length} of ${state.newest}`);
  };
  return {
    newest: () => state.newest,
    take({ newest, events }) {
      // After a revert there are fewer: what is here has not happened.
      if (newest < state.newest) state.events = [];
      // Two looks at once bring the same.
      else state.events = [...state.events, ...events.filter(({ number }) => number > state.newest)].slice(-KEPT);
      state.newest = newest < state.newest ? 0 : newest;
    },
    draw,
    forget() {
      state.newest = 0;
      state.events = [];
      state.drawn = "";
    },
  };
}

function lineOf(event: EventSeen, follow: (id: string) => void): HTMLElement {
  const { at: when, node, kind, text, client, from, about, slot } = event;
  const source = client ? "by a client" : from === null ? "" : `from ${from}`;
  const ids = about.map((record) => {
    const id = record.slice(record.indexOf(":") + 1);
    return h(
      "button",
      { type: "button", class: "plain", title: `the story of ${record}`, onclick: () => follow(id) },
      id,
    );
  });
  return h(
    "li",
    { class: kind },
    h("time", {}, clockText(when)),
    h("b", {}, node === null ? "control" : `node ${node}`),
    h("span", {}, [text, source, slot === null ? "" : `slot ${slot}`].filter((part) => part !== "").join(" · ")),
    ...ids,
  );
}
