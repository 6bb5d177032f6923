/**
 * What a node held after an event, beside another node: rows that differ are marked, and rows that the event changed;
 * of a row, its members, and why each is what it is.
 */
import { at, h, show } from "../../serve/page/dom.ts";
import { labelIn, membersOf } from "../members.ts";
import type { Question } from "../why.ts";
import type { Run } from "./run-data.ts";
import { labelAt } from "./run-data.ts";

/** Rows that are listed at once. */
const ROWS = 300;
const NOBODY = "";

export interface StateView {
  /** Shows the state after an event; its node first, unless somebody chose another. */
  choose(place: number): void;
}

/** A row on one node, or on two. */
interface Row {
  readonly table: string;
  readonly key: string;
  readonly a: string | undefined;
  readonly b: string | undefined;
  readonly before: string | undefined;
}

interface Viewed {
  readonly run: Run;
  readonly why: (question: Question) => void;
  place: number;
  /** The record that is open. */
  open: { readonly table: string; readonly key: string } | undefined;
}

export function openState(run: Run, why: (question: Question) => void): StateView {
  const viewed: Viewed = { run, why, place: -1, open: undefined };
  const { notes, tables } = run.recording;
  const nodes = notes.nodes.map(({ name }, node) => ({ value: String(node), name }));
  const options = () => nodes.map(({ value, name }) => h("option", { value }, name));
  at("node-a").append(h("option", { value: NOBODY }, "the event's own"), ...options());
  at("node-b").append(h("option", { value: NOBODY }, "none"), ...options());
  const sorted = [...tables].sort((a, b) => (a < b ? -1 : 1));
  at("state-table").append(h("option", { value: "" }, "all"), ...sorted.map((table) => h("option", {}, table)));
  const redraw = (): void => drawRows(viewed);
  for (const id of ["node-a", "node-b", "state-table", "only-changed"]) at(id).addEventListener("change", redraw);
  at("state-find").addEventListener("input", redraw);
  return {
    choose(place) {
      viewed.place = place;
      redraw();
    },
  };
}

function chosenNode(id: string, own: number | undefined): number | undefined {
  const { value } = at<HTMLSelectElement>(id);
  return value === NOBODY ? own : Number(value);
}

function rowsOf({ recording }: Run, node: number, event: number): ReadonlyMap<string, string> {
  const { rows } = recording.stateAt(node, event);
  return new Map(
    [...rows.values()].map(({ table, key, text }) => [`${table} ${recording.text(key)}`, recording.text(text)]),
  );
}

function drawRows(viewed: Viewed): void {
  const { run, place } = viewed;
  if (place < 0) return;
  const event = run.event[place] as number;
  const own = run.node[place] as number;
  const [a = own, b] = [chosenNode("node-a", own), chosenNode("node-b", undefined)];
  show(at("state-event"), `${event} on node ${a}${b === undefined ? "" : ` and node ${b}`}`);
  show(at("only-changed-text"), b === undefined ? "only what this event changed" : "only what differs");
  const all = gathered(run, event, a, b);
  const [table, find] = [at<HTMLSelectElement>("state-table").value, at<HTMLInputElement>("state-find").value.trim()];
  const only = at<HTMLInputElement>("only-changed").checked;
  const found = all.filter(
    (row) =>
      (table === "" || row.table === table) &&
      (find === "" || row.key.includes(find) || row.a?.includes(find) === true || row.b?.includes(find) === true) &&
      (!only || isMarked(row, b)),
  );
  const up = run.recording.stateAt(a, event).up;
  const marked = all.filter((row) => isMarked(row, b)).length;
  show(
    at("state-summary"),
    `${labelAt(run, place)}. Node ${a} is ${up ? "up" : "down"}. ${found.length} of ${all.length} rows; `,
    b === undefined ? `this event changed ${marked}.` : `${marked} differ.`,
    found.length > ROWS ? ` The first ${ROWS} are listed: choose a table, or look for a text.` : "",
  );
  show(at("rows"), ...found.slice(0, ROWS).map((row) => lineOf(viewed, row, b)));
  drawRecord(viewed, all, a, b);
}

/** Rows of one node or two, with what they were before the event where one alone is looked at. */
function gathered(run: Run, event: number, a: number, b: number | undefined): readonly Row[] {
  const mine = rowsOf(run, a, event);
  const theirs = b === undefined ? new Map<string, string>() : rowsOf(run, b, event);
  const changed = b === undefined ? changedIn(run, a, event) : new Map<string, string | undefined>();
  const names = [...new Set([...mine.keys(), ...theirs.keys(), ...changed.keys()])].sort((x, y) => (x < y ? -1 : 1));
  return names.map((name) => {
    const at = name.indexOf(" ");
    const [table, key] = [name.slice(0, at), name.slice(at + 1)];
    const now = mine.get(name);
    return { table, key, a: now, b: theirs.get(name), before: changed.has(name) ? changed.get(name) : now };
  });
}

/** Rows that an event wrote, with what they were before. */
function changedIn(run: Run, node: number, event: number): ReadonlyMap<string, string | undefined> {
  const { recording } = run;
  const names = new Set<string>();
  for (const change of recording.changesOf(node, event, event))
    if (!("forgotten" in change)) names.add(`${change.table} ${recording.text(change.key)}`);
  const before = names.size === 0 ? new Map<string, string>() : rowsOf(run, node, event - 1);
  return new Map([...names].map((name) => [name, before.get(name)]));
}

function isMarked({ a, b, before }: Row, beside: number | undefined): boolean {
  return beside === undefined ? a !== before : a !== b;
}

function lineOf(viewed: Viewed, row: Row, beside: number | undefined): HTMLElement {
  const label = labelIn(membersOf(row.a ?? row.b));
  const act = (): void => {
    viewed.open = row;
    drawRows(viewed);
    document.getElementById("record-heading")?.focus();
  };
  const marked = isMarked(row, beside);
  const mark = marked ? h("span", { class: "mark" }, beside === undefined ? " ● changed" : " ≠ differs") : undefined;
  const text = `${row.table}: ${label === "" ? row.key : label}`;
  return h("li", {}, h("button", { type: "button", class: "plain", onclick: act }, text), mark);
}

function drawRecord(viewed: Viewed, rows: readonly Row[], a: number, b: number | undefined): void {
  const { open } = viewed;
  if (open === undefined) return;
  const { table, key } = open;
  const row = rows.find((each) => each.table === table && each.key === key);
  const [mine, other] = [membersOf(row?.a), membersOf(b === undefined ? row?.before : row?.b)];
  const names = [...new Set([...mine.keys(), ...other.keys()])];
  const heads = ["member", `node ${a}`, b === undefined ? "before this event" : `node ${b}`];
  const body = names.map((name) => {
    const [here, there] = [mine.get(name), other.get(name)];
    const differs = here !== there;
    const mark = differs ? h("span", { class: "mark" }, " ≠") : undefined;
    const event = viewed.run.event[viewed.place] as number;
    const ask = () => viewed.why({ node: a, table, key, ...(name !== "" && { member: name }), event });
    return h(
      "tr",
      { class: differs ? "differs" : "same" },
      h(
        "th",
        { scope: "row" },
        ...[name === "" ? "value" : name, mark, " "],
        h("button", { type: "button", class: "plain", onclick: ask, "aria-label": `why ${name}` }, "Why?"),
      ),
      h("td", { class: "mono" }, here ?? "–"),
      h("td", { class: "mono" }, b === undefined && !differs ? "the same" : (there ?? "–")),
    );
  });
  show(
    at("record"),
    h("h3", { tabindex: -1, id: "record-heading" }, `${table}: ${key}`),
    row?.a === undefined ? h("p", {}, `node ${a} does not hold it after this event`) : "",
    h(
      "div",
      { class: "scrolls", tabindex: 0, role: "region", "aria-label": "the record" },
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
        h("tbody", {}, ...body),
      ),
    ),
  );
}
