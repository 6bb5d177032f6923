/**
 * What breaks in a drawn world: a row for every kind of fault, which the compiler demands. Source: DESIGN section 5
 * "Faults".
 */
import type { Infer } from "../../core/index.ts";
import type { Given, LinkChanges } from "../data/conditions.ts";
import type { FaultDataKind, FaultPlan, Span } from "../fault-plans.ts";
import * as plans from "../fault-plans.ts";
import { MILLION } from "../random.ts";
import { seconds } from "../scenario.ts";
import type { WearKind } from "../wear-kinds.ts";
import { drawAttacker } from "./attackers.ts";
import type { Dice } from "./dice.ts";
import type { Roster } from "./roster.ts";
import { spanIn } from "./spans.ts";

/** Faults of one world at most. */
const TROUBLES = 8;
/** By how much a clock may be wrong, in milliseconds: two of them stay within five minutes of each other. */
const CLOCK_OFF_MS = 140_000;
/** Slots that a fork may leave the chain back: finality comes later. */
const FORK_DEPTH = 30;
const NODES_OF_CUT = 2;

/** Draws a fault; nothing where the world cannot have one of its kind. */
type Row = (dice: Dice, roster: Roster) => FaultPlan | undefined;

const rows: { readonly [K in Exclude<FaultDataKind, WearKind>]: Row } = {
  partition: (dice, roster) => {
    if (roster.nodes < NODES_OF_CUT) return undefined;
    const order = dice.shuffled(nodesOf(roster));
    const cut = dice.between(1, roster.nodes - 1);
    return plans.partition([order.slice(0, cut), order.slice(cut)], { ...span(dice, roster), oneWay: dice.oneIn(3) });
  },
  "network-conditions": (dice, roster) => plans.networkConditions(linkChanges(dice), span(dice, roster)),
  "poor-link": (dice, roster) =>
    pair(dice, roster, (sender, receiver) => plans.poorLink(sender, receiver, linkChanges(dice), span(dice, roster))),
  "half-open": (dice, roster) =>
    pair(dice, roster, (forgetful, other) => plans.halfOpen(forgetful, other, { at: span(dice, roster).from })),
  crash: (dice, roster) => {
    const { from, until } = span(dice, roster);
    return plans.crash(dice.below(roster.nodes), { from, until: dice.oneIn(2) ? from : until });
  },
  pause: (dice, roster) => plans.pause(dice.below(roster.nodes), span(dice, roster)),
  "slow-node": (dice, roster) => plans.slowNode(dice.below(roster.nodes), dice.between(1, 100), span(dice, roster)),
  "wrong-clock": (dice, roster) =>
    plans.wrongClock(dice.below(roster.nodes), dice.between(-CLOCK_OFF_MS, CLOCK_OFF_MS), span(dice, roster)),
  "clock-jump": (dice, roster) =>
    plans.clockJump(dice.below(roster.nodes), dice.between(-CLOCK_OFF_MS, CLOCK_OFF_MS), {
      at: span(dice, roster).from,
    }),
  "bad-disk": (dice, roster) => {
    const kinds = ["lie", "full", "torn", "unreadable"] as const;
    return plans.badDisk(dice.below(roster.nodes), chances(dice, dice.half(kinds)), span(dice, roster));
  },
  "bad-files": (dice, roster) => {
    const kinds = ["full", "unreachable", "cut", "damaged"] as const;
    return plans.badFiles(dice.below(roster.nodes), chances(dice, dice.half(kinds)), span(dice, roster));
  },
  "bad-endpoint": (dice, roster) => {
    if (!roster.hasChain) return undefined;
    const changes = {
      ...chances(dice, dice.half(["failure", "timeout", "repeat", "lie"] as const)),
      ...(dice.oneIn(2) && { lagSlots: BigInt(dice.between(1, 100)) }),
      ...(dice.oneIn(3) && { requestsPerSecond: dice.between(1, 20) }),
    };
    return plans.badEndpoint(dice.below(roster.nodes), changes, span(dice, roster));
  },
  attacker: (dice, roster) => drawAttacker(dice, roster, span(dice, roster)),
  reorganization: (dice, roster) =>
    roster.hasChain
      ? plans.reorganization(span(dice, roster).from, dice.between(1, FORK_DEPTH), forkTerms(dice))
      : undefined,
  "forked-chain": (dice, roster) => {
    if (!roster.hasChain) return undefined;
    const { from, until } = span(dice, roster);
    const winner = dice.pick(["main", "rival"] as const);
    const followers = dice.half(nodesOf(roster));
    return plans.forkedChain(followers, winner, {
      ...{ from, until: Math.min(until, from + seconds(10)) },
      ...{ depth: dice.between(0, 4), ...forkTerms(dice) },
    });
  },
  "stalled-finality": (dice, roster) => (roster.hasChain ? plans.stalledFinality(span(dice, roster)) : undefined),
  "skipped-slots": (dice, roster) =>
    roster.hasChain ? plans.skippedSlots(dice.between(1, MILLION / 2), span(dice, roster)) : undefined,
  "bad-submissions": (dice, roster) => {
    if (!roster.hasChain) return undefined;
    const conditions = {
      ...chances(dice, dice.half(["drop", "fail", "late"] as const)),
      lateSlots: BigInt(dice.between(1, 40)),
    };
    return plans.badSubmissions(conditions, span(dice, roster));
  },
};

/** Every kind of fault, in the order of the table. */
export const troubleKinds = Object.keys(rows) as readonly (keyof typeof rows)[];

/**
 * Some faults of some kinds: which kinds there are at all is drawn first, so that a few of one kind meet in one world
 * and are left out in another, which finds more than all of them everywhere. Source: DESIGN section 5 "Faults".
 */
export function troublesOf(dice: Dice, roster: Roster): readonly FaultPlan[] {
  const kinds = dice.half(troubleKinds);
  const count = dice.between(0, TROUBLES);
  const drawn = Array.from({ length: count }, () => rows[dice.pick(kinds)](dice, roster));
  return apart(drawn.flatMap((fault) => fault ?? []));
}

/**
 * In every other world whose chain is forked for a while, an endpoint that answers now from one branch and now from the
 * other. Alone, without a fork just then, it would contradict nobody; and branches that part within four slots hold the
 * same, mostly, so this fork leaves the chain earlier.
 */
export function contradicted(dice: Dice, roster: Roster, faults: readonly FaultPlan[]): readonly FaultPlan[] {
  const fork = faults.find((fault) => fault.kind === "forked-chain");
  if (fork?.kind !== "forked-chain" || dice.oneIn(2)) return faults;
  const isFree = (node: number) =>
    !fork.followers.includes(node) && !faults.some((fault) => fault.kind === "bad-endpoint" && fault.node === node);
  const free = nodesOf(roster).filter(isFree);
  if (free.length === 0) return faults;
  const deeper = { ...fork, depth: dice.between(FORK_DEPTH / 2, FORK_DEPTH) };
  const endpoint = plans.badEndpoint(dice.pick(free), { follows: "either" }, fork);
  return [...faults.map((fault) => (fault === fork ? deeper : fault)), endpoint];
}

/** One fork at a time, one wrong clock a node, one bad time for a disk: what two of a kind would undo of each other. */
function apart(faults: readonly FaultPlan[]): readonly FaultPlan[] {
  const seen = new Set<string>();
  return faults.filter((fault) => {
    const name = exclusiveName(fault);
    if (name === undefined) return true;
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

function exclusiveName(fault: FaultPlan): string | undefined {
  switch (fault.kind) {
    case "reorganization":
    case "forked-chain":
    case "stalled-finality":
      return "fork";
    case "wrong-clock":
    case "clock-jump":
      return `clock ${fault.node}`;
    case "bad-disk":
    case "bad-files":
    case "bad-endpoint":
    case "slow-node":
    case "pause":
    case "crash":
      return `${fault.kind} ${fault.node}`;
    case "poor-link":
      return `link ${fault.sender} ${fault.receiver}`;
    case "network-conditions":
    case "bad-submissions":
      return fault.kind;
    default:
      return undefined;
  }
}

function nodesOf({ nodes }: Roster): readonly number[] {
  return Array.from({ length: nodes }, (_, node) => node);
}

function span(dice: Dice, { lasts }: Roster): Span {
  return spanIn(dice, lasts);
}

function pair(dice: Dice, roster: Roster, make: (one: number, other: number) => FaultPlan): FaultPlan | undefined {
  if (roster.nodes < NODES_OF_CUT) return undefined;
  const [one = 0, other = 1] = dice.shuffled(nodesOf(roster));
  return make(one, other);
}

function chances<const K extends string>(dice: Dice, names: readonly K[]): { readonly [N in K]?: number } {
  return Object.fromEntries(names.map((name) => [name, dice.between(1, MILLION / 4)])) as { [N in K]?: number };
}

function forkTerms(dice: Dice): { readonly late: number; readonly lost: number } {
  return { late: dice.between(0, MILLION / 2), lost: dice.between(0, MILLION / 2) };
}

function linkChanges(dice: Dice): Given<Infer<typeof LinkChanges>> {
  const changes: Readonly<Record<string, Given<Infer<typeof LinkChanges>>>> = {
    loss: { loss: dice.between(1, MILLION / 4) },
    duplication: { duplication: dice.between(1, MILLION / 4) },
    jitter: {
      jitter: {
        chance: dice.between(1, MILLION / 4),
        delay: { type: "heavy", least: 20, most: dice.between(40, 4_000) },
      },
    },
    bandwidth: { bytesPerMs: dice.between(2, 200) },
    latency: { latency: { type: "exponential", least: 5, mean: dice.between(10, 800) } },
  };
  return Object.assign({}, ...dice.half(Object.values(changes))) as Given<Infer<typeof LinkChanges>>;
}
