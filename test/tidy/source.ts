/**
 * Sources as the house rules see them: a path, the text, and the syntax tree of TypeScript's own parser.
 * Every rule is a function from one source to findings, so a test can hand it a planted violation.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import ts from "typescript";

/** What the rules look at, and nothing else in the repository. */
const FOLDERS = ["core", "adapters", "sim", "scenarios", "node", "test"];
const SKIPPED_FOLDERS = new Set(["node_modules", "vectors", "fixtures"]);

export const root: string = resolve(import.meta.dirname, "..", "..");

/** One source file. The path is relative to the repository and uses `/`. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
}

/** One broken rule, said so that its reader knows what to do. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
  readonly message: string;
}

export type Rule = (source: Source) => readonly Finding[];

/** A source from memory. What is not TypeScript or JavaScript has an empty tree with the same lines. */
export function sourceOf(path: string, text: string): Source {
  const isScript = /[.](ts|mjs)$/.test(path);
  if (!isScript) return { path, text, tree: sourceOf("empty.ts", text.replaceAll(/[^\n]/g, " ")).tree };
  return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true) };
}

/** The paths of all files below the source folders whose name ends in one of `endings`, in byte order. */
export function listFiles(endings: readonly string[]): readonly string[] {
  return FOLDERS.filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => walk(join(root, folder)))
    .map((path) => relative(root, path).replaceAll("\\", "/"))
    .filter((path) => endings.some((ending) => path.endsWith(ending)))
    .sort((a, b) => (a < b ? -1 : 1));
}

function walk(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return SKIPPED_FOLDERS.has(entry.name) ? [] : walk(join(folder, entry.name));
    return entry.isFile() ? [join(folder, entry.name)] : [];
  });
}

/** The text of a file of the repository. */
export function readText(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** All sources: ours in TypeScript and JavaScript, and those of the on-chain program in C. */
export function readSources(): readonly Source[] {
  return listFiles([".ts", ".mjs", ".c", ".h"]).map((path) => sourceOf(path, readText(path)));
}

/** A finding at a node of the tree. */
export function findingAt(source: Source, node: ts.Node, rule: string, message: string): Finding {
  const { line } = source.tree.getLineAndCharacterOfPosition(node.getStart(source.tree));
  return { path: source.path, line: line + 1, rule, message };
}

/** Every node below the root of the tree, parents before children. */
export function* nodesOf(node: ts.Node): Generator<ts.Node> {
  const children: ts.Node[] = [];
  node.forEachChild((child) => {
    children.push(child);
  });
  for (const child of children) {
    yield child;
    yield* nodesOf(child);
  }
}

/** All comments of a source with their text. */
export function commentsOf(source: Source): readonly { readonly line: number; readonly text: string }[] {
  const ranges = new Map<number, ts.CommentRange>();
  const collect = (position: number, end: number): void => {
    for (const range of ts.getLeadingCommentRanges(source.text, position) ?? []) ranges.set(range.pos, range);
    for (const range of ts.getTrailingCommentRanges(source.text, end) ?? []) ranges.set(range.pos, range);
  };
  const shebang = ts.getShebang(source.text)?.length ?? 0;
  collect(shebang, shebang);
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.JSDoc) return;
    collect(node.getFullStart(), node.getEnd());
    for (const child of node.getChildren(source.tree)) visit(child);
  };
  visit(source.tree);
  return [...ranges.values()].map((range) => ({
    line: source.tree.getLineAndCharacterOfPosition(range.pos).line + 1,
    text: source.text.slice(range.pos, range.end),
  }));
}

/** Findings as lines for a failing test. */
export function listed(findings: readonly Finding[]): string {
  return findings.map(({ path, line, rule, message }) => `${path}:${line} ${rule}: ${message}`).join("\n");
}
