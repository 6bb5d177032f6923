/**
 * What a score came to, as people read it: a line for each bug, a table, and the figures of the whole.
 */
import type { Scored } from "./score.ts";

/** Longest part of a message that a line shows. */
const MESSAGE_LENGTH = 90;

export interface Summary {
  readonly line: string;
  /** Found, of those that took effect; 1 where none did. */
  readonly share: number;
}

export function lineOf({ plant, found, loads, tookEffect, events, cpuMs, stopped }: Scored): string {
  const cost = `${events} events, ${(cpuMs / 1_000).toFixed(1)} s`;
  const shown = found?.message.slice(0, MESSAGE_LENGTH);
  if (found !== undefined) return `found ${plant.name}: ${found.law} at seed ${found.seed}, ${cost}: ${shown}`;
  if (!loads) return `DOES NOT LOAD ${plant.name}: ${stopped}`;
  if (stopped !== undefined) return `STOPPED ${plant.name}: ${stopped}, ${cost}`;
  return tookEffect ? `MISSED ${plant.name}: ${plant.about}, ${cost}` : `no effect ${plant.name}: ${cost}`;
}

export function summaryOf(scored: readonly Scored[]): Summary {
  const effective = scored.filter(({ tookEffect }) => tookEffect);
  const found = effective.filter((one) => one.found !== undefined);
  const share = effective.length === 0 ? 1 : found.length / effective.length;
  const parts = [
    `planted=${scored.length}`,
    `effective=${effective.length}`,
    `found=${found.length}`,
    `share=${(100 * share).toFixed(1)}%`,
    `median-cpu-s=${(middle(found.map(({ cpuMs }) => cpuMs)) / 1_000).toFixed(1)}`,
    `median-events=${middle(found.map(({ events }) => events))}`,
  ];
  return { line: `score ${parts.join(" ")}`, share };
}

/** As Markdown: a row for each bug, in their order. */
export function tableOf(scored: readonly Scored[]): string {
  const rows = scored.map(({ plant, found, loads, tookEffect, events, cpuMs }) => {
    const verdict = found?.law ?? (tookEffect ? "not found" : loads ? "no effect" : "does not load");
    const faults = found?.faults.join(", ") ?? "";
    const cells = [plant.name, plant.group, plant.about, verdict, `${events}`, (cpuMs / 1_000).toFixed(1), faults];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  });
  const head = ["| Bug | From | What the product does | Found by | Events | CPU s | Faults that made that world |"];
  return [...head, "|---|---|---|---|---|---|---|", ...rows, "", summaryOf(scored).line, ""].join("\n");
}

function middle(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}
