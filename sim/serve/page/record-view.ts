/**
 * One record on every node, side by side: nodes that hold the same share a column, and what differs is marked.
 */
import type { Compared } from "./answers.ts";
import { at, h, runsOf, show } from "./dom.ts";
import type { Page } from "./page.ts";

/** The fields that choose a record. */
export function openRecordView(page: Page): void {
  const select = at<HTMLSelectElement>("table");
  const tables = async (): Promise<void> => {
    const node = page.topology()?.nodes.find(({ up }) => up)?.node ?? 0;
    const found = await page.api.call("sim_getTables", { node });
    const chosen = select.value || "settlements";
    const options = found.map(({ table, records }) => {
      return h("option", { value: table, selected: table === chosen }, `${table} (${records})`);
    });
    show(select, ...options);
  };
  select.addEventListener("focus", () => page.attempt(tables));
  page.bindForm("find-record", async () => {
    if (select.value === "") await tables();
    const table = select.value;
    const find = at<HTMLInputElement>("find").value;
    show(at("comparison"));
    show(at("keys"), ...(await found(page, table, find)));
  });
}

/** Keys that some node holds: a record that one lacks is worth a look. */
async function found(page: Page, table: string, find: string): Promise<readonly HTMLElement[]> {
  const up = page.topology()?.nodes.filter((node) => node.up) ?? [];
  const params = { table, find, limit: KEYS };
  const answers = await page.api.batch(up.map(({ node }) => ({ method: "sim_getKeys", params: { node, ...params } })));
  const labels = new Map<string, string>();
  for (const { keys } of answers as readonly { readonly keys: readonly { key: string; label: string }[] }[])
    for (const { key, label } of keys) labels.set(key, label || key);
  if (labels.size === 0) return [h("li", { class: "dim" }, "no node holds such a record")];
  return [...labels].slice(0, KEYS).map(([key, label]) => {
    const act = () => page.attempt(() => compare(page, table, key, label));
    return h("li", {}, h("button", { type: "button", class: "plain", onclick: act }, label));
  });
}

/** Records that are offered at once. */
const KEYS = 50;

async function compare({ api }: Page, table: string, key: string, label: string): Promise<void> {
  const compared = await api.call("sim_compareRecord", { table, key });
  const heading = h("h3", { tabindex: -1 }, `${table}: ${label}`);
  show(at("comparison"), heading, summaryOf(compared), tableOf(compared));
  heading.focus();
}

function summaryOf({ equal, nodes }: Compared): HTMLElement {
  const down = nodes.filter(({ up }) => !up).map(({ node }) => node);
  const text = equal ? "every node that is up holds the same" : "nodes differ";
  return h("p", { class: equal ? "good" : "bad" }, down.length === 0 ? text : `${text}; down: ${runsOf(down)}`);
}

function tableOf({ nodes }: Compared): HTMLElement {
  const versions = new Map<string | null, number[]>();
  for (const { node, up, record } of nodes) {
    if (!up) continue;
    const holders = versions.get(record) ?? [];
    versions.set(record, holders);
    holders.push(node);
  }
  const columns = [...versions].map(([record, holders]) => ({ holders, members: membersOf(record) }));
  const names = new Set(columns.flatMap(({ members }) => [...members.keys()]));
  const heads = columns.map(({ holders, members }) => {
    return h("th", { scope: "col" }, `node ${runsOf(holders)}${members.size === 0 ? " (none)" : ""}`);
  });
  const rows = [...names].map((name) => {
    const values = columns.map(({ members }) => members.get(name) ?? "–");
    const differs = new Set(values).size > 1;
    const mark = differs ? h("span", { class: "mark" }, "≠ differs") : undefined;
    const cells = values.map((value) => h("td", { class: "mono" }, value));
    return h("tr", { class: differs ? "differs" : "same" }, h("th", { scope: "row" }, name, " ", mark), ...cells);
  });
  const head = h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "member"), ...heads));
  const scrolls = { class: "scrolls", tabindex: 0, role: "region", "aria-label": "the record on every node" };
  return h("div", scrolls, h("table", {}, head, h("tbody", {}, ...rows)));
}

/** Members as they are written: a line of two spaces begins one. */
function membersOf(record: string | null): ReadonlyMap<string, string> {
  if (record === null) return new Map();
  const starts = [...record.matchAll(/^ {2}"((?:[^"\\]|\\.)*)": /gm)];
  return new Map(
    starts.map(({ 0: head, 1: name = "", index }, place) => {
      const end = starts[place + 1]?.index ?? record.lastIndexOf("\n}");
      return [
        name,
        record
          .slice(index + head.length, end)
          .trim()
          .replace(/,$/, ""),
      ] as const;
    }),
  );
}
