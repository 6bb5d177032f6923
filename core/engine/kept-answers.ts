/**
 * Kept answers: what reads were answered with, by their question, for as long as nothing they were read from has
 * changed. The driver's, beside its memory: a step stays pure, and whether an answer was kept shows nowhere but in
 * time. Source: DESIGN §3 "Kept answers".
 */

import type { Input } from "../inputs.ts";
import type { Change } from "../kernel/table.ts";
import type { EpochMillis } from "../kernel/values.ts";
import type { CallAhead } from "./admission/payload.ts";
import { answerOf, questionOf } from "./question.ts";
import type { Sources } from "./sources.ts";
import { openSources } from "./sources.ts";
import { Attaching } from "./statements/attaching.ts";
import type { NodeContext, Step } from "./step.ts";
import { step } from "./step.ts";

/** Answers that are kept; the oldest go first. Source: DESIGN L10. */
export const KEPT_ANSWERS_MAX = 512;
/** UTF-16 units that they take together, with their questions. Source: DESIGN L10. */
export const KEPT_ANSWERS_LENGTH_MAX = 1_048_576;

type Call = Extract<Input, { readonly type: "rpc.called" }>;

export interface KeptAnswers {
  /** What a step does with a fact; a read that is asked again is not read again. */
  stepOf(node: NodeContext, input: Input, ahead?: CallAhead): Step;
  /** Memory takes these changes up. */
  onChanges(changes: readonly Change[]): void;
  /** Memory begins anew. */
  forget(): void;
}

interface Kept {
  /** The answer from behind its id on. */
  readonly rest: string;
  readonly tables: readonly string[];
  /** The instant that it holds for, when it was asked for the instant. */
  readonly at: EpochMillis | undefined;
  /** Number of the change of memory up to which it is known to stand. */
  asOf: number;
}

/** Keeps nothing yet. */
export function openKeptAnswers(): KeptAnswers {
  const kept = new Map<string, Kept>();
  /** By table the number of the change that last wrote into it. */
  const written = new Map<string, number>();
  let [change, length] = [0, 0];

  function found(question: string, now: EpochMillis): string | undefined {
    const held = kept.get(question);
    if (held === undefined || (held.at !== undefined && held.at !== now)) return undefined;
    if (held.asOf !== change && held.tables.some((table) => (written.get(table) ?? 0) > held.asOf)) return undefined;
    held.asOf = change;
    return held.rest;
  }

  function drop(question: string): void {
    const held = kept.get(question);
    if (held === undefined) return;
    kept.delete(question);
    length -= question.length + held.rest.length;
  }

  function keep(question: string, rest: string, sources: Sources, now: EpochMillis): void {
    drop(question);
    if (question.length + rest.length > KEPT_ANSWERS_LENGTH_MAX) return;
    const at = sources.askedInstant() ? now : undefined;
    kept.set(question, { rest, tables: sources.tables(), at, asOf: change });
    length += question.length + rest.length;
    for (const oldest of kept.keys()) {
      if (kept.size <= KEPT_ANSWERS_MAX && length <= KEPT_ANSWERS_LENGTH_MAX) break;
      drop(oldest);
    }
  }

  function answered(node: NodeContext, input: Call): Step {
    const asked = questionOf(input.body);
    // While statements are attached it depends on the slice whether a call waits.
    if (asked === undefined || node.store.size(Attaching) > 0) return step(node, input);
    const rest = found(asked.question, input.now);
    if (rest !== undefined) return replying(input, answerOf(asked, rest));
    const sources = openSources();
    const taken = step(node, input, sources);
    const fresh = sources.askedElse() ? undefined : restOf(taken, asked);
    if (fresh !== undefined) keep(asked.question, fresh, sources, input.now);
    return taken;
  }

  return {
    stepOf(node, input, ahead) {
      // A send is never asked twice.
      if (ahead !== undefined) return step(node, input, undefined, ahead);
      return input.type === "rpc.called" ? answered(node, input) : step(node, input);
    },
    onChanges(changes) {
      if (changes.length === 0) return;
      change += 1;
      for (const { table } of changes) written.set(table, change);
    },
    forget() {
      kept.clear();
      written.clear();
      [change, length] = [0, 0];
    },
  };
}

function replying({ replyTo }: Call, body: string): Step {
  return { changes: [], effects: [{ type: "rpc.reply", replyTo, body }] };
}

/** What a result was, from behind its id on, where a step did nothing but give it. */
function restOf({ changes, effects }: Step, asked: { readonly id: string }): string | undefined {
  const [only, ...others] = effects;
  if (changes.length > 0 || others.length > 0 || only?.type !== "rpc.reply" || only.body === null) return undefined;
  const before = answerOf(asked, "");
  return only.body.startsWith(`${before},"result":`) ? only.body.slice(before.length) : undefined;
}
