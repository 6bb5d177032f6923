/**
 * That a scenario was not empty: some node observed the chain decide the case of an escrow.
 */
import type { MakeChecker } from "../checker.ts";
import { closingsIn } from "./closings.ts";

/** No node shows a resolution before it saw the decision on the chain. Law L3. */
export function decisionObserved(reservation: bigint): MakeChecker {
  return ({ violate, profile, keep }) => {
    const held = keep(() => ({ observed: false }));
    return {
      name: "decision-observed",
      onStep({ input }) {
        if (input.type !== "chain.observed" || input.observation.type !== "transaction") return;
        held.observed ||= closingsIn(input.observation, profile.escrowProgram).some(
          (closing) => closing.reservation === reservation.toString() && closing.outcome !== undefined,
        );
      },
      onEnd() {
        if (!held.observed) violate(`no node ever observed a decision on escrow ${reservation}`);
      },
    };
  };
}
