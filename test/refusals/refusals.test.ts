/**
 * Goal: every error that a method declares can be provoked, in the declared order of precedence, and no
 * other is, whether a node keeps our rules or plays the reference.
 * Method: each refusal of each domain's list through the real ingress, under both profiles; the lists against the
 * method table.
 */
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { methods } from "../../core/domains.ts";
import type { ErrorCode } from "../../core/errors.ts";
import { misdescribed } from "../document/described.ts";
import { ofMirrors } from "../mirrors.ts";
import { underProfile } from "../rpc/lone-node.ts";
import type { Outcome, Refusal } from "./refusal.ts";

const folder = new URL("./", import.meta.url);
const files = readdirSync(folder).filter(
  (name) => name.endsWith(".ts") && !/^(refusal|refusals\.test)\.ts$/.test(name),
);
interface List {
  readonly refusals: readonly Refusal[];
}
const lists = await Promise.all(files.sort().map((name) => import(new URL(name, folder).href) as Promise<List>));
const mirrored = await ofMirrors<List>("refusals.ts");
const refusals = [...lists, ...mirrored].flatMap((list) => list.refusals);

const profiles = [
  ["our rules", false],
  ["the reference's", true],
] as const;

describe.each(profiles)("under %s", (_, parity) => {
  for (const refusal of refusals) {
    const expected = (parity && refusal.parity) || refusal.code;
    test(`${refusal.method} answers ${expected}`, () => {
      const answer = underProfile(parity, refusal.provoke);
      expect(outcomeOf(answer)).toBe(expected);
      if (!parity) expect(misdescribed(refusal.method, answer)).toBe("");
    });
  }
});

/** The code of a refusal, or what else an answer is. */
function outcomeOf(body: string | null): string | undefined {
  const { error } = JSON.parse(body ?? "{}") as { error?: { data?: { ofsErrorName: string } } };
  return error === undefined ? "taken" : (error.data?.ofsErrorName ?? "misfit");
}

// Methods whose domain has no list yet are left out.
const listed = new Set(refusals.map(({ method }) => method));

test.each(Object.keys(methods).filter((method) => listed.has(method)))(
  "%s declares what it is seen to answer, in order",
  (method) => {
    const own = refusals.filter((refusal) => refusal.method === method);
    const provoked = own.flatMap(({ code, parity = code }) => (isCode(parity) ? [code, parity] : [code]));
    expect([...new Set(provoked)]).toEqual(methods[method]?.errors);
  },
);

function isCode(outcome: Outcome): outcome is ErrorCode {
  return outcome !== "misfit" && outcome !== "taken";
}
