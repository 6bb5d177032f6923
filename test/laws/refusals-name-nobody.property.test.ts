/**
 * Goal: a refusal names nobody: whoever sends what another should have signed learns nothing from the answer about who
 * is a party of a trade (DESIGN L4, §7 #29).
 * Method: one trade at every stage of its reservation, settlement and case, with reviews, an attachment and a channel;
 * random payloads of every send, each naming everybody in turn and signed by somebody else: all get one answer, word
 * for word. Left out are sends about an advertisement, whose merchant everybody reads.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { forAll } from "../property/for-all.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { person } from "../rpc/lone-node.ts";
import { buyer, merchant } from "../rpc/signed-sends.ts";
import {
  answerTo,
  arbAttempt,
  everybody,
  KEYLESS,
  labelsOf,
  openWorlds,
  takenTypes,
  WITH_KEY,
  worldNames,
} from "./sends-about-trades.ts";

const ABOUT_THE_PUBLISHED = ["PriceUpdate", "TermsUpdate", "StatusSet", "Disable"].map(
  (edit) => `sendAdvertisement${edit}`,
);
const compared = takenTypes.filter(({ method }) => !ABOUT_THE_PUBLISHED.includes(method));

/** What has to be in one case of the sample at least. */
const SOMEWHERE = 0.001;
const wanted = [...KEYLESS, ...WITH_KEY, ...worldNames].map((label) => [label, SOMEWHERE] as const);

test("what another should have signed gets one answer, whoever is named", () => {
  const open = openWorlds();
  const roots = Object.fromEntries(Object.entries(open).map(([stage, node]) => [stage, node.roots()]));
  const arbForger = fc.constantFrom(person(0x77), buyer, merchant);
  const arbKey = fc.constantFrom("own", "own", "forger");
  forAll(
    [fc.constantFrom(...worldNames), arbAttempt(compared, 0n, 0n, 86_400_001n, -300_001n), arbForger, arbKey],
    (stage, attempt, by, key) => {
      const node = open[stage] as LoneNode;
      const answers = everybody
        .filter((each) => each !== by)
        .map((named) => answerTo(node, attempt, { named, key: key === "own" ? named : by, by }));
      expect(new Set(answers).size, [...new Set(answers)].join("\n")).toBe(1);
      expect(node.roots()).toEqual(roots[stage]);
      return [stage, ...labelsOf(attempt, answers[0] ?? "")];
    },
    { runs: 100, sample: 400, shares: { ...Object.fromEntries(wanted), INVALID_SIGNATURE: 0.3 } },
  );
});
