/**
 * The story of one trade: what happened, when it reached which node, and what each shows now.
 */
import type { Story } from "./answers.ts";
import { at, h, runsOf, show } from "./dom.ts";
import type { Page } from "./page.ts";
import { clockText } from "./wall-clock.ts";

/** The fields of the story; answers how to ask for one. */
export function openStoryView(page: Page): (id: string) => void {
  const field = at<HTMLInputElement>("story-id");
  const follow = async (): Promise<void> => {
    const story = await page.api.call("sim_getStory", { id: field.value });
    show(at("story"), ...linesOf(story), ...showsOf(story));
  };
  page.bindForm("find-story", follow);
  page.bindForm("seed", async () => {
    const state = at<HTMLSelectElement>("trade-state").value;
    const { settlement, reservation } = await page.api.call("sim_seedTrade", { state });
    field.value = state.startsWith("Reserv") ? reservation : settlement;
    await follow();
  });
  return (id) => {
    field.value = id;
    page.attempt(follow);
    at("story-heading").scrollIntoView({ block: "start" });
    field.focus({ preventScroll: true });
  };
}

function linesOf({ lines }: Story): readonly HTMLElement[] {
  const items = lines.map(({ at: when, text, nodes, slot, failed }) => {
    const first = nodes[0];
    const reached = nodes.map(({ node, at: then, from }) => {
      const late = Number(then) - Number(when);
      const what = from === null ? "" : `, from node ${from}`;
      const title = `node ${node}, ${late} ms later${what}`;
      return h("li", { title, class: late === 0 ? "first" : "" }, `${node} +${late} ms`);
    });
    const where = slot === null ? `node ${first?.node ?? "?"}` : `chain, slot ${slot}`;
    return h(
      "li",
      { class: `${slot === null ? "signed" : "onchain"}${failed ? " bad" : ""}` },
      h("time", {}, clockText(when)),
      h("b", {}, where),
      h("span", {}, failed ? `${text}: failed` : text),
      h("ol", { class: "reached", "aria-label": slot === null ? "reached nodes" : "seen by nodes" }, ...reached),
    );
  });
  return [h("ol", { class: "timeline" }, ...items)];
}

function showsOf({ shows }: Story): readonly HTMLElement[] {
  const states = new Map<string, Map<string, number[]>>();
  for (const { node, record, state } of shows) {
    const byState = states.get(record) ?? new Map<string, number[]>();
    states.set(record, byState);
    byState.set(state, [...(byState.get(state) ?? []), node]);
  }
  const rows = [...states].map(([record, byState]) => {
    const parts = [...byState].map(([state, nodes]) => `${state} (${runsOf(nodes)})`);
    const text = h("span", { class: byState.size > 1 ? "bad" : "good" }, parts.join(" ≠ "));
    return h("li", {}, h("b", {}, record), " ", text);
  });
  return [h("h3", {}, "What nodes show now"), h("ul", {}, ...rows)];
}
