/**
 * The plainest action: a person asks a node something that changes nothing, and tells what it said.
 */
import type { Infer } from "../../core/index.ts";
import { otherwise } from "../data/values.ts";
import type { ActionRows, Timed } from "./action-row.ts";
import { actionForm, begins } from "./action-row.ts";
import { ReadMethod, ReadParams } from "./expect.ts";

/** When to ask, which node, and with which parameters. */
export interface AskOptions extends Timed {
  readonly params?: ReadParams;
}

export const askForms = {
  ask: actionForm("ask", { method: ReadMethod, params: otherwise<ReadParams>(ReadParams, {}) }),
};

type Ask = Infer<(typeof askForms)["ask"]>;

/** Calls one method at a node and tells what it answered. */
export function ask(actor: string, method: ReadMethod, { params = {}, ...when }: AskOptions): Ask {
  return { ...begins("ask", actor, when), method, params };
}

export const askRows: ActionRows<typeof askForms> = {
  ask: {
    title: ({ method }) => `ask ${method}`,
    *run(person, scene, { actor, method, params }) {
      const result = yield* person.must(method, params);
      scene.tell(`${actor} asks node ${person.via} ${method}: ${JSON.stringify(result)}`);
    },
  },
};
