/**
 * What every attack has to satisfy: a check that says what the attack gained, finds nothing on the product, and names a
 * gain when the line that defends against it is taken out.
 */
import { expect, test } from "vitest";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import type { Core } from "./arena.ts";

/** What an attack gained against a core, or nothing. */
export type Check = (core?: Core) => Promise<string | undefined>;

export interface AttackLaw {
  readonly name: string;
  readonly gained: Check;
  /** The defences, each taken out alone; one of several lines is taken out as a whole. */
  readonly without: readonly (PlantedBug | readonly PlantedBug[])[];
}

export function testAttacks(laws: readonly AttackLaw[]): void {
  test.each(laws)("$name gains nothing, but for the defence", async ({ gained, without }) => {
    expect(await gained()).toBeUndefined();
    for (const bug of without) {
      const undefended = await withPlantedBug(bug, async (load) => gained(await load<Core>("core/index.ts")));
      const lines = [bug].flat().map(({ find }) => find);
      expect(undefended, `without ${lines.join(" and ")}`).toMatch(/\w/);
    }
  });
}

/** The first sentence whose condition holds. */
export function firstOf(...gains: readonly (readonly [boolean, string])[]): string | undefined {
  return gains.find(([gained]) => gained)?.[1];
}
