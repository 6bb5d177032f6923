/**
 * A node that offers services registers them again once somebody is connected who cannot have heard the last time: at
 * once, or as soon as that is two seconds ago by its own clock, which may have gone back: an earlier date would not be
 * newer. Its next heartbeat would say the same within two minutes, so nothing else sees one that waits for it.
 * Source: protocol 05 §1.11.
 */
import type { Statement } from "../../core/testing.ts";
import { Registration, Statements } from "../../core/testing.ts";
import type { CheckContext, Checker, StepSeen } from "../checker.ts";

/** Least time between two registrations. Source: protocol 05 §1.11. */
const ARRIVAL_MS = 2_000n;

/** Whether a node offers anything, and whom it is connected to. */
interface Offering {
  registers: boolean;
  /** Who it is, as its first registration says. */
  signer: string | undefined;
  /** Date of its newest registration: one of files comes before each that is announced. */
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
      const own = nodes.get(node) ?? { registers: false, signer: undefined, at: 0n, open: new Set<string>() };
      nodes.set(node, own);
      const isOwn = input.type === "started" || (input.type === "timer.fired" && input.timer === "heartbeat");
      const made = registrations(step);
      if (isOwn) own.registers = made.length > 0;
      if (isOwn) own.signer = made[0]?.signer ?? own.signer;
      const registered = made.find(({ signer }) => signer === own.signer)?.timestamp;
      if (registered !== undefined) own.at = registered;
      if (input.type === "peer.disconnected") own.open.delete(input.peer);
      for (const effect of step.effects) if (effect.type === "peer.disconnect") own.open.delete(effect.peer);
      if (input.type !== "peer.connected" || own.open.has(input.peer)) return;
      if (step.effects.some((effect) => effect.type === "peer.disconnect" && effect.peer === input.peer)) return;
      own.open.add(input.peer);
      if (own.registers && registered === undefined && !isSoonDue(step, own.at))
        violate(`node ${node} does not register its services again though ${input.peer} is new`);
    },
    onCrash: ({ node }) => forget(node),
    onCommit: ({ node, report }) => (report.type === "failed" ? forget(node) : undefined),
  };
}

/** The registrations that a step made or took. */
function registrations({ changes }: StepSeen): readonly Statement[] {
  return changes.flatMap(({ table, record }) => {
    const made = table === Statements.name ? (record as Statement | undefined) : undefined;
    return made?.type.name === Registration.name ? [made] : [];
  });
}

function isSoonDue({ effects, input }: StepSeen, last: bigint): boolean {
  const since = last > input.now ? last : input.now;
  return effects.some(
    (effect) => effect.type === "timer.set" && effect.timer === "heartbeat" && effect.at <= since + ARRIVAL_MS,
  );
}
