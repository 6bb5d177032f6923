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
import { drawAttacker } from "./attackers.ts";
import type { Cast } from "./cast.ts";
import type { Dice } from "./dice.ts";

/** Faults of one world at most. */
const TROUBLES_MAX = 8;
/** The first one begins when every node is up. */
const TROUBLE_FROM = seconds(1);
const LASTS_MAX = seconds(40);
/** By how much a clock may be wrong, in milliseconds: two of them stay within the five minutes of protocol 01 §4.4. */
const CLOCK_MS_MAX = 140_000;
/** Slots that a fork may leave the chain back: finality comes later. */
const DEPTH_MAX = 30;
const NODES_OF_CUT_MIN = 2;

/** Draws a fault; nothing where the world cannot have one of its kind. */
type Row = (dice: Dice, cast: Cast) => FaultPlan | undefined;

const rows: { readonly [K in FaultDataKind]: Row } = {
  partition: (dice, cast) => {
    if (cast.nodes < NODES_OF_CUT_MIN) return undefined;
    const order = dice.shuffled(nodesOf(cast));
    const cut = dice.between(1, cast.nodes - 1);
    return plans.partition([order.slice(0, cut), order.slice(cut)], { ...span(dice, cast), oneWay: dice.oneIn(3) });
  },
  "network-conditions": (dice, cast) => plans.networkConditions(linkChanges(dice), span(dice, cast)),
  "poor-link": (dice, cast) =>
    pair(dice, cast, (sender, receiver) => plans.poorLink(sender, receiver, linkChanges(dice), span(dice, cast))),
  "half-open": (dice, cast) =>
    pair(dice, cast, (forgetful, other) => plans.halfOpen(forgetful, other, { at: span(dice, cast).from })),
  crash: (dice, cast) => {
    const { from, until } = span(dice, cast);
    return plans.crash(dice.below(cast.nodes), { from, until: dice.oneIn(2) ? from : until });
  },
  pause: (dice, cast) => plans.pause(dice.below(cast.nodes), span(dice, cast)),
  "slow-node": (dice, cast) => plans.slowNode(dice.below(cast.nodes), dice.between(1, 100), span(dice, cast)),
  "wrong-clock": (dice, cast) =>
    plans.wrongClock(dice.below(cast.nodes), dice.between(-CLOCK_MS_MAX, CLOCK_MS_MAX), span(dice, cast)),
  "clock-jump": (dice, cast) =>
    plans.clockJump(dice.below(cast.nodes), dice.between(-CLOCK_MS_MAX, CLOCK_MS_MAX), { at: span(dice, cast).from }),
  "bad-disk": (dice, cast) => {
    const kinds = ["lie", "full", "torn", "unreadable"] as const;
    return plans.badDisk(dice.below(cast.nodes), chances(dice, dice.half(kinds)), span(dice, cast));
  },
  "bad-files": (dice, cast) => {
    const kinds = ["full", "unreachable", "cut", "damaged"] as const;
    return plans.badFiles(dice.below(cast.nodes), chances(dice, dice.half(kinds)), span(dice, cast));
  },
  "bad-endpoint": (dice, cast) => {
    if (!cast.hasChain) return undefined;
    const changes = {
      ...chances(dice, dice.half(["failure", "timeout", "repeat"] as const)),
      ...(dice.oneIn(2) && { lagSlots: BigInt(dice.between(1, 100)) }),
      ...(dice.oneIn(3) && { requestsPerSecond: dice.between(1, 20) }),
    };
    return plans.badEndpoint(dice.below(cast.nodes), changes, span(dice, cast));
  },
  attacker: (dice, cast) => drawAttacker(dice, cast, span(dice, cast)),
  reorganization: (dice, cast) =>
    cast.hasChain
      ? plans.reorganization(span(dice, cast).from, dice.between(1, DEPTH_MAX), forkTerms(dice))
      : undefined,
  "forked-chain": (dice, cast) => {
    if (!cast.hasChain) return undefined;
    const { from, until } = span(dice, cast);
    const winner = dice.pick(["main", "rival"] as const);
    const followers = dice.half(nodesOf(cast));
    return plans.forkedChain(followers, winner, {
      ...{ from, until: Math.min(until, from + seconds(10)) },
      ...{ depth: dice.between(0, 4), ...forkTerms(dice) },
    });
  },
  "stalled-finality": (dice, cast) => (cast.hasChain ? plans.stalledFinality(span(dice, cast)) : undefined),
  "skipped-slots": (dice, cast) =>
    cast.hasChain ? plans.skippedSlots(dice.between(1, MILLION / 2), span(dice, cast)) : undefined,
  "bad-submissions": (dice, cast) => {
    if (!cast.hasChain) return undefined;
    const conditions = {
      ...chances(dice, dice.half(["drop", "fail", "late"] as const)),
      lateSlots: BigInt(dice.between(1, 40)),
    };
    return plans.badSubmissions(conditions, span(dice, cast));
  },
};

/** Every kind of fault, in the order of the table. */
export const troubleKinds = Object.keys(rows) as readonly FaultDataKind[];

/**
 * Some faults of some kinds: which kinds there are at all is drawn first, so that a few of one kind meet in one world
 * and are left out in another. Source: Groce et al., "Swarm testing" (2012).
 */
export function troublesOf(dice: Dice, cast: Cast): readonly FaultPlan[] {
  const kinds = dice.half(troubleKinds);
  const count = dice.between(0, TROUBLES_MAX);
  const drawn = Array.from({ length: count }, () => rows[dice.pick(kinds)](dice, cast));
  return apart(drawn.flatMap((fault) => fault ?? []));
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

function nodesOf({ nodes }: Cast): readonly number[] {
  return Array.from({ length: nodes }, (_, node) => node);
}

function span(dice: Dice, { lasts }: Cast): Span {
  const from = dice.between(TROUBLE_FROM, lasts - seconds(2));
  return { from, until: Math.min(lasts, from + dice.between(1, LASTS_MAX)) };
}

function pair(dice: Dice, cast: Cast, make: (one: number, other: number) => FaultPlan): FaultPlan | undefined {
  if (cast.nodes < NODES_OF_CUT_MIN) return undefined;
  const [one = 0, other = 1] = dice.shuffled(nodesOf(cast));
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
