// Goal: a branch on the profile, and a rule that is reached past its override, are found; their legal neighbours pass.
// Method: planted violations in memory.
import { assert, describe, test } from "vitest";
import { bypassedOverrides, noParityBranch } from "./overrides.ts";
import type { Source } from "./source.ts";
import { sourceOf } from "./source.ts";

describe("overrides", () => {
  const branches = (path: string, text: string): number => noParityBranch(sourceOf(path, text)).length;

  test.each([
    "if (context.configuration.profile.parity) f();",
    "const { parity } = profile;",
    "const strict = !isParity(view);",
    "interface At { readonly parity: boolean }",
  ])("a branch on the profile is found in a domain, and nowhere else: %s", (text) => {
    assert.isAbove(branches("core/domains/fees/methods.ts", text), 0);
    for (const path of ["core/parity/fees.ts", "core/engine/overrides.ts", "core/profile.ts", "sim/a.ts"])
      assert.equal(branches(path, text), 0);
  });

  test("what only speaks of parity is none", () => {
    assert.equal(branches("core/engine/rpc.ts", "// under parity\nconst a = 'parity';"), 0);
  });

  const rules = "core/domains/fees/rules.ts";
  const parity = [
    'import { isFair, Fee } from "../domains/fees/rules.ts";',
    "export const fees = [override(isFair, () => true), overrideResult(Fee, Other)];",
  ].join("\n");
  const declared = "export function isFair() { return true; }\nexport const Fee = struct('Fee', {});\n";
  const imported = 'import { Fee, isFair } from "./rules.ts";\n';
  const asked = "ruleOf(view.configuration, isFair)(a);\nquery({ result: Fee });\n";
  const broken = (methods: string, own = "", others: readonly Source[] = []): readonly string[] =>
    bypassedOverrides([
      ...others,
      sourceOf(rules, declared + own),
      sourceOf("core/domains/fees/methods.ts", imported + methods),
      sourceOf("core/domains/risk/methods.ts", "isFair(a); const Fee = 1;"),
      sourceOf("core/parity/fees.ts", parity),
    ]).map(({ path, rule }) => `${path} ${rule}`);

  test("a rule that is asked for, and one of the same name elsewhere, are fine", () => {
    assert.deepEqual(broken(asked), []);
    assert.deepEqual(broken(`const keeps: typeof isFair = strictly(isFair);\n${asked}`), []);
  });

  test.each(["isFair(a);", "all.every(isFair);", "const rule = isFair;", "use({ isFair });"])("%s is found", (text) => {
    assert.deepEqual(broken(asked + text), ["core/domains/fees/methods.ts override-bypassed"]);
    assert.deepEqual(broken(asked, text), [`${rules} override-bypassed`]);
  });

  test.each(['import { isFair as fair } from "./rules.ts";', 'import * as rules from "./rules.ts";'])(
    "%s is found",
    (text) => {
      const other = sourceOf("core/domains/fees/views.ts", `${text}\nrules.isFair(a);\nfair(a);`);
      const found = broken(asked, "", [other]);
      assert.deepEqual(found, ["core/domains/fees/views.ts override-renamed"]);
    },
  );

  test("another name for what nobody replaces is fine", () => {
    const other = ['import { isOld as old } from "./rules.ts";', 'import * as names from "./names.ts";'].join("\n");
    assert.deepEqual(broken(asked, "", [sourceOf("core/domains/fees/views.ts", other)]), []);
  });

  test("a rule or a result that nobody asks for is found", () => {
    assert.deepEqual(broken("query({ result: Fee });"), ["core/parity/fees.ts override-unreached"]);
    assert.deepEqual(broken("ruleOf(view.configuration, isFair)(a);"), ["core/parity/fees.ts override-unreached"]);
  });
});
