/**
 * What a sweep can vary of a scenario: each parameter by its name, with how its values are written and what they make
 * of the scenario. Source: DESIGN sections 5, 6.
 */
import type { Result } from "../core/index.ts";
import { err, ok } from "../core/index.ts";
import type { Distribution } from "./distributions.ts";
import type { FaultPlan } from "./fault-plans.ts";
import { badEndpoint, crash, reorganization } from "./fault-plans.ts";
import type { LinkConditions } from "./links.ts";
import type { Scenario } from "./scenario.ts";

/** A scenario with one value of one parameter. */
export type Varied = (scenario: Scenario) => Scenario;

interface Parameter {
  readonly doc: string;
  /** Whether it is about the chain, so that a scenario without one has nothing to vary. */
  readonly ofChain?: boolean;
  /** What a value stands for, or nothing where it is none. */
  readonly read: (text: string) => Varied | undefined;
}

const MILLION = 1_000_000;
/** How long a node is down that `crashes` brings down, in milliseconds. Source: DESIGN "Simulated world". */
const DOWN_MS = 5_000;
/**
 * Slots that a fork of `forks` leaves the chain back, and the share of what the other side holds that comes later on
 * it. A confirmed transaction may be some of that; a final one is not. Source: DESIGN "Simulated world".
 */
const FORK = { depth: 8, late: 500_000 } as const;

/** Every parameter. A row here is all that a new one takes. */
export const sweepParameters: Readonly<Record<string, Parameter>> = {
  nodes: {
    doc: "nodes of the network, 1 to 100000",
    read: (text) => counted(text, 1, (nodes) => (scenario) => ({ ...scenario, nodes })),
  },
  latency: {
    doc: "milliseconds of a message on its way: N, or A..B, each as likely",
    read: (text) => conditioned(latencyOf(text), (latency) => ({ latency })),
  },
  loss: shareOf("share of the messages that are lost", (loss) => ({ loss })),
  duplication: shareOf("share of the messages that come twice", (duplication) => ({ duplication })),
  corruption: shareOf("share of the messages that come with a wrong byte", (corruption) => ({ corruption })),
  bandwidth: {
    doc: "bytes that a link takes in a millisecond, 1 to 100000",
    read: (text) => conditioned(wholeOf(text, 1), (bytesPerMs) => ({ bytesPerMs })),
  },
  faults: {
    doc: "all or none: the faults that the scenario declares",
    read: (text) =>
      text === "all"
        ? (scenario) => scenario
        : text === "none"
          ? (scenario) => ({ ...scenario, faults: [] })
          : undefined,
  },
  attackers: {
    doc: "how many of the scenario's attackers there are, the first ones, 0 to 100000",
    read: (text) => counted(text, 0, (count) => (scenario) => attackedBy(scenario, count)),
  },
  actions: {
    doc: "how many of the scenario's actions happen, the first ones as they are listed, 0 to 100000",
    read: (text) =>
      counted(text, 0, (count) => (scenario) => ({ ...scenario, actions: scenario.actions.slice(0, count) })),
  },
  crashes: {
    doc: "nodes that lose power and are down for 5 s, one after the other, 0 to 100000",
    read: (text) => counted(text, 0, (count) => (scenario) => crashing(scenario, count)),
  },
  forks: {
    doc: "forks of the chain that win, 8 slots deep, one after the other, 0 to 100000",
    ofChain: true,
    read: (text) => counted(text, 0, (count) => (scenario) => forking(scenario, count)),
  },
  lies: {
    doc: "share of the answers of each node's endpoint that are a lie, 0 to 1 with 6 digits at most",
    ofChain: true,
    read: (text) => {
      const lie = millionthsOf(text);
      return lie === undefined ? undefined : (scenario) => liedTo(scenario, lie);
    },
  },
  confirmed: {
    doc: "how many nodes, the first ones, take what is confirmed and do not wait for finality, 0 to 100000",
    ofChain: true,
    read: (text) => counted(text, 0, (count) => (scenario) => ({ ...scenario, confirmed: firsts(count) })),
  },
};

/** Whether a parameter is about the chain. */
export function isOfChain(name: string): boolean {
  return sweepParameters[name]?.ofChain === true;
}

/** What a value of a parameter makes of a scenario; or why it is none, in one line. */
export function variedBy(name: string, text: string): Result<Varied, string> {
  const parameter = Object.hasOwn(sweepParameters, name) ? sweepParameters[name] : undefined;
  if (parameter === undefined) {
    return err(`There is no parameter "${name}". One of: ${Object.keys(sweepParameters).join(", ")}`);
  }
  const varied = parameter.read(text);
  return varied === undefined ? err(`${name} takes ${parameter.doc}, not "${text}"`) : ok(varied);
}

function shareOf(doc: string, changed: (millionths: number) => Partial<LinkConditions>): Parameter {
  return { doc: `${doc}, 0 to 1 with 6 digits at most`, read: (text) => conditioned(millionthsOf(text), changed) };
}

/** A share in millionths, read by its digits: no arithmetic of fractions comes near it. */
function millionthsOf(text: string): number | undefined {
  const [, whole, digits = ""] = /^([01])(?:\.([0-9]{1,6}))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const millionths = Number(whole) * MILLION + Number(digits.padEnd(6, "0"));
  return millionths <= MILLION ? millionths : undefined;
}

function latencyOf(text: string): Distribution | undefined {
  const [, first = "", last = first] = /^([0-9]{1,6})(?:\.\.([0-9]{1,6}))?$/.exec(text) ?? [];
  if (first === "" || Number(last) < Number(first)) return undefined;
  return { type: "uniform", least: Number(first), most: Number(last) };
}

function wholeOf(text: string, least: number): number | undefined {
  const value = /^[0-9]{1,6}$/.test(text) ? Number(text) : -1;
  return value >= least && value <= 100_000 ? value : undefined;
}

function counted(text: string, least: number, varied: (count: number) => Varied): Varied | undefined {
  const count = wholeOf(text, least);
  return count === undefined ? undefined : varied(count);
}

function conditioned<V>(value: V | undefined, changed: (value: V) => Partial<LinkConditions>): Varied | undefined {
  if (value === undefined) return undefined;
  return (scenario) => ({ ...scenario, conditions: { ...scenario.conditions, ...changed(value) } });
}

/** Everything but the attackers beyond so many. */
function attackedBy(scenario: Scenario, count: number): Scenario {
  const kept = new Set(scenario.faults.filter(({ kind }) => kind === "attacker").slice(0, count));
  return { ...scenario, faults: scenario.faults.filter((fault) => fault.kind !== "attacker" || kept.has(fault)) };
}

function firsts(count: number): readonly number[] {
  return Array.from({ length: count }, (_, n) => n);
}

/** So many instants at even distances over the phase under faults. */
function spread({ lasts }: Scenario, count: number): readonly number[] {
  return firsts(count).map((n) => Math.floor((lasts * (n + 1)) / (count + 1)));
}

function withFaults(scenario: Scenario, added: readonly FaultPlan[]): Scenario {
  return { ...scenario, faults: [...scenario.faults, ...added] };
}

/** Crashes, node after node. */
function crashing(scenario: Scenario, count: number): Scenario {
  const { nodes, lasts } = scenario;
  const crashes = spread(scenario, count).map((from, n) =>
    crash(n % nodes, { from, until: Math.min(lasts, from + DOWN_MS) }),
  );
  return withFaults(scenario, crashes);
}

function forking(scenario: Scenario, count: number): Scenario {
  const forks = spread(scenario, count).map((at) => reorganization(at, FORK.depth, { late: FORK.late }));
  return withFaults(scenario, forks);
}

/** Every endpoint lies while the phase under faults lasts. */
function liedTo(scenario: Scenario, lie: number): Scenario {
  const { nodes, lasts, gossipOnly } = scenario;
  const asked = lie === 0 ? [] : firsts(nodes).filter((node) => !gossipOnly.includes(node));
  return withFaults(
    scenario,
    asked.map((node) => badEndpoint(node, { lie }, { from: 0, until: lasts })),
  );
}
