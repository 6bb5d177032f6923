/**
 * What the page tells the network: its time, and the faults of nodes, links and chain.
 */
import type { Chain, Status, Time, Topology } from "./answers.ts";
import { at, h, show } from "./dom.ts";
import type { Page } from "./page.ts";
import { instantOf, instantText } from "./wall-clock.ts";

const MILLION = 1_000_000;
const SECOND = 1_000;

/** The buttons and fields for time. */
export function openTimeControls(page: Page): void {
  const bind = (id: string, act: () => Promise<void>) => page.bind(id, act);
  bind("pause", () => page.order("sim_pause"));
  bind("resume", () => page.order("sim_resume", { factor: numberIn("factor") }));
  for (const step of document.querySelectorAll<HTMLElement>("[data-step]"))
    page.bind(step.id, () => page.order("sim_increaseTime", { ms: Number(step.dataset.step) }));
  page.bindForm("advance", () => page.order("sim_increaseTime", { ms: Math.round(numberIn("seconds") * SECOND) }));
  page.bindForm("set-time", async () => {
    const time = instantOf(at<HTMLInputElement>("instant").value);
    if (time === undefined) throw new Error("an instant is a day and a time, in UTC");
    await page.order("sim_setNextTime", { time });
  });
}

/** The switches for faults; those of nodes are for the nodes that are chosen. */
export function openFaultControls(page: Page): void {
  const chosen = (): readonly number[] => {
    const nodes = [...page.view.chosen];
    if (nodes.length === 0) throw new Error("choose nodes in the drawing first");
    return nodes;
  };
  const each = (method: string, more: object) => async () => {
    for (const node of chosen()) await page.order(method, { node, ...more });
  };
  page.bind("crash", each("sim_crash", {}));
  page.bind("power", each("sim_crash", { power: true }));
  page.bind("restart", each("sim_restart", {}));
  page.bind("add-node", () => page.order("sim_addNode"));
  page.bind("remove-node", each("sim_removeNode", {}));
  page.bind("cut", () => page.order("sim_partition", { groups: [chosen(), others(page, chosen())] }));
  page.bind("cut-one-way", () =>
    page.order("sim_partition", { groups: [chosen(), others(page, chosen())], one_way: true }),
  );
  page.bind("heal", () => page.order("sim_heal"));
  page.bind("choose-none", async () => page.view.choose([]));
  page.bindForm("latency", () =>
    page.order("sim_setLatency", { least: numberIn("latency-least"), most: numberIn("latency-most") }),
  );
  page.bindForm("loss", () =>
    page.order("sim_setLoss", { millionths: Math.round((numberIn("loss-percent") * MILLION) / 100) }),
  );
  page.bindForm("reorg", () => page.order("sim_reorg", { depth: numberIn("depth") }));
  page.bindForm("skip", () => page.order("sim_skipSlots", { slots: numberIn("skipped") }));
  page.bind("stall", () => {
    return page.order("sim_stallFinality", { stalled: at("stall").getAttribute("aria-pressed") !== "true" });
  });
}

/** Shows what is in force. */
export function showState(topology: Topology, status: Status, time: Time, chain: Chain): void {
  const pace = time.factor === null ? "stands still" : time.factor === 1 ? "follows the clock" : `× ${time.factor}`;
  show(at("now"), h("time", {}, `${instantText(time.now)} UTC`), ` ${pace}`);
  at("pause").toggleAttribute("disabled", time.factor === null);
  const equal = h("span", { class: status.converged ? "good" : "note" }, status.converged ? "all equal" : "not equal");
  const broken = status.violations.length;
  const laws = h(
    "span",
    { class: broken === 0 ? "good" : "bad" },
    broken === 0 ? "laws hold" : `${broken} laws broken`,
  );
  show(at("status"), `seed ${status.seed} · slot ${chain.current} · `, equal, " · ", laws);
  show(at("violations"), ...status.violations.slice(0, SHOWN).map((one) => h("p", {}, `${one.law}: ${one.message}`)));
  at("stall").setAttribute("aria-pressed", String(chain.stalled));
  const { latency, loss } = topology;
  const { type, ...bounds } = latency as { readonly type: string } & Readonly<Record<string, unknown>>;
  const wait = Object.entries(bounds).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  show(at("messages"), `latency ${type}, ${wait.join(", ")} ms · loss ${(loss * 100) / MILLION} %`);
}

/** Violations shown at once. */
const SHOWN = 5;

function others({ topology }: Page, nodes: readonly number[]): readonly number[] {
  const all = topology()?.nodes.map(({ node }) => node) ?? [];
  return all.filter((node) => !nodes.includes(node));
}

/** The number in a field. */
function numberIn(id: string): number {
  const { valueAsNumber } = at<HTMLInputElement>(id);
  if (Number.isNaN(valueAsNumber)) throw new Error(`${at(id).getAttribute("aria-label") ?? id} takes a number`);
  return valueAsNumber;
}
