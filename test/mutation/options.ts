/**
 * What was asked of `npm run mutate`: which part of the product, and how much of it. Not here: doing it.
 */
import { parseArgs } from "node:util";
import type { Breadth } from "./judges.ts";

export const USAGE =
  "Usage: npm run mutate -- PATH… [--changed REVISION] [--sample N] [--seed S] [--quick | --all-tests] [--fresh] [--break N] [--out DIR]";

export interface Options {
  readonly paths: readonly string[];
  /** Only files that differ from this revision of git. */
  readonly changed: string | undefined;
  /** How many mutants to draw; all of them when undefined. */
  readonly sample: number | undefined;
  readonly seed: number;
  readonly breadth: Breadth;
  readonly fresh: boolean;
  /** The score, in percent, below which the command fails. */
  readonly breakBelow: number | undefined;
  readonly out: string;
}

/** The seed of a draw that names none, so that the same command draws the same mutants. */
const DEFAULT_SEED = 1;

/** What the arguments ask for, or what is wrong with them. */
export function optionsOf(args: readonly string[]): Options | string {
  try {
    return read(args);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function read(args: readonly string[]): Options | string {
  const [text, flag] = [{ type: "string" }, { type: "boolean" }] as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      changed: text,
      sample: text,
      seed: text,
      quick: flag,
      "all-tests": flag,
      fresh: flag,
      break: text,
      out: text,
    },
  });
  const sample = values.sample === undefined ? undefined : Number(values.sample);
  const seed = Number(values.seed ?? DEFAULT_SEED);
  const breakBelow = values.break === undefined ? undefined : Number(values.break);
  if (positionals.length === 0 && values.changed === undefined) return "PATH or --changed is needed";
  if (sample !== undefined && !(Number.isSafeInteger(sample) && sample > 0))
    return "--sample takes a whole number above 0";
  if (values.quick && values["all-tests"]) return "--quick and --all-tests exclude each other";
  if (!Number.isSafeInteger(seed)) return "--seed takes a whole number";
  if (breakBelow !== undefined && !(breakBelow >= 0 && breakBelow <= 100)) return "--break takes percent from 0 to 100";
  return {
    paths: positionals.map((path) => path.replaceAll("\\", "/").replace(/^\.\//, "").replace(/\/+$/, "")),
    changed: values.changed,
    sample,
    seed,
    breadth: values.quick ? "quick" : values["all-tests"] ? "all" : "usual",
    fresh: values.fresh ?? false,
    breakBelow,
    out: values.out ?? "reports/mutation",
  };
}
