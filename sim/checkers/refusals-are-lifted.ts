/**
 * What was refused is asked for once more when that changes which it may rest on: a node remembers no refusal of what
 * it holds, and with a statement that comes every refusal is lifted of what is about its record, and of what creates
 * the record that it is about; one for want of space ends within ten minutes. A refusal that stayed would end by itself
 * within minutes or days, so nothing else sees it. Source: CONVERGENCE B4.
 */
import type { Statement } from "../../core/testing.ts";
import { namesOf, Pending, Refusals, Statements, slot } from "../../core/testing.ts";
import type { CheckContext, Checker, StepSeen } from "../checker.ts";

/** For how long a refusal for want of space is remembered at most, in milliseconds. Source: CONVERGENCE B4. */
const FOR_SPACE_MS = 600_000n;

type Change = StepSeen["changes"][number];

/** Nodes keep no refusal that has lost its ground. */
export function refusalsAreLifted({ violate, profile }: CheckContext): Checker {
  return {
    name: "refusals-are-lifted",
    onStep(step) {
      const { node, input, changes, view } = step;
      if (profile.parity || input.type === "store.loaded" || view.size(Refusals) === 0) return;
      for (const change of changes) {
        const refused = change.table === Refusals.name ? view.get(Refusals, change.key) : undefined;
        if (refused?.space === true && refused.until > input.now + FOR_SPACE_MS)
          violate(
            `node ${node} refuses ${change.key} for want of space until ${refused.until}, and it is ${input.now}`,
          );
        if (!isTaken(change)) continue;
        const { key, record } = change;
        if (view.get(Refusals, key) !== undefined)
          violate(`node ${node} holds ${key} and remembers that it refused it`);
        // A second signature is nothing that anything may rest on.
        const { bare, tagged } = record as Statement;
        const left = bare !== null && tagged !== null ? undefined : leftBy(step, change);
        if (left !== undefined) violate(`node ${node} takes ${key} and goes on refusing ${left}, which may rest on it`);
      }
    },
  };
}

function isTaken({ table, record }: Change): boolean {
  return record !== undefined && (table === Statements.name || table === Pending.name);
}

/** A refusal that what came should have lifted. */
function leftBy({ view }: StepSeen, { table, key, record }: Change): string | undefined {
  const statement = record as Statement;
  const about = statement.type.about(statement.payload as never);
  // What waits creates nothing yet.
  const created = table === Statements.name ? namesOf(statement).map((name) => `about ${slot(name)}`) : [];
  const kin = [...created, ...(about === undefined ? [] : [`creates ${slot(about)}`])];
  return kin.flatMap((each) => view.find(Refusals, "kin", each)).find((identity) => identity !== key);
}
