/**
 * A whole scenario as a file holds it: JSON with the members of `Scenario`, each checked by its schema and completed.
 * `scenarioSchema` describes it to an editor. Source: DESIGN section 5 "Everything is data".
 */
import type { Infer, Result } from "../core/index.ts";
import { bool, enumeration, err, list, ok, option, struct, u64 } from "../core/index.ts";
import { schemaOf, small, plainText as text } from "../core/testing.ts";
import { ActionData } from "./action-kinds.ts";
import { EndingData, LivenessData, SafetyData } from "./check-kinds.ts";
import { changesOf, LinkChanges } from "./data/conditions.ts";
import { checkedText, plainText } from "./data/plain.ts";
import { Milliseconds, NodeIndex, otherwise } from "./data/values.ts";
import { FaultData } from "./fault-plans.ts";
import { healthyLink } from "./links.ts";
import type { Scenario } from "./scenario.ts";
import { defineScenario } from "./scenario.ts";

const Count = small(32, { least: 1, most: 100_000 });
const Indexes = otherwise(list(NodeIndex), []);
const ParticipantData = struct("Participant", {
  name: text,
  merchant: otherwise(bool, false),
  arbitratorStake: option(u64),
  openTokens: option(u64),
});

/** A scenario in a file. What is left out has the value that most want. */
export const ScenarioData = struct("Scenario", {
  name: text,
  description: text,
  source: text,
  nodes: Count,
  nodesMin: option(Count),
  chain: otherwise(enumeration("bankrun", "litesvm", "model", "none"), "none"),
  gossipOnly: Indexes,
  confirmed: Indexes,
  older: Indexes,
  fileMakers: Indexes,
  startsWithin: option(Milliseconds),
  participants: otherwise(list(ParticipantData), []),
  lookupTables: otherwise(list(u64), []),
  conditions: option(LinkChanges),
  actions: otherwise(list(ActionData), []),
  faults: otherwise(list(FaultData), []),
  provesFaults: otherwise(bool, true),
  provesActions: otherwise(bool, true),
  lasts: option(Milliseconds),
  safety: otherwise(list(SafetyData), []),
  liveness: option(struct("Liveness", { within: Milliseconds, checks: list(LivenessData) })),
  ending: otherwise(EndingData, { kind: "roots" }),
  excerpt: option(struct("Excerpt", { nodes: Count, lasts: Milliseconds })),
});
export type ScenarioData = Infer<typeof ScenarioData>;

/** The scenario that a JSON text holds. Fails with one line that names the member and what is allowed there. */
export function scenarioOf(content: string): Result<Scenario, string> {
  const read = checkedText(ScenarioData, content, "");
  return read.ok ? scenarioFrom(read.value) : err(read.error.replace(/^: /, ""));
}

/** The JSON text of a scenario that is data all through; or where it holds code, in one line. */
export function scenarioText(scenario: Scenario): Result<string, string> {
  return plainText(scenario);
}

/** The scenario that data stands for. */
export function scenarioFrom(data: ScenarioData): Result<Scenario, string> {
  const { nodesMin, lasts, startsWithin, liveness, conditions, participants, excerpt, ...given } = data;
  try {
    return ok(
      defineScenario({
        ...given,
        participants: participants.map(({ name, merchant, arbitratorStake, openTokens }) => ({
          ...{ name, ...(merchant && { merchant }) },
          ...(arbitratorStake !== null && { arbitratorStake }),
          ...(openTokens !== null && { openTokens }),
        })),
        ...(nodesMin !== null && { nodesMin }),
        ...(lasts !== null && { lasts }),
        ...(startsWithin !== null && { startsWithin }),
        ...(excerpt !== null && { excerpt }),
        ...(liveness !== null && { liveness }),
        ...(conditions !== null && { conditions: { ...healthyLink, ...changesOf(conditions) } }),
      }),
    );
  } catch (error) {
    if (error instanceof RangeError) return err(error.message);
    throw error;
  }
}

/** JSON Schema of a scenario's file, for editors that complete and check what is typed. */
export function scenarioSchema(): object {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Scenario",
    ...closed(schemaOf(ScenarioData)),
  };
}

/** The same schema in which a member that nobody knows is an error. */
function closed(schema: object): object {
  const entries = Object.entries(schema).map(([name, value]): [string, unknown] => {
    if (Array.isArray(value)) return [name, value.map((item) => (isObject(item) ? closed(item) : item))];
    return [name, isObject(value) ? closed(value) : value];
  });
  // Without members of its own, it is an object of any.
  const isStruct = entries.some(([name, value]) => name === "properties" && isObject(value) && hasAny(value));
  return { ...Object.fromEntries(entries), ...(isStruct && { additionalProperties: false }) };
}

function hasAny(value: object): boolean {
  return Object.keys(value).length > 0;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
