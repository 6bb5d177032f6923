/**
 * No retroactive veto, as a check that returns what was vetoed. Whatever statements others add, of whatever date, an
 * act that was in effect stays in effect; in-effect.ts says what that means.
 * Source: CONVERGENCE "No retroactive veto".
 */
import type { Store } from "../../core/kernel/state.ts";
import { inEffect } from "./in-effect.ts";
import type { Observation } from "./replica.ts";
import { replicaOf } from "./replica.ts";

/** What others' statements took out of effect; nothing when the law holds. */
export function vetoes(observations: readonly Observation[], added: readonly Observation[]): readonly string[] {
  const signers = new Set(added.map((each) => (each.type === "statement" ? each.statement.signer : undefined)));
  const before = replicaOf(observations).store();
  const after = replicaOf([...observations, ...added]).store();
  const kept = actsInEffect(after, observations);
  const lost: string[] = [];
  for (const [act, signer] of actsInEffect(before, observations)) {
    if (!kept.has(act) && !signers.has(signer as never)) lost.push(act);
  }
  return lost;
}

/** Every act in effect, described, with its signer. */
function actsInEffect(store: Store, observations: readonly Observation[]): ReadonlyMap<string, string> {
  const acts = new Map<string, string>();
  for (const each of observations) {
    if (each.type !== "statement") continue;
    const { type, identity, signer } = each.statement;
    for (const place of inEffect[type.name]?.places(store, each.statement) ?? []) {
      acts.set(`${type.name} ${identity} in ${place}`, signer);
    }
  }
  return acts;
}
