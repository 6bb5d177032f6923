/**
 * Rules about random input and time in tests: one way to try a property, sizes that grow, no limit of a test's own.
 * Source: DESIGN "Shape of the code"; CONTRIBUTING.
 */
import ts from "typescript";
import type { Finding, Rule, Source } from "./source.ts";
import { findingAt, nodesOf } from "./source.ts";

/** Where properties are run and configured. */
const ONE_WAY = "test/property/";

/** What of fast-check runs a property or draws cases by a seed of its own. */
const RUNS = /^fc[.](assert|check|sample|statistics|configureGlobal|resetConfigureGlobal)$/;

/** What takes a limit of time as its last argument or as an option. */
const LIMITED = /^(test|it|describe|beforeAll|beforeEach|afterAll|afterEach)\b/;

export const oneWayToTry: Rule = (source) => {
  if (!isTest(source) || source.path.startsWith(ONE_WAY)) return [];
  return callsOf(source)
    .filter((call) => RUNS.test(call.expression.getText(source.tree)))
    .map((call) => findingAt(source, call, "one-way-to-try", "use forAll, forAllAsync or samples of test/property"));
};

/** A property whose generator need not reach anything may try nothing. */
export const statedShares: Rule = (source) => {
  return callsOf(source).flatMap((call) => {
    if (!source.path.startsWith("test/") || !/^forAll(Async)?$/.test(call.expression.getText(source.tree))) return [];
    const plan = call.arguments[2];
    if (plan === undefined || !ts.isObjectLiteralExpression(plan)) return [];
    const shares = memberOf(plan, "shares");
    const isEmpty = shares && ts.isObjectLiteralExpression(shares) && shares.properties.length === 0;
    if (!isEmpty) return [];
    return [findingAt(source, call, "stated-shares", "say which share of the cases must bear which label")];
  });
};

/** What is exported to users runs without our setup, where fast-check stops at ten elements. */
export const ownSize: Rule = (source) => {
  if (!source.path.startsWith("sim/arbitraries/")) return [];
  const findings: Finding[] = [];
  for (const node of nodesOf(source.tree)) {
    if (!ts.isObjectLiteralExpression(node) || memberOf(node, "maxLength") === undefined) continue;
    if (!ts.isCallExpression(node.parent) || !node.parent.expression.getText(source.tree).startsWith("fc.")) continue;
    if (memberOf(node, "size") !== undefined || isFixedLength(node)) continue;
    findings.push(findingAt(source, node, "own-size", "an arbitrary with a maxLength says its size"));
  }
  return findings;
};

/** Of one length whatever the size. */
function isFixedLength(options: ts.ObjectLiteralExpression): boolean {
  return memberOf(options, "minLength")?.getText() === memberOf(options, "maxLength")?.getText();
}

/** How fast the machine is decides no verdict: what hangs is ended by the one limit of vitest.config.ts. */
export const noLimitOfItsOwn: Rule = (source) => {
  if (!isTest(source)) return [];
  return callsOf(source).flatMap((call) => {
    if (!LIMITED.test(call.expression.getText(source.tree))) return [];
    const limited = call.arguments.some((argument) => isLimit(argument, call));
    return limited ? [findingAt(source, call, "no-limit-of-its-own", "vitest.config.ts has the one limit")] : [];
  });
};

/** What waits by the machine's clock, or reads it to judge. */
const CLOCK =
  /^(vi[.]waitFor|vi[.]waitUntil|expect[.]poll|setTimeout|setInterval|AbortSignal[.]timeout|performance[.]now)$/;

/** Where the clock is the subject: the one way to wait, measurements, and what fills a night. */
const CLOCK_ALLOWED = /^test\/(until[.]ts$|(bench|mutation|nightly|property)\/)/;

/** A fact is awaited however long it takes, and nothing is tried again. */
export const waitsForFacts: Rule = (source) => {
  if (!source.path.startsWith("test/") || CLOCK_ALLOWED.test(source.path)) return [];
  return callsOf(source).flatMap((call) => {
    const again = call.arguments.some(
      (argument) => ts.isObjectLiteralExpression(argument) && memberOf(argument, "retry"),
    );
    const callee = call.expression.getText(source.tree);
    if (!CLOCK.test(callee) && !(again && LIMITED.test(callee))) return [];
    return [findingAt(source, call, "waits-for-facts", "wait for a fact with `until`, or hand a clock in")];
  });
};

function isLimit(argument: ts.Expression, call: ts.CallExpression): boolean {
  if (ts.isObjectLiteralExpression(argument)) return memberOf(argument, "timeout") !== undefined;
  const follows = call.arguments.indexOf(argument) > 0 && call.arguments.at(-1) === argument;
  return follows && !ts.isFunctionLike(argument) && (ts.isNumericLiteral(argument) || /_MS\b/.test(argument.getText()));
}

function isTest({ path }: Source): boolean {
  return path.startsWith("test/");
}

function callsOf(source: Source): readonly ts.CallExpression[] {
  return [...nodesOf(source.tree)].filter(ts.isCallExpression);
}

function memberOf(object: ts.ObjectLiteralExpression, name: string): ts.Node | undefined {
  const found = object.properties.find((property) => property.name?.getText() === name);
  return found && (ts.isPropertyAssignment(found) ? found.initializer : found);
}

/** All rules about random input and time in tests. */
export const randomInputRules: readonly Rule[] = [
  ...[oneWayToTry, statedShares, ownSize, noLimitOfItsOwn, waitsForFacts],
];
