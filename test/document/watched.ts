/**
 * A driver whose every answer is held to the document: what simulated nodes answer in a run of any scenario.
 */
import type { createDriver as CreateDriver } from "../../core/index.ts";
import { misdescribedBody } from "./described.ts";

/** Opens drivers as given; `wrong` is told of each answer of our rules that the document does not describe. */
export function watched(open: typeof CreateDriver, wrong: (what: string) => void): typeof CreateDriver {
  return (options) =>
    open({
      ...options,
      observe(input, changes, effects) {
        options.observe?.(input, changes, effects);
        if (input.type !== "rpc.called" || options.configuration.profile.parity) return;
        for (const effect of effects) {
          const found = effect.type === "rpc.reply" ? misdescribedBody(input.body, effect.body) : "";
          if (found !== "") wrong(found);
        }
      },
    });
}
