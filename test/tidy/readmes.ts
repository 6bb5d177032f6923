/**
 * Rules for the READMEs: each top-level folder has one, each domain one with the five headings.
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

/** A path that a README names exists: an invariant names its test, and the test is there. */
export function deadPaths(tree: Tree): readonly Finding[] {
  const named = /`((?:core|adapters|sim|scenarios|test|node)\/[A-Za-z0-9_./-]+[.](?:ts|mjs|md|c|so|json))`/g;
  return tree.paths
    .filter((path) => path.endsWith("README.md"))
    .flatMap((path) =>
      [...tree.read(path).matchAll(named)]
        .map((match) => match[1] ?? "")
        .filter((target) => !tree.paths.includes(target))
        .map((target) => finding(path, "readme-dead-path", `${target} does not exist`)),
    );
}

function finding(path: string, rule: string, message: string): Finding {
  return { path, line: 1, rule, message };
}

/** All rules for READMEs. */
export const readmeRules: readonly ((tree: Tree) => readonly Finding[])[] = [missingReadmes, wrongHeadings, deadPaths];
