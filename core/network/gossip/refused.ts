/**
 * What was refused is remembered, so that a comparison of sets does not bring it again and again: the identities of
 * statements that were verified, for a while, and never for their dates or for missing parents. What makes room, and a
 * parent or a dependant that arrives, lets one be fetched once more.
 * Source: CONVERGENCE B4.
 */

import { RECOVERY_AGE_MS_MAX } from "../../engine/admission/ingress.ts";
import { ruleOf } from "../../engine/overrides.ts";
import { namesOf, Pending, Seals, Statements, slot } from "../../engine/statements/table.ts";
import type { StepContext } from "../../engine/step-context.ts";
import type { Infer } from "../../kernel/schema.ts";
import { list, struct } from "../../kernel/schema-composites.ts";
import { bool } from "../../kernel/schema-scalars.ts";
import type { Statement } from "../../kernel/signed.ts";
import type { Reader } from "../../kernel/table.ts";
import { table } from "../../kernel/table.ts";
import { EpochMillis, minuteOf, Text } from "../../kernel/values.ts";
import { forgetRangesOver } from "./idle-ranges.ts";

/** Statements whose refusal is remembered; beyond, another is forgotten. Source: DESIGN L10. */
export const REFUSED_MAX = 65_536;
/** How long a refusal for want of space is remembered at most, in milliseconds. Source: CONVERGENCE B4. */
export const REFUSED_FOR_SPACE_MS = 600_000;
/** Digits of an identity by which refusals for want of space are found. Source: DESIGN "Formats". */
const PART_DIGITS = 2;
const PARTS = 256;

const Refusal = struct("Refusal", {
  /** Whether room that is made may lift it. */
  space: bool,
  /** Whether something that arrived has lifted it: the statement may be fetched once more, and only once. */
  lifted: bool,
  until: EpochMillis,
  /** The names of the records that the statement creates, and of the record that it is about. */
  names: list(Text),
  about: list(Text),
});
type Refusal = Infer<typeof Refusal>;

/** Refusals by the identity of what was refused. */
export const Refusals = table<Refusal>("refusals", Refusal, {
  root: "local",
  indexes: {
    /** What an arriving record, or something that is said about a record, lifts. */
    kin: ({ names, about, lifted }) => (lifted ? [] : [...names.map(asParent), ...about.map(asChild)]),
    /** In parts, so that lifting a few does not go through all. */
    space: ({ space, lifted }, key) => (space && !lifted ? [key.slice(0, PART_DIGITS)] : []),
    minute: ({ until }) => [`${minuteOf(until)}`],
  },
});

/**
 * Whether refusals are remembered: what is refused here is refused as long as what it rests on stays as it is. A node
 * that goes by the order in which things arrive takes later what it refused before. Source: CONVERGENCE B4.
 */
export function remembersRefusals(): boolean {
  return true;
}

/** Remembers that a verified statement was refused. */
export function remember(context: StepContext, statement: Statement, cause: "space" | "rule"): void {
  if (!ruleOf(context.configuration, remembersRefusals)()) return;
  const { draft, now } = context;
  const held = draft.get(Refusals, statement.identity);
  if (held === undefined && draft.size(Refusals) >= REFUSED_MAX) forgetOne(context);
  const ends = statement.timestamp + BigInt(RECOVERY_AGE_MS_MAX);
  const soon = now + BigInt(REFUSED_FOR_SPACE_MS);
  const until = (cause === "space" || !statement.type.dated ? soon : ends) as EpochMillis;
  const about = statement.type.about(statement.payload as never);
  draft.put(Refusals, statement.identity, {
    space: cause === "space",
    lifted: false,
    until,
    names: held?.lifted === true ? [] : namesOf(statement).map(slot),
    about: held?.lifted === true || about === undefined ? [] : [slot(about)],
  });
}

/** Whether a statement was refused, and nothing has changed since that it may rest on. */
export function isRefused(context: StepContext, identity: string): boolean {
  const held = context.draft.get(Refusals, identity);
  return held !== undefined && !held.lifted && held.until > context.now;
}

/**
 * After a step: what it brought lifts refusals of what it is about, and of what is about it; as many statements as it
 * made room for may be fetched again.
 */
export function liftRefusals(context: StepContext): void {
  const { base, draft } = context;
  rememberPushedOut(context);
  if (draft.size(Refusals) === 0) return;
  for (const { table: name, key, record } of draft.changes()) {
    if ((name !== Statements.name && name !== Pending.name) || record === undefined) continue;
    if (draft.get(Refusals, key) !== undefined) draft.put(Refusals, key, undefined);
    if (base.get(Statements, key) === undefined) liftKin(context, record as Statement, name === Statements.name);
  }
  liftForSpace(context, Math.max(waitingIn(base) - waitingIn(draft), 0) + Math.max(openIn(base) - openIn(draft), 0));
}

/** What made room for another that waits is not fetched again at once: two full nodes would push out each other's. */
function rememberPushedOut(context: StepContext): void {
  const { base, draft } = context;
  for (const { table: name, key, record } of draft.changes()) {
    if (name !== Pending.name || record !== undefined || draft.get(Statements, key) !== undefined) continue;
    const statement = base.get(Pending, key);
    if (statement !== undefined) remember(context, statement, "space");
  }
}

/** Lifts what is about a record, once that is part of the set, and what a statement rests on, be it one that waits. */
function liftKin(context: StepContext, statement: Statement, isInSet: boolean): void {
  const children = isInSet ? namesOf(statement).map((name) => asChild(slot(name))) : [];
  const about = statement.type.about(statement.payload as never);
  const kin = [...children, ...(about ? [asParent(slot(about))] : [])];
  for (const each of kin) for (const key of context.draft.find(Refusals, "kin", each)) lift(context, key);
}

/** Lifts as many refusals as there is room for, of another part each time. */
function liftForSpace(context: StepContext, room: number): void {
  let left = room;
  for (let part = 0; part < PARTS && left > 0; part++) {
    const digits = ((part + context.number) % PARTS).toString(16).padStart(PART_DIGITS, "0");
    const keys = context.draft.find(Refusals, "space", digits, left);
    for (const key of keys) lift(context, key);
    left -= keys.length;
  }
}

function lift(context: StepContext, key: string): void {
  const held = context.draft.get(Refusals, key);
  if (held === undefined) return;
  context.draft.put(Refusals, key, { ...held, lifted: true });
  forgetRangesOver(context, key);
}

function forgetOne(context: StepContext): void {
  for (const key of context.draft.keys(Refusals)) return context.draft.put(Refusals, key, undefined);
}

function waitingIn(reader: Reader): number {
  return reader.size(Pending);
}

/** Statements that are not sealed, less the chain facts that are: what matters is by how many there are less. */
function openIn(reader: Reader): number {
  return reader.size(Statements) - reader.size(Seals);
}

function asParent(name: string): string {
  return `creates ${name}`;
}

function asChild(name: string): string {
  return `about ${name}`;
}
