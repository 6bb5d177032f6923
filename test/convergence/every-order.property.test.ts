// Goal: for each domain, every order of a small set leads to the same records and the same answers (DESIGN L2).
// Method: five things of a random story that belong together, a thing with its parents and with what else names them;
// all 120 orders, heard one by one, against the set at once. Large sets: network.property.test.ts.
import fc from "fast-check";
import { assert, describe, test } from "vitest";
import type { Reference, Statement } from "../../core/kernel/signed.ts";
import { namesOf, slot } from "../../core/statements/table.ts";
import { at } from "./actors.ts";
import { asksAbout, differentAnswer } from "./answers.ts";
import { cases, countCases } from "./cases.ts";
import { difference } from "./convergence-law.ts";
import type { Heard } from "./replica.ts";
import { openReplica, recordsText, replicaOf, rootsOf } from "./replica.ts";
import type { Shuffle } from "./shuffle.ts";
import { permutations, shuffleOf } from "./shuffle.ts";
import { storyText } from "./story-text.ts";
import { arbIntents, everyDomain, storyOf } from "./workload.ts";

const RUNS = cases(5, 400);
const tried = countCases();
const SIZE = 5;

describe("every order of a small set", () => {
  test.each(everyDomain)(
    "in stories of %s",
    (domain) => {
      fc.assert(
        fc.property(arbIntents(1, 30), fc.nat(), (intents, seed) => {
          tried(domain);
          const random = shuffleOf(seed);
          const few = relatives(storyOf(intents, [domain]).heard, random);
          const whole = replicaOf(few);
          const asks = asksAbout(few, random, at(35));
          let place = 0;
          for (const order of permutations(few)) {
            const replica = openReplica();
            for (const each of order) replica.hear([each]);
            // Roots tell records apart; answers, which cost more, are asked of some orders.
            const told = place++ % 24 === 0 ? differentAnswer(whole.store(), replica.store(), asks) : undefined;
            if (rootsOf(replica) === rootsOf(whole) && told === undefined) continue;
            assert.fail(`${told ?? difference(recordsText(whole), recordsText(replica))}\n\n${storyText(order)}`);
          }
        }),
        { numRuns: RUNS },
      );
    },
    3_600_000,
  );
});

/** A thing, what it is about, what else is about that or bears its name, and chance. */
function relatives(heard: readonly Heard[], random: Shuffle): readonly Heard[] {
  const shuffled = random.shuffled(heard);
  const few: Heard[] = shuffled.slice(0, 1);
  for (let at = 0; at < few.length && few.length < SIZE; at++) {
    const names = new Set(slotsOf(few[at]));
    const more = shuffled.filter((each) => !few.includes(each) && slotsOf(each).some((name) => names.has(name)));
    few.push(...more.slice(0, 1 + random.below(SIZE - few.length)));
  }
  few.push(...shuffled.filter((each) => !few.includes(each)).slice(0, SIZE - few.length));
  return few;
}

/** What a thing is about, and what it may be called. */
function slotsOf(each: Heard | undefined): readonly string[] {
  if (each?.type === "seen") return [`reservation/${each.fact.reservation}`];
  if (each?.type === "stake") return [each.id];
  if (each?.type !== "said") return [];
  const { type, payload, identity }: Statement = each.statement;
  const about: Reference | undefined = type.about(payload as never);
  return [identity, ...namesOf(each.statement).map(slot), ...(about === undefined ? [] : [slot(about)])];
}
