/**
 * A node that observed the chain: one that lived through a story, and then finds a fact among its stored rows.
 */

import type { ChainFact } from "../../core/domains/trade/settlements/schema.ts";
import { ChainFacts } from "../../core/domains/trade/settlements/tables.ts";
import { devnetNetwork } from "../../core/index.ts";
import { compactWriter } from "../../core/kernel/compact.ts";
import type { LoneNode } from "./lone-node.ts";
import { loneNode } from "./lone-node.ts";

/** Opens a node under a profile, lets it live through a story, and starts it again with a fact. */
export function observed(
  now: bigint,
  profile: "parity" | "default",
  live: (node: LoneNode) => void,
  fact: ChainFact,
): LoneNode {
  const rows = new Map();
  const told = { profile: { ...devnetNetwork, parity: profile === "parity" } };
  const node = loneNode(now, undefined, rows, told);
  live(node);
  const writer = compactWriter();
  ChainFacts.record.encode(fact, writer);
  rows.set("chain_facts fact", { table: ChainFacts.name, key: "fact", bytes: writer.finish() });
  return node.restart();
}
