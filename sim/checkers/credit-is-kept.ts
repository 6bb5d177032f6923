/**
 * A peer cannot push more than its credit: of two hundred events at once and twenty a second, by the node's own clock,
 * each that changed what the node keeps or remembers was paid for. What brings nothing new is free. Of the two hundred,
 * a peer that the node did not dial has four of its own, and the others only as far as two hundred that all such peers
 * share, and twenty a second, allow: so that a new peer id gives nobody anything.
 * Source: protocol 01 §13.1, W2; CONVERGENCE "Three layers", B3.
 */
import { Events } from "../../core/testing.ts";
import type { CheckContext, Checker, StepSeen } from "../checker.ts";
import { carriedBy } from "./frames.ts";

/** Written down apart from the core. Source: protocol 01 §13.1; CONVERGENCE B3. */
const AT_ONCE = 200;
const PER_SECOND = 20;
const OWN_AT_FIRST = 4;
/** What fractions of a second may add up to otherwise. */
const THOUSANDTH = 0.001;

interface Credit {
  /** What it was given with time, and what it may have in advance. */
  own: number;
  advance: number;
  at: bigint;
}

interface Purse {
  left: number;
  at: bigint;
}

/** What one node has given to whom. */
interface Given {
  readonly links: Map<string, Credit>;
  readonly dialled: Set<string>;
  /** What newcomers share, from the first that was taken of it: a clock that went back before then is no matter. */
  purse: Purse | undefined;
}

/** Nobody pushes past his credit. */
export function creditIsKept({ violate, keep, profile }: CheckContext): Checker {
  const nodes = keep(() => new Map<number, Given>());
  // A memory that is built again knows of no credit that was used.
  const forget = (node: number) => void nodes.delete(node);
  return {
    name: "credit-is-kept",
    onStep(step) {
      const { node, input } = step;
      if (profile.parity) return;
      if (input.type === "peer.connected") {
        const given = givenBy(nodes, node);
        if (input.address !== null) given.dialled.add(input.peer);
        linkOf(given, input.peer, input.now);
      }
      if (input.type !== "message.received" || !isTakenPush(step)) return;
      const given = givenBy(nodes, node);
      const link = linkOf(given, input.from, input.now);
      refill(given, link, input.now);
      link.own -= 1;
      if (link.own >= -THOUSANDTH) return;
      const advance = Math.min(-link.own, 1);
      link.own += advance;
      link.advance -= advance;
      given.purse ??= { left: AT_ONCE, at: input.now };
      given.purse.left -= advance;
      if (link.advance < -THOUSANDTH) violate(`node ${node} takes more from ${input.from} than its credit`);
      else if (!given.dialled.has(input.from) && given.purse.left < -THOUSANDTH)
        violate(`node ${node} takes more from newcomers than one of them may bring`);
    },
    onCrash: ({ node }) => forget(node),
    onCommit: ({ node, report }) => (report.type === "failed" ? forget(node) : undefined),
  };
}

function isTakenPush({ input, changes }: StepSeen): boolean {
  if (input.type !== "message.received") return false;
  if (!changes.some(({ table, record }) => table === Events.name && record !== undefined)) return false;
  return carriedBy(input.bytes, "GossipPush") !== undefined;
}

function givenBy(nodes: Map<number, Given>, node: number): Given {
  const held = nodes.get(node) ?? { links: new Map(), dialled: new Set(), purse: undefined };
  nodes.set(node, held);
  return held;
}

/** Of a peer that the node dialled, everything is its own. */
function linkOf({ links, dialled }: Given, peer: string, now: bigint): Credit {
  const own = dialled.has(peer) ? AT_ONCE : OWN_AT_FIRST;
  const held = links.get(peer) ?? { own, advance: AT_ONCE - own, at: now };
  links.set(peer, held);
  return held;
}

function refill({ purse }: Given, link: Credit, now: bigint): void {
  if (now > link.at) {
    link.own = Math.min(AT_ONCE, link.own + (Number(now - link.at) * PER_SECOND) / 1_000);
    link.advance = Math.min(link.advance, AT_ONCE - link.own);
    link.at = now;
  }
  if (purse !== undefined && now > purse.at) {
    purse.left = Math.min(AT_ONCE, purse.left + (Number(now - purse.at) * PER_SECOND) / 1_000);
    purse.at = now;
  }
}
