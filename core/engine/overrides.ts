/**
 * Overrides: a network may have other rules put in the place of ours where its profile asks for the reference's. A rule
 * that may be replaced is an exported function of its domain (or the schema of a result) and is itself the key, so both
 * have one type and nothing is looked up by a name. The one place of the engine that asks `profile.parity`.
 * Source: DESIGN §3.0, §7 #12.
 */

import type { NetworkProfile, NodeConfiguration } from "../inputs.ts";
import { known } from "../kernel/assert.ts";
import type { Schema } from "../kernel/schema.ts";
import type { EpochMillis } from "../kernel/values.ts";

/** One rule and what stands in its place. */
export type Override = readonly [ours: object, theirs: object];
/** What stands in the place of rules, by those rules. */
export type Overrides = ReadonlyMap<object, object>;

/** What a node was told, with the rules of its network. */
export interface ResolvedConfiguration extends NodeConfiguration {
  readonly rules: Overrides;
}

/** When something is read, and by whose rules. */
export interface ReadAt {
  readonly now: EpochMillis;
  readonly rules: Overrides;
}

/** Puts a rule in the place of ours. */
export function override<F extends (...args: never) => unknown>(ours: F, theirs: NoInfer<F>): Override {
  return [ours, theirs];
}

/** Writes the result of a method as another schema does, which may name fewer members. */
export function overrideResult<R>(ours: Schema<R>, theirs: Pick<Schema<NoInfer<R>>, "write">): Override {
  return [ours, theirs];
}

/** Overrides by their rules; no rule is replaced twice. */
export function overridesOf(list: readonly Override[]): Overrides {
  const map = new Map(list);
  return known(map.size === list.length ? map : undefined, "rules that are replaced once");
}

/** The rules of a profile. */
export function rulesOf(overrides: Overrides, { parity }: NetworkProfile): Overrides {
  return parity ? overrides : none;
}

const none: ReadonlyMap<object, object> = new Map();

/** The rule that a network has: ours, unless another stands in its place. */
export function ruleOf<F extends object>({ rules }: Pick<ReadAt, "rules">, ours: F): F {
  return (rules.get(ours) as F | undefined) ?? ours;
}

/** The instant and the rules of a step; the instant is asked for when it is read. */
export function readAt(viewer: { readonly now: EpochMillis; readonly configuration: ResolvedConfiguration }): ReadAt {
  return {
    rules: viewer.configuration.rules,
    get now() {
      return viewer.now;
    },
  };
}
