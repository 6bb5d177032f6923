/**
 * The faults that a scenario can declare: what breaks, where, when and until when. Each is a plain value; the functions
 * here write it down, and fault-kinds.ts says what each kind does. Source: DESIGN section 5 "Everything is data",
 * "Faults".
 */
import type { Infer } from "../core/index.ts";
import { bool, enumeration, list, struct } from "../core/index.ts";
import { i32, kinds, plainText, small } from "../core/testing.ts";
import { AttackData } from "./byzantine/attacks.ts";
import type { ForkTerms } from "./chain-faults.ts";
import type { Given } from "./data/conditions.ts";
import { DiskChanges, EndpointChanges, FileChanges, LinkChanges, SubmissionChanges } from "./data/conditions.ts";
import { Millionths, Milliseconds, NodeGroups, NodeIndex, otherwise } from "./data/values.ts";
import type { FaultKind } from "./faults.ts";
import type { Groups } from "./network-faults.ts";
import type { World } from "./world.ts";

const kind = <const K extends string>(name: K) => ({ kind: enumeration(name) });
const span = { from: Milliseconds, until: Milliseconds };
const instant = { at: Milliseconds };
/** Slots that a branch may leave the chain back. Source: DESIGN section 4 "Cluster". */
const Depth = small(32, { least: 0, most: 1_000_000 });
/** How often an attacker acts. Source: DESIGN "Simulated world". */
const Times = small(32, { least: 1, most: 1_000_000 });
/** Rows of a disk that change by themselves at once. Source: DESIGN "Simulated world". */
const Rows = small(32, { least: 1, most: 1_000_000 });
const forkTerms = { late: otherwise(Millionths, 0), lost: otherwise(Millionths, 0) };

const forms = {
  partition: struct("partition", {
    ...kind("partition"),
    ...{ groups: NodeGroups, oneWay: otherwise(bool, false) },
    ...span,
  }),
  "network-conditions": struct("network-conditions", {
    ...kind("network-conditions"),
    ...{ conditions: LinkChanges },
    ...span,
  }),
  "poor-link": struct("poor-link", {
    ...kind("poor-link"),
    ...{ sender: NodeIndex, receiver: NodeIndex, conditions: LinkChanges },
    ...span,
  }),
  "half-open": struct("half-open", { ...kind("half-open"), ...{ forgetful: NodeIndex, other: NodeIndex }, ...instant }),
  "shared-line": struct("shared-line", {
    ...kind("shared-line"),
    ...{ nodes: list(NodeIndex), bytesPerMs: small(32, { least: 1, most: 0xffff_ffff }) },
    ...span,
  }),
  crash: struct("crash", { ...kind("crash"), ...{ node: NodeIndex }, ...span }),
  pause: struct("pause", { ...kind("pause"), ...{ node: NodeIndex }, ...span }),
  "slow-node": struct("slow-node", { ...kind("slow-node"), ...{ node: NodeIndex, busyMs: Milliseconds }, ...span }),
  "wrong-clock": struct("wrong-clock", { ...kind("wrong-clock"), ...{ node: NodeIndex, byMs: i32 }, ...span }),
  "clock-jump": struct("clock-jump", { ...kind("clock-jump"), ...{ node: NodeIndex, byMs: i32 }, ...instant }),
  "clock-drift": struct("clock-drift", { ...kind("clock-drift"), ...{ node: NodeIndex, ppm: i32 }, ...span }),
  "bad-disk": struct("bad-disk", { ...kind("bad-disk"), ...{ node: NodeIndex, conditions: DiskChanges }, ...span }),
  "bit-rot": struct("bit-rot", { ...kind("bit-rot"), ...{ node: NodeIndex, rows: Rows }, ...instant }),
  "misdirected-write": struct("misdirected-write", {
    ...kind("misdirected-write"),
    ...{ node: NodeIndex },
    ...instant,
  }),
  "bad-files": struct("bad-files", { ...kind("bad-files"), ...{ node: NodeIndex, conditions: FileChanges }, ...span }),
  "bad-endpoint": struct("bad-endpoint", {
    ...kind("bad-endpoint"),
    ...{ node: NodeIndex, conditions: EndpointChanges },
    ...span,
  }),
  attacker: struct("attacker", {
    ...kind("attacker"),
    ...{ name: plainText, attack: AttackData, times: Times },
    ...span,
  }),
  reorganization: struct("reorganization", {
    ...kind("reorganization"),
    ...{ depth: Depth },
    ...forkTerms,
    ...instant,
  }),
  "forked-chain": struct("forked-chain", {
    ...kind("forked-chain"),
    ...{ followers: list(NodeIndex), winner: enumeration("main", "rival"), depth: otherwise(Depth, 0) },
    ...forkTerms,
    ...span,
  }),
  "stalled-finality": struct("stalled-finality", { ...kind("stalled-finality"), ...span }),
  "skipped-slots": struct("skipped-slots", { ...kind("skipped-slots"), ...{ chance: Millionths }, ...span }),
  "bad-submissions": struct("bad-submissions", {
    ...kind("bad-submissions"),
    ...{ conditions: SubmissionChanges },
    ...span,
  }),
};

type FaultForms = typeof forms;
/** The kinds of fault that are data. */
export type FaultDataKind = keyof FaultForms;
/** A fault of one kind as data. */
export type FaultOf<K extends FaultDataKind> = Infer<FaultForms[K]>;
/** A fault as data. */
export type FaultData = { [K in FaultDataKind]: FaultOf<K> }[FaultDataKind];
export const FaultData = kinds<FaultData>(forms);

/** Something that no kind says yet: code that a scenario or a test brings along. */
export interface CodeFault {
  readonly kind: "code";
  /** One line for people. */
  readonly text: string;
  readonly from: number;
  readonly until: number;
  readonly injects: readonly FaultKind[];
  readonly install: (world: World) => void;
}

/** What a scenario declares. */
export type FaultPlan = FaultData | CodeFault;

/** From one virtual millisecond until another. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

interface Instant {
  readonly at: number;
}

/** Every member of a change; `null` is what stays as it is. */
function all<C extends object>(
  of: { readonly fields: Readonly<Record<keyof C & string, unknown>> },
  given: Given<C>,
): C {
  const names = Object.keys(of.fields) as (keyof C & string)[];
  return Object.fromEntries(names.map((name) => [name, given[name] ?? null])) as unknown as C;
}

/** Groups of nodes that cannot reach each other; one way, what the first group sends is what gets lost. */
export function partition(
  groups: Groups,
  { from, until, oneWay = false }: Span & { readonly oneWay?: boolean },
): FaultPlan {
  return { kind: "partition", groups, oneWay, from, until };
}

/** The whole network under other conditions for a while. */
export function networkConditions(conditions: Given<Infer<typeof LinkChanges>>, { from, until }: Span): FaultPlan {
  return { kind: "network-conditions", conditions: all(LinkChanges, conditions), from, until };
}

/** One direction under conditions of its own for a while. */
export function poorLink(
  sender: number,
  receiver: number,
  conditions: Given<Infer<typeof LinkChanges>>,
  { from, until }: Span,
): FaultPlan {
  return { kind: "poor-link", sender, receiver, conditions: all(LinkChanges, conditions), from, until };
}

/** `forgetful` loses its connection to `other`, which does not notice. */
export function halfOpen(forgetful: number, other: number, { at }: Instant): FaultPlan {
  return { kind: "half-open", forgetful, other, at };
}

/** All that some nodes send and are sent goes through one line of so many bytes a millisecond, one after another. */
export function sharedLine(nodes: readonly number[], bytesPerMs: number, { from, until }: Span): FaultPlan {
  return { kind: "shared-line", nodes, bytesPerMs, from, until };
}

/** A node loses power and stays down for a while; it comes back with what its disk really held. */
export function crash(node: number, { from, until }: Span): FaultPlan {
  return { kind: "crash", node, from, until };
}

/** A crash and a start at once. */
export function restart(node: number, { at }: Instant): FaultPlan {
  return crash(node, { from: at, until: at });
}

/** A node that is up but answers nothing for a while. */
export function pause(node: number, { from, until }: Span): FaultPlan {
  return { kind: "pause", node, from, until };
}

/** A node that needs `busyMs` for everything it is told. */
export function slowNode(node: number, busyMs: number, { from, until }: Span): FaultPlan {
  return { kind: "slow-node", node, busyMs, from, until };
}

/** A node's clock is off by so much for a while, and right again after it. */
export function wrongClock(node: number, byMs: number, { from, until }: Span): FaultPlan {
  return { kind: "wrong-clock", node, byMs, from, until };
}

/** A node's clock jumps, and stays where it is until everything is healed. */
export function clockJump(node: number, byMs: number, { at }: Instant): FaultPlan {
  return { kind: "clock-jump", node, byMs, at };
}

/** A node's clock runs too fast or too slow by so many millionths for a while, and is set right at its end. */
export function clockDrift(node: number, ppm: number, { from, until }: Span): FaultPlan {
  return { kind: "clock-drift", node, ppm, from, until };
}

/** The disk of a node misbehaves for a while. */
export function badDisk(node: number, conditions: Given<Infer<typeof DiskChanges>>, { from, until }: Span): FaultPlan {
  return { kind: "bad-disk", node, conditions: all(DiskChanges, conditions), from, until };
}

/** So many rows of a node's disk change by themselves. It finds out when it loads them the next time. */
export function bitRot(node: number, rows: number, { at }: Instant): FaultPlan {
  return { kind: "bit-rot", node, rows, at };
}

/** A row of the next commit of a node lands in the place of another row, and its own stays as it was. */
export function misdirectedWrite(node: number, { at }: Instant): FaultPlan {
  return { kind: "misdirected-write", node, at };
}

/** The snapshot files of a node misbehave for a while: those that it writes, and those that it fetches. */
export function badFiles(node: number, conditions: Given<Infer<typeof FileChanges>>, { from, until }: Span): FaultPlan {
  return { kind: "bad-files", node, conditions: all(FileChanges, conditions), from, until };
}

/** The chain endpoint of a node misbehaves for a while. */
export function badEndpoint(
  node: number,
  conditions: Given<Infer<typeof EndpointChanges>>,
  { from, until }: Span,
): FaultPlan {
  return { kind: "bad-endpoint", node, conditions: all(EndpointChanges, conditions), from, until };
}

/** Somebody without a core joins, connects to every node, and does what he came for so often. */
export function attacker(
  name: string,
  attack: AttackData,
  { from, until, times }: Span & { readonly times: number },
): FaultPlan {
  return { kind: "attacker", name, attack, times, from, until };
}

/** Another branch of the chain wins at an instant: the newest slots are replaced by others. */
export function reorganization(at: number, depth: number, { late = 0, lost = 0 }: ForkTerms = {}): FaultPlan {
  return { kind: "reorganization", depth, late, lost, at };
}

/** The chain is forked for a while; the endpoints of some nodes follow the rival, until one of the two has won. */
export function forkedChain(
  followers: readonly number[],
  winner: "main" | "rival",
  { from, until, depth = 0, late = 0, lost = 0 }: Span & ForkTerms & { readonly depth?: number },
): FaultPlan {
  return { kind: "forked-chain", followers, winner, depth, late, lost, from, until };
}

/** Nothing becomes final for a while. */
export function stalledFinality({ from, until }: Span): FaultPlan {
  return { kind: "stalled-finality", from, until };
}

/** Many slots without a block for a while; the chance in millionths. */
export function skippedSlots(chance: number, { from, until }: Span): FaultPlan {
  return { kind: "skipped-slots", chance, from, until };
}

/** Submitted transactions are lost, come late or fail for a while. */
export function badSubmissions(conditions: Given<Infer<typeof SubmissionChanges>>, { from, until }: Span): FaultPlan {
  return { kind: "bad-submissions", conditions: all(SubmissionChanges, conditions), from, until };
}
