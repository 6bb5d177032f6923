/**
 * Rules of shape, for every source file: sizes, header, names, exports, comments.
 * Source: DESIGN "Shape of the code"; CONTRIBUTING.
 */
import ts from "typescript";
import type { Finding, Rule, Source } from "./source.ts";
import { commentsOf, findingAt, nodesOf } from "./source.ts";

/**
 * Lines of a file, of a function, and columns of a line. Source: DESIGN "Shape of the code"; the limit is where the
 * check bites.
 */
export const FILE_LINES_MAX = 400;
export const FUNCTION_LINES_MAX = 60;
export const LINE_COLUMNS_MAX = 120;

/**
 * A literal longer than this cannot be broken into lines, so its line may be as long as it is. Source: DESIGN "Shape of
 * the code".
 */
const UNBREAKABLE_COLUMNS = 80;

const BANNED_NAMES = /^(utils?|helpers?|common|managers?|misc|shared)$/;
/** Tools that read their configuration or reporter from a default export. */
const DEFAULT_EXPORT_ALLOWED = new Set(["node/bootstrap/count-reporter.mjs"]);
/** Calls whose callback holds a whole suite and is not a function in the sense of the size rule. */
const SUITE_CALLS = /^(describe|needsClang|needsChromium)/;

/** Lines of a text, not counting what follows the last line feed. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

export const fileLength: Rule = (source) => {
  const { length } = linesOf(source.text);
  if (length <= FILE_LINES_MAX) return [];
  return [at(source, length, "file-length", `${length} lines; at most ${FILE_LINES_MAX}`)];
};

export const lineLength: Rule = (source) =>
  linesOf(source.text).flatMap((line, index) => {
    const columns = [...line].length;
    if (columns <= LINE_COLUMNS_MAX || holdsUnbreakable(source, index)) return [];
    return [at(source, index + 1, "line-length", `${columns} columns; at most ${LINE_COLUMNS_MAX}`)];
  });

function holdsUnbreakable(source: Source, line: number): boolean {
  const start = source.tree.getPositionOfLineAndCharacter(line, 0);
  const end = source.text.indexOf("\n", start);
  for (const node of nodesOf(source.tree)) {
    if (node.getStart(source.tree) < start || (end >= 0 && node.getEnd() > end)) continue;
    const literal = ts.isStringLiteralLike(node) || ts.isRegularExpressionLiteral(node) || ts.isTemplateHead(node);
    if (literal && node.getWidth(source.tree) > UNBREAKABLE_COLUMNS) return true;
  }
  return false;
}

export const functionLength: Rule = (source) => {
  const findings: Finding[] = [];
  for (const node of nodesOf(source.tree)) {
    if (!ts.isFunctionLike(node) || !("body" in node) || node.body === undefined || isSuite(node)) continue;
    const lines = ownLines(source, node);
    if (lines <= FUNCTION_LINES_MAX) continue;
    findings.push(findingAt(source, node, "function-length", `${lines} lines; at most ${FUNCTION_LINES_MAX}`));
  }
  return findings;
};

/** Lines of a function without its inner named functions and methods, which count for themselves. */
function ownLines(source: Source, node: ts.Node): number {
  const spanned = (part: ts.Node): number => {
    const first = source.tree.getLineAndCharacterOfPosition(part.getStart(source.tree)).line;
    return source.tree.getLineAndCharacterOfPosition(part.getEnd()).line - first + 1;
  };
  const inner = (part: ts.Node): number => {
    let lines = 0;
    part.forEachChild((child) => {
      const counted = ts.isFunctionDeclaration(child) || ts.isMethodDeclaration(child);
      lines += counted ? spanned(child) : inner(child);
    });
    return lines;
  };
  return spanned(node) - inner(node);
}

function isSuite(node: ts.Node): boolean {
  if (!ts.isArrowFunction(node) && !ts.isFunctionExpression(node)) return false;
  return ts.isCallExpression(node.parent) && SUITE_CALLS.test(node.parent.expression.getText());
}

/** A file says what it is before it does anything. Tests may say it in line comments (Goal, Method), and C too. */
export const header: Rule = (source) => {
  const text = source.text.slice(ts.getShebang(source.text)?.length ?? 0).trimStart();
  const opening = source.path.startsWith("test/")
    ? /^(\/\*\*|\/\/)/
    : /[.][ch]$/.test(source.path)
      ? /^\/[*/]/
      : /^\/\*\*/;
  if (opening.test(text)) return [];
  return [at(source, 1, "header", "start the file with a comment that says what it holds")];
};

export const fileName: Rule = (source) => {
  const parts = source.path.split("/").map((part) => part.replace(/[.].*$/, ""));
  const banned = parts.find((part) => part.split("-").some((word) => BANNED_NAMES.test(word)));
  if (banned === undefined) return [];
  return [at(source, 1, "file-name", `"${banned}" says nothing about what is inside`)];
};

export const defaultExport: Rule = (source) => {
  if (DEFAULT_EXPORT_ALLOWED.has(source.path)) return [];
  const findings: Finding[] = [];
  for (const node of source.tree.statements) {
    const modified = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : [];
    const named = ts.isExportDeclaration(node) && node.exportClause !== undefined && exportsDefault(node.exportClause);
    const byKeyword = modified.some((modifier) => modifier.kind === ts.SyntaxKind.DefaultKeyword);
    if (!ts.isExportAssignment(node) && !byKeyword && !named) continue;
    findings.push(findingAt(source, node, "default-export", "export by name, so that a thing has one name everywhere"));
  }
  return findings;
};

function exportsDefault(clause: ts.NamedExportBindings): boolean {
  return ts.isNamedExports(clause) && clause.elements.some((element) => element.name.text === "default");
}

export const enumeration: Rule = (source) =>
  [...nodesOf(source.tree)]
    .filter(ts.isEnumDeclaration)
    .map((node) => findingAt(source, node, "enum", "use a union of literals: an enum does not erase"));

/** Only what the package exports under a name of its own gathers what others export: the indexes named here. */
const PUBLIC_INDEX =
  /^(core\/(index|testing)|node\/sim\/testing|sim\/((actions|arbitraries|byzantine|chain)\/)?index)[.]ts$/;

export const reExport: Rule = (source) => {
  if (PUBLIC_INDEX.test(source.path)) return [];
  const imported = importedNames(source);
  const findings: Finding[] = [];
  for (const node of source.tree.statements) {
    if (!ts.isExportDeclaration(node)) continue;
    const clause = node.exportClause;
    const passesOn =
      clause !== undefined &&
      ts.isNamedExports(clause) &&
      clause.elements.some((element) => imported.has((element.propertyName ?? element.name).text));
    if (node.moduleSpecifier === undefined && !passesOn) continue;
    findings.push(findingAt(source, node, "re-export", "import it from where it is made"));
  }
  return findings;
};

function importedNames(source: Source): ReadonlySet<string> {
  const names = new Set<string>();
  for (const node of nodesOf(source.tree)) {
    if ((ts.isImportSpecifier(node) || ts.isNamespaceImport(node) || ts.isImportClause(node)) && node.name) {
      names.add(node.name.text);
    }
  }
  return names;
}

export const unfinished: Rule = (source) =>
  commentsOf(source)
    .filter(({ text }) => /\b(TODO|FIXME|XXX)\b/.test(text))
    .map(({ line }) => at(source, line, "unfinished", "do it, or file it; a note in the code is neither"));

/** A mutant that nobody could notice is told at its place, for one line, one mutator at a time, and with the reason. */
export const equivalentMutant: Rule = (source) =>
  commentsOf(source)
    .filter(({ text }) => /^\W*Stryker (disable|restore)/.test(text))
    .filter(({ text }) => !/Stryker disable next-line (?!all)[A-Za-z-]+(, ?[A-Za-z-]+)*: \S+ \S+ \S+/.test(text))
    .map(({ line }) => at(source, line, "equivalent-mutant", "Stryker disable next-line MUTATOR: the reason in words"));

/** Paths of one machine mean nothing on another. */
export const machinePath: Rule = (source) =>
  linesOf(source.text).flatMap((line, index) =>
    /["'`\s(](\/work|\/home|\/root|\/Users)\/[A-Za-z]/.test(line)
      ? [at(source, index + 1, "machine-path", "a path of one machine")]
      : [],
  );

/** Every exported constant of the core says where its value comes from, itself or by the header of its file. */
export const constantSource: Rule = (source) => {
  if (!source.path.startsWith("core/") || source.path.endsWith(".d.ts")) return [];
  if (/Source:/.test(headerOf(source))) return [];
  return source.tree.statements.flatMap((node) => {
    if (!ts.isVariableStatement(node) || !isExported(node)) return [];
    if (/Source:/.test(docstringOf(source, node))) return [];
    const names = node.declarationList.declarations.map((declaration) => declaration.name.getText(source.tree));
    return [findingAt(source, node, "constant-source", `${names.join(", ")} has no "Source:", nor has its file`)];
  });
};

function headerOf(source: Source): string {
  const range = ts.getLeadingCommentRanges(source.text, ts.getShebang(source.text)?.length ?? 0)?.[0];
  return range === undefined ? "" : source.text.slice(range.pos, range.end);
}

function docstringOf(source: Source, node: ts.Node): string {
  const range = ts.getLeadingCommentRanges(source.text, node.getFullStart())?.at(-1);
  return range === undefined ? "" : source.text.slice(range.pos, range.end);
}

function isExported(node: ts.VariableStatement): boolean {
  return (node.modifiers ?? []).some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword);
}

function at(source: Source, line: number, rule: string, message: string): Finding {
  return { path: source.path, line, rule, message };
}

/** All rules of shape. */
export const shapeRules: readonly Rule[] = [
  fileLength,
  lineLength,
  functionLength,
  header,
  fileName,
  defaultExport,
  enumeration,
  reExport,
  unfinished,
  machinePath,
  equivalentMutant,
  constantSource,
];
