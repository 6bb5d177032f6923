/**
 * A party who proves his wallet to several nodes and compares what they show him of his own.
 * Source: protocol 03 A.7, B.3.
 */

import { createPerson, PATIENCE_MS, POLL_MS } from "../person.ts";
import { ScriptFailure, sleep } from "../script.ts";
import type { CodeAction as Action } from "./action-row.ts";
import type { When } from "./trade-terms.ts";
import { told } from "./trade-terms.ts";

/** The nodes come to show the actor the same disputes in full, and `holds` is true of them. */
export function comparesDisputes(
  actor: string,
  nodes: readonly number[],
  when: When,
  holds: (disputes: readonly Readonly<Record<string, unknown>>[]) => boolean,
): Action {
  return {
    ...{ name: "compare disputes", actor, ...when },
    *run(person, scene) {
      let texts: readonly string[] = [];
      for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
        texts = [];
        for (const node of nodes) {
          const there = createPerson(person.wallet, node, scene.world.loop);
          texts = [...texts, JSON.stringify(yield* there.prove("getMyDisputes", "openfiat-my-disputes"))];
        }
        const [first = "[]"] = texts;
        if (new Set(texts).size === 1 && holds(JSON.parse(first) as [])) {
          return told(scene, person, `reads the same of his disputes at nodes ${nodes.join(", ")}`);
        }
        yield* sleep(POLL_MS);
      }
      throw new ScriptFailure(`nodes ${nodes.join(", ")} never showed the same: ${texts.join(" | ")}`);
    },
  };
}
