/**
 * What the run came to: what was broken and how, figures, the end, faults, the story, and what this page leaves out.
 */
import { clockText } from "../../clock-text.ts";
import { at, h, show } from "../../serve/page/dom.ts";
import type { ViolationNote } from "../format.ts";
import { membersOf } from "../members.ts";
import type { Run } from "./run-data.ts";
import { labelAt, placeOf } from "./run-data.ts";

/** Members that an explanation lists at most. */
const MEMBERS = 40;

export function showNotes(run: Run, choose: (place: number) => void): void {
  const { notes, from, events } = run.recording;
  document.title = notes.seed === undefined ? notes.title : `${notes.title}, seed ${notes.seed}`;
  show(at("title"), notes.title);
  const held = notes.violations.length === 0;
  show(at("verdict"), held ? (notes.verdict ?? "Everything held.") : "Violations were found.");
  at("verdict").className = held ? "good" : "bad";
  at("broken").hidden = held;
  show(at("violations"), ...notes.violations.map((broken) => explained(run, broken, choose)));
  const left = [
    h("p", {}, notes.description),
    from > 1
      ? h(
          "p",
          { class: "note" },
          `This page holds events ${from} to ${events}. Events 1 to ${from - 1} are left out; `,
          "run --record keeps all of them, and at and why look into it.",
        )
      : h("p", { class: "dim" }, `This page holds all ${events} events.`),
    h("p", { class: "dim" }, "Tables that live in memory alone are left out: they are computed from the others."),
  ];
  const figures = notes.figures.flatMap(([name, value]) => [h("dt", {}, name), h("dd", { class: "mono" }, value)]);
  const faults = notes.faultCounts.map(({ kind, injected, effective }) => [kind, String(injected), String(effective)]);
  const planned = notes.faults.map(({ text, from: begins }) => h("li", {}, `${clockText(begins)}  ${text}`));
  const story = notes.story.map(({ time, text }) => h("li", { class: "mono" }, `${clockText(time)}  ${text}`));
  show(
    at("run"),
    ...left,
    h("dl", { class: "figures" }, ...figures),
    ...titled(
      "In the end",
      notes.ending.rows.length === 0 ? undefined : tableOf(notes.ending.columns, notes.ending.rows),
    ),
    ...titled("Faults", faults.length === 0 ? undefined : tableOf(["kind", "injected", "effective"], faults)),
    ...titled("Faults as they were planned", planned.length === 0 ? undefined : h("ul", {}, ...planned)),
    ...titled("Story", story.length === 0 ? undefined : h("ol", { id: "story" }, ...story)),
  );
}

function titled(title: string, body: HTMLElement | undefined): readonly HTMLElement[] {
  return body === undefined ? [] : [h("h3", {}, title), body];
}

function tableOf(columns: readonly string[], rows: readonly (readonly string[])[]): HTMLElement {
  const head = h("tr", {}, ...columns.map((column) => h("th", { scope: "col" }, column)));
  const body = rows.map((row) => h("tr", {}, ...row.map((cell) => h("td", {}, cell))));
  const table = h("table", {}, h("thead", {}, head), h("tbody", {}, ...body));
  return h("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": columns.join(", ") }, table);
}

/** A violation in words: the law, what was found instead, the event and its node, and the members that it changed. */
function explained(
  run: Run,
  { check, law, message, time, event }: ViolationNote,
  choose: (place: number) => void,
): HTMLElement {
  const place = placeOf(run, event);
  const parts = [
    h("p", {}, h("b", {}, "The law "), h("code", {}, check), law === undefined ? "" : `: ${law}.`),
    h("p", {}, h("b", {}, "Found instead: "), message),
  ];
  const at = `event ${event} at ${clockText(time)}`;
  if (place < 0) return h("div", {}, ...parts, h("p", {}, `Found after ${at}.`));
  const node = run.node[place] as number;
  const go = h("button", { type: "button", onclick: () => choose(place) }, `Go to event ${event}`);
  const found = h("p", {}, h("b", {}, "Found after "), `${at}, on node ${node}: ${labelAt(run, place)}. `, go);
  return h("div", {}, ...parts, found, ...titled("What this event changed", changes(run, node, event)));
}

/** Members that an event changed, before and after. */
function changes({ recording }: Run, node: number, event: number): HTMLElement | undefined {
  const before = recording.stateAt(node, event - 1).rows;
  const rows: (readonly string[])[] = [];
  for (const change of recording.changesOf(node, event, event)) {
    if ("forgotten" in change) continue;
    const key = recording.text(change.key);
    const was = [...before.values()].find((row) => row.table === change.table && recording.text(row.key) === key);
    const [old, now] = [was && recording.text(was.text), change.text && recording.text(change.text)];
    const [mine, theirs] = [membersOf(now || undefined), membersOf(old)];
    for (const name of new Set([...mine.keys(), ...theirs.keys()]))
      if (mine.get(name) !== theirs.get(name))
        rows.push([`${change.table} ${key}`, name, theirs.get(name) ?? "–", mine.get(name) ?? "–"]);
  }
  return rows.length === 0 ? undefined : tableOf(["record", "field", "before", "after"], rows.slice(0, MEMBERS));
}
