/**
 * What a peer pushes is passed on with a hop less, and not at all after its last one. An event that no statement
 * carries goes to everybody whom the node is connected to but the one who brought it; a statement goes at least to
 * those who never ask for what is announced to them, because nothing else brings it to them soon.
 * Source: protocol 01 §7.3, §13.1; DESIGN "Gossip and sync".
 */
import type { Change, Reader } from "../../core/index.ts";
import { decodeCompact } from "../../core/index.ts";
import { Events, eventKey, Frame, GossipEvent, Peers, Statements } from "../../core/testing.ts";
import type { CheckContext, Checker } from "../checker.ts";

/** Largest hop count believed, written down apart from the core. Source: protocol 01 §13.1. */
const HOPS_BELIEVED = 16;

/** An event in a frame, if it pushes one, and the key of it. */
type Carried = { readonly event: GossipEvent; readonly key: string } | { readonly event?: never; readonly key?: never };

/** Hop counts go down, and news goes on. */
export function hopsAreCounted({ violate, profile }: CheckContext): Checker {
  /** What frames push, read once: a frame goes to several peers, and arrives as it was sent. */
  const read = new WeakMap<Uint8Array, Carried>();
  const pushed = (bytes: Uint8Array): Carried => {
    const known = read.get(bytes);
    if (known !== undefined) return known;
    const event = pushedIn(bytes);
    const carried = event === undefined ? {} : { event, key: eventKey(event) };
    read.set(bytes, carried);
    return carried;
  };
  return {
    name: "hops-are-counted",
    onStep({ node, input, changes, effects, view }) {
      if (profile.parity || input.type !== "message.received") return;
      if (!changes.some(({ table, record }) => table === Events.name && record !== undefined)) return;
      const { event, key } = pushed(input.bytes);
      if (event === undefined) return;
      const kept = changes.find((change) => change.table === Events.name && change.key === key)?.record;
      if (kept === undefined) return;
      const hops = Math.min(event.ttl, HOPS_BELIEVED);
      const sent = effects.flatMap((effect) => {
        if (effect.type !== "message.send") return [];
        const passed = pushed(effect.bytes);
        return passed.event !== undefined && passed.key === key ? [{ to: effect.to, hops: passed.event.ttl }] : [];
      });
      const wrong = sent.find((one) => one.hops !== hops - 1);
      if (wrong !== undefined)
        violate(`node ${node} passes ${event.event_type} on with ${wrong.hops} hops, which came with ${event.ttl}`);
      const { statement } = kept as { readonly statement: string | null };
      // One that was held is not passed on again.
      if (hops <= 1 || (statement !== null && !cameNew(changes, statement))) return;
      const reached = new Set<string>(sent.map(({ to }) => to));
      const left = awaiting(view, statement !== null).find((peer) => peer !== input.from && !reached.has(peer));
      if (left !== undefined) violate(`node ${node} does not pass ${event.event_type} on to ${left}`);
    },
  };
}

/** The event that a frame pushes, if it does. */
export function pushedIn(bytes: Uint8Array): GossipEvent | undefined {
  const frame = decodeCompact(Frame, bytes);
  return frame?.message_type === "GossipPush" ? decodeCompact(GossipEvent, frame.payload) : undefined;
}

function cameNew(changes: readonly Change[], identity: string): boolean {
  return changes.some(
    ({ table, key, record }) => table === Statements.name && key === identity && record !== undefined,
  );
}

/** Peers whom news of this kind must reach at once: of statements those who never ask for what is announced. */
export function awaiting(view: Reader, isStatement: boolean): readonly string[] {
  const peers: string[] = [];
  for (const key of view.find(Peers, "connected", "true"))
    if (!isStatement || view.get(Peers, key)?.announces === false) peers.push(key);
  return peers.sort((a, b) => (a < b ? -1 : 1));
}
