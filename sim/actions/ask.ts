/**
 * The plainest action: a person asks a node something that changes nothing, and tells what it said.
 */
import type { CodeAction as Action } from "./action-row.ts";

/** When to ask, which node, and with which parameters. */
export interface AskOptions {
  readonly at: number;
  readonly via?: number;
  readonly params?: unknown;
}

/** Calls one method at a node and tells what it answered. */
export function ask(actor: string, method: `get${string}`, { at, via, params = {} }: AskOptions): Action {
  return {
    name: `ask ${method}`,
    actor,
    at,
    ...(via !== undefined && { via }),
    *run(person, scene) {
      const result = yield* person.must(method, params);
      scene.tell(`${actor} asks node ${person.via} ${method}: ${JSON.stringify(result)}`);
    },
  };
}
