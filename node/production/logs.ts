/**
 * The log of a node: lines for people or JSON for machines on stderr, with levels by name, filtered by level
 * and module. At default level no line names a party. Source: DESIGN L4, section 6.
 */
import pino from "pino";
import { Refusal } from "./usage.ts";

const LEVELS = ["debug", "info", "warn", "error"] as const;
type Level = (typeof LEVELS)[number];

/** Parts of a node that a filter tells apart. */
const MODULES = ["core", "node", "chain", "peers"] as const;
export type Module = (typeof MODULES)[number];

/** One line. */
export interface Line {
  readonly module: Module;
  readonly level: Level;
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Log {
  readonly write: (line: Line) => void;
  /** Goes on with another filter. */
  readonly filter: (text: string) => void;
}

type Filter = ReadonlyMap<Module, Level>;

/** Opens the log; `write` takes a whole line. Refuses a filter that is none with one line. */
export function openLog(filterText: string, format: string, write: (line: string) => void): Log {
  let filter = filterOf(filterText);
  if (format !== "text" && format !== "json") throw new Refusal(`--log-format is text or json, not "${format}".`);
  const json = pino(
    {
      ...{ level: "debug", base: null, timestamp: pino.stdTimeFunctions.isoTime },
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  );
  return {
    write(line) {
      const least = LEVELS.indexOf(filter.get(line.module) ?? "info");
      if (LEVELS.indexOf(line.level) < least) return;
      const { module, level, event, fields } = line;
      if (format === "json") json[level]({ module, ...fields }, event);
      else write(`${new Date().toISOString()} ${level.toUpperCase().padEnd(5)} ${module}: ${event}${shown(fields)}\n`);
    },
    filter(text) {
      filter = filterOf(text);
    },
  };
}

/** `info`, or `info,chain=debug`: a level for all, then those of single modules. */
function filterOf(text: string): Filter {
  const filter = new Map<Module, Level>();
  for (const part of text.split(",")) {
    const [first = "", second] = part.trim().split("=", 2);
    const level = LEVELS.find((each) => each === (second ?? first));
    const modules = second === undefined ? MODULES : MODULES.filter((each) => each === first);
    if (level === undefined || modules.length === 0)
      throw new Refusal(
        `--log takes ${LEVELS.join(", ")}, and MODULE=LEVEL after it for ${MODULES.join(", ")}, not "${part.trim()}".`,
      );
    for (const module of modules) filter.set(module, level);
  }
  return filter;
}

function shown(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .map(([name, value]) => ` ${name}=${typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : quoted(value)}`)
    .join("");
}

function quoted(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) => (typeof each === "bigint" ? String(each) : each));
}
