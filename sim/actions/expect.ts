/**
 * Readers who hold a node to what it must show: that a record comes to be so in time, and that it stays so for a
 * while. What is wrong ends the run as a violation, with what was shown instead. Source: DESIGN "Simulated world".
 */

import type { Person } from "../person.ts";
import type { Scene } from "../scene.ts";
import type { Script } from "../script.ts";
import { sleep } from "../script.ts";
import type { CodeAction as Action } from "./action-row.ts";
import type { When } from "./trade-terms.ts";
import { told } from "./trade-terms.ts";

/** A read, and the record it answers. */
export interface Subject {
  readonly method: `get${string}`;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Members with the values they must have, or a test of them. */
export type Wanted = Readonly<Record<string, unknown>>;

/** When a reader begins: at a time, and if said not before somebody told something. */
export interface Watch extends When {
  readonly after?: string;
}

/** Between two looks. Source: DESIGN "Simulated world". */
const LOOK_MS = 1_000;
/** How long a reader waits for what is to come, unless said otherwise. Source: DESIGN "Simulated world". */
const SEEN_MS_MAX = 5 * 60_000;
/** The check that readers speak for. */
const EXPECTATION = "expectation";

/** A record by its id, as the subject of an expectation. */
export function record(method: Subject["method"], id: string): Subject {
  return { method, params: { id } };
}

/** The record comes to show what is wanted; it is told when it does. */
export function comesToShow(
  reader: string,
  subject: Subject,
  wanted: Wanted,
  when: Watch & { readonly within?: number; readonly news?: string },
): Action {
  const { at, via, after, news, within = SEEN_MS_MAX } = when;
  return {
    ...{ name: `see ${textOf(subject)}`, actor: reader, at, via },
    *run(person, scene) {
      if (after !== undefined) yield* scene.learn(after);
      let wrong = "nothing";
      for (let waited = 0; waited < within; waited += LOOK_MS) {
        const shown = yield* look(person, subject);
        const found = lacking(shown, wanted);
        if (found === undefined) {
          told(scene, person, `reads ${textOf(subject)}: ${differenceOf(shown, wanted)}`);
          if (news !== undefined) scene.share(news, "seen");
          return;
        }
        wrong = found;
        yield* sleep(LOOK_MS);
      }
      scene.world.violate(EXPECTATION, `node ${person.via} never came to show ${textOf(subject)}: ${wrong}`);
    },
  };
}

/** The record shows what is wanted at every look, from the beginning, for so long. */
export function keepsShowing(
  reader: string,
  subject: Subject,
  wanted: Wanted,
  when: Watch & { readonly forMs: number },
): Action {
  const { at, via, after, forMs } = when;
  return {
    ...{ name: `watch ${textOf(subject)}`, actor: reader, at, via },
    *run(person, scene) {
      if (after !== undefined) yield* scene.learn(after);
      for (let waited = 0; waited < forMs; waited += LOOK_MS) {
        const shown = yield* look(person, subject);
        if (shown !== undefined) hold(scene, person, subject, lacking(shown, wanted));
        yield* sleep(LOOK_MS);
      }
      told(scene, person, `still reads ${textOf(subject)}: ${differenceOf(yield* look(person, subject), wanted)}`);
    },
  };
}

/** What the node answers: a record, the name of a refusal under `refused`, or nothing while it is down. */
function* look(person: Person, { method, params }: Subject): Script<Wanted | undefined> {
  const answer = yield* person.ask(method, params);
  if (answer.type === "unreachable") return undefined;
  if (answer.type === "refused") return { refused: answer.name };
  return typeof answer.result === "object" && answer.result !== null ? { ...answer.result } : { result: answer.result };
}

function hold(scene: Scene, person: Person, subject: Subject, wrong: string | undefined): void {
  if (wrong === undefined) return;
  scene.world.violate(EXPECTATION, `node ${person.via} shows ${textOf(subject)} otherwise: ${wrong}`);
}

/** The first member that is not as wanted. */
function lacking(shown: Wanted | undefined, wanted: Wanted): string | undefined {
  if (shown === undefined) return "no answer";
  for (const [member, value] of Object.entries(wanted)) {
    const is = shown[member];
    const right = typeof value === "function" ? value(is) === true : JSON.stringify(is) === JSON.stringify(value);
    if (!right)
      return `${member} is ${JSON.stringify(is)}${typeof value === "function" ? "" : `, not ${JSON.stringify(value)}`}`;
  }
  return undefined;
}

function textOf({ method, params }: Subject): string {
  const { id } = params;
  return typeof id === "string" ? id : method;
}

function differenceOf(shown: Wanted | undefined, wanted: Wanted): string {
  return Object.keys(wanted)
    .map((member) => `${member} ${valueText(shown?.[member])}`)
    .join(", ");
}

/** Signatures and hashes are cut short. */
function valueText(value: unknown): string {
  if (value === null || value === undefined) return "none";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 8)}…` : text;
}
