/**
 * A node that offers services registers them again once somebody is connected who cannot have heard the last time: at
 * once, or as soon as that is two seconds ago by its own clock, which may have gone back: an earlier date would not be
 * newer. Its next heartbeat would say the same within two minutes, so nothing else sees one that waits for it.
 * Source: protocol 05 §1.11.
 */
import { Registration, Statements } from "../../core/testing.ts";
import type { CheckContext, Checker, StepSeen } from "../checker.ts";

/** Least time between two registrations. Source: protocol 05 §1.11. */
const ARRIVAL_MS = 2_000n;

/** Whether a node offers anything, and whom it is connected to. */
interface Offering {
  registers: boolean;
  /** Date of its newest registration. */
  at: bigint;
  readonly open: Set<string>;
}

/** Who comes is told of services. */
export function arrivalsLearnOfServices({ violate, keep, tables }: CheckContext): Checker {
  const nodes = keep(() => new Map<number, Offering>());
  const forget = (node: number) => void nodes.delete(node);
  return {
    name: "arrivals-learn-of-services",
    onStep(step) {
      const { node, input } = step;
      if (tables !== undefined || input.type === "store.loaded") return forget(node);
      const own = nodes.get(node) ?? { registers: false, at: 0n, open: new Set<string>() };
      nodes.set(node, own);
      const isOwn = input.type === "started" || (input.type === "timer.fired" && input.timer === "heartbeat");
      const registered = registeredAt(step);
      if (isOwn) own.registers = registered !== undefined;
      if (isOwn && registered !== undefined) own.at = registered;
      if (input.type === "peer.disconnected") own.open.delete(input.peer);
      for (const effect of step.effects) if (effect.type === "peer.disconnect") own.open.delete(effect.peer);
      if (input.type !== "peer.connected" || own.open.has(input.peer)) return;
      if (step.effects.some((effect) => effect.type === "peer.disconnect" && effect.peer === input.peer)) return;
      own.open.add(input.peer);
      if (registered !== undefined) own.at = registered;
      if (own.registers && registered === undefined && !isSoonDue(step, own.at))
        violate(`node ${node} does not register its services again though ${input.peer} is new`);
    },
    onCrash: ({ node }) => forget(node),
    onCommit: ({ node, report }) => (report.type === "failed" ? forget(node) : undefined),
  };
}

/** The date of the registration that a step made, if it did. */
function registeredAt({ changes }: StepSeen): bigint | undefined {
  for (const { table, record } of changes) {
    const made = record as { readonly type?: { readonly name: string }; readonly timestamp: bigint } | undefined;
    if (table === Statements.name && made?.type?.name === Registration.name) return made.timestamp;
  }
  return undefined;
}

function isSoonDue({ effects, input }: StepSeen, last: bigint): boolean {
  const since = last > input.now ? last : input.now;
  return effects.some(
    (effect) => effect.type === "timer.set" && effect.timer === "heartbeat" && effect.at <= since + ARRIVAL_MS,
  );
}
