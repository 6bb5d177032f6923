/**
 * One transaction sent through many nodes at once, as an anxious wallet does. Source: protocol 03 C1-C3.
 */
import type { Infer } from "../../core/index.ts";
import { list, u32 } from "../../core/index.ts";
import { NodeIndex } from "../data/values.ts";
import type { ActionRows } from "./action-row.ts";
import { actionForm, begins } from "./action-row.ts";
import { signed } from "./chain.ts";
import { executionNews, executionOf, windowOf } from "./chain-dispute.ts";
import type { CaseTerms, When } from "./trade-terms.ts";
import { CaseData, told } from "./trade-terms.ts";

export const relayForms = {
  "execute-through-many": actionForm("execute-through-many", { case: CaseData, vias: list(NodeIndex), times: u32 }),
};

type ExecuteThroughMany = Infer<(typeof relayForms)["execute-through-many"]>;

/** Executes a case once its windows are over: the same bytes go to every one of the nodes, several times. */
export function executeThroughMany(
  terms: CaseTerms,
  when: When,
  { vias, times }: { readonly vias: readonly number[]; readonly times: number },
): ExecuteThroughMany {
  return { ...begins("execute-through-many", terms.trade.buyer, when), case: terms, vias, times };
}

export const relayRows: ActionRows<typeof relayForms> = {
  "execute-through-many": {
    title: ({ case: { trade } }) => `execute case of ${trade.reservation} through many`,
    nodes: ({ vias }) => vias,
    *run(person, scene, { case: terms, vias, times }) {
      yield* windowOf(scene, terms, "execute");
      const data = yield* signed(person, [executionOf(scene, terms)]);
      for (let time = 0; time < times; time += 1) {
        for (const node of vias) yield { type: "call", node, body: callOf(data) };
      }
      told(scene, person, `sends one execution of the case of ${terms.id} ${times} times through ${vias.length} nodes`);
      scene.share(executionNews(terms), scene.time.now().toString());
    },
  },
};

function callOf(data: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "sendTransaction", params: { data } });
}
