/**
 * Requests on the simulated network: each is carried, perhaps twice, perhaps never, and ends exactly once.
 * Source: protocol 01 §5.2; TransportPort.
 */
import type { ReplyHandle, RequestNumber } from "../core/index.ts";
import type { Link } from "./links.ts";
import { arrivedOn, carried, decide } from "./links.ts";
import type { Connection, Member, Network, NetworkDue, Pending } from "./network-state.ts";
import { blockOf, conditionsOf, isOpen, linkOf, listenerOf, shareLines, shut } from "./network-state.ts";

/** Silence after which a request has failed. Source: protocol 01 §5.2. */
export const REQUEST_TIMEOUT_MS = 10_000;
/** Bytes of the largest envelope. Source: protocol 01 §9.3. */
export const ENVELOPE_BYTES_MAX = 1_048_576;
/**
 * Requests that are over and still in the queue of timeouts, before it is looked through. Source: DESIGN "Simulated
 * world".
 */
const QUEUE_COMPACTED = 1024;

/** Ends a connection at one end: its requests fail, then the member learns that the peer is gone. */
export function closeEnd(network: Network, member: Member, other: Member, connection: Connection): void {
  if (!isOpen(connection, member)) return;
  shut(member, connection);
  for (const pending of [...member.requests]) {
    if (pending.connection === connection) fail(network, pending, "disconnected");
  }
  listenerOf(network, member)?.disconnected(other.peer);
}

/** Carries a request to the other end of a connection. */
export function send(
  network: Network,
  member: Member,
  other: Member,
  connection: Connection,
  request: RequestNumber,
  bytes: Uint8Array,
): void {
  const pending: Pending = {
    owner: member,
    to: other,
    request,
    connection,
    deadline: network.clock.now() + REQUEST_TIMEOUT_MS,
    handle: undefined,
    copies: undefined,
    settled: false,
  };
  member.requests.add(pending);
  const { held, faults, plan } = network;
  held.timeouts.queue.push(pending);
  if (!held.timeouts.armed) armTimeouts(network);
  const link = linkOf(network, member, other);
  const conditions = conditionsOf(network, member.index, other.index);
  decide(link, faults, conditions, network.clock.now(), bytes.length, true);
  shareLines(network, link, member, other, bytes.length);
  const { number, delay, copyDelay } = link;
  const injection = copyDelay < 0 ? undefined : faults.inject("duplication");
  if (!passes(network, link, member, other, connection)) return;
  const arriving = carried(link, faults, conditions, bytes);
  plan.after(delay, { kind: "asked", pending, bytes: arriving, link, number });
  if (injection !== undefined) plan.after(copyDelay, { kind: "asked-again", pending, bytes, injection });
}

/** A request arrives. */
export function asked(network: Network, due: Extract<NetworkDue, { kind: "asked" }>): void {
  const { pending, bytes, link, number } = due;
  if (!listens(network, pending.to, pending.connection)) return;
  arrivedOn(link, network.faults, number);
  arrive(network, pending, bytes);
}

/** The copy of a request arrives. */
export function askedAgain(network: Network, due: Extract<NetworkDue, { kind: "asked-again" }>): void {
  const { pending, bytes, injection } = due;
  if (!listens(network, pending.to, pending.connection)) return;
  network.faults.bite(injection);
  arrive(network, pending, bytes);
}

/** Whether the message a link has just decided about is on its way at all. */
function passes(network: Network, link: Link, from: Member, to: Member, connection: Connection): boolean {
  const block = network.held.blocks.size === 0 ? undefined : blockOf(network, from.index, to.index);
  network.faults.bite(block?.injection);
  if (link.lost) network.faults.count("loss", block === undefined && isOpen(connection, to));
  return !link.lost && block === undefined;
}

/** Whether a member still listens to a connection when something arrives on it. */
function listens(network: Network, member: Member, connection: Connection): boolean {
  if (member.up && isOpen(connection, member)) return true;
  network.faults.bite(connection.halfOpen);
  return false;
}

function arrive(network: Network, pending: Pending, bytes: Uint8Array): void {
  const { to } = pending;
  const handle: ReplyHandle = `m${to.received}`;
  to.received += 1;
  to.inbound.set(handle, pending);
  if (pending.handle === undefined) pending.handle = handle;
  else pending.copies = [...(pending.copies ?? []), handle];
  network.held.deliveries += 1;
  listenerOf(network, to)?.received(pending.owner.peer, handle, bytes);
}

/** Carries an answer back; a second one, or one that nobody waits for, goes nowhere. */
export function reply(network: Network, member: Member, replyTo: ReplyHandle, bytes: Uint8Array): void {
  const pending = member.inbound.get(replyTo);
  if (pending === undefined) return;
  member.inbound.delete(replyTo);
  const { owner, connection } = pending;
  if (!isOpen(connection, member)) return;
  // A reply that cannot be written leaves its request without an answer.
  if (bytes.length > ENVELOPE_BYTES_MAX) return network.plan.after(0, { kind: "unwritable", pending });
  const link = linkOf(network, member, owner);
  const conditions = conditionsOf(network, member.index, owner.index);
  decide(link, network.faults, conditions, network.clock.now(), bytes.length, false);
  shareLines(network, link, member, owner, bytes.length);
  const { number, delay } = link;
  if (!passes(network, link, member, owner, connection)) return;
  const arriving = carried(link, network.faults, conditions, bytes);
  network.plan.after(delay, { kind: "answered", pending, bytes: arriving, link, number });
}

/** An answer arrives. */
export function answered(network: Network, due: Extract<NetworkDue, { kind: "answered" }>): void {
  const { pending, bytes, link, number } = due;
  const { owner, to, request, connection } = pending;
  if (!listens(network, owner, connection)) return;
  arrivedOn(link, network.faults, number);
  if (pending.settled) return;
  settle(network, pending);
  network.held.deliveries += 1;
  listenerOf(network, owner)?.answered(to.peer, request, bytes);
}

/** Ends a request, without a word to its member. */
export function settle(network: Network, pending: Pending): void {
  pending.settled = true;
  network.held.timeouts.over += 1;
  const { owner, to } = pending;
  owner.requests.delete(pending);
  if (pending.handle !== undefined) to.inbound.delete(pending.handle);
  for (const handle of pending.copies ?? []) to.inbound.delete(handle);
  // Most requests are answered long before their time is over; they need not be kept until then.
  const { queue, over } = network.held.timeouts;
  if (over > QUEUE_COMPACTED && over * 2 > queue.length) compact(network);
}

function compact({ held: { timeouts } }: Network): void {
  timeouts.queue = timeouts.queue.filter((pending) => !pending.settled);
  timeouts.over = 0;
}

/** A request ends without an answer. */
export function fail(network: Network, pending: Pending, reason: string): void {
  if (pending.settled) return;
  settle(network, pending);
  listenerOf(network, pending.owner)?.failed(pending.to.peer, pending.request, reason);
}

/** Ends every request whose time is over. */
export function failOverdue(network: Network): void {
  const { timeouts } = network.held;
  timeouts.armed = false;
  const now = network.clock.now();
  const { queue } = timeouts;
  const later = queue.findIndex((pending) => pending.deadline > now);
  const due = later < 0 ? queue.length : later;
  for (const pending of queue.slice(0, due)) fail(network, pending, "timeout");
  // Stryker disable next-line EqualityOperator: what was due has just been settled
  timeouts.queue = timeouts.queue.filter((pending) => pending.deadline > now && !pending.settled);
  timeouts.over = 0;
  armTimeouts(network);
}

/** All requests wait equally long, so the oldest is first in a queue: one event waits for them all. */
function armTimeouts({ held: { timeouts }, plan }: Network): void {
  const next = timeouts.queue.find((pending) => !pending.settled);
  if (next === undefined) return;
  timeouts.armed = true;
  plan.at(next.deadline, { kind: "overdue" });
}
