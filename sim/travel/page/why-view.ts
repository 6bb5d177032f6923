/**
 * The chain of events behind a field, each of which can be gone to.
 */
import { clockText } from "../../clock-text.ts";
import { at, h, show } from "../../serve/page/dom.ts";
import type { Question } from "../why.ts";
import { origins, roles, whyIs } from "../why.ts";
import type { Run } from "./run-data.ts";
import { placeOf } from "./run-data.ts";

export function showWhy(run: Run, question: Question, choose: (place: number) => void): void {
  const { node, table, key, member } = question;
  const heading = h("h3", { tabindex: -1 }, `${member ?? "the row"} of ${table} ${key} on node ${node}`);
  const reason = whyIs(run.recording, question);
  if (reason === undefined) {
    const { from } = run.recording;
    const why = from > 1 ? `it was so before event ${from}, where this page begins` : "no event wrote it";
    show(at("why"), heading, h("p", {}, why));
  } else {
    const links = reason.links.map(({ role, event, time, node: where, label }) => {
      const place = placeOf(run, event);
      const go = h(
        "button",
        { type: "button", class: "plain", disabled: place < 0, onclick: () => choose(place) },
        `event ${event}`,
      );
      return h(
        "li",
        {},
        go,
        ` at ${clockText(time)}, node ${where} ${roles[role]}: `,
        h("span", { class: "mono" }, label),
      );
    });
    show(
      at("why"),
      heading,
      h("p", { class: "mono" }, `was ${reason.before ?? "nothing"}`),
      h("p", { class: "mono" }, `became ${reason.after ?? "nothing"}`),
      h("ol", { class: "chain-of-events" }, ...links),
      h("p", {}, `It goes back to ${origins[reason.origin]}.`),
    );
  }
  at("why-part").scrollIntoView();
  heading.focus({ preventScroll: true });
}
