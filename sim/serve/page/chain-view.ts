/**
 * The chain: slots with their levels and forks, the transactions of each, and what one logged.
 */
import type { BlockSeen, Chain } from "./answers.ts";
import { at, h, show } from "./dom.ts";
import type { Page } from "./page.ts";

/** Draws the chain; a transaction shows what it did when it is chosen. */
export function drawChain(page: Page, chain: Chain, drawn: { chain: string }): void {
  const text = JSON.stringify(chain, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
  if (text === drawn.chain) return;
  drawn.chain = text;
  const rivals = chain.rivals.map(({ fork, after }) => `fork ${fork} rivals it since slot ${after}`);
  const parts = [`slot ${chain.current}`, `${chain.forks} forks so far`, ...rivals];
  show(at("chain-state"), [...parts, ...(chain.stalled ? ["finality is stalled"] : [])].join(" · "));
  show(at("slots"), ...chain.slots.map((block) => rowOf(page, block)));
}

function rowOf(page: Page, { slot, level, fork, blockhash, transactions }: BlockSeen): HTMLElement {
  const list = transactions.map(({ signature, instructions, error }) =>
    h(
      "button",
      {
        type: "button",
        class: error === null ? "plain" : "plain bad",
        onclick: () => page.attempt(() => tell(page, signature)),
      },
      instructions.map(shortened).join(", ") || "transaction",
    ),
  );
  const what = blockhash === null ? "skipped" : level;
  return h(
    "tr",
    { class: what },
    h("th", { scope: "row" }, String(slot)),
    h("td", {}, h("span", { class: `level ${what}` }, what)),
    h("td", {}, String(fork)),
    h("td", {}, ...list),
  );
}

/** Programs that are none of ours are named by their address: the beginning of it is enough here. */
function shortened(instruction: string): string {
  return instruction.includes(" ") || instruction.length < ADDRESS_LENGTH ? instruction : `${instruction.slice(0, 6)}…`;
}

const ADDRESS_LENGTH = 32;

async function tell({ api }: Page, signature: string): Promise<void> {
  const { slot, error, instructions, accounts, logs } = await api.call("sim_getTransaction", { signature });
  show(
    at("transaction"),
    h("h3", { tabindex: -1 }, instructions.map(shortened).join(", ")),
    h("p", { class: "dim mono" }, signature),
    h(
      "p",
      { class: error === null ? "good" : "bad" },
      error === null ? `slot ${slot}, succeeded` : `slot ${slot}: ${error}`,
    ),
    h("pre", {}, logs.join("\n")),
    h("details", {}, h("summary", {}, `${accounts.length} accounts`), h("pre", {}, accounts.join("\n"))),
  );
  at("transaction").querySelector("h3")?.focus();
}
