/**
 * A party who proves his wallet to several nodes and compares what they show him of his own.
 * Source: protocol 03 A.7, B.3.
 */
import type { Infer } from "../../core/index.ts";
import { list } from "../../core/index.ts";
import { NodeIndex } from "../data/values.ts";
import { createPerson, PATIENCE_MS, POLL_MS } from "../person.ts";
import { ScriptFailure, sleep } from "../script.ts";
import type { ActionRows } from "./action-row.ts";
import { actionForm, begins } from "./action-row.ts";
import type { When } from "./trade-terms.ts";
import { told } from "./trade-terms.ts";
import type { Wanted } from "./wanted.ts";
import { lacking, WantedData } from "./wanted.ts";

export const compareForms = {
  "compare-disputes": actionForm("compare-disputes", { nodes: list(NodeIndex), wanted: WantedData }),
};

type CompareDisputes = Infer<(typeof compareForms)["compare-disputes"]>;

/** The nodes come to show the actor the same disputes in full, and the first of them is as wanted. */
export function comparesDisputes(actor: string, nodes: readonly number[], when: When, wanted: Wanted): CompareDisputes {
  return { ...begins("compare-disputes", actor, when), nodes, wanted };
}

export const compareRows: ActionRows<typeof compareForms> = {
  "compare-disputes": {
    title: () => "compare disputes",
    nodes: ({ nodes }) => nodes,
    *run(person, scene, { nodes, wanted }) {
      let texts: readonly string[] = [];
      for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
        texts = [];
        for (const node of nodes) {
          const there = createPerson(person.wallet, node, scene.time);
          texts = [...texts, JSON.stringify(yield* there.prove("getMyDisputes", "openfiat-my-disputes"))];
        }
        const [first = "[]"] = texts;
        const [dispute] = JSON.parse(first) as readonly Readonly<Record<string, unknown>>[];
        if (new Set(texts).size === 1 && lacking(dispute, wanted) === undefined) {
          return told(scene, person, `reads the same of his disputes at nodes ${nodes.join(", ")}`);
        }
        yield* sleep(POLL_MS);
      }
      throw new ScriptFailure(`nodes ${nodes.join(", ")} never showed the same: ${texts.join(" | ")}`);
    },
  },
};
