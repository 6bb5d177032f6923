/**
 * The law of slices as a check that returns what is wrong: a node that attaches what waits one statement a step, and
 * one that attaches it at once, answer the same at any time and end with the same roots. Source: CONVERGENCE B5.
 */
import { Attaching } from "../../core/engine/statements/attaching.ts";
import { at } from "./actors.ts";
import { asksAbout, differentAnswer } from "./answers.ts";
import { difference } from "./convergence-law.ts";
import type { Observation } from "./replica.ts";
import { openReplica, recordsText, rootsOf } from "./replica.ts";
import { shuffleOf } from "./shuffle.ts";

/** How many questions are asked after a part. */
const ASKED = 12;

export interface Sliced {
  readonly different: string | undefined;
  readonly labels: readonly string[];
}

export function sliceLaw(observations: readonly Observation[], schedule: number): Sliced {
  const random = shuffleOf(schedule);
  const [whole, sliced] = [openReplica(), openReplica(false, 0)];
  const labels = new Set<string>();
  const queued = () => sliced.store().size(Attaching) > 0;
  for (const part of random.parts(random.shuffled(observations))) {
    whole.receive(part);
    for (const each of random.shuffled(part)) {
      sliced.receive([each]);
      if (random.below(2) === 0) sliced.attach(1);
    }
    const asks = random.shuffled(asksAbout(observations, random, at(35))).filter(({ parity }) => !parity);
    if (queued()) labels.add("read amid a queue");
    const different = differentAnswer(whole.store(), sliced.store(), asks.slice(0, ASKED));
    if (different !== undefined) return { different, labels: [...labels] };
    if (queued() && random.below(4) === 0) {
      labels.add("restarted amid a queue");
      sliced.restart();
      while (queued()) sliced.attach(3);
      if (rootsOf(whole) !== rootsOf(sliced)) return { different: "restart", labels: [...labels] };
    }
  }
  while (queued()) sliced.attach(3);
  const isSame = rootsOf(whole) === rootsOf(sliced);
  const different = isSame ? undefined : difference(recordsText(whole), recordsText(sliced));
  return { different, labels: [...labels] };
}
