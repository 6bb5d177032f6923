/**
 * What every kind of action has: a schema of plain values, and a row that says what the action is called and what its
 * actor does. Source: DESIGN section 5 "Everything is data".
 */
import type { Fields, Infer, Schema } from "../../core/index.ts";
import { enumeration } from "../../core/index.ts";
import type { PlainOf } from "../data/optional.ts";
import { may, plain } from "../data/optional.ts";
import { Milliseconds, Name, NodeIndex } from "../data/values.ts";
import type { Person } from "../person.ts";
import type { Scene } from "../scene.ts";
import type { Script } from "../script.ts";

/** What an action of one kind comes to. */
export interface ActionRow<A> {
  /** The verb of the story: `reserve 2001`, `approve settlement-2001`, … */
  readonly title: (action: A) => string;
  /** Nodes that it names besides that of its actor's client. */
  readonly nodes?: (action: A) => readonly number[];
  /** What no schema sees; one line. */
  readonly check?: (action: A) => string | undefined;
  /** Loads what not everybody has installed, before the run. */
  readonly prepare?: () => Promise<void>;
  readonly run: (person: Person, scene: Scene, action: A) => Script;
}

/** A row for each of several kinds. */
export type ActionRows<Forms> = { readonly [K in keyof Forms]: ActionRow<Infer<Forms[K]>> };

/** When an action begins, and the node its actor's client talks to; absent, the seed deals one out. */
export interface Timed {
  readonly at: number;
  readonly via?: number;
}

/** Something that no kind says yet: code that a test brings along. */
export interface CodeAction extends Timed {
  readonly kind: "code";
  /** The verb of the story. */
  readonly name: string;
  readonly actor: string;
  readonly run: (person: Person, scene: Scene) => Script;
}

/** What every kind of action has: who, when, through which node. */
export interface CommonFields<K extends string> {
  readonly kind: Schema<K>;
  readonly actor: typeof Name;
  readonly at: typeof Milliseconds;
  readonly via: Schema<number | undefined>;
}

/** The members of one kind of action. */
export type FieldsOf<K extends string, F extends Fields> = CommonFields<K> & F;

/** The schema of one kind of action: who, when, through which node, and the members of the kind. */
export function actionForm<const K extends string, const F extends Fields>(
  kind: K,
  members: F,
): Schema<PlainOf<FieldsOf<K, F>>> & { readonly fields: FieldsOf<K, F> } {
  const common = { kind: enumeration(kind) as Schema<K>, actor: Name, at: Milliseconds, via: may(NodeIndex) };
  const fields: Fields = { ...common, ...members };
  return plain(kind, fields) as unknown as ReturnType<typeof actionForm<K, F>>;
}

/** What an action of any kind begins with. */
export function begins<const K extends string>(kind: K, actor: string, { at, via }: Timed) {
  return { kind, actor, at, ...(via !== undefined && { via }) };
}
