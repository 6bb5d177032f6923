/**
 * What a space-time diagram of a run shows: how the statements of disputes reached each node, what each node then
 * showed of them, and when it saw the chain act. Recorded by watching steps, never by taking part: a run with a
 * diagram has the trace of one without. Source: protocol 01 §7.1 (events); 03 A (disputes).
 */

import type { Input } from "../core/index.ts";
import type { DisputeStatus } from "../core/testing.ts";
import { casesNamed, disputeIn } from "../core/testing.ts";
import type { Checker, StepSeen } from "./checker.ts";
import { faultText, groupsOf, spanOf } from "./fault-kinds.ts";
import type { FaultPlan } from "./fault-plans.ts";
import type { Groups } from "./network-faults.ts";

/** A statement of a dispute that was new to the node it reached. Times are virtual milliseconds. */
export interface Arrow {
  readonly what: string;
  /** Absent when the statement came from a client of the node itself. */
  readonly from: number | undefined;
  readonly to: number;
  readonly sentAt: number;
  readonly at: number;
  /** Whether it was pushed, or asked for later. */
  readonly recovered: boolean;
}

/** What a node shows of a dispute from an instant on. */
export interface Showing {
  readonly node: number;
  readonly at: number;
  readonly dispute: string;
  readonly status: DisputeStatus;
  readonly reveals: number;
  readonly resolution: string | null;
  /** The transaction that decided it. */
  readonly execution: string | null;
}

/** A transaction on an escrow, and when a node learned of it. */
export interface Observation {
  readonly node: number;
  readonly at: number;
  readonly address: string;
  readonly slot: bigint;
  readonly signature: string;
}

/** A node's process ended without warning, and began again; one that never did has no end. */
export interface Outage {
  readonly node: number;
  readonly from: number;
  readonly until: number | undefined;
}

export interface Column {
  readonly node: number;
  readonly gossipOnly: boolean;
}

export interface Lasting {
  readonly text: string;
  readonly from: number;
  readonly until: number;
  /** Of nodes that it keeps apart. */
  readonly groups: Groups;
}

export interface Diagram {
  readonly columns: readonly Column[];
  readonly arrows: readonly Arrow[];
  readonly showings: readonly Showing[];
  readonly observations: readonly Observation[];
  readonly outages: readonly Outage[];
  /** Faults that last. */
  readonly spans: readonly Lasting[];
}

export interface DiagramRecorder {
  readonly checker: () => Checker;
  diagram(columns: readonly Column[], faults: readonly FaultPlan[]): Diagram;
}

/** OFS number of dispute events. Source: protocol 01 §7.5. */
const OFS_DISPUTES = 2400;

interface Sent {
  readonly node: number;
  readonly at: number;
}

interface Recording {
  readonly now: () => number;
  /** Who sent some bytes, and when; a broadcast is one buffer. */
  readonly sent: WeakMap<Uint8Array, Sent>;
  readonly arrows: Arrow[];
  readonly showings: Showing[];
  readonly observations: Observation[];
  readonly outages: Outage[];
  /** Last showing by node and dispute. */
  readonly shown: Map<string, string>;
}

export function createDiagramRecorder(now: () => number): DiagramRecorder {
  const lists = { arrows: [], showings: [], observations: [], outages: [] };
  const recording: Recording = { now, sent: new WeakMap(), shown: new Map(), ...lists };
  const { arrows, showings, observations, outages } = recording;
  return {
    checker: () => ({
      name: "diagram",
      onStep: (seen) => record(recording, seen),
      onCrash: ({ node }) => void outages.push({ node, from: now(), until: undefined }),
    }),
    diagram: (columns, faults) => ({
      ...{ columns, arrows, showings, observations, outages },
      spans: faults.flatMap((fault) => {
        const { from, until } = spanOf(fault);
        return from === until || fault.kind === "crash"
          ? []
          : [{ text: faultText(fault), from, until, groups: groupsOf(fault) }];
      }),
    }),
  };
}

function record(recording: Recording, seen: StepSeen): void {
  const at = recording.now();
  if (seen.input.type === "started") endOutage(recording.outages, seen.node, at);
  for (const effect of seen.effects) {
    if (effect.type === "message.send" || effect.type === "message.reply")
      recording.sent.set(effect.bytes, { node: seen.node, at });
  }
  recordShowings(recording, seen, at);
  const { input, node } = seen;
  if (input.type === "chain.observed" && input.observation.type === "transaction") {
    const { address, slot, signature } = input.observation;
    if (address !== null) recording.observations.push({ node, at, address, slot, signature });
  }
  for (const what of newStatements(seen)) recording.arrows.push(arrowOf(recording, input, node, what, at));
}

function endOutage(outages: Outage[], node: number, at: number): void {
  const last = outages.findLastIndex((outage) => outage.node === node);
  const outage = outages[last];
  if (outage !== undefined && outage.until === undefined) outages[last] = { ...outage, until: at };
}

/** Dispute statements that this step took, by the name of their event; what a disk held is not new. */
function newStatements({ changes, input }: StepSeen): readonly string[] {
  if (input.type === "store.loaded") return [];
  return changes.flatMap(({ table, record: statement }) => {
    if (table !== "statements" || statement === undefined) return [];
    const { type } = statement as { readonly type: { readonly event: string; readonly ofs: number } };
    return type.ofs === OFS_DISPUTES ? [type.event] : [];
  });
}

function arrowOf(recording: Recording, input: Input, to: number, what: string, at: number): Arrow {
  const carried = input.type === "message.received" || input.type === "message.answered" ? input.bytes : undefined;
  const sent = carried === undefined ? undefined : recording.sent.get(carried);
  return {
    ...{ what, to, at },
    from: sent?.node,
    sentAt: sent?.at ?? at,
    recovered: input.type === "message.answered",
  };
}

/** Cases that a step wrote, or about which it wrote what somebody said. */
function recordShowings(recording: Recording, { node, changes, view }: StepSeen, at: number): void {
  const names = changes.flatMap(({ table, record }) => {
    if (record === undefined) return [];
    if (table === "disputes") return [(record as { readonly id: string }).id];
    return table === "panels" ? [(record as { readonly name: string }).name] : [];
  });
  const cases = new Set([...new Set(names)].flatMap((name) => casesNamed(view, name)));
  for (const row of cases) {
    const { id, status, reveals, resolution, onchain_execution_signature: execution } = disputeIn(view, row);
    const summary = `${status} ${reveals.length} ${resolution}`;
    const key = `${node} ${id}`;
    if (recording.shown.get(key) === summary) continue;
    recording.shown.set(key, summary);
    recording.showings.push({ node, at, dispute: id, status, reveals: reveals.length, resolution, execution });
  }
}
