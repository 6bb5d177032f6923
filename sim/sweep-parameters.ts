/**
 * What a sweep can vary of a scenario: each parameter by its name, with how its values are written and what they make
 * of the scenario. Source: DESIGN sections 5, 6.
 */
import type { Result } from "../core/index.ts";
import { err, ok } from "../core/index.ts";
import type { Distribution } from "./distributions.ts";
import { crash } from "./fault-plans.ts";
import type { LinkConditions } from "./links.ts";
import type { Scenario } from "./scenario.ts";

/** A scenario with one value of one parameter. */
export type Varied = (scenario: Scenario) => Scenario;

interface Parameter {
  readonly doc: string;
  /** What a value stands for, or nothing where it is none. */
  readonly read: (text: string) => Varied | undefined;
}

const MILLION = 1_000_000;
/** How long a node is down that `crashes` brings down, in milliseconds. Source: DESIGN "Simulated world". */
const DOWN_MS = 5_000;

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
};

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

/** Crashes at even distances over the phase under faults, node after node. */
function crashing(scenario: Scenario, count: number): Scenario {
  const { nodes, lasts, faults } = scenario;
  const added = Array.from({ length: count }, (_, n) => {
    const from = Math.floor((lasts * (n + 1)) / (count + 1));
    return crash(n % nodes, { from, until: Math.min(lasts, from + DOWN_MS) });
  });
  return { ...scenario, faults: [...faults, ...added] };
}
