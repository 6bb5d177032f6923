/**
 * Stories: what was signed and seen, one thing after another, and how later words name earlier ones. A story is made
 * of small integers, so that most statements mean something and shrinking drops whole statements. Contested ids,
 * references by id, by identity and to nothing, earned and void ids are all frequent.
 * Source: CONVERGENCE "Records and ids".
 */
import type { Fields, RecordOf } from "../../core/kernel/schema-composites.ts";
import type { RecordKind, SignedType, Statement } from "../../core/kernel/signed.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { Actor } from "./actors.ts";
import { actor, arbitrators, at, called, earning, nameOf, stranger } from "./actors.ts";
import type { Observation } from "./replica.ts";

/** One thing that somebody does: what, three choices, and when. */
export type Intent = readonly [what: number, a: number, b: number, c: number, when: number];

export const merchants = [actor("mia"), actor("max")] as const;
export const takers = [actor("tia"), actor("tom")] as const;
export const everyone: readonly Actor[] = [...merchants, ...takers, ...arbitrators, stranger];

/** What was signed and seen so far, and what time it is. */
export interface Story {
  readonly observations: Observation[];
  readonly created: Map<RecordKind, Statement[]>;
  now: EpochMillis;
  /** What time it was when each thing was heard, whatever date it bears. */
  readonly times: EpochMillis[];
}

/** What a value may be drawn from. */
export interface Draws {
  readonly story: Story;
  readonly when: EpochMillis;
  /** A number below a bound. */
  readonly below: (bound: number) => number;
}

/** Adds to a story what an intent's choices say. */
export type Maker = (story: Story, a: number, b: number, c: number, when: EpochMillis) => void;

export function emptyStory(): Story {
  return { observations: [], created: new Map(), now: at(0), times: [] };
}

/** The statements so far that created records of a kind. */
export function creates<P = unknown>(story: Story, kind: RecordKind): readonly Statement<P>[] {
  return (story.created.get(kind) ?? []) as readonly Statement<P>[];
}

export function receive(story: Story, observation: Observation): void {
  story.observations.push(observation);
  story.times.push(story.now);
}

export function add<S extends Statement>(story: Story, statement: S): S {
  receive(story, { type: "statement", statement });
  const kind = statement.type.creates;
  if (kind !== undefined) story.created.set(kind, [...creates(story, kind), statement]);
  return statement;
}

/** The statements so far that created what a name names. */
export function named<P = unknown>(story: Story, kind: RecordKind, name: string): readonly Statement<P>[] {
  return creates<P>(story, kind).filter((create) => idOf(create) === name || nameOf(create) === name);
}

/** The statements so far about a record, under either of its names, of one type or of any. */
export function about<P = unknown>(
  story: Story,
  create: Statement,
  type?: { readonly name: string },
): readonly Statement<P>[] {
  const names = [idOf(create), nameOf(create)];
  return story.observations.flatMap((each) => {
    if (each.type !== "statement" || (type !== undefined && each.statement.type.name !== type.name)) return [];
    const reference = each.statement.type.about(each.statement.payload as never);
    const isAbout = reference?.kind === create.type.creates && names.includes(reference?.name);
    return isAbout ? [each.statement as Statement<P>] : [];
  });
}

function idOf({ type, payload }: Statement): string | undefined {
  return type.idOf(payload as never);
}

export function pick<T>(list: readonly T[], n: number): T | undefined {
  return list[n % Math.max(1, list.length)];
}

export function someone(people: readonly Actor[], n: number): Actor {
  return pick(people, n) ?? stranger;
}

export function personOf(peer: string): Actor {
  return everyone.find((person) => person.peer === peer) ?? stranger;
}

/** A way to name a statement: usually its id, else its identity, now and then something unknown. */
export function naming(statement: Statement | undefined, n: number): string {
  if (statement === undefined || idOf(statement) === undefined || n % 23 === 0) return `nobody-${n % 3}`;
  return nameFor(statement, n);
}

/** A record's id, or now and then the name that reaches it alone, where it has one. */
export function nameFor(create: Statement, n: number): string {
  return create.name !== "" && n % 3 === 0 ? create.name : (idOf(create) ?? "");
}

/** The statement under a contested id, under the id it earns, or under a hash that is not its own. */
export function withIdForm<F extends Fields>(
  story: Story,
  type: SignedType<F>,
  statement: Statement<RecordOf<F>>,
  n: number,
): Statement<RecordOf<F>> {
  if (type.naming === "id") return statement;
  if (n % 5 === 1) return earning(type, statement);
  if (n % 19 === 2) {
    const any = pick([...story.created.values()].flat(), n);
    if (any !== undefined) return called(type, statement, nameOf(any));
  }
  const own = type.creates && pick(creates(story, type.creates), n);
  return n % 17 === 3 && own ? called(type, statement, nameOf(own)) : statement;
}
