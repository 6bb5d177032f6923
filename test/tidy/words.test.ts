// Goal: every banned word is found wherever it may not stand, and its ordinary neighbours pass.
// Method: one planted violation of each word in an identifier, a file name, a log line, a comment and a README.
import { assert, describe, test } from "vitest";
import type { Rule } from "./source.ts";
import { sourceOf } from "./source.ts";
import {
  bannedNames,
  bannedPhrases,
  plainComments,
  plainFileNames,
  plainIdentifiers,
  plainLogLines,
  plainReadmes,
} from "./words.ts";

/** A place where a word is banned that is not banned everywhere. */
const PLACES = ["sim/a.ts", "core/domains/trade/advertisements/a.ts"];

const capital = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
const found = (rule: Rule, path: string, text: string): boolean => rule(sourceOf(path, text)).length > 0;

const parts = bannedNames.flatMap((row) => (row.parts ?? []).map((word) => ({ ...row, word })));
const names = bannedNames.flatMap((row) => (row.names ?? []).map((word) => ({ ...row, word })));
const placeOf = ({ within }: { readonly within?: RegExp }): string =>
  PLACES.find((path) => within?.test(path) ?? true) ?? "";

describe("a banned word is found", () => {
  test.each(parts)("$word, in an identifier", ({ word, ...row }) => {
    const path = placeOf(row);
    for (const name of [word, `open${capital(word)}`, `${word}Of`, `${word.toUpperCase()}_MAX`, `${word}_at`])
      assert.isTrue(found(plainIdentifiers, path, `const ${name} = 1;`), name);
    assert.isTrue(found(plainIdentifiers, path, `f({ ${word}: 1 });`));
  });

  test.each(names)("$word, as an identifier", ({ word }) => {
    assert.isTrue(found(plainIdentifiers, "core/a.ts", `f(${word});`));
  });

  test.each(parts)("$word, in the name of a file", ({ word, ...row }) => {
    const folder = placeOf(row).replace("/a.ts", "");
    for (const path of [`${folder}/${word}.ts`, `${folder}/two-${word}.test.ts`, `${folder}/${word}/a.ts`])
      assert.isTrue(found(plainFileNames, path, ""), path);
  });

  test.each(parts)("$word, in a log line", ({ word, ...row }) => {
    const line = `emit({ type: "log", level: "warn", event: "a ${word} not kept", fields: {} });`;
    assert.isTrue(found(plainLogLines, placeOf(row), line));
  });

  const phrases = bannedPhrases.map(([phrase, say]) => [exampleOf(phrase), say] as const);
  test.each(phrases)("%s, in a comment and in a README", (word) => {
    assert.isTrue(found(plainComments, "core/a.ts", `/** Says that ${word} here. */\nf();`));
    assert.isTrue(found(plainComments, "adapters/chain/program/a.c", `/* Says. */\nint a; /* ${word} here */`));
    const tree = { paths: ["core/README.md"], read: () => `# core\n\nWith ${word} in it.\n` };
    assert.lengthOf(plainReadmes(tree), 1);
  });
});

test("ordinary and protocol words pass", () => {
  const code = ["const wordCount = 1;", "f(turnsAt, returned, VoteCast, hasRoomy, outstanding, shear, essays);"].join(
    "\n",
  );
  for (const path of ["core/a.ts", "test/kernel/a.ts"]) assert.isFalse(found(plainIdentifiers, path, code));
  assert.isFalse(found(plainIdentifiers, "sim/a.ts", "const VoteCast = 1;"));
  assert.isFalse(found(plainIdentifiers, "core/domains/identity/a.ts", "const claim = 1;"));
  assert.isFalse(found(plainFileNames, "core/domains/identity/claim-values.ts", ""));
  assert.isFalse(found(plainLogLines, "core/a.ts", 'f({ type: "log", event: "second closing of an escrow" });'));
  const comment =
    '/** In turn it is said, in other words, that its time is over. Source: CONVERGENCE "Door policy". */';
  assert.isFalse(found(plainComments, "core/a.ts", `${comment}\nf();`));
  assert.lengthOf(plainReadmes({ paths: ["core/spec/README.md"], read: () => "every door" }), 0);
});

/** A text that a phrase matches: its first letters, without what it may end in. */
function exampleOf(phrase: RegExp): string {
  return phrase.source.replaceAll(/\\b|\(\?!.*?\)$|\(s\|ed\)\?/g, "").replaceAll(/s\?/g, "");
}
