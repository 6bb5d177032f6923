/**
 * Goal: the exported generators reach their maxima in anybody's runner: their users have no setup file of ours.
 * Method: fast-check as it comes, and told to stay as small as it can; the longest of many samples of each generator.
 */
import fc from "fast-check";
import { afterAll, describe, expect, test, vi } from "vitest";
import { list, struct } from "../../core/kernel/schema-composites.ts";
import { bool, byteArray, u8 } from "../../core/kernel/schema-scalars.ts";
import { samples } from "./for-all.ts";

const ours = fc.readConfigureGlobal();
afterAll(() => fc.configureGlobal(ours));

const Lists = struct("Lists", { rows: list(list(u8)), flags: list(bool), blob: byteArray(null) });

/** The generators as somebody loads them under a configuration. */
async function loadedUnder(config: fc.GlobalParameters) {
  fc.configureGlobal(config);
  vi.resetModules();
  const [texts, ofSchema] = await Promise.all([
    import("../../sim/arbitraries/texts.ts"),
    import("../../sim/arbitraries/of-schema.ts"),
  ]);
  return { ...texts, ...ofSchema };
}

function longest(values: readonly { readonly length: number }[]): number {
  return Math.max(...values.map(({ length }) => length));
}

describe.each([
  ["as fast-check comes", {}],
  ["under the least base size", { baseSize: "xsmall" }],
] as const)("%s", (_, config) => {
  test("texts grow to their maximum", async () => {
    const { arbPaymentMethod, arbPlainText, arbText } = await loadedUnder(config);
    const plain = samples(arbPlainText(), 2_000);
    expect(longest(plain.map((text) => [...text]))).toBeGreaterThan(280);
    const common = plain.map((text) => [...text].length).filter((length) => length < 100);
    expect(Math.max(...common)).toBe(24);
    expect(plain.filter((text) => /^[a-z]{6}-[0-9]{4}$/.test(text)).length).toBeGreaterThan(0);
    expect(
      plain.filter((text) => /^["\\/\u0000\u2028\ufeff\u{1f600}\u{10ffff}]{4,}$/u.test(text)).length,
    ).toBeGreaterThan(0);
    expect(longest(samples(arbText("base64"), 1_000))).toBe(160);
    const methods = samples(arbPaymentMethod(), 2_000).filter((method) => method.startsWith("builtin:"));
    const parts = methods.map((method) => method.slice(8).split("-"));
    expect([longest(parts), longest(parts.flat())]).toEqual([5, 8]);
    const places = samples(arbText("location"), 2_000).map((text) => /^https?:\/\/([^:/?#]*)(.*)$/.exec(text) ?? []);
    expect([longest(places.map((each) => each[1] ?? "")), longest(places.map((each) => each[2] ?? ""))]).toEqual([
      20, 26,
    ]);
  });

  test("lists and bytes grow to their maximum, lists in lists to a smaller one", async () => {
    const { arbitraryOf } = await loadedUnder(config);
    const values = samples(arbitraryOf(Lists), 1_000);
    expect(longest(values.map(({ flags }) => flags))).toBe(24);
    expect(longest(values.flatMap(({ rows }) => rows))).toBe(4);
    expect(longest(values.map(({ blob }) => blob))).toBeGreaterThan(280);
  });
});
