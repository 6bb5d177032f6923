/**
 * Goal: every error that a method declares can be provoked, in the declared order of precedence, and no
 * other is.
 * Method: each refusal of each domain's list through the real ingress; the lists against the method table.
 */
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { methods } from "../../core/domains.ts";
import type { Refusal } from "./refusal.ts";

const folder = new URL("./", import.meta.url);
const files = readdirSync(folder).filter(
  (name) => name.endsWith(".ts") && !/^(refusal|refusals\.test)\.ts$/.test(name),
);
const lists = await Promise.all(files.sort().map((name) => import(new URL(name, folder).href)));
const refusals = lists.flatMap((list) => (list as { readonly refusals: readonly Refusal[] }).refusals);

for (const { method, code, provoke } of refusals) {
  test(`${method} answers ${code}`, () => {
    const answer = JSON.parse(provoke() ?? "{}") as { error?: { data?: { ofsErrorName: string } } };
    expect(answer.error?.data?.ofsErrorName).toBe(code);
  });
}

// Methods whose domain has no list yet are left out.
const listed = new Set(refusals.map(({ method }) => method));

test.each(Object.keys(methods).filter((method) => listed.has(method)))(
  "%s declares what it is seen to answer, in order",
  (method) => {
    const provoked = refusals.filter((refusal) => refusal.method === method).map((refusal) => refusal.code);
    expect([...new Set(provoked)]).toEqual(methods[method]?.errors);
  },
);
