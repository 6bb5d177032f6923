/**
 * Rules for overrides: what a profile changes stands in core/parity, and reaches a node through `ruleOf` alone.
 * Source: DESIGN §3.0; core/parity/README.md.
 */
import { posix } from "node:path";
import ts from "typescript";
import type { Finding, Rule, Source } from "./source.ts";
import { findingAt, nodesOf } from "./source.ts";

/** Where the profile is declared, named, and taken up. */
const MAY_ASK = /^core\/(?:parity\/|(?:profile|inputs|domains)[.]ts$|engine\/overrides[.]ts$)/;

/** No other file of the core asks for the profile: no name in it says so. */
export const noParityBranch: Rule = (source) => {
  if (!source.path.startsWith("core/") || MAY_ASK.test(source.path)) return [];
  return [...nodesOf(source.tree)]
    .filter((node): node is ts.Identifier => ts.isIdentifier(node) && /parity/i.test(node.text))
    .map((node) =>
      findingAt(source, node, "parity-branch", "put the other rule into core/parity; ask `ruleOf` for yours"),
    );
};

/** A rule that core/parity replaces: where it is declared, what it is called, and whether it is a result's schema. */
interface Replaced {
  readonly path: string;
  readonly name: string;
  readonly isResult: boolean;
  readonly source: Source;
  readonly node: ts.Node;
}

/** Every rule that is replaced is asked for through `ruleOf` and in no other way. */
export function bypassedOverrides(sources: readonly Source[]): readonly Finding[] {
  const core = sources.filter(({ path }) => path.startsWith("core/"));
  const replaced = core.filter(({ path }) => path.startsWith("core/parity/")).flatMap(replacedIn);
  const others = core.filter(({ path }) => !path.startsWith("core/parity/"));
  const renamed = others.flatMap((source) => renamedIn(source, replaced));
  const findings = replaced.flatMap((rule) => {
    const uses = others
      .filter(({ path, tree }) => path === rule.path || importsOf(path, tree).get(rule.name) === rule.path)
      .flatMap((source) => usesOf(source, rule));
    const bypasses = uses.flatMap(({ source, node, how }) =>
      how === "bypasses" && !rule.isResult
        ? [findingAt(source, node, "override-bypassed", `ask \`ruleOf\` for ${rule.name}: core/parity replaces it`)]
        : [],
    );
    const isAsked = uses.some(({ how }) => how === (rule.isResult ? "answers" : "asks"));
    const unasked = `nobody asks \`ruleOf\` for ${rule.name}`;
    return isAsked ? bypasses : [...bypasses, findingAt(rule.source, rule.node, "override-unreached", unasked)];
  });
  return [...renamed, ...findings];
}

/** Imports that give a replaced rule, or its whole file, another name: its uses could not be seen. */
function renamedIn(source: Source, replaced: readonly Replaced[]): readonly Finding[] {
  return importsIn(source.path, source.tree).flatMap(({ statement, target, bindings }) => {
    const names = replaced.filter(({ path }) => path === target).map(({ name }) => name);
    const isRenamed =
      bindings === undefined || ts.isNamespaceImport(bindings)
        ? bindings !== undefined && names.length > 0
        : bindings.elements.some(({ propertyName }) => names.includes(propertyName?.text ?? ""));
    const message = `import ${names.join(", ")} of ${target} under no other name: core/parity replaces it`;
    return isRenamed ? [findingAt(source, statement, "override-renamed", message)] : [];
  });
}

function replacedIn(source: Source): readonly Replaced[] {
  const imports = importsOf(source.path, source.tree);
  return [...nodesOf(source.tree)].flatMap((node) => {
    if (!ts.isCallExpression(node) || !/^override(?:Result)?$/.test(node.expression.getText(source.tree))) return [];
    const [ours] = node.arguments;
    if (ours === undefined || !ts.isIdentifier(ours)) return [];
    const isResult = node.expression.getText(source.tree) === "overrideResult";
    return [{ path: imports.get(ours.text) ?? source.path, name: ours.text, isResult, source, node }];
  });
}

/** Names that a file imports, by the file that they come from. */
function importsOf(path: string, tree: ts.SourceFile): ReadonlyMap<string, string> {
  const from = new Map<string, string>();
  for (const { target, bindings } of importsIn(path, tree)) {
    if (bindings === undefined || !ts.isNamedImports(bindings)) continue;
    for (const { name } of bindings.elements) from.set(name.text, target);
  }
  return from;
}

interface Import {
  readonly statement: ts.ImportDeclaration;
  readonly target: string;
  readonly bindings: ts.NamedImportBindings | undefined;
}

function importsIn(path: string, tree: ts.SourceFile): readonly Import[] {
  return tree.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return [];
    const target = posix.join(posix.dirname(path), statement.moduleSpecifier.text);
    return [{ statement, target, bindings: statement.importClause?.namedBindings }];
  });
}

interface Use {
  readonly source: Source;
  readonly node: ts.Node;
  readonly how: "asks" | "answers" | "bypasses";
}

function usesOf(source: Source, { name }: Replaced): readonly Use[] {
  return [...nodesOf(source.tree)].flatMap((node) => {
    if (!ts.isIdentifier(node) || node.text !== name || isNoUse(node)) return [];
    return [{ source, node, how: howUsed(node) }];
  });
}

/** A declaration, an import, a type, or a member that happens to have the name. */
function isNoUse({ parent, text }: ts.Identifier): boolean {
  if (ts.isImportSpecifier(parent) || ts.isTypeQueryNode(parent) || ts.isTypeReferenceNode(parent)) return true;
  if (ts.isPropertyAccessExpression(parent)) return parent.name.text === text;
  const declares =
    ts.isFunctionDeclaration(parent) || ts.isVariableDeclaration(parent) || ts.isTypeAliasDeclaration(parent);
  return declares && parent.name?.getText() === text;
}

function howUsed(node: ts.Identifier): Use["how"] {
  const { parent } = node;
  if (ts.isPropertyAssignment(parent) && parent.name.getText() === "result") return "answers";
  if (!ts.isCallExpression(parent) || parent.expression === node) return "bypasses";
  return /^(?:ruleOf|strictly)$/.test(parent.expression.getText()) ? "asks" : "bypasses";
}
