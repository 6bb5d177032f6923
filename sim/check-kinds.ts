/**
 * Checks as data: which laws a scenario wants watched beside those of every world, what must come true once everything
 * works again, and which table its report ends with. One row a kind; the compiler demands each.
 * Source: DESIGN section 5 "Everything is data", "Checks".
 */
import type { Infer } from "../core/index.ts";
import { enumeration, struct, u64 } from "../core/index.ts";
import { kinds, plainText } from "../core/testing.ts";
import type { MakeChecker } from "./checker.ts";
import { boundedWork } from "./checkers/bounded-work.ts";
import { decisionObserved } from "./checkers/decision-observed.ts";
import { decisionsAreSeen } from "./checkers/decisions-are-seen.ts";
import { equalSetsEqualStates } from "./checkers/equal-sets-equal-states.ts";
import { fetchedOnce } from "./checkers/fetched-once.ts";
import { flagged } from "./checkers/flagged.ts";
import { noPartyLeaks } from "./checkers/no-party-leaks.ts";
import { noResolutionWithoutExecution } from "./checkers/no-resolution-without-execution.ts";
import { oneExecution } from "./checkers/one-execution.ts";
import { ratesAreTagged } from "./checkers/rates-are-tagged.ts";
import { readsChangeNothing } from "./checkers/reads-change-nothing.ts";
import { replicasConverge } from "./checkers/replicas-converge.ts";
import { newTally, snapshotsKeepSlots } from "./checkers/snapshots-keep-slots.ts";
import { statementsArrive } from "./checkers/statements-arrive.ts";
import { submitsOnce } from "./checkers/submits-once.ts";
import type { Ending } from "./endings.ts";
import { disputeTable, rootsTable } from "./endings.ts";
import type { LivenessCheck } from "./liveness.ts";
import type { World } from "./world.ts";

const kind = <const K extends string>(name: K) => ({ kind: enumeration(name) });

const safetyForms = {
  "bounded-work": struct("bounded-work", kind("bounded-work")),
  "fetched-once": struct("fetched-once", kind("fetched-once")),
  "equal-sets-equal-states": struct("equal-sets-equal-states", kind("equal-sets-equal-states")),
  "reads-change-nothing": struct("reads-change-nothing", kind("reads-change-nothing")),
  "no-resolution-without-execution": struct("no-resolution-without-execution", kind("no-resolution-without-execution")),
  "no-party-leaks": struct("no-party-leaks", kind("no-party-leaks")),
  "rates-are-tagged": struct("rates-are-tagged", kind("rates-are-tagged")),
  "one-execution": struct("one-execution", kind("one-execution")),
  "submits-once": struct("submits-once", kind("submits-once")),
  "decision-observed": struct("decision-observed", { ...kind("decision-observed"), reservation: u64 }),
  "snapshots-keep-slots": struct("snapshots-keep-slots", kind("snapshots-keep-slots")),
  flagged: struct("flagged", { ...kind("flagged"), event: plainText }),
};
type SafetyForms = typeof safetyForms;
type SafetyOf<K extends keyof SafetyForms> = Infer<SafetyForms[K]>;
/** A law that is watched from the first step to the last. */
export type SafetyData = { [K in keyof SafetyForms]: SafetyOf<K> }[keyof SafetyForms];
export const SafetyData = kinds<SafetyData>(safetyForms);

const safetyRows: { readonly [K in keyof SafetyForms]: (check: SafetyOf<K>) => MakeChecker } = {
  "bounded-work": () => boundedWork,
  "fetched-once": () => fetchedOnce,
  "equal-sets-equal-states": () => equalSetsEqualStates,
  "reads-change-nothing": () => readsChangeNothing,
  "no-resolution-without-execution": () => noResolutionWithoutExecution,
  "no-party-leaks": () => noPartyLeaks,
  "rates-are-tagged": () => (context) => ratesAreTagged(context),
  "one-execution": () => oneExecution,
  "submits-once": () => submitsOnce,
  "decision-observed": ({ reservation }) => decisionObserved(reservation),
  "snapshots-keep-slots": () => (context) => snapshotsKeepSlots(context, newTally()),
  flagged: ({ event }) => flagged(event),
};

const livenessForms = {
  "decisions-are-seen": struct("decisions-are-seen", kind("decisions-are-seen")),
  "replicas-converge": struct("replicas-converge", kind("replicas-converge")),
  "statements-arrive": struct("statements-arrive", kind("statements-arrive")),
};
type LivenessForms = typeof livenessForms;
/** What must come true in time once everything works again. */
export type LivenessData = { [K in keyof LivenessForms]: Infer<LivenessForms[K]> }[keyof LivenessForms];
export const LivenessData = kinds<LivenessData>(livenessForms);

const livenessRows: { readonly [K in keyof LivenessForms]: LivenessCheck } = {
  "decisions-are-seen": decisionsAreSeen,
  "replicas-converge": replicasConverge,
  "statements-arrive": statementsArrive,
};

const endingForms = {
  roots: struct("roots", kind("roots")),
  dispute: struct("dispute", { ...kind("dispute"), dispute: plainText }),
};
type EndingForms = typeof endingForms;
type EndingOf<K extends keyof EndingForms> = Infer<EndingForms[K]>;
/** The table that a report ends with: every node with its roots, or with what it shows of a dispute too. */
export type EndingData = { [K in keyof EndingForms]: EndingOf<K> }[keyof EndingForms];
export const EndingData = kinds<EndingData>(endingForms);

/** What makes the checker of a law; a test may bring code of its own. */
export function safetyCheck(check: SafetyData | MakeChecker): MakeChecker {
  if (typeof check === "function") return check;
  return (safetyRows[check.kind] as (check: SafetyData) => MakeChecker)(check);
}

/** A liveness check by its data; a test may bring code of its own. */
export function livenessCheck(check: LivenessData | LivenessCheck): LivenessCheck {
  return "missing" in check ? check : livenessRows[check.kind];
}

/** What the nodes came to. */
export function endingOf(
  ending: EndingData | ((world: World) => Ending),
  world: World,
  gossipOnly: readonly number[],
): Ending {
  if (typeof ending === "function") return ending(world);
  return ending.kind === "roots" ? rootsTable(world) : disputeTable(world, ending.dispute, gossipOnly);
}
