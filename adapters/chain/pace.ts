/**
 * Asking several endpoints of which some are slow: as soon as those that answered are enough, the others are no longer
 * waited for, and of what an endpoint has not answered yet there is only so much.
 * Source: protocol 03 C9 (no single one decides); DESIGN L10.
 */
import { err } from "../../core/index.ts";
import type { Endpoint } from "./endpoint.ts";

/**
 * Requests of one purpose that one endpoint has not answered at most: half of what it may have under way, as one that
 * is slow has to tell slots besides. Source: DESIGN L10.
 */
export const UNANSWERED_MAX = 4;

/** The endpoint, as one that is too busy while so much of this is unanswered. Source: DESIGN L10. */
export function paced(endpoint: Endpoint): Endpoint {
  let unanswered = 0;
  return {
    ...endpoint,
    get slot() {
      return endpoint.slot;
    },
    async ask(call) {
      if (unanswered >= UNANSWERED_MAX) return err({ type: "busy" });
      unanswered += 1;
      return endpoint.ask(call).finally(() => {
        unanswered -= 1;
      });
    },
  };
}

/**
 * What each of them answered, once that is enough or all of it; `open` stands for what is not answered yet.
 * Source: protocol 03 C9.
 */
export function whenEnough<T>(
  asked: readonly Promise<T>[],
  open: T,
  isEnough: (answers: readonly T[], left: number) => boolean,
): Promise<readonly T[]> {
  const answers: T[] = asked.map(() => open);
  let left = asked.length;
  return new Promise((resolve, reject) => {
    for (const [place, each] of asked.entries()) {
      each.then((answer) => {
        answers[place] = answer;
        left -= 1;
        if (left === 0 || isEnough(answers, left)) resolve([...answers]);
      }, reject);
    }
  });
}
