/**
 * A stranger who reads a dispute at one node again and again, tells what changes, and holds the node to what the
 * chain decided: that outcome or none, and none for ever where the chain cannot be seen. Source: protocol 03 A.10.
 */
import type { Resolution } from "../../core/testing.ts";
import type { Person } from "../person.ts";
import type { Scene } from "../scene.ts";
import type { Script } from "../script.ts";
import { ScriptFailure, sleep } from "../script.ts";
import type { CodeAction as Action } from "./action-row.ts";
import type { CaseTerms, When } from "./trade-terms.ts";
import { OTHERS_MS, told } from "./trade-terms.ts";

/** Between two looks. Source: DESIGN "Simulated world". */
const LOOK_MS = 2_000;
/**
 * How long a node that cannot see the chain is watched after another showed its decision. Source: DESIGN "Simulated
 * world".
 */
const AFTER_DECISION_MS = 30_000;

/** What a node must show in the end. */
export type Expected = { readonly decided: Resolution } | { readonly awaiting: true };

interface Shown {
  readonly status: string;
  readonly resolution: string | null;
  readonly revealed_votes: readonly string[];
}

/** Waits until a node shows the case as expected, and holds it to that. */
export function watchDispute(terms: CaseTerms, reader: string, expected: Expected, when: When): Action {
  return {
    ...{ name: `watch ${terms.id}`, actor: reader, ...when },
    *run(person, scene) {
      let before = "";
      let decidedFor = 0;
      for (let waited = 0; waited < OTHERS_MS; waited += LOOK_MS) {
        const shown = yield* look(person, terms.id);
        if (shown !== undefined) hold(scene, person, shown, expected);
        const text = shown === undefined ? "" : textOf(shown);
        if (text !== before) told(scene, person, `reads ${terms.id}: ${text}`);
        before = text;
        if (shown?.status === "Resolved") return scene.share(decisionNews(terms), String(shown.resolution));
        if (scene.knows(decisionNews(terms))) decidedFor += LOOK_MS;
        if ("awaiting" in expected && decidedFor >= AFTER_DECISION_MS && shown?.status === "AwaitingChainExecution") {
          told(scene, person, `still reads ${terms.id}: ${text}; this node does not see the chain`);
          return;
        }
        yield* sleep(LOOK_MS);
      }
      throw new ScriptFailure(`${terms.id} never became ${JSON.stringify(expected)} at node ${person.via}: ${before}`);
    },
  };
}

/** The name under which a reader tells that the chain decided. */
function decisionNews(terms: CaseTerms): string {
  return `decision of ${terms.id}`;
}

function* look(person: Person, id: string): Script<Shown | undefined> {
  const answer = yield* person.ask("getDispute", { id });
  return answer.type === "result" && answer.result !== null ? (answer.result as Shown) : undefined;
}

/** Any other outcome than the chain's is a violation, whenever it is shown. */
function hold(scene: Scene, person: Person, shown: Shown, expected: Expected): void {
  const allowed = "decided" in expected ? expected.decided : null;
  if (shown.resolution === null || shown.resolution === allowed) return;
  scene.world.violate("chain-decides", `node ${person.via} shows ${shown.resolution}, not ${allowed}`);
}

function textOf({ status, resolution, revealed_votes: votes }: Shown): string {
  const counts = [...new Set(votes)]
    .sort(byText)
    .map((vote) => `${votes.filter((one) => one === vote).length} ${vote}`);
  const revealed = counts.length === 0 ? "" : `, revealed ${counts.join(" and ")}`;
  return `${status}${revealed}${resolution === null ? "" : `, resolution ${resolution}`}`;
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
