/**
 * A transaction about one thing under a tag that claims it is about another. Source: protocol 03 C.3, A.10.3 R2.
 */
import type { ChainAddresses } from "../../core/testing.ts";
import type { Instruction } from "../chain/transaction.ts";
import type { CodeAction as Action } from "./action-row.ts";
import { chainOf, transact } from "./chain.ts";
import type { When } from "./trade-terms.ts";
import { told } from "./trade-terms.ts";

/** Sends instructions of the actor's own with a tag. */
export function sendTagged(
  actor: string,
  when: When,
  tag: (at: ChainAddresses) => string,
  instructions: (at: ChainAddresses, own: string) => readonly Instruction[],
): Action {
  return {
    ...{ name: "send under a tag", actor, ...when },
    *run(person, scene) {
      const at = chainOf(scene);
      yield* transact(person, instructions(at, person.wallet.address), tag(at));
      told(scene, person, `sends a transaction of his own, tagged ${tag(at)}`);
    },
  };
}
