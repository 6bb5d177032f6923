/**
 * What is never mutated, with the reason: text that only people read and that no program acts on. Everything else is
 * mutated, the text of logs and of refusals included. A mutant that changes nothing anybody could see is told at its
 * place: `// Stryker disable next-line <mutator>: reason`.
 */
import type { Ignorer } from "@stryker-mutator/api/ignore";

/** Properties of tables that hold documentation: pages and papers are compared with them elsewhere, word by word. */
const DOCUMENTATION = new Set(["doc", "source", "summary", "description"]);

/** The message of a failed assertion: it tells a bug to its author. */
const BUGS = new Set(["assert", "unreachable"]);

/** The part of a syntax tree's node that is looked at. */
interface Node {
  readonly type: string;
  readonly key?: { readonly name?: string; readonly value?: string };
  readonly callee?: { readonly name?: string };
  readonly arguments?: readonly Node[];
}

interface Path {
  readonly node: Node;
  readonly parent?: Node;
  readonly key?: unknown;
}

export const prose: Ignorer = {
  shouldIgnore(path) {
    const { node, parent } = path as unknown as Path;
    if (parent?.type === "ObjectProperty" && (path as Path).key === "value" && isText(node)) {
      const name = parent.key?.name ?? parent.key?.value ?? "";
      if (DOCUMENTATION.has(name)) return `documentation in "${name}"`;
    }
    if (parent?.type === "CallExpression" && BUGS.has(parent.callee?.name ?? "") && isText(node)) {
      if (parent.arguments?.[0] !== node) return "the message of a failed assertion";
    }
    return undefined;
  },
};

function isText({ type }: Node): boolean {
  return type === "StringLiteral" || type === "TemplateLiteral";
}
