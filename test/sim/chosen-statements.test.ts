/**
 * Goal: who publishes a chosen word says that word, as often as he may try; and every name that a type lets people
 * choose can be chosen. Method: a merchant and each status of an advertisement; all publications counted.
 */
import { expect, test } from "vitest";
import { observedBy } from "../../sim/actions/observed-statements.ts";
import { choicesOf, publications, publish } from "../../sim/actions/publish.ts";
import { openBackends } from "../../sim/backends.ts";
import { openRun } from "../../sim/run.ts";
import { defineScenario, seconds } from "../../sim/scenario.ts";

const named = (name: string) => publications().filter(({ type }) => type.name === name);
const [create] = named("AdvertisementCreate");
const statuses = named("AdvertisementStatusSet").slice(0, 1).flatMap(choicesOf);

/** The statuses that the world's node holds, after a merchant offered something and somebody said one; and refusals. */
async function heldAfter(choice: (typeof statuses)[number], seed: bigint, by = "mara", tries = 1) {
  let refused = 0;
  if (create === undefined) throw new Error("an advertisement can be published");
  const scenario = defineScenario({
    ...{ name: "chosen", description: "A merchant says a status.", source: "DESIGN", nodes: 1 },
    lasts: seconds(10),
    actions: [publish("mara", create, { at: 1_000, via: 0 }), publish(by, choice, { at: 2_000, via: 0 }, tries)],
    ...{ provesFaults: false, provesActions: false },
  });
  const counted = {
    name: "refusals",
    onAnswer({ answer }: { readonly answer: string }) {
      if (answer.includes('"error"')) refused += 1;
    },
  };
  const run = await openRun(scenario, { seed, watch: [() => counted] }, openBackends());
  while (!(await run.goOn(() => false)));
  const held = observedBy(run.world, 0).filter(({ type }) => type.name === "AdvertisementStatusSet");
  await run.close();
  return { shown: held.map(({ payload }) => payload.status), refused };
}

test.each(statuses.map((choice) => [choice.choice, choice] as const))(
  "%s is said where it is chosen",
  async (word, choice) => {
    expect(new Set(statuses.map((each) => each.choice))).toEqual(
      new Set(["Active", "Disabled", "Vacation", "Deleted"]),
    );
    const held = await Promise.all([1n, 2n, 3n, 4n].map((seed) => heldAfter(choice, seed)));
    const shown = held.flatMap((one) => one.shown);
    expect(shown.length).toBeGreaterThan(0);
    expect(new Set(shown)).toEqual(new Set([word]));
  },
);

test.each([1, 3])("a stranger who may try %i times is refused as often", async (tries) => {
  const [choice] = statuses;
  if (choice === undefined) throw new Error("a status can be said");
  expect(await heldAfter(choice, 1n, "eve", tries)).toEqual({ shown: [], refused: tries });
});

test("types that let nobody choose are chosen as they are", () => {
  const all = publications();
  const chosen = all.flatMap(choicesOf);
  expect(chosen.filter(({ choice }) => choice === undefined).length).toBeGreaterThan(0);
  expect(new Set(chosen.map(({ type }) => type.name))).toEqual(new Set(all.map(({ type }) => type.name)));
});
