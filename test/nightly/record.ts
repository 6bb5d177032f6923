/**
 * What is known of this night and of the nights before, as one JSON file: a night that was cut short goes on where it
 * stopped, and the page shows a history.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** How many nights the history keeps. */
const NIGHTS_MAX = 400;

export interface UnitResult {
  readonly unit: string;
  readonly group: string;
  readonly passed: boolean;
  readonly seed: string;
  readonly seconds: number;
  /** Random cases that were really tried. */
  readonly cases: number;
  /** The last line that the unit printed. */
  readonly lastLine: string;
  readonly log: string;
}

export interface Night {
  /** When it began, as an ISO instant. */
  readonly began: string;
  readonly minutes: number;
  readonly units: number;
  readonly failed: number;
  readonly cases: number;
  /** Rounds over all units that ended in this night. */
  readonly rounds: number;
}

export interface NightlyRecord {
  /** Of the round under way: every random case of it derives from this. */
  readonly seed: string;
  /** The revision from which changes are mutated; empty before the first night. */
  readonly since: string;
  /** Units of the round under way that are done. */
  readonly done: readonly UnitResult[];
  /** The newest result of every unit. */
  readonly newest: Readonly<Record<string, UnitResult>>;
  readonly nights: readonly Night[];
}

const FILE = "record.json";

/** The record of a folder; a new one where there is none. Throws when the file is there and is no record. */
export function readRecord(folder: string, seed: () => string): NightlyRecord {
  const file = join(folder, FILE);
  if (!existsSync(file)) return { seed: seed(), since: "", done: [], newest: {}, nights: [] };
  const read: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (!isRecord(read)) throw new Error(`${file} is no record of nights; move it away to begin anew`);
  return read;
}

/** Replaces the record whole: whoever reads it sees the old one or the new one. */
export function writeRecord(folder: string, record: NightlyRecord): void {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, FILE);
  writeFileSync(`${file}.new`, `${JSON.stringify(record, undefined, 2)}\n`);
  renameSync(`${file}.new`, file);
}

export function withResult(record: NightlyRecord, result: UnitResult): NightlyRecord {
  return { ...record, done: [...record.done, result], newest: { ...record.newest, [result.unit]: result } };
}

export function withNight(record: NightlyRecord, night: Night): NightlyRecord {
  return { ...record, nights: [...record.nights, night].slice(-NIGHTS_MAX) };
}

function isRecord(value: unknown): value is NightlyRecord {
  if (typeof value !== "object" || value === null) return false;
  const { seed, since, done, newest, nights } = value as Partial<NightlyRecord>;
  const texts = typeof seed === "string" && typeof since === "string";
  return texts && Array.isArray(done) && typeof newest === "object" && Array.isArray(nights);
}
