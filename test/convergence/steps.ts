/**
 * Steps: what follows what in a story. A step goes on with a record that is there, by the signer whose turn it is and
 * about the record itself, as people who want to get somewhere do. Source: DESIGN "Simulated world".
 */
import type { Statement } from "../../core/kernel/signed.ts";
import type { Draws, Story } from "./story.ts";
import { about } from "./story.ts";

/** Goes on with something in a story; false when there is nothing to go on with. */
export type Step = (draws: Draws) => boolean;

/** What somebody does next; nothing when it is nobody's turn. */
export type NextStep = (() => unknown) | undefined;

/** Of so many records of a kind the first are gone on with, so that some get far. */
const FOLLOWED = 3;

/** Takes the turn of the first record that has one, beginning with any of the first few. */
export function goOn<P>(
  { below }: Draws,
  records: readonly Statement<P>[],
  nextOf: (create: Statement<P>) => NextStep,
): boolean {
  const first = below(Math.max(1, Math.min(FOLLOWED, records.length)));
  for (const create of [...records.slice(first), ...records.slice(0, first)]) {
    const next = create.idForm === "void" ? undefined : nextOf(create);
    if (next === undefined) continue;
    next();
    return true;
  }
  return false;
}

/** Takes the first step that can be taken, beginning with any of them. */
export function anyOf(...steps: readonly Step[]): Step {
  return (draws) => {
    const first = draws.below(Math.max(1, steps.length));
    return [...steps.slice(first), ...steps.slice(0, first)].some((step) => step(draws));
  };
}

/** Who said something of a type about a record. */
export function statementsIn(story: Story, create: Statement, type: { readonly name: string }): ReadonlySet<string> {
  return new Set(about(story, create, type).map(({ signer }) => signer));
}
