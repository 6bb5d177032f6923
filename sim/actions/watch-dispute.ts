/**
 * A stranger who reads a dispute at one node again and again, tells what changes, and holds the node to what the
 * chain decided: that outcome or none, and none for ever where the chain cannot be seen. Source: protocol 03 A.10.
 */
import type { Infer } from "../../core/index.ts";
import { Resolution } from "../../core/testing.ts";
import { may } from "../data/optional.ts";
import { Name } from "../data/values.ts";
import type { Person } from "../person.ts";
import type { Scene } from "../scene.ts";
import type { Script } from "../script.ts";
import { ScriptFailure, sleep } from "../script.ts";
import type { ActionRows } from "./action-row.ts";
import { actionForm, begins } from "./action-row.ts";
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

export const watchForms = {
  "watch-dispute": actionForm("watch-dispute", { dispute: Name, decided: may(Resolution) }),
};

type WatchDispute = Infer<(typeof watchForms)["watch-dispute"]>;

/** Waits until a node shows the case as expected, and holds it to that. */
export function watchDispute(terms: CaseTerms, reader: string, expected: Expected, when: When): WatchDispute {
  const decided = "decided" in expected && { decided: expected.decided };
  return { ...begins("watch-dispute", reader, when), dispute: terms.id, ...decided };
}

export const watchRows: ActionRows<typeof watchForms> = {
  "watch-dispute": { title: ({ dispute }) => `watch ${dispute}`, run: watch },
};

/** Without a decision to expect, the node must go on waiting for the chain. */
function* watch(person: Person, scene: Scene, { dispute, decided }: WatchDispute): Script {
  let before = "";
  let decidedFor = 0;
  for (let waited = 0; waited < OTHERS_MS; waited += LOOK_MS) {
    const shown = yield* look(person, dispute);
    if (shown !== undefined) hold(scene, person, shown, decided);
    const text = shown === undefined ? "" : textOf(shown);
    if (text !== before) told(scene, person, `reads ${dispute}: ${text}`);
    before = text;
    if (shown?.status === "Resolved") return scene.share(decisionNews(dispute), String(shown.resolution));
    if (scene.knows(decisionNews(dispute))) decidedFor += LOOK_MS;
    const awaits = shown?.status === "AwaitingChainExecution";
    if (decided === undefined && decidedFor >= AFTER_DECISION_MS && awaits) {
      told(scene, person, `still reads ${dispute}: ${text}; this node does not see the chain`);
      return;
    }
    yield* sleep(LOOK_MS);
  }
  const expected = decided ?? "the case awaiting the chain";
  throw new ScriptFailure(`${dispute} never became ${expected} at node ${person.via}: ${before}`);
}

/** The name under which a reader tells that the chain decided. */
function decisionNews(dispute: string): string {
  return `decision of ${dispute}`;
}

function* look(person: Person, id: string): Script<Shown | undefined> {
  const answer = yield* person.ask("getDispute", { id });
  return answer.type === "result" && answer.result !== null ? (answer.result as Shown) : undefined;
}

/** Any other outcome than the chain's is a violation, whenever it is shown. */
function hold(scene: Scene, person: Person, shown: Shown, allowed: Resolution | undefined): void {
  if (shown.resolution === null || shown.resolution === allowed) return;
  scene.violate("chain-decides", `node ${person.via} shows ${shown.resolution}, not ${allowed ?? null}`);
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
