/**
 * What each kind of declared fault does: a line for people, what it injects, which nodes it names, how it begins and
 * ends. One row a kind; the compiler demands each. Source: DESIGN section 5 "Faults", L12.
 */
import { act } from "./byzantine/attack-kinds.ts";
import { joinAsAttacker } from "./byzantine/attacker.ts";
import { SLOT_MS } from "./chain/slots.ts";
import type { ChainFaults } from "./chain-faults.ts";
import { changesOf } from "./data/conditions.ts";
import { healthyDisk } from "./disk.ts";
import type { FaultData, FaultDataKind, FaultOf, FaultPlan } from "./fault-plans.ts";
import type { FaultKind } from "./faults.ts";
import { healthyFiles } from "./files.ts";
import type { Groups } from "./network-faults.ts";
import { changeNetworkConditions, cut, halfOpen } from "./network-faults.ts";
import { setConditions } from "./network-state.ts";
import type { SimNode } from "./sim-node.ts";
import type { World } from "./world.ts";

/** Where a fault acts. */
export interface FaultScene {
  readonly world: World;
  readonly chain: ChainFaults | undefined;
}

/** Takes a fault back. */
type End = () => void | Promise<void>;

interface FaultRow<F> {
  readonly text: (fault: F) => string;
  readonly injects: (fault: F) => readonly FaultKind[];
  readonly nodes: (fault: F) => readonly number[];
  /** What no schema sees; one line. */
  readonly check?: (fault: F) => string | undefined;
  /** Whether it runs transactions again on another branch, which bankrun cannot. */
  readonly forks?: true;
  /** Of nodes that it keeps apart. */
  readonly groups?: (fault: F) => Groups;
  /** What ends it, if anything does. */
  readonly begin: (scene: FaultScene, fault: F) => End | undefined | Promise<End | undefined>;
}

const none = () => [];
const ofNode = ({ node }: { readonly node: number }) => [node];
const kindsOf = (changes: object, by: Readonly<Record<string, FaultKind>>): readonly FaultKind[] => [
  ...new Set(Object.keys(changesOf(changes)).flatMap((name) => by[name] ?? [])),
];
const names = (changes: object) => Object.keys(changesOf(changes)).join(", ");

const ofLink: Readonly<Record<string, FaultKind>> = {
  loss: "loss",
  duplication: "duplication",
  jitter: "reordering",
  bytesPerMs: "bandwidth",
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
  lie: "chain-lie",
  repeat: "chain-duplicate",
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
      const heal = cut(world.network, { groups, oneWay });
      world.tell(`the network is cut: ${partsOf(groups, oneWay)}`);
      return () => {
        heal();
        world.tell(`the cut is over: ${partsOf(groups, oneWay)}`);
      };
    },
  },
  "network-conditions": {
    text: ({ conditions }) => `network conditions ${names(conditions)}`,
    injects: ({ conditions }) => kindsOf(conditions, ofLink),
    nodes: none,
    begin: ({ world }, { conditions }) => changeNetworkConditions(world.network, changesOf(conditions)),
  },
  "poor-link": {
    text: ({ sender, receiver }) => `poor link ${sender} -> ${receiver}`,
    injects: ({ conditions }) => kindsOf(conditions, ofLink),
    nodes: ({ sender, receiver }) => [sender, receiver],
    check: ({ sender, receiver }) => (sender === receiver ? "a link has two ends" : undefined),
    begin({ world: { network } }, { sender, receiver, conditions }) {
      setConditions(network, sender, receiver, { ...network.conditions, ...changesOf(conditions) });
      return () => setConditions(network, sender, receiver, null);
    },
  },
  "half-open": {
    text: ({ forgetful, other }) => `half-open ${forgetful} x- ${other}`,
    injects: () => ["half-open"],
    nodes: ({ forgetful, other }) => [forgetful, other],
    check: ({ forgetful, other }) => (forgetful === other ? "a connection has two ends" : undefined),
    begin({ world }, { forgetful, other }) {
      halfOpen(world.network, forgetful, other);
      return undefined;
    },
  },
  crash: {
    text: ({ node, from, until }) => `${from === until ? "restart" : "crash"} ${node}`,
    injects: () => ["crash"],
    nodes: ofNode,
    begin({ world }, { node }) {
      const target = nodeOf(world, node);
      world.faults.count("crash", target.driver() !== undefined);
      target.crash(true);
      return () => target.start();
    },
  },
  pause: {
    text: ({ node }) => `pause ${node}`,
    injects: () => ["pause"],
    nodes: ofNode,
    begin({ world }, { node }) {
      nodeOf(world, node).pause(world.faults.inject("pause"));
      return () => nodeOf(world, node).resume();
    },
  },
  "slow-node": {
    text: ({ node }) => `slow node ${node}`,
    injects: () => ["slow-node"],
    nodes: ofNode,
    begin({ world }, { node, busyMs }) {
      nodeOf(world, node).setBusyMs(busyMs, world.faults.inject("slow-node"));
      return () => nodeOf(world, node).setBusyMs(0);
    },
  },
  "wrong-clock": {
    text: ({ node, byMs }) => `clock of ${node} off by ${byMs} ms`,
    injects: () => ["clock-skew"],
    nodes: ofNode,
    begin({ world }, { node, byMs }) {
      nodeOf(world, node).skewClock(byMs, world.faults.inject("clock-skew"));
      return () => nodeOf(world, node).skewClock(-byMs);
    },
  },
  "clock-jump": {
    text: ({ node, byMs }) => `clock of ${node} jumps by ${byMs} ms`,
    injects: () => ["clock-jump"],
    nodes: ofNode,
    begin({ world }, { node, byMs }) {
      nodeOf(world, node).skewClock(byMs, world.faults.inject("clock-jump"));
      return () => nodeOf(world, node).skewClock(-byMs);
    },
  },
  "bad-disk": {
    text: ({ node, conditions }) => `bad disk ${node}: ${names(conditions)}`,
    injects: ({ conditions }) => kindsOf(conditions, ofDisk),
    nodes: ofNode,
    begin({ world }, { node, conditions }) {
      const { disk } = nodeOf(world, node);
      disk.setConditions({ ...healthyDisk, ...changesOf(conditions) });
      return () => disk.setConditions(healthyDisk);
    },
  },
  "bad-files": {
    text: ({ node, conditions }) => `bad files ${node}: ${names(conditions)}`,
    injects: ({ conditions }) => kindsOf(conditions, ofFiles),
    nodes: ofNode,
    begin({ world }, { node, conditions }) {
      const { files } = nodeOf(world, node);
      files.setConditions({ ...healthyFiles, ...changesOf(conditions) });
      return () => files.setConditions(healthyFiles);
    },
  },
  "bad-endpoint": {
    text: ({ node, conditions }) => `bad endpoint ${node}: ${names(conditions)}`,
    injects: ({ conditions }) => kindsOf(conditions, ofEndpoint),
    nodes: ofNode,
    begin({ chain }, { node, conditions }) {
      chain?.setConditions(node, changesOf(conditions));
      return () => chain?.setConditions(node, {});
    },
  },
  attacker: {
    text: ({ name, attack }) => `attacker ${name}: ${attack.kind}`,
    injects: () => ["peer"],
    nodes: none,
    begin({ world }, fault) {
      joinAndAct(world, fault);
      return undefined;
    },
  },
  reorganization: {
    text: ({ depth }) => `reorganization of ${depth} slots`,
    injects: () => ["chain-fork"],
    nodes: none,
    forks: true,
    async begin({ chain }, { depth, late, lost }) {
      await chain?.reorganize(BigInt(depth), { late, lost });
      return undefined;
    },
  },
  "forked-chain": {
    text: ({ followers, winner }) => `forked chain: ${followers.join(",")} on the rival, ${winner} wins`,
    injects: () => ["chain-fork"],
    nodes: ({ followers }) => followers,
    forks: true,
    begin: forkChain,
  },
  "stalled-finality": {
    text: () => "stalled finality",
    injects: () => ["chain-stall"],
    nodes: none,
    begin: ({ chain }) => chain?.stall(),
  },
  "skipped-slots": {
    text: ({ chance }) => `skipped slots, ${chance} in a million`,
    injects: () => ["chain-skipped-slot"],
    nodes: none,
    begin({ chain }, { chance, from, until }) {
      chain?.skipSlots(slotAt(from), slotAt(until), chance);
      return undefined;
    },
  },
  "bad-submissions": {
    text: ({ conditions }) => `bad submissions: ${names(conditions)}`,
    injects: ({ conditions }) => kindsOf(conditions, ofSubmissions),
    nodes: none,
    begin({ chain }, { conditions }) {
      chain?.setSubmissions(changesOf(conditions));
      return () => chain?.setSubmissions({});
    },
  },
};

/** Joins the network, connects to every node, and acts at equal distances until the fault is over. */
function joinAndAct(world: World, { name, attack, times, from, until }: FaultOf<"attacker">): void {
  const injection = world.faults.inject("peer");
  const joined = joinAsAttacker(world, name);
  for (const node of world.nodes) joined.dial(node.address);
  const overMs = until - from;
  const kept = {};
  for (let time = 0; time < times; time += 1) {
    world.loop.after(Math.floor(((time + 1) * overMs) / (times + 1)), () => {
      if (joined.victims.size > 0) injection.bite();
      act(joined, attack, { time, times, overMs, kept });
    });
  }
}

async function forkChain({ world, chain }: FaultScene, fault: FaultOf<"forked-chain">): Promise<End | undefined> {
  if (chain === undefined) return undefined;
  const { followers, depth, winner } = fault;
  const follow = (branch: "main" | "rival") => {
    for (const node of followers) chain.setConditions(node, { ...chain.conditionsOf(node), follows: branch });
  };
  await chain.fork(BigInt(depth), fault);
  follow("rival");
  world.tell("the chain is forked");
  return async () => {
    await chain.settle(winner);
    follow("main");
    world.tell(`the chain is one again: the ${winner} branch won`);
  };
}

function partsOf(groups: Groups, oneWay: boolean): string {
  return groups.map((group) => group.join(",")).join(oneWay ? " -/> " : " | ");
}

function slotAt(ms: number): bigint {
  return BigInt(Math.floor(ms / Number(SLOT_MS)));
}

function nodeOf(world: World, index: number): SimNode {
  const node = world.nodes[index];
  if (node === undefined) throw new RangeError(`there is no node ${index}`);
  return node;
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

/** Begins a fault; answers what takes it back. */
export function beginFault(scene: FaultScene, fault: FaultData): ReturnType<FaultRow<FaultData>["begin"]> {
  return rowOf(fault).begin(scene, fault);
}
