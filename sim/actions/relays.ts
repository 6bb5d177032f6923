/**
 * One transaction sent through many nodes at once, as an anxious wallet does. Source: protocol 03 C1-C3.
 */
import type { CodeAction as Action } from "./action-row.ts";
import { signed } from "./chain.ts";
import { executionNews, executionOf, windowOf } from "./chain-dispute.ts";
import type { CaseTerms, When } from "./trade-terms.ts";
import { told } from "./trade-terms.ts";

/** Executes a case once its windows are over: the same bytes go to every one of the nodes, several times. */
export function executeThroughMany(
  terms: CaseTerms,
  when: When,
  { vias, times }: { readonly vias: readonly number[]; readonly times: number },
): Action {
  return {
    ...{ name: `execute case of ${terms.trade.reservation} through many`, actor: terms.trade.buyer, ...when },
    *run(person, scene) {
      yield* windowOf(scene, terms, "execute");
      const data = yield* signed(person, [executionOf(scene, terms)]);
      for (let time = 0; time < times; time += 1) {
        for (const node of vias) yield { type: "call", node, body: callOf(data) };
      }
      told(scene, person, `sends one execution of the case of ${terms.id} ${times} times through ${vias.length} nodes`);
      scene.share(executionNews(terms), scene.world.loop.now().toString());
    },
  };
}

function callOf(data: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "sendTransaction", params: { data } });
}
