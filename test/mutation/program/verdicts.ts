/**
 * What earlier runs found, so that a second one only tries what changed: the program a mutant gives, by sources and
 * mutant, and the test that killed a program, by program and what the tests asked. A verdict on other tests is none.
 */
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..", "..", "..");
const FILE = join(root, "node_modules", ".cache", "ofs", "program-mutants.jsonl");
/** Everything the suites of killers.ts are made of. */
const TESTED_BY = [
  "test/chain",
  "test/sim/chain",
  "test/mutation/program/killers.ts",
  "sim/chain",
  "core",
  "adapters/crypto",
];

/** Remembered facts, one JSON object a line; the last one of a key holds. */
export interface Verdicts {
  get(key: string): string | undefined;
  set(key: string, value: string): void;
}

/** Opens what is remembered; `fresh` remembers from now on only. */
export function openVerdicts(fresh: boolean, file: string = FILE): Verdicts {
  const held = new Map<string, string>();
  if (!fresh && existsSync(file)) {
    for (const line of readFileSync(file, "utf8").split("\n")) {
      if (line === "") continue;
      const { key, value } = JSON.parse(line) as { readonly key: string; readonly value: string };
      held.set(key, value);
    }
  }
  return {
    get: (key) => held.get(key),
    set: (key, value) => {
      held.set(key, value);
      mkdirSync(dirname(file), { recursive: true });
      appendFileSync(file, `${JSON.stringify({ key, value })}\n`);
    },
  };
}

export function hashOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length} `).update(part);
  return hash.digest("hex").slice(0, 32);
}

/** One hash of all files that decide what the tests ask. */
export function hashOfTests(): string {
  return hashOfFiles(...TESTED_BY.map((path) => join(root, path)));
}

/** One hash of all files in these folders. */
export function hashOfFiles(...paths: readonly string[]): string {
  return hashOf(...paths.flatMap(filesBelow).map((file) => readFileSync(file)));
}

function filesBelow(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path).sort((a, b) => (a < b ? -1 : 1));
  return names.flatMap((name) => filesBelow(join(path, name)));
}
