// Goal: whatever statements others add, back-dated included, nobody's act goes out of effect (CONVERGENCE "No
// retroactive veto"; test/convergence/in-effect.ts says for each type what in effect means).
// Method: random stories of each domain and of all, plus one to nine random statements, all of them and those of one
// signer alone; what anybody else had in effect is looked for again.
import fc from "fast-check";
import { assert, describe, test } from "vitest";
import { signedTypes } from "../../core/domains.ts";
import { cases, countCases } from "./cases.ts";
import { inEffect } from "./in-effect.ts";
import type { Heard } from "./replica.ts";
import { replicaOf } from "./replica.ts";
import { storyText } from "./story-text.ts";
import { vetoes } from "./veto-law.ts";
import { arbDomains, arbIntents, continueStory, everyDomain, storyOf } from "./workload.ts";

const RUNS = cases(120, 50_000);
const RUNS_PER_DOMAIN = cases(50, 5_000);
const tried = countCases();

function holds(about: fc.Arbitrary<readonly string[]>, numRuns: number): void {
  fc.assert(
    fc.property(about, arbIntents(4, 50), arbIntents(1, 9), (domains, intents, more) => {
      tried(domains.length === 1 ? (domains[0] ?? "") : "several domains");
      const story = storyOf(intents, domains);
      const heard = [...story.heard];
      continueStory(story, more, domains);
      const added = story.heard.slice(heard.length).filter((each) => each.type === "said");
      nothingVetoed(heard, added);
      const someone = added[0]?.statement.signer;
      nothingVetoed(
        heard,
        added.filter(({ statement }) => statement.signer === someone),
      );
    }),
    { numRuns },
  );
}

function nothingVetoed(heard: readonly Heard[], added: readonly Heard[]): void {
  const lost = vetoes(heard, added);
  if (lost.length > 0)
    assert.fail(`${lost.join("\n")}\n\nhad been:\n${storyText(heard)}\n\nadded:\n${storyText(added)}`);
}

describe("no retroactive veto", () => {
  test("every signed type says what in effect means", () => {
    assert.sameMembers(
      Object.keys(inEffect),
      signedTypes.map(({ name }) => name),
    );
  });

  test("every type is in effect somewhere in the stories", () => {
    const seen = new Set<string>();
    for (const domain of everyDomain) {
      for (const intents of fc.sample(arbIntents(30, 60), { numRuns: 40, seed: 1 })) {
        const { heard } = storyOf(intents, [domain]);
        const store = replicaOf(heard).store();
        for (const each of heard) {
          if (each.type !== "said" || seen.has(each.statement.type.name)) continue;
          const places = inEffect[each.statement.type.name]?.places(store, each.statement) ?? [];
          if (places.length > 0) seen.add(each.statement.type.name);
        }
      }
    }
    assert.sameMembers([...seen], Object.keys(inEffect));
  });

  test.each(everyDomain)("in stories of %s", (domain) => holds(fc.constant([domain]), RUNS_PER_DOMAIN), 3_600_000);
  test("in stories over every domain", () => holds(arbDomains(), RUNS), 3_600_000);
});
