/**
 * What the views of the page share: the client, the drawing, the newest look at the network, and how an order is given
 * and its refusal shown.
 */
import type { Topology } from "./answers.ts";
import type { Api } from "./api.ts";
import { at, show } from "./dom.ts";
import type { NetworkView } from "./network-view.ts";

export interface Page {
  readonly api: Api;
  readonly view: NetworkView;
  topology(): Topology | undefined;
  /** Does something and shows what came of it; then looks again. */
  attempt(act: () => Promise<void>, done?: string): void;
  /** Tells control, and that it was done. */
  order(method: string, params?: object): Promise<void>;
  /** What a button does. */
  bind(id: string, act: () => Promise<void>): void;
  /** What a form does. */
  bindForm(id: string, act: () => Promise<void>): void;
}

/** Shows one line: what was done, or why it was not. */
export function notice(text: string, bad: boolean): void {
  const line = at("notice");
  line.className = bad ? "bad" : "good";
  show(line, text);
}

/** What attempts share; `look` shows the network anew. */
export function openPage(
  api: Api,
  view: NetworkView,
  topology: () => Topology | undefined,
  look: () => Promise<void>,
): Page {
  const attempt: Page["attempt"] = (act, done) => {
    document.body.setAttribute("aria-busy", "true");
    void act()
      .then(() => {
        if (done !== undefined) notice(done, false);
        return look();
      })
      .catch((error: unknown) => notice(error instanceof Error ? error.message : String(error), true))
      .finally(() => document.body.removeAttribute("aria-busy"));
  };
  return {
    ...{ api, view, topology, attempt },
    async order(method, params = {}) {
      await api.order(method, params);
      notice(`${method.replace("sim_", "")} ${JSON.stringify(params)}`, false);
    },
    bind: (id, act) => at(id).addEventListener("click", () => attempt(act)),
    bindForm: (id, act) =>
      at(id).addEventListener("submit", (event) => {
        event.preventDefault();
        attempt(act);
      }),
  };
}
