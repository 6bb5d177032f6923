/**
 * `ofs-sim at FILE EVENT` and `ofs-sim why FILE EVENT`: what nodes held after any event of a recorded run, and the
 * chain of events behind a field. Source: DESIGN section 6.
 */
import { clockText } from "../../sim/clock-text.ts";
import { labelIn, membersOf } from "../../sim/travel/members.ts";
import type { SeenRow, SeenState, TravelRecording } from "../../sim/travel/recording-reader.ts";
import type { Question } from "../../sim/travel/why.ts";
import { reasonLines, whyIs } from "../../sim/travel/why.ts";
import { checkKind } from "./kept-kinds.ts";
import { withRecording } from "./recording-file.ts";
import type { Surroundings } from "./surroundings.ts";
import { UsageError } from "./usage.ts";

export interface AtChoices {
  readonly node?: number;
  readonly table?: string;
  readonly json: boolean;
}

export interface WhyChoices {
  readonly node: number;
  readonly table: string;
  readonly key: string;
  readonly member?: string;
  readonly json: boolean;
}

/** Prints what nodes held after an event. */
export function atCommand(file: string, event: number, choices: AtChoices, around: Pick<Surroundings, "out">): number {
  checkKind(file, "at");
  return withRecording(file, (recording) => {
    checkEvent(file, recording, event);
    if (choices.node !== undefined) checkNode(file, recording, choices.node);
    if (choices.table !== undefined) checkTable(file, recording, choices.table);
    const nodes = choices.node === undefined ? recording.notes.nodes.map((_, node) => node) : [choices.node];
    const lines = choices.json ? [jsonOf(recording, event, nodes, choices)] : textOf(recording, event, nodes, choices);
    for (const line of lines) around.out(`${line}\n`);
    return 0;
  });
}

/** Prints the chain of events behind a field. */
export function whyCommand(
  file: string,
  event: number,
  choices: WhyChoices,
  around: Pick<Surroundings, "out">,
): number {
  checkKind(file, "at");
  return withRecording(file, (recording) => {
    checkEvent(file, recording, event);
    checkNode(file, recording, choices.node);
    checkTable(file, recording, choices.table);
    const { node, table, member } = choices;
    const question: Question = { node, table, key: keyOf(recording, event, choices), member, event };
    const reason = whyIs(recording, question);
    if (reason === undefined)
      throw new UsageError(
        member === undefined
          ? `node ${node} has no row of ${table} called ${choices.key} up to event ${event}.`
          : `node ${node} has no ${member} in ${table} ${choices.key} up to event ${event}.`,
      );
    if (choices.json) around.out(`${JSON.stringify({ ...question, ...reason })}\n`);
    else for (const line of reasonLines(reason, question, clockText)) around.out(`${line}\n`);
    return 0;
  });
}

function checkEvent(file: string, { from, events }: TravelRecording, event: number): void {
  if (event >= from - 1 && event <= events) return;
  throw new UsageError(`${file} holds events ${from} to ${events}; there is no event ${event}.`);
}

function checkNode(file: string, { notes }: TravelRecording, node: number): void {
  if (node < notes.nodes.length) return;
  throw new UsageError(`${file} holds nodes 0 to ${notes.nodes.length - 1}; there is no node ${node}.`);
}

function checkTable(file: string, { tables }: TravelRecording, table: string): void {
  if (tables.includes(table)) return;
  throw new UsageError(`${file} holds no table ${table}. One of: ${[...tables].sort(byUnits).join(", ")}.`);
}

/** A row's key, found by the key itself, by its beginning, or by what people call the record. */
function keyOf(recording: TravelRecording, event: number, { node, table, key }: WhyChoices): string {
  const found = rowsOf(recording, recording.stateAt(node, event), table);
  const fits = (row: SeenRow) => recording.text(row.key);
  const exact = found.find((row) => fits(row) === key);
  if (exact !== undefined) return key;
  const named = found.filter(
    (row) => labelIn(membersOf(recording.text(row.text))) === key || fits(row).startsWith(key),
  );
  if (named.length > 1)
    throw new UsageError(
      `${key} may be one of ${named.length} rows of ${table}: ${named.slice(0, 4).map(fits).join(", ")}.`,
    );
  // A row that is gone by then has a history all the same.
  return named[0] === undefined ? key : fits(named[0]);
}

function rowsOf({ text }: TravelRecording, { rows }: SeenState, table?: string): readonly SeenRow[] {
  const found = [...rows.values()].filter((row) => table === undefined || row.table === table);
  return found.sort((a, b) => byUnits(a.table, b.table) || byUnits(text(a.key), text(b.key)));
}

function byUnits(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** One JSON object; records stand in it as they were recorded, with every digit. */
function jsonOf(recording: TravelRecording, event: number, nodes: readonly number[], { table }: AtChoices): string {
  const told = nodes.map((node) => {
    const state = recording.stateAt(node, event);
    const byTable = new Map<string, string[]>();
    for (const row of rowsOf(recording, state, table)) {
      const rows = byTable.get(row.table) ?? [];
      byTable.set(row.table, rows);
      rows.push(`${JSON.stringify(recording.text(row.key))}:${recording.text(row.text)}`);
    }
    const tables = [...byTable].map(([name, rows]) => `${JSON.stringify(name)}:{${rows.join(",")}}`);
    return `{"node":${node},"up":${state.up},"tables":{${tables.join(",")}}}`;
  });
  const at = timeOf(recording, event);
  return `{"event":${event},"time":${at},"nodes":[${told.join(",")}]}`;
}

function timeOf(recording: TravelRecording, event: number): number {
  for (const { time } of recording.eventsFrom(event, event)) return time;
  return 0;
}

function textOf(
  recording: TravelRecording,
  event: number,
  nodes: readonly number[],
  { node, table }: AtChoices,
): readonly string[] {
  const happened = [...recording.eventsFrom(event, event)].map(
    (seen) => `event ${event} at ${clockText(seen.time)}, node ${seen.node}: ${recording.text(seen.label)}`,
  );
  const states = nodes.map((each) => {
    const state = recording.stateAt(each, event);
    return { each, state, rows: rowsOf(recording, state, table) };
  });
  if (node === undefined)
    return [
      ...happened,
      ...states.map(({ each, state, rows }) => `node ${each}  ${state.up ? "up" : "down"}  ${rows.length} rows`),
    ];
  return [...happened, ...states.flatMap(({ rows }) => rowLines(recording, rows, table))];
}

/** The rows of one table, or how many each table has. */
function rowLines({ text }: TravelRecording, rows: readonly SeenRow[], table: string | undefined): readonly string[] {
  if (table !== undefined)
    return rows.map(
      (row) => `${text(row.key)}${row.event === undefined ? "" : `  (event ${row.event})`}  ${text(row.text)}`,
    );
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(row.table, (counts.get(row.table) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${name}  ${count}`);
}
