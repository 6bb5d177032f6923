/**
 * An escrow is closed once: whatever nodes observe, one transaction does it, and every answer that shows a case names
 * that one. For chains that do not fork. Source: protocol 03 E S15, A.10.3 R10.
 */
import type { CheckContext, Checker } from "../checker.ts";
import { closingsIn } from "./closings.ts";
import { recordsIn } from "./exchanges.ts";

/** An escrow is closed by one transaction. */
export function oneExecution({ violate, profile, keep }: CheckContext): Checker {
  const { closedBy, shown } = keep(() => ({ closedBy: new Map<string, string>(), shown: new Map<string, string>() }));
  const only = (known: Map<string, string>, what: string, signature: string) => {
    const first = known.get(what) ?? signature;
    known.set(what, first);
    if (first !== signature) violate(`${what}: by ${first} and by ${signature}`);
  };
  return {
    name: "one-execution",
    onStep({ input }) {
      if (input.type !== "chain.observed" || input.observation.type !== "transaction") return;
      for (const { reservation } of closingsIn(input.observation, profile.escrowProgram)) {
        only(closedBy, `escrow ${reservation} was closed`, input.observation.signature);
      }
    },
    onAnswer({ answer }) {
      if (!answer.includes('"onchain_execution_signature":"')) return;
      for (const { id, onchain_execution_signature: signature } of recordsIn(JSON.parse(answer))) {
        if (typeof signature === "string") only(shown, `${String(id)} is shown decided`, signature);
      }
    },
  };
}
