/**
 * What kinds of events look like, in the diagram, its legend and the list.
 */
import type { EventKind } from "../format.ts";

/** What a kind is called, and the colour of the page that marks it. */
export interface Look {
  readonly name: string;
  readonly colour: string;
}

const process = { name: "a process begins, loads, ends", colour: "--process" };
const message = { name: "message", colour: "--message" };
const peer = { name: "link", colour: "--peer" };
const looks: Readonly<Record<EventKind, Look>> = {
  started: process,
  "store.loaded": process,
  crashed: process,
  "rpc.called": { name: "call of a client", colour: "--call" },
  "message.received": message,
  "message.answered": message,
  "message.failed": message,
  "peer.connected": peer,
  "peer.disconnected": peer,
  "peer.unreachable": peer,
  "peer.measured": peer,
  "peer.observed": peer,
  "peer.sent": message,
  "chain.observed": { name: "seen on the chain", colour: "--chain" },
  "notification.delivered": { name: "timer, file, delivery", colour: "--timer" },
  "snapshot.written": { name: "timer, file, delivery", colour: "--timer" },
  "snapshot.fetched": { name: "timer, file, delivery", colour: "--timer" },
  "timer.fired": { name: "timer, file, delivery", colour: "--timer" },
};

/** What takes a statement stands out among messages. */
export const TAKEN: Look = { name: "takes a statement", colour: "--taken" };

export function lookOf(kind: EventKind, label: string): Look {
  return kind.startsWith("message.") && label.includes(" · takes ") ? TAKEN : looks[kind];
}

/** Every look once, in the order of a legend. */
export function allLooks(): readonly Look[] {
  const found = new Map([...Object.values(looks), TAKEN].map((look) => [look.name, look]));
  return [...found.values()];
}

/** The colours of the page as they are now, by name. */
export function colours(): (name: string) => string {
  const style = getComputedStyle(document.documentElement);
  const known = new Map<string, string>();
  return (name) => {
    const found = known.get(name) ?? style.getPropertyValue(name).trim();
    known.set(name, found);
    return found;
  };
}
