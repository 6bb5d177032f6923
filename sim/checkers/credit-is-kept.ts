/**
 * A peer cannot push more than its credit: of two hundred events at once and twenty a second, by the node's own clock,
 * each that changed what the node keeps or remembers was paid for. What brings nothing new is free.
 * Source: protocol 01 §13.1, W2; CONVERGENCE "Three layers".
 */
import { decodeCompact } from "../../core/index.ts";
import { Events, Frame } from "../../core/testing.ts";
import type { CheckContext, Checker } from "../checker.ts";

/** Written down apart from the core. Source: protocol 01 §13.1. */
const AT_ONCE = 200;
const PER_SECOND = 20;

interface Credit {
  left: number;
  at: bigint;
}

/** Nobody pushes past his credit. */
export function creditIsKept({ violate, keep, profile }: CheckContext): Checker {
  const nodes = keep(() => new Map<number, Map<string, Credit>>());
  // A memory that is built again knows of no credit that was used.
  const forget = (node: number) => void nodes.delete(node);
  return {
    name: "credit-is-kept",
    onStep({ node, input, changes }) {
      if (profile.parity || input.type !== "message.received") return;
      if (!changes.some(({ table, record }) => table === Events.name && record !== undefined)) return;
      if (decodeCompact(Frame, input.bytes)?.message_type !== "GossipPush") return;
      const links = nodes.get(node) ?? new Map<string, Credit>();
      nodes.set(node, links);
      const credit = links.get(input.from) ?? { left: AT_ONCE, at: input.now };
      links.set(input.from, credit);
      if (input.now > credit.at) {
        credit.left = Math.min(AT_ONCE, credit.left + (Number(input.now - credit.at) * PER_SECOND) / 1_000);
        credit.at = input.now;
      }
      credit.left -= 1;
      // A thousandth is what fractions of a second may add up to otherwise.
      if (credit.left < -0.001) violate(`node ${node} takes more from ${input.from} than its credit`);
    },
    onCrash: ({ node }) => forget(node),
    onCommit: ({ node, report }) => (report.type === "failed" ? forget(node) : undefined),
  };
}
