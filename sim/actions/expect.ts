/**
 * Readers who hold a node to what it must show: that a record comes to be so in time, and that it stays so for a
 * while. What is wrong ends the run as a violation, with what was shown instead. Source: DESIGN "Simulated world".
 */
import type { Infer, Schema } from "../../core/index.ts";
import { text } from "../../core/testing.ts";
import type { PlainValue } from "../data/open.ts";
import { AnyValue, openRecord } from "../data/open.ts";
import { may, plain } from "../data/optional.ts";
import { Milliseconds, Name, otherwise } from "../data/values.ts";
import type { Person } from "../person.ts";
import type { Scene } from "../scene.ts";
import type { Script } from "../script.ts";
import { sleep } from "../script.ts";
import type { ActionRows } from "./action-row.ts";
import { actionForm, begins } from "./action-row.ts";
import type { When } from "./trade-terms.ts";
import { told } from "./trade-terms.ts";
import type { Wanted } from "./wanted.ts";
import { lacking, WantedData } from "./wanted.ts";

/** The name of a read. */
export type ReadMethod = `get${string}`;
export const ReadMethod: Schema<ReadMethod> = text("plain", "a read such as getDispute", (received) =>
  /^get[A-Z][A-Za-z]*$/.test(received) ? (received as ReadMethod) : undefined,
);
/** Parameters of a read. */
export type ReadParams = Readonly<Record<string, PlainValue>>;
export const ReadParams: Schema<ReadParams> = openRecord(AnyValue);

/** A read, and the record it answers. */
export interface Subject {
  readonly method: ReadMethod;
  readonly params: ReadParams;
}

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

const SubjectData: Schema<Subject> = plain("subject", {
  method: ReadMethod,
  params: otherwise<ReadParams>(ReadParams, {}),
});
const watched = { subject: SubjectData, wanted: WantedData, after: may(Name) };

export const expectForms = {
  "comes-to-show": actionForm("comes-to-show", {
    ...watched,
    within: otherwise(Milliseconds, SEEN_MS_MAX),
    news: may(Name),
  }),
  "keeps-showing": actionForm("keeps-showing", { ...watched, forMs: Milliseconds }),
};

type Of<K extends keyof typeof expectForms> = Infer<(typeof expectForms)[K]>;

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
): Of<"comes-to-show"> {
  const { after, news, within = SEEN_MS_MAX } = when;
  const told = { ...(after !== undefined && { after }), ...(news !== undefined && { news }) };
  return { ...begins("comes-to-show", reader, when), subject, wanted, within, ...told };
}

/** The record shows what is wanted at every look, from the beginning, for so long. */
export function keepsShowing(
  reader: string,
  subject: Subject,
  wanted: Wanted,
  when: Watch & { readonly forMs: number },
): Of<"keeps-showing"> {
  const { after, forMs } = when;
  const told = after !== undefined && { after };
  return { ...begins("keeps-showing", reader, when), subject, wanted, forMs, ...told };
}

export const expectRows: ActionRows<typeof expectForms> = {
  "comes-to-show": {
    title: ({ subject }) => `see ${textOf(subject)}`,
    *run(person, scene, { subject, wanted, after, within, news }) {
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
      scene.violate(EXPECTATION, `node ${person.via} never came to show ${textOf(subject)}: ${wrong}`);
    },
  },
  "keeps-showing": {
    title: ({ subject }) => `watch ${textOf(subject)}`,
    *run(person, scene, { subject, wanted, after, forMs }) {
      if (after !== undefined) yield* scene.learn(after);
      for (let waited = 0; waited < forMs; waited += LOOK_MS) {
        const shown = yield* look(person, subject);
        if (shown !== undefined) hold(scene, person, subject, lacking(shown, wanted));
        yield* sleep(LOOK_MS);
      }
      told(scene, person, `still reads ${textOf(subject)}: ${differenceOf(yield* look(person, subject), wanted)}`);
    },
  },
};

type Shown = Readonly<Record<string, unknown>>;

/** What the node answers: a record, the name of a refusal under `refused`, or nothing while it is down. */
function* look(person: Person, { method, params }: Subject): Script<Shown | undefined> {
  const answer = yield* person.ask(method, params);
  if (answer.type === "unreachable") return undefined;
  if (answer.type === "refused") return { refused: answer.name };
  return typeof answer.result === "object" && answer.result !== null ? { ...answer.result } : { result: answer.result };
}

function hold(scene: Scene, person: Person, subject: Subject, wrong: string | undefined): void {
  if (wrong === undefined) return;
  scene.violate(EXPECTATION, `node ${person.via} shows ${textOf(subject)} otherwise: ${wrong}`);
}

function textOf({ method, params }: Subject): string {
  const { id } = params;
  return typeof id === "string" ? id : method;
}

function differenceOf(shown: Shown | undefined, wanted: Wanted): string {
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
