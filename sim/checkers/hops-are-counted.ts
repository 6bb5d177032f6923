/**
 * What a peer pushes is passed on with a hop less, and not at all after its last one. An event that no statement
 * carries goes to everybody whom the node is connected to but the one who brought it, an announced slot unless three
 * origins of it did; a statement goes at least to those who never ask for what is announced to them, because nothing
 * else brings it to them soon. Source: protocol 01 §7.3, §13.1; 03 C9a; DESIGN "Gossip and sync".
 */
import type { Change, Reader } from "../../core/index.ts";
import { decodeCompact } from "../../core/index.ts";
import type { GossipEvent } from "../../core/testing.ts";
import { BlockhashAnnounced, Events, Peers, Statements } from "../../core/testing.ts";
import type { CheckContext, Checker } from "../checker.ts";
import { pushedIn } from "./frames.ts";

/** Largest hop count believed, written down apart from the core. Source: protocol 01 §13.1. */
const HOPS_BELIEVED = 16;
/** Origins of one announced slot that are passed on. Source: protocol 03 C9a. */
const ORIGINS_PASSED_ON = 3;
/** How long an announcement may be passed on, and what clocks do beside, in milliseconds. Source: protocol 03 C6. */
const REMEMBERED_MS = 600_000n;

/** Hop counts go down, and news goes on. */
export function hopsAreCounted({ violate, keep, profile }: CheckContext): Checker {
  const slots = slotsPassedOn(keep(() => new Map()));
  return {
    name: "hops-are-counted",
    onStep({ node, input, changes, effects, view }) {
      if (profile.parity) return;
      if (!changes.some(isStored)) return;
      const stored = changes.filter(isStored);
      if (input.type !== "message.received") return slots.originated(node, stored, input.now);
      const pushed = pushedIn(input.bytes);
      if (pushed === undefined) return;
      const { event, key } = pushed;
      const kept = stored.find((change) => change.key === key)?.record;
      if (kept === undefined) return;
      const hops = Math.min(event.ttl, HOPS_BELIEVED);
      const sent = effects.flatMap((effect) => {
        if (effect.type !== "message.send") return [];
        const passed = pushedIn(effect.bytes);
        return passed?.key === key ? [{ to: effect.to, hops: passed.event.ttl }] : [];
      });
      const wrong = sent.find((one) => one.hops !== hops - 1);
      if (wrong !== undefined)
        violate(`node ${node} passes ${event.event_type} on with ${wrong.hops} hops, which came with ${event.ttl}`);
      const { statement } = kept as { readonly statement: string | null };
      // One that was held is not passed on again.
      if (hops <= 1 || (statement !== null && !cameNew(changes, statement))) return;
      const reached = new Set<string>(sent.map(({ to }) => to));
      const isLeft = (peer: string) => peer !== input.from && !reached.has(peer);
      const left = awaiting(view, statement !== null, isLeft)[0];
      if (left === undefined) slots.passedOn(node, event, input.now);
      else if (!slots.isEnough(node, event)) violate(`node ${node} does not pass ${event.event_type} on to ${left}`);
    },
  };
}

/** By node and by slot and blockhash: whose announcements it has passed on, its own among them, and when the last. */
type PassedOn = Map<number, Map<string, { readonly origins: Set<string>; readonly at: bigint }>>;

function slotsPassedOn(told: PassedOn) {
  const passedOn = (node: number, event: GossipEvent, now: bigint) => {
    const pair = announcedIn(event);
    if (pair === undefined) return;
    const held = told.get(node) ?? new Map<string, { readonly origins: Set<string>; readonly at: bigint }>();
    told.set(node, held);
    const { origins } = held.get(pair) ?? { origins: new Set() };
    held.delete(pair);
    held.set(pair, { origins: origins.add(event.origin), at: now });
    for (const [older, { at }] of held) {
      if (now - at <= REMEMBERED_MS) break;
      held.delete(older);
    }
  };
  return {
    passedOn,
    /** What a node put on the wire itself. */
    originated(node: number, stored: readonly Change[], now: bigint): void {
      for (const { record } of stored) passedOn(node, (record as { readonly event: GossipEvent }).event, now);
    },
    /** Whether an event announces a slot of which enough was passed on, or its origin's own word. */
    isEnough(node: number, event: GossipEvent): boolean {
      const origins = told.get(node)?.get(announcedIn(event) ?? "")?.origins;
      return origins !== undefined && (origins.size >= ORIGINS_PASSED_ON || origins.has(event.origin));
    },
  };
}

/** The slot and blockhash that an event announces, if it does. */
function announcedIn({ event_type, payload }: GossipEvent): string | undefined {
  const announced = event_type === "BlockhashAnnounced" ? decodeCompact(BlockhashAnnounced, payload) : undefined;
  return announced && `${announced.slot}/${announced.blockhash}`;
}

function cameNew(changes: readonly Change[], identity: string): boolean {
  return changes.some(
    ({ table, key, record }) => table === Statements.name && key === identity && record !== undefined,
  );
}

function isStored({ table, record }: Change): boolean {
  return table === Events.name && record !== undefined;
}

/** Peers whom news of this kind must reach at once: of statements those who never ask for what is announced. */
export function awaiting(view: Reader, isStatement: boolean, isMeant?: (peer: string) => boolean): readonly string[] {
  const all = view.find(Peers, "connected", "true");
  const connected = isMeant === undefined ? all : all.filter(isMeant);
  const peers = isStatement ? connected.filter((key) => view.get(Peers, key)?.announces === false) : connected;
  return peers.toSorted((a, b) => (a < b ? -1 : 1));
}
