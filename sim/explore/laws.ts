/**
 * What must hold of a node in every state, and of all nodes when nothing is left to happen. The checkers of simulated
 * worlds that need no past are asked here; so is what every order of events must come to.
 * Source: DESIGN section 2.
 */
import type { EpochMillis, NetworkProfile, RootTexts } from "../../core/index.ts";
import { Statements } from "../../core/testing.ts";
import type { Checker, MakeChecker } from "../checker.ts";
import { datesAreAdmitted } from "../checkers/dates-are-admitted.ts";
import { equalSetsEqualStates } from "../checkers/equal-sets-equal-states.ts";
import { logsAreNamed } from "../checkers/logs-are-named.ts";
import { readsChangeNothing } from "../checkers/reads-change-nothing.ts";
import { recordsFollowThePapers } from "../checkers/records-follow-the-papers.ts";
import { statementsAreSigned } from "../checkers/statements-are-signed.ts";
import type { NodeValue, Outcome } from "./node-machine.ts";
import { sealProblem } from "./seals.ts";

/** A law that was broken, and how that showed. */
export interface Broken {
  readonly check: string;
  readonly message: string;
}

/** Laws that a step and the memory after it tell. */
const OF_A_STEP: readonly MakeChecker[] = [
  statementsAreSigned,
  datesAreAdmitted,
  readsChangeNothing,
  equalSetsEqualStates,
  logsAreNamed,
  recordsFollowThePapers,
];

const ZEROS = "0".repeat(64);
const NO_ROOTS: RootTexts = { statements: ZEROS, facts: ZEROS, state: ZEROS, archive: ZEROS };

export interface Laws {
  stepped(node: number, before: NodeValue, outcome: Outcome, now: EpochMillis): void;
  /** What was broken, the first first; asked and forgotten. */
  broken(): Broken | undefined;
  break(broken: Broken): void;
  /** Identities of the statements that a call brought, by its body. */
  identitiesOf(body: string): readonly string[];
}

/** The laws of a world whose nodes are of one network. */
export function watchLaws(profile: NetworkProfile): Laws {
  const found: Broken[] = [];
  const identities = new Map<string, readonly string[]>();
  const checkers: readonly Checker[] = OF_A_STEP.map((make) => {
    const checker: Checker = make({
      violate: (message) => found.push({ check: checker.name, message }),
      keep: (fresh) => fresh(),
      people: () => [],
      time: () => 0,
      chain: () => undefined,
      profile,
    });
    return checker;
  });
  return {
    stepped(node, before, { steps, view, roots }, now) {
      if (view === undefined || roots === undefined) return;
      const rootsBefore = before.driver === undefined ? NO_ROOTS : rootsOf(before);
      const same = equalRoots(roots, rootsBefore);
      const changed = steps.flatMap(({ changes }) => changes);
      const unsealed = sealProblem(before, changed, view, now);
      if (unsealed !== undefined) found.push({ check: "what-is-sealed-stays", message: `node ${node}: ${unsealed}` });
      for (const { input, changes, effects } of steps) {
        noteIdentities(identities, input, changes);
        const seen = { node, input: { ...input, now }, changes, effects, view };
        for (const checker of checkers) checker.onStep?.({ ...seen, roots: same ? rootsBefore : roots, rootsBefore });
        for (const effect of effects)
          if (effect.type === "log")
            for (const checker of checkers)
              checker.onLog?.({ node, level: effect.level, event: effect.event, fields: effect.fields });
      }
      if (!same) for (const checker of checkers) checker.onEnd?.({ nodes: [{ node, view, roots }] });
    },
    broken: () => found.shift(),
    break: (broken) => void found.push(broken),
    identitiesOf: (body) => identities.get(body) ?? [],
  };
}

function noteIdentities(
  identities: Map<string, readonly string[]>,
  input: Outcome["steps"][number]["input"],
  changes: Outcome["steps"][number]["changes"],
): void {
  if (input.type !== "rpc.called") return;
  const taken = changes.filter(({ table, record }) => table === Statements.name && record !== undefined);
  if (taken.length > 0)
    identities.set(
      input.body,
      taken.map(({ key }) => key),
    );
}

function equalRoots(a: RootTexts, b: RootTexts): boolean {
  return a.state === b.state && a.statements === b.statements && a.facts === b.facts && a.archive === b.archive;
}

function textOf(root: bigint): string {
  return root.toString(16).padStart(64, "0");
}

/** The roots of a node that is up. */
export function rootsOf({ driver }: NodeValue): RootTexts {
  if (driver === undefined) return NO_ROOTS;
  const { statements, facts, state, archive } = driver.memory.roots;
  return { statements: textOf(statements), facts: textOf(facts), state: textOf(state), archive: textOf(archive) };
}
