/**
 * What the package exports, read off its manifest and its sources: every import path with its source file, and every
 * name that the file exports with the docstring at the place where it is declared.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";

export interface Entry {
  /** As others import it, after the name of the package: `./core`. */
  readonly path: string;
  readonly source: string;
}

export interface ExportedName {
  readonly name: string;
  /** Where it is declared. */
  readonly source: string;
  readonly documented: boolean;
}

export type ReadFile = (path: string) => string;
interface Code {
  readonly types: string;
  readonly default: string;
}
/** A path that is required gets a bundle of what is imported, with the same names. */
type Target = string | Code | { readonly import: Code; readonly require: Code };

/** Every import path of a manifest that leads to code. */
export function entriesOf(exports: Readonly<Record<string, Target>>): readonly Entry[] {
  return Object.entries(exports).flatMap(([path, target]) => {
    if (typeof target === "string") return [];
    const { default: built } = "import" in target ? target.import : target;
    const source = built.replace(/^[.]\/dist\//, "").replace(/[.]js$/, ".ts");
    return [{ path, source }];
  });
}

/** The files and the sources of this repository. */
export const readSource: ReadFile = (path) => readFileSync(join(import.meta.dirname, "..", "..", path), "utf8");

/** The import paths that CommonJS may require too. */
export function requiredOf(exports: Readonly<Record<string, Target>>): readonly string[] {
  return Object.entries(exports).flatMap(([path, target]) =>
    typeof target !== "string" && "require" in target ? [path] : [],
  );
}

/** Every name that a file exports, its own and those it passes on from others. */
export function namesOf(path: string, read: ReadFile): readonly ExportedName[] {
  const tree = ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true);
  return tree.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) return passedOn(path, statement, read);
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
    if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    const documented = ts.getJSDocCommentsAndTags(statement).length > 0;
    return namesIn(statement).map((name) => ({ name, source: path, documented }));
  });
}

function passedOn(path: string, statement: ts.ExportDeclaration, read: ReadFile): readonly ExportedName[] {
  const { exportClause, moduleSpecifier } = statement;
  if (!exportClause || !ts.isNamedExports(exportClause) || !moduleSpecifier || !ts.isStringLiteral(moduleSpecifier))
    throw new Error(`${path}: an index names what it passes on, and from where`);
  const from = namesOf(join(dirname(path), moduleSpecifier.text).replaceAll("\\", "/"), read);
  return exportClause.elements.map(({ name, propertyName }) => {
    const found = from.find((each) => each.name === (propertyName ?? name).text);
    if (found === undefined) throw new Error(`${path}: ${name.text} is not in ${moduleSpecifier.text}`);
    return { ...found, name: name.text };
  });
}

function namesIn(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map((each) => each.name.getText());
  const declared = statement as ts.FunctionDeclaration | ts.ClassDeclaration | ts.InterfaceDeclaration;
  return declared.name === undefined ? [] : [declared.name.text];
}
