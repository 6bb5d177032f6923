/**
 * An escrow is closed once: of all that nodes observe one transaction does it, and every answer that shows a case names
 * that one. What an endpoint tells as done, and the chain says failed, closed nothing. For chains that do not fork.
 * Source: protocol 03 E S15, A.10.3 R10.
 */
import type { ChainView } from "../chain/chain-view.ts";
import type { CheckContext, Checker } from "../checker.ts";
import { closingsIn } from "./closings.ts";
import { recordsIn } from "./exchanges.ts";

/** An escrow is closed by one transaction. */
export function oneExecution({ violate, profile, keep, chain }: CheckContext): Checker {
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
      const { signature } = input.observation;
      const closings = closingsIn(input.observation, profile.escrowProgram);
      if (closings.length === 0 || hasFailed(chain(), signature)) return;
      for (const { reservation } of closings) only(closedBy, `escrow ${reservation} was closed`, signature);
    },
    onAnswer({ answer }) {
      if (!answer.includes('"onchain_execution_signature":"')) return;
      for (const { id, onchain_execution_signature: signature } of recordsIn(JSON.parse(answer))) {
        if (typeof signature === "string") only(shown, `${String(id)} is shown decided`, signature);
      }
    },
  };
}

function hasFailed(chain: ChainView | undefined, signature: string): boolean {
  const found = chain?.transaction(signature, "confirmed");
  return found !== undefined && found.err !== null;
}
