/**
 * Rules for the READMEs: each top-level folder has one, each domain one with the five headings; and what they, and the
 * pages at the root, name is there, and their tables are tables.
 * Source: DESIGN "Shape of the code"; CONTRIBUTING.
 */
import type { Finding } from "./source.ts";

const DOMAIN_HEADINGS = ["Purpose", "States", "Invariants", "Limits", "Spec map"];

/** What the rules need to know of a tree: which files there are, and what the READMEs among them say. */
export interface Tree {
  readonly paths: readonly string[];
  readonly read: (path: string) => string;
}

/** Top-level folders with sources, and those of the core. */
export function missingReadmes(tree: Tree): readonly Finding[] {
  const folders = new Set(
    tree.paths.flatMap((path) => [/^[^/]+(?=\/)/, /^core\/[^/]+(?=\/)/].flatMap((one) => one.exec(path)?.[0] ?? [])),
  );
  return [...folders, ...domainFolders(tree)]
    .map((folder) => `${folder}/README.md`)
    .filter((path) => !tree.paths.includes(path))
    .map((path) => finding(path, "readme-missing", "say what the folder is for"));
}

/** A domain is a folder with a row of its own. */
export function domainFolders(tree: Tree): readonly string[] {
  const found = tree.paths.flatMap((path) => /^(core\/domains\/.+)\/domain[.]ts$/.exec(path)?.[1] ?? []);
  return [...new Set(found)];
}

export function wrongHeadings(tree: Tree): readonly Finding[] {
  return domainFolders(tree)
    .map((folder) => `${folder}/README.md`)
    .filter((path) => tree.paths.includes(path))
    .flatMap((path) => {
      const headings = [...tree.read(path).matchAll(/^## (.+?)\s*$/gm)].map((match) => match[1]);
      if (headings.join("|") === DOMAIN_HEADINGS.join("|")) return [];
      return [finding(path, "readme-headings", `second-level headings are exactly: ${DOMAIN_HEADINGS.join(", ")}`)];
    });
}

/** Pages that tell what was, or come from elsewhere: they may name what is gone. */
const HISTORY = /^(CHANGELOG[.]md$|core\/spec\/)/;
const PATH = /`((?:core|adapters|sim|scenarios|test|node)\/[A-Za-z0-9_./-]*)`/g;
const FILE = /[.](?:ts|mjs|md|c|so|json)$/;
/** A file by its name alone, which is in the page's own folder or below it. */
const NAME = /`([A-Za-z0-9_-]+[.](?:ts|mjs|c|so))`/g;

/** What a page names is there: an invariant names its test, a glossary the file that defines a word. */
export function deadPaths(tree: Tree): readonly Finding[] {
  const there = new Set(
    tree.paths.flatMap((path) => [path, ...[...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index))]),
  );
  // Files of other kinds are not in the tree.
  const isGone = (path: string) => (FILE.test(path) || !path.includes(".")) && !there.has(path.replace(/\/$/, ""));
  return tree.paths
    .filter((path) => path.endsWith(".md") && !HISTORY.test(path))
    .flatMap((path) => {
      const folder = path.slice(0, path.lastIndexOf("/") + 1);
      const isBelow = (name: string) =>
        tree.paths.some((each) => each.startsWith(folder) && `/${each}`.endsWith(`/${name}`));
      const named = (pattern: RegExp) => [...tree.read(path).matchAll(pattern)].map((match) => match[1] ?? "");
      return [...named(PATH).filter(isGone), ...named(NAME).filter((each) => !isBelow(each))].map((gone) =>
        finding(path, "readme-dead-path", `${gone} does not exist`),
      );
    });
}

/** A row is drawn as one where a header stands above it; a bar in code ends a cell there unless `\` is before it. */
export function brokenTables(tree: Tree): readonly Finding[] {
  return tree.paths
    .filter((path) => path.endsWith(".md"))
    .flatMap((path) => {
      const shown = tree.read(path).replace(/^```.*?^```/gms, (code) => code.replace(/[^\n]/g, "-"));
      const lines = shown.split("\n").map((line) => (/^\s*[|]/.test(line) ? cellsOf(line) : []));
      return lines.flatMap((cells, at) => {
        if (cells.length === 0) return [];
        const first = lines.slice(0, at).findLastIndex((before) => before.length === 0) + 1;
        const isHeaded = lines[first + 1]?.some((cell) => /^\s*:?-+:?\s*$/.test(cell)) ?? false;
        if (isHeaded && cells.length === lines[first]?.length) return [];
        const message = isHeaded ? "it has more or fewer cells than the header" : "no header stands above it";
        return [{ path, line: at + 1, rule: "readme-table", message }];
      });
    });
}

function cellsOf(row: string): readonly string[] {
  return row
    .trim()
    .replace(/^[|]/, "")
    .replace(/[|]$/, "")
    .split(/(?<!\\)[|]/);
}

function finding(path: string, rule: string, message: string): Finding {
  return { path, line: 1, rule, message };
}

/** All rules for READMEs. */
export const readmeRules: readonly ((tree: Tree) => readonly Finding[])[] = [
  missingReadmes,
  wrongHeadings,
  deadPaths,
  brokenTables,
];
