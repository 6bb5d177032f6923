/**
 * What a benchmark is asked to do: measure, or draw what was measured before. Whatever is wrong is one line, found
 * before anything is built or measured.
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";

export type Asked =
  | {
      readonly type: "measure";
      /** Names of cases; none: all that are not long. */
      readonly cases: readonly string[];
      readonly isQuick: boolean;
      readonly isJson: boolean;
      /** Whether its ratios become those that others are compared with. */
      readonly keeps: boolean;
      /** The file that the run is appended to. */
      readonly history: string | undefined;
    }
  | { readonly type: "draw"; readonly page: string; readonly history: string };

/** What the arguments ask for, or what is wrong with them. */
export function askedOf(args: readonly string[], known: readonly string[]): Asked | string {
  const read = parsed(args);
  if (typeof read === "string") return read;
  const { values, positionals: cases } = read;
  const unknown = cases.filter((name) => !known.includes(name));
  if (unknown.length > 0) return `No such case: ${unknown.join(", ")}. There are ${known.join(", ")}.`;
  const { quick = false, json = false, keep = false, history = [], page = [] } = values;
  for (const [name, files] of Object.entries({ history, page })) {
    if (files.length > 1) return `--${name} is given ${files.length} times; once is enough.`;
    if (files[0] === "") return `--${name} takes a file.`;
  }
  if (page[0] === undefined)
    return { type: "measure", cases, isQuick: quick, isJson: json, keeps: keep, history: history[0] };
  if (history[0] === undefined) return "--page draws what a history holds: name it with --history FILE.";
  if (cases.length > 0 || quick || json || keep)
    return "--page draws and measures nothing: only --history goes with it.";
  if (resolve(page[0]) === resolve(history[0])) return "--page would write over the history that it draws.";
  return { type: "draw", page: page[0], history: history[0] };
}

const flag = { type: "boolean" } as const;
const file = { type: "string", multiple: true } as const;
const OPTIONS = { quick: flag, json: flag, keep: flag, history: file, page: file };

function parsed(args: readonly string[]) {
  const names = Object.keys(OPTIONS).map((name) => `--${name}`);
  const given = args.filter((one) => one.startsWith("-")).map((one) => one.split("=")[0] as string);
  const none = given.filter((name) => !names.includes(name));
  if (none.length > 0) return `No such option: ${none.join(", ")}. There are ${names.join(", ")}.`;
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    // What is left: a file that is not given, or one for an option that takes none.
    const name = /'(?:-\w, )?--(\w+)/.exec((error as Error).message)?.[1] ?? "";
    return name === "history" || name === "page" ? `--${name} takes a file.` : `--${name} takes no value.`;
  }
}
