// Goal: whatever statements others add, back-dated included, nobody's act goes out of effect (CONVERGENCE "No
// retroactive veto"; test/convergence/in-effect.ts says for each type what in effect means).
// Method: random stories of each domain and of all, plus one to nine random statements, all of them and those of one
// signer alone; what anybody else had in effect is looked for again. Every type is in effect before others add to it.
import fc from "fast-check";
import { assert, describe, test } from "vitest";
import { marketplace } from "../../core/domains.ts";
import type { Plan } from "../property/for-all.ts";
import { forAll } from "../property/for-all.ts";
import { ADVERSE, adverseIn } from "./adverse.ts";
import { cameTo, demandedTypes } from "./coverage.ts";
import { inEffect } from "./in-effect.ts";
import type { Observation } from "./replica.ts";
import { replicaOf } from "./replica.ts";
import type { Intent } from "./story.ts";
import { storyText } from "./story-text.ts";
import { vetoes } from "./veto-law.ts";
import { arbDomains, arbIntents, continueStory, everyDomain, storyOf } from "./workload.ts";

type Intents = readonly Intent[];

function holds(about: fc.Arbitrary<readonly string[]>, plan: Plan<[readonly string[], Intents, Intents]>): void {
  forAll(
    [about, arbIntents(20, 50), arbIntents(1, 9)],
    (domains, intents, more) => {
      const story = storyOf(intents, domains);
      const observations = [...story.observations];
      continueStory(story, more, domains);
      const added = story.observations.slice(observations.length).filter((each) => each.type === "statement");
      nothingVetoed(observations, added);
      const someone = added[0]?.statement.signer;
      nothingVetoed(
        observations,
        added.filter(({ statement }) => statement.signer === someone),
      );
      return [...cameTo(replicaOf(observations).store(), observations), ...adverseIn(story)];
    },
    plan,
  );
}

function nothingVetoed(observations: readonly Observation[], added: readonly Observation[]): void {
  const lost = vetoes(observations, added);
  if (lost.length > 0)
    assert.fail(`${lost.join("\n")}\n\nhad been:\n${storyText(observations)}\n\nadded:\n${storyText(added)}`);
}

describe("no retroactive veto", () => {
  test("every signed type says what in effect means", () => {
    assert.sameMembers(
      Object.keys(inEffect),
      marketplace.types.map(({ name }) => name),
    );
  });

  test.each(everyDomain)("in stories of %s", (domain) => {
    const sample = domain === "trade" ? 60 : 20;
    holds(fc.constant([domain]), { runs: 10, nightly: 5_000, sample, shares: demandedTypes(domain) });
  });

  test("in stories over every domain", () => {
    const shares = { ...demandedTypes(), ...ADVERSE };
    holds(arbDomains(), { runs: 40, nightly: 50_000, sample: 400, shares });
  });
});
