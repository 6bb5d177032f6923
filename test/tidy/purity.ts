/**
 * Rules of purity: what the core may not say at all, and where the simulator may not look at the real world.
 * Globals such as `fetch` or `process` need no rule here: core/tsconfig.json leaves them undeclared.
 * Source: DESIGN section 3; CONTRIBUTING.
 */
import ts from "typescript";
import type { Finding, Rule, Source } from "./source.ts";
import { findingAt, nodesOf } from "./source.ts";

/** The one file of the core that may throw: a failed assertion is a bug of ours. */
const THROWS_ALLOWED = "core/kernel/assert.ts";

/** Members of Math whose result is exact, hence equal on every engine. Source: ECMA-262, section 21.3. */
const EXACT_MATH = new Set([
  ..."abs ceil clz32 floor fround imul max min round sign sqrt trunc".split(" "),
  ..."E LN10 LN2 LOG10E LOG2E PI SQRT1_2 SQRT2".split(" "),
]);

/** A ban on one kind of node: the message when the node breaks it, else nothing. */
interface Ban {
  readonly rule: string;
  readonly check: (node: ts.Node, source: Source) => string | undefined;
}

const synchronous: Ban = {
  rule: "core-synchronous",
  check: (node) => {
    if (node.kind === ts.SyntaxKind.AsyncKeyword || ts.isAwaitExpression(node)) return "the core never awaits";
    if (ts.isForOfStatement(node) && node.awaitModifier !== undefined) return "the core never awaits";
    return isValueNamed(node, "Promise") ? "the core makes no promise" : undefined;
  },
};

const clockless: Ban = {
  rule: "core-clock",
  check: (node) => (isValueNamed(node, "Date") ? "time arrives as an argument" : undefined),
};

const exactNumbers: Ban = {
  rule: "core-exact-numbers",
  check: (node) => {
    if (isMember(node, "Math") && !EXACT_MATH.has(memberName(node))) {
      return `Math.${memberName(node)} differs between engines or draws at random`;
    }
    if (isValueNamed(node, "Math") && !isMember(node.parent, "Math")) return "name the member of Math where it is used";
    if (!ts.isBinaryExpression(node)) return undefined;
    const { kind } = node.operatorToken;
    const power = kind === ts.SyntaxKind.AsteriskAsteriskToken || kind === ts.SyntaxKind.AsteriskAsteriskEqualsToken;
    return power ? "powers of ten come from a table" : undefined;
  },
};

const sameEverywhere: Ban = {
  rule: "core-locale",
  check: (node) => {
    if (isValueNamed(node, "Intl")) return "Intl depends on the host";
    if (!ts.isPropertyAccessExpression(node)) return undefined;
    const { text } = node.name;
    return text === "localeCompare" || text.startsWith("toLocale") ? `${text} depends on the host` : undefined;
  },
};

const orderedSorts: Ban = {
  rule: "core-sort",
  check: (node) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
    const sorts = node.expression.name.text === "sort" || node.expression.name.text === "toSorted";
    return sorts && node.arguments.length === 0 ? "say the order: JavaScript sorts by UTF-16 units" : undefined;
  },
};

const refusals: Ban = {
  rule: "core-refuses-by-result",
  check: (node, source) => {
    if (ts.isTryStatement(node)) return "the core has no try: a refusal is a Result";
    if (!ts.isThrowStatement(node) || source.path === THROWS_ALLOWED) return undefined;
    return `only ${THROWS_ALLOWED} throws`;
  },
};

const noClass: Ban = {
  rule: "core-class",
  check: (node) => (ts.isClassLike(node) ? "classes hold sockets, files and processes; the core has none" : undefined),
};

const staticImports: Ban = {
  rule: "core-imports",
  check: (node) => {
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return "no dynamic import";
    if (isValueNamed(node, "require")) return "no require";
    if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) return undefined;
    return node.moduleSpecifier.text.startsWith("node:") ? "the core runs in a browser" : undefined;
  },
};

/** State that outlives a call: a `let` at the top of a module, or a collection that starts out empty there. */
const statelessModules: Ban = {
  rule: "core-module-state",
  check: (node) => {
    if (!ts.isVariableStatement(node) || !ts.isSourceFile(node.parent)) return undefined;
    if ((node.modifiers ?? []).some((modifier) => modifier.kind === ts.SyntaxKind.DeclareKeyword)) return undefined;
    if ((node.declarationList.flags & ts.NodeFlags.Const) === 0) return "a module keeps no state: use const";
    const empty = node.declarationList.declarations.some(({ initializer, type }) => {
      const readonly = /^(readonly\b|Readonly)/.test(type?.getText() ?? "");
      return !readonly && initializer !== undefined && startsEmpty(initializer);
    });
    return empty ? "a module keeps no state: what starts empty is there to be filled" : undefined;
  },
};

function startsEmpty(node: ts.Expression): boolean {
  if (ts.isArrayLiteralExpression(node)) return node.elements.length === 0;
  if (ts.isObjectLiteralExpression(node)) return node.properties.length === 0;
  if (!ts.isNewExpression(node) || (node.arguments ?? []).length > 0) return false;
  return /^(Weak)?(Map|Set)$/.test(node.expression.getText());
}

/** A parameter belongs to the caller: nothing is written to it or to what it holds. */
const untouchedParameters: Ban = {
  rule: "core-parameter-write",
  check: (node) => {
    const target = writtenTarget(node);
    if (target === undefined) return undefined;
    const base = baseOf(target);
    if (base === undefined || !isParameter(base)) return undefined;
    return `writes to the parameter ${base.text}: return a new value`;
  },
};

/** What a module holds is made once. If later calls wrote to it, an answer would depend on what was asked before. */
const untouchedModules: Ban = {
  rule: "core-module-write",
  check: (node) => {
    const target = writtenTarget(node) ?? changedByCall(node);
    const base = target && baseOf(target);
    if (base === undefined || !standsInFunction(node) || !belongsToModule(base)) return undefined;
    return `writes to ${base.text}, which the module holds: a module keeps no state`;
  },
};

const CHANGING_METHODS = new Set(
  "add clear copyWithin delete fill pop push reverse set shift sort splice unshift".split(" "),
);

/** What a call of a method changes in place. */
function changedByCall(node: ts.Node): ts.Expression | undefined {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  return CHANGING_METHODS.has(node.expression.name.text) ? node.expression.expression : undefined;
}

/** Whether a node runs after its module was loaded: what fills a table while it is made does not. */
function standsInFunction(node: ts.Node): boolean {
  for (let scope = node.parent; scope !== undefined; scope = scope.parent) {
    if (ts.isFunctionLike(scope) && !isCalledAtOnce(scope)) return true;
  }
  return false;
}

function isCalledAtOnce(scope: ts.Node): boolean {
  const around = ts.isParenthesizedExpression(scope.parent) ? scope.parent : scope;
  return ts.isCallExpression(around.parent) && around.parent.expression === around;
}

/** Whether the nearest declaration of a name, walking outwards, stands at the top of the module. */
function belongsToModule(name: ts.Identifier): boolean {
  for (let scope: ts.Node = name.parent; scope !== undefined; scope = scope.parent) {
    if (ts.isFunctionLike(scope) && scope.parameters.some(({ name: bound }) => bindsName(bound, name.text)))
      return false;
    if (declaresLocally(scope, name.text)) return ts.isSourceFile(scope);
  }
  return false;
}

function writtenTarget(node: ts.Node): ts.Expression | undefined {
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken;
    const assigns = kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
    return assigns ? node.left : undefined;
  }
  if (ts.isDeleteExpression(node)) return node.expression;
  if (!ts.isPrefixUnaryExpression(node) && !ts.isPostfixUnaryExpression(node)) return undefined;
  const steps = node.operator === ts.SyntaxKind.PlusPlusToken || node.operator === ts.SyntaxKind.MinusMinusToken;
  return steps ? node.operand : undefined;
}

function baseOf(target: ts.Expression): ts.Identifier | undefined {
  if (ts.isIdentifier(target)) return target;
  if (ts.isPropertyAccessExpression(target) || ts.isElementAccessExpression(target)) return baseOf(target.expression);
  if (ts.isNonNullExpression(target) || ts.isParenthesizedExpression(target) || ts.isAsExpression(target)) {
    return baseOf(target.expression);
  }
  return undefined;
}

/** Whether the nearest declaration of a name, walking outwards, is a parameter. */
function isParameter(name: ts.Identifier): boolean {
  for (let scope: ts.Node = name.parent; scope !== undefined; scope = scope.parent) {
    if (ts.isFunctionLike(scope)) {
      if (scope.parameters.some((parameter) => bindsName(parameter.name, name.text))) return true;
    }
    if (declaresLocally(scope, name.text)) return false;
  }
  return false;
}

function declaresLocally(scope: ts.Node, name: string): boolean {
  const lists: ts.VariableDeclarationList[] = [];
  if (ts.isBlock(scope) || ts.isSourceFile(scope)) {
    for (const statement of scope.statements) {
      if (ts.isVariableStatement(statement)) lists.push(statement.declarationList);
    }
  }
  if (ts.isForStatement(scope) || ts.isForOfStatement(scope) || ts.isForInStatement(scope)) {
    if (scope.initializer !== undefined && ts.isVariableDeclarationList(scope.initializer))
      lists.push(scope.initializer);
  }
  return lists.some((list) => list.declarations.some((declaration) => bindsName(declaration.name, name)));
}

function bindsName(binding: ts.BindingName, name: string): boolean {
  if (ts.isIdentifier(binding)) return binding.text === name;
  return binding.elements.some((element) => ts.isBindingElement(element) && bindsName(element.name, name));
}

/** The real clock and real randomness: a run of the simulator is a function of its seed (law L1). */
const seededWorld: Ban = {
  rule: "sim-wall-clock",
  check: (node) => {
    if (isMember(node, "Math") && memberName(node) === "random") return "draw from the seed";
    if (isMember(node, "performance") && memberName(node) === "now") return "virtual time only; see sim/wall-clock.ts";
    if (isMember(node, "Date") && memberName(node) === "now") return "virtual time only; see sim/wall-clock.ts";
    if (isMember(node, "process") && memberName(node) === "hrtime") return "virtual time only; see sim/wall-clock.ts";
    if (ts.isNewExpression(node) && node.expression.getText() === "Date" && (node.arguments ?? []).length === 0) {
      return "virtual time only; see sim/wall-clock.ts";
    }
    const random = ["randomUUID", "randomBytes", "randomInt", "randomFillSync", "getRandomValues"];
    return ts.isIdentifier(node) && random.includes(node.text) ? "draw from the seed" : undefined;
  },
};

/** The recursive mkdir of Node.js 20 asks again for ever where the system says ENOENT below a folder that exists. */
const foldersByLevel: Ban = {
  rule: "product-folders",
  check: (node) => {
    if (!ts.isCallExpression(node) || !/\bmkdir(Sync)?$/.test(node.expression.getText())) return undefined;
    return /\brecursive\b/.test(node.getText()) ? "make folders with adapters/folders/make-folder.ts" : undefined;
  },
};

/** Whether a node uses the global `name` as a value: no type, no property and no local of that name. */
function isValueNamed(node: ts.Node, name: string): boolean {
  if (!ts.isIdentifier(node) || node.text !== name) return false;
  const { parent } = node;
  if (ts.isTypeReferenceNode(parent) || ts.isTypeQueryNode(parent) || ts.isQualifiedName(parent)) return false;
  if (ts.isExpressionWithTypeArguments(parent)) return false;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return false;
  if (ts.isPropertyAssignment(parent) && parent.name === node) return false;
  return !ts.isPropertySignature(parent) && !ts.isMethodSignature(parent);
}

function isMember(node: ts.Node, object: string): node is ts.PropertyAccessExpression | ts.ElementAccessExpression {
  if (!ts.isPropertyAccessExpression(node) && !ts.isElementAccessExpression(node)) return false;
  const text = node.expression.getText();
  return text === object || text === `globalThis.${object}`;
}

function memberName(node: ts.PropertyAccessExpression | ts.ElementAccessExpression): string {
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  return ts.isStringLiteralLike(node.argumentExpression) ? node.argumentExpression.text : "[…]";
}

function ruleOf(ban: Ban, applies: (path: string) => boolean): Rule {
  return (source) => {
    if (!applies(source.path)) return [];
    const findings: Finding[] = [];
    for (const node of nodesOf(source.tree)) {
      const message = ban.check(node, source);
      if (message !== undefined) findings.push(findingAt(source, node, ban.rule, message));
    }
    return findings;
  };
}

const inCore = (path: string): boolean => path.startsWith("core/") && !path.endsWith(".d.ts");
const inSeededWorld = (path: string): boolean => /^(sim|scenarios)\//.test(path) && !path.includes("wall-clock");

const inProduct = (path: string): boolean => /^(adapters|node|scenarios|sim)\//.test(path) && path.endsWith(".ts");

const coreBans = [
  synchronous,
  clockless,
  exactNumbers,
  sameEverywhere,
  orderedSorts,
  refusals,
  noClass,
  staticImports,
  statelessModules,
  untouchedParameters,
  untouchedModules,
];

/** All rules of purity. */
export const purityRules: readonly Rule[] = [
  ...coreBans.map((ban) => ruleOf(ban, inCore)),
  ruleOf(seededWorld, inSeededWorld),
  ruleOf(foldersByLevel, inProduct),
];
