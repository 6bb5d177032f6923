/**
 * Runs dependency-cruiser over every source folder and fails on a violation of .dependency-cruiser.mjs.
 * Also fails when a folder with sources was not read: with a compiler it does not know, dependency-cruiser
 * reads no module at all and reports success.
 */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { binary } from "./checks.mjs";

const FOLDERS = ["core", "adapters", "sim", "scenarios", "node", "test"];

/** How many source files a folder holds, in all its folders. */
function countSources(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => /(?<![.]d)[.]ts$/.test(name)).length;
}

/** What is wrong with a cruise: violations with their reasons, and folders that were not read in full. */
export function complaints(report, sourcesByFolder) {
  const wrong = [];
  for (const [folder, sources] of Object.entries(sourcesByFolder)) {
    const read = report.modules.filter((m) => m.source.startsWith(`${folder}/`) && m.source.endsWith(".ts")).length;
    if (read < sources) wrong.push(`${folder}/: only ${read} of ${sources} source files were read`);
  }
  if (report.summary.totalCruised === 0) wrong.push("no module was read at all");
  const { violations, ruleSetUsed } = report.summary;
  for (const rule of ruleSetUsed?.forbidden ?? []) {
    const broken = violations.filter((violation) => violation.rule.name === rule.name);
    if (broken.length === 0) continue;
    const arrows = broken.map(({ from, to }) => `\n    ${from} -> ${to}`);
    wrong.push(`${rule.name}: ${rule.comment}${arrows.join("")}`);
  }
  for (const ring of ringsOf(report.modules)) wrong.push(`a ring of folders: ${ring}`);
  return wrong;
}

/** Folders between which arrows run one way: those of the core, each domain (the trade is one), and the rest. */
const FOLDER = /^(?:core\/domains\/[^/]+|core\/[^/]+|[^/]+)(?=\/)/;
/** One with the kernel: neither means anything without the other. */
const WITH_KERNEL = /^core\/(?:ports\/|errors[.]ts|reasons[.]ts|inputs[.]ts|globals[.]d[.]ts)/;

function groupOf(path) {
  if (WITH_KERNEL.test(path)) return "core/kernel";
  if (/^core\/[^/]+$/.test(path)) return path;
  return FOLDER.exec(path)?.[0];
}

/** Rings of folders that import each other, each named once, by its members. */
export function ringsOf(modules) {
  const targets = new Map();
  for (const { source, dependencies = [] } of modules) {
    const from = groupOf(source);
    if (from === undefined || source.startsWith("test/")) continue;
    const reached = targets.get(from) ?? new Set();
    for (const { resolved } of dependencies) {
      const to = groupOf(resolved);
      if (to !== undefined && to !== from && !resolved.startsWith("node_modules/")) reached.add(to);
    }
    targets.set(from, reached);
  }
  const reach = (from) => {
    const seen = new Set();
    for (const queue = [...(targets.get(from) ?? [])]; queue.length > 0; ) {
      const next = queue.pop();
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push(...(targets.get(next) ?? []));
    }
    return seen;
  };
  const reachable = new Map([...targets.keys()].map((from) => [from, reach(from)]));
  const rings = [...reachable].flatMap(([from, seen]) => {
    if (!seen.has(from)) return [];
    return [
      [...seen]
        .filter((each) => reachable.get(each)?.has(from))
        .sort((a, b) => (a < b ? -1 : 1))
        .join(", "),
    ];
  });
  return [...new Set(rings)];
}

function main() {
  const root = resolve(import.meta.dirname, "..", "..");
  const sources = Object.fromEntries(FOLDERS.map((folder) => [folder, countSources(join(root, folder))]));
  const present = FOLDERS.filter((folder) => sources[folder] > 0);
  const command = [binary(root, "dependency-cruiser", "depcruise"), "--config", ".dependency-cruiser.mjs"];
  const child = spawnSync(process.execPath, [...command, "--output-type", "json", ...present], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 29,
  });
  if (!child.stdout.startsWith("{")) {
    console.error(child.stderr || child.stdout || "dependency-cruiser printed nothing");
    process.exit(1);
  }
  const report = JSON.parse(child.stdout);
  const wrong = complaints(report, sources);
  for (const line of wrong) console.error(line);
  console.log(`${report.summary.totalCruised} modules read, ${report.summary.violations.length} forbidden arrows`);
  process.exit(wrong.length === 0 ? 0 : 1);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main();
