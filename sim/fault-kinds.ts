/**
 * What each kind of declared fault does: a line for people, what it injects, which nodes it names, how it begins and
 * ends. One row a kind; the compiler demands each. Source: DESIGN section 5 "Faults", L12.
 */
import { act, goOnWith } from "./byzantine/attack-kinds.ts";
import type { Attacker } from "./byzantine/attacker.ts";
import { joinAsAttacker } from "./byzantine/attacker.ts";
import { SLOT_MS } from "./chain/slots.ts";
import type { ChainFaults, Stall } from "./chain-faults.ts";
import { changesOf } from "./data/conditions.ts";
import { healthyDisk } from "./disk.ts";
import type { FaultData, FaultDataKind, FaultOf, FaultPlan } from "./fault-plans.ts";
import type { FaultMemory, FaultRow, FaultScene } from "./fault-row.ts";
import { nodeOf, ofNode } from "./fault-row.ts";
import type { FaultKind, Injection } from "./faults.ts";
import { healthyFiles } from "./files.ts";
import type { LinkConditions } from "./links.ts";
import type { Groups } from "./network-faults.ts";
import { changeNetworkConditions, cut, halfOpen, restoreNetworkConditions, uncut } from "./network-faults.ts";
import type { Block } from "./network-state.ts";
import { setConditions } from "./network-state.ts";
import { wearRows } from "./wear-kinds.ts";

const none = () => [];
const kindsOf = (changes: object, by: Readonly<Record<string, FaultKind>>): readonly FaultKind[] => [
  ...new Set(Object.keys(changesOf(changes)).flatMap((name) => by[name] ?? [])),
];
const names = (changes: object) => Object.keys(changesOf(changes)).join(", ");

const ofLink: Readonly<Record<string, FaultKind>> = {
  loss: "loss",
  duplication: "duplication",
  jitter: "reordering",
  bytesPerMs: "bandwidth",
  corruption: "corruption",
};
const ofDisk: Readonly<Record<string, FaultKind>> = {
  lie: "disk-lost-writes",
  full: "disk-full",
  torn: "disk-torn-write",
  unreadable: "disk-read-error",
};
const ofFiles: Readonly<Record<string, FaultKind>> = {
  full: "file-unwritten",
  unreachable: "file-unreachable",
  cut: "file-damaged",
  damaged: "file-damaged",
};
const ofEndpoint: Readonly<Record<string, FaultKind>> = {
  failure: "chain-failure",
  timeout: "chain-timeout",
  requestsPerSecond: "chain-rate-limit",
  lagSlots: "chain-lag",
  follows: "chain-contradiction",
  lie: "chain-lie",
  repeat: "chain-duplicate",
  withhold: "chain-failure",
  forge: "chain-lie",
};
const ofSubmissions: Readonly<Record<string, FaultKind>> = {
  drop: "chain-drop",
  fail: "chain-fail",
  late: "chain-late",
};

const rows: { readonly [K in FaultDataKind]: FaultRow<FaultOf<K>> } = {
  partition: {
    text: ({ groups, oneWay }) => `partition ${partsOf(groups, oneWay)}`,
    injects: () => ["partition"],
    nodes: ({ groups }) => groups.flat(),
    check: ({ groups }) => {
      if (groups.length < 2 || groups.some((group) => group.length === 0)) return "a cut needs two groups of nodes";
      return new Set(groups.flat()).size < groups.flat().length ? "a node stands in one group" : undefined;
    },
    groups: ({ groups }) => groups,
    begin({ world }, { groups, oneWay }) {
      const block = cut(world.network, { groups, oneWay });
      world.tell(`the network is cut: ${partsOf(groups, oneWay)}`);
      return block;
    },
    end({ world }, { groups, oneWay }, block) {
      uncut(world.network, block as Block);
      world.tell(`the cut is over: ${partsOf(groups, oneWay)}`);
    },
  },
  "network-conditions": {
    text: ({ conditions }) => `network conditions ${names(conditions)}`,
    injects: ({ conditions }) => kindsOf(conditions, ofLink),
    parts: ofLink,
    nodes: none,
    begin: ({ world }, { conditions }) => changeNetworkConditions(world.network, changesOf(conditions)),
    end: ({ world }, _, change) => restoreNetworkConditions(world.network, change as Partial<LinkConditions>),
  },
  "poor-link": {
    text: ({ sender, receiver }) => `poor link ${sender} -> ${receiver}`,
    injects: ({ conditions }) => kindsOf(conditions, ofLink),
    parts: ofLink,
    nodes: ({ sender, receiver }) => [sender, receiver],
    check: ({ sender, receiver }) => (sender === receiver ? "a link has two ends" : undefined),
    begin({ world: { network } }, { sender, receiver, conditions }) {
      setConditions(network, sender, receiver, { ...network.held.conditions, ...changesOf(conditions) });
    },
    end: ({ world: { network } }, { sender, receiver }) => setConditions(network, sender, receiver, null),
  },
  "half-open": {
    text: ({ forgetful, other }) => `half-open ${forgetful} x- ${other}`,
    injects: () => ["half-open"],
    nodes: ({ forgetful, other }) => [forgetful, other],
    check: ({ forgetful, other }) => (forgetful === other ? "a connection has two ends" : undefined),
    begin: ({ world }, { forgetful, other }) => halfOpen(world.network, forgetful, other),
  },
  crash: {
    text: ({ node, from, until }) => `${from === until ? "restart" : "crash"} ${node}`,
    injects: () => ["crash"],
    nodes: ofNode,
    begin({ world }, { node }) {
      const target = nodeOf(world, node);
      world.faults.count("crash", target.driver() !== undefined);
      target.crash(true);
    },
    end: ({ world }, { node }) => nodeOf(world, node).start(),
  },
  pause: {
    text: ({ node }) => `pause ${node}`,
    injects: () => ["pause"],
    nodes: ofNode,
    begin: ({ world }, { node }) => nodeOf(world, node).pause(world.faults.inject("pause")),
    end: ({ world }, { node }) => nodeOf(world, node).resume(),
  },
  "slow-node": {
    text: ({ node }) => `slow node ${node}`,
    injects: () => ["slow-node"],
    nodes: ofNode,
    begin: ({ world }, { node, busyMs }) => nodeOf(world, node).setBusyMs(busyMs, world.faults.inject("slow-node")),
    end: ({ world }, { node }) => nodeOf(world, node).setBusyMs(0),
  },
  "wrong-clock": {
    text: ({ node, byMs }) => `clock of ${node} off by ${byMs} ms`,
    injects: () => ["clock-skew"],
    nodes: ofNode,
    begin: ({ world }, { node, byMs }) => nodeOf(world, node).skewClock(byMs, world.faults.inject("clock-skew")),
    end: ({ world }, { node, byMs }) => nodeOf(world, node).skewClock(-byMs),
  },
  "clock-jump": {
    text: ({ node, byMs }) => `clock of ${node} jumps by ${byMs} ms`,
    injects: () => ["clock-jump"],
    nodes: ofNode,
    begin: ({ world }, { node, byMs }) => nodeOf(world, node).skewClock(byMs, world.faults.inject("clock-jump")),
    end: ({ world }, { node, byMs }) => nodeOf(world, node).skewClock(-byMs),
  },
  ...wearRows,
  "bad-disk": {
    text: ({ node, conditions }) => `bad disk ${node}: ${names(conditions)}`,
    injects: ({ conditions }) => kindsOf(conditions, ofDisk),
    parts: ofDisk,
    nodes: ofNode,
    begin({ world }, { node, conditions }) {
      nodeOf(world, node).disk.setConditions({ ...healthyDisk, ...changesOf(conditions) });
    },
    end: ({ world }, { node }) => nodeOf(world, node).disk.setConditions(healthyDisk),
  },
  "bad-files": {
    text: ({ node, conditions }) => `bad files ${node}: ${names(conditions)}`,
    injects: ({ conditions }) => kindsOf(conditions, ofFiles),
    parts: ofFiles,
    nodes: ofNode,
    begin({ world }, { node, conditions }) {
      nodeOf(world, node).files.setConditions({ ...healthyFiles, ...changesOf(conditions) });
    },
    end: ({ world }, { node }) => nodeOf(world, node).files.setConditions(healthyFiles),
  },
  "bad-endpoint": {
    text: ({ node, conditions }) => `bad endpoint ${node}: ${names(conditions)}`,
    injects: ({ conditions }) => kindsOf(conditions, ofEndpoint),
    parts: ofEndpoint,
    nodes: ofNode,
    begin: ({ chain }, { node, conditions }) => chain?.setConditions(node, changesOf(conditions)),
    end: ({ chain }, { node }) => chain?.setConditions(node, {}),
  },
  attacker: {
    text: ({ name, attack }) => `attacker ${name}: ${attack.kind}`,
    injects: () => ["peer"],
    nodes: none,
    begin(scene, { name }) {
      const injection = scene.world.faults.inject("peer");
      const joined = attackerOf(scene, name);
      for (const node of scene.world.nodes) joined.dial(node.address);
      return injection;
    },
    times: ({ times }) => times,
    act(scene, fault, injection, time) {
      const attacker = attackerOf(scene, fault.name);
      if (attacker.victims.size > 0) scene.world.faults.bite(injection as Injection);
      act(attacker, fault.attack, attackSpan(fault), time);
    },
    resume: (scene, fault, acted) =>
      goOnWith(attackerOf(scene, fault.name), fault.attack, attackSpan(fault), acted > 0),
  },
  reorganization: {
    text: ({ depth }) => `reorganization of ${depth} slots`,
    injects: () => ["chain-fork"],
    nodes: none,
    forks: true,
    begin: ({ chain }, { depth, late, lost }) => chain?.reorganize(BigInt(depth), { late, lost }),
  },
  "forked-chain": {
    text: ({ followers, winner }) => `forked chain: ${followers.join(",")} on the rival, ${winner} wins`,
    injects: () => ["chain-fork"],
    nodes: ({ followers }) => followers,
    forks: true,
    begin: forkChain,
    end: settleChain,
  },
  "stalled-finality": {
    text: () => "stalled finality",
    injects: () => ["chain-stall"],
    nodes: none,
    begin: ({ chain }) => chain?.stall(),
    end: ({ chain }, _, stall) => chain?.goOn(stall as Stall),
  },
  "skipped-slots": {
    text: ({ chance }) => `skipped slots, ${chance} in a million`,
    injects: () => ["chain-skipped-slot"],
    nodes: none,
    begin({ chain }, { chance, from, until }) {
      chain?.skipSlots(slotAt(from), slotAt(until), chance);
    },
  },
  "bad-submissions": {
    text: ({ conditions }) => `bad submissions: ${names(conditions)}`,
    injects: ({ conditions }) => kindsOf(conditions, ofSubmissions),
    parts: ofSubmissions,
    nodes: none,
    begin: ({ chain }, { conditions }) => chain?.setSubmissions(changesOf(conditions)),
    end: ({ chain }) => chain?.setSubmissions({}),
  },
};

/** The attacker of a name; the first who asks brings it into the network. */
function attackerOf({ world, attackers }: FaultScene, name: string): Attacker {
  const attacker = attackers.get(name) ?? joinAsAttacker(world, name);
  attackers.set(name, attacker);
  return attacker;
}

function attackSpan({ times, from, until }: FaultOf<"attacker">): { readonly times: number; readonly overMs: number } {
  return { times, overMs: until - from };
}

function follow(chain: ChainFaults, followers: readonly number[], branch: "main" | "rival"): void {
  for (const node of followers) chain.setConditions(node, { ...chain.conditionsOf(node), follows: branch });
}

async function forkChain({ world, chain }: FaultScene, fault: FaultOf<"forked-chain">): Promise<void> {
  if (chain === undefined) return;
  await chain.fork(BigInt(fault.depth), fault);
  follow(chain, fault.followers, "rival");
  world.tell("the chain is forked");
}

async function settleChain({ world, chain }: FaultScene, fault: FaultOf<"forked-chain">): Promise<void> {
  if (chain === undefined) return;
  await chain.settle(fault.winner);
  follow(chain, fault.followers, "main");
  world.tell(`the chain is one again: the ${fault.winner} branch won`);
}

function partsOf(groups: Groups, oneWay: boolean): string {
  return groups.map((group) => group.join(",")).join(oneWay ? " -/> " : " | ");
}

function slotAt(ms: number): bigint {
  return BigInt(Math.floor(ms / Number(SLOT_MS)));
}

/** The row of a fault's own kind. */
function rowOf<F extends FaultData>(fault: F): FaultRow<F> {
  return rows[fault.kind] as unknown as FaultRow<F>;
}

/** One line for people. */
export function faultText(fault: FaultPlan): string {
  return fault.kind === "code" ? fault.text : rowOf(fault).text(fault);
}

/** The kinds that a fault injects; a run reports each of them, injected or not. */
export function injectedBy(fault: FaultPlan): readonly FaultKind[] {
  return fault.kind === "code" ? fault.injects : rowOf(fault).injects(fault);
}

/**
 * A fault without one of the kinds that it injects: without the conditions which come to that; nothing, where nothing
 * else is left of it.
 */
export function without(fault: FaultPlan, kind: FaultKind): FaultPlan | undefined {
  if (fault.kind === "code" || !("conditions" in fault)) return undefined;
  const parts = rowOf<FaultData>(fault).parts ?? {};
  const conditions = Object.fromEntries(
    Object.entries(fault.conditions).map(([name, value]) => [name, parts[name] === kind ? null : value]),
  );
  const isLeft = Object.keys(changesOf(conditions)).length > 0;
  return isLeft ? ({ ...fault, conditions } as FaultPlan) : undefined;
}

/** When a fault begins and ends, in virtual milliseconds. */
export function spanOf(fault: FaultPlan): { readonly from: number; readonly until: number } {
  return "at" in fault ? { from: fault.at, until: fault.at } : { from: fault.from, until: fault.until };
}

/** The nodes that a fault keeps apart. */
export function groupsOf(fault: FaultPlan): Groups {
  return fault.kind === "code" ? [] : (rowOf(fault).groups?.(fault) ?? []);
}

export function forksChain(fault: FaultPlan): boolean {
  return fault.kind !== "code" && rowOf(fault).forks === true;
}

/** Why a fault makes no sense in a network of so many nodes, if so. */
export function senselessFault(fault: FaultPlan, nodes: number): string | undefined {
  const { from, until } = spanOf(fault);
  if (until < from) return `until ${until} is before from ${from}`;
  if (fault.kind === "code") return undefined;
  const row = rowOf(fault);
  const missing = row.nodes(fault).find((node) => node >= nodes);
  if (missing !== undefined) return `there is no node ${missing}; nodes are 0 to ${nodes - 1}`;
  return row.check?.(fault);
}

/** Begins a fault; the answer is for its end. */
export function beginFault(scene: FaultScene, fault: FaultData): FaultMemory | Promise<FaultMemory> {
  return rowOf(fault).begin(scene, fault);
}

/** Takes a fault back. */
export function endFault(scene: FaultScene, fault: FaultData, memory: FaultMemory): void | Promise<void> {
  return rowOf(fault).end?.(scene, fault, memory);
}

/** How often a fault acts while it lasts. */
export function timesOf(fault: FaultData): number {
  return rowOf(fault).times?.(fault) ?? 0;
}

/** A fault acts, one of several times from 0 on. */
export function actFault(scene: FaultScene, fault: FaultData, memory: FaultMemory, time: number): void {
  rowOf(fault).act?.(scene, fault, memory, time);
}

/** Goes on with a fault that had begun when the world was held, and had acted so many times. */
export function resumeFault(scene: FaultScene, fault: FaultData, acted: number): void {
  rowOf(fault).resume?.(scene, fault, acted);
}
