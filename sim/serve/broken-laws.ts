/**
 * Tells who serves a network of laws that broke in it: each once, whatever state the network goes back to, and so many.
 * Source: DESIGN section 6 "serve", L10.
 */
import type { Violation } from "../checker.ts";
import type { WorldHost } from "./world-host.ts";

/** Violations that are told; the status of the network has the others. Source: DESIGN L10. */
export const TOLD_MAX = 100;
/** Characters of one at most. */
const MESSAGE_LENGTH = 2_000;

/** Tells a line for each violation that is new from now on. */
export function watchBrokenLaws(host: Pick<WorldHost, "world" | "onSettled">, tell: (line: string) => void): void {
  const told = new Set<string>();
  let seen: { readonly of: readonly Violation[]; count: number } = { of: [], count: 0 };
  host.onSettled(() => {
    const { violations } = host.world();
    // Another world took the place of this one: it has a list of its own.
    if (seen.of !== violations) seen = { of: violations, count: 0 };
    const fresh = violations.slice(seen.count);
    seen.count = violations.length;
    for (const { check, message, time } of fresh) {
      const line = `law ${check} broke at ${time} ms: ${message}`.slice(0, MESSAGE_LENGTH);
      if (told.size > TOLD_MAX || told.has(line)) continue;
      told.add(line);
      tell(told.size > TOLD_MAX ? "further laws broke: sim_getStatus tells of them" : line);
    }
  });
}
