/**
 * What can be done to the network from outside: cuts between groups in one or both directions, and half-open links.
 * Each is one injection in the ledger; it bites when it first stops something.
 * Source: DESIGN section 5 "Faults".
 */

import type { SharedLine } from "./bottlenecks.ts";
import { createLine } from "./bottlenecks.ts";
import type { LinkConditions } from "./links.ts";
import type { Block, Connection, Network, NetworkDue, NetworkState } from "./network-state.ts";
import { isOpen, memberAt, PING_TIMEOUT_MS, stops } from "./network-state.ts";
import { closeEnd } from "./requests.ts";

/** Groups of member indexes; who is in none is not cut off. */
export type Groups = readonly (readonly number[])[];

/** A cut: between every two groups, or only for what the first group sends to the others. */
export interface Cut {
  readonly groups: Groups;
  readonly oneWay?: boolean;
}

/** Cuts the network now, until `uncut`. */
export function cut(network: Network, { groups, oneWay = false }: Cut): Block {
  const groupOf = new Map(groups.flatMap((members, group) => members.map((member) => [member, group] as const)));
  const block: Block = { groupOf, oneWay, injection: network.faults.inject("partition") };
  network.held.blocks.add(block);
  for (const index of groupOf.keys()) {
    for (const connection of memberAt(network, index).connections.values()) {
      const { dialer, acceptor } = connection;
      if (!stops(block, dialer, acceptor) && !stops(block, acceptor, dialer)) continue;
      network.plan.after(PING_TIMEOUT_MS, { kind: "starved", connection, block });
    }
  }
  return block;
}

/** Takes a cut away. */
export function uncut({ held }: Network, block: Block): void {
  held.blocks.delete(block);
}

/** A connection that a cut crosses dies of silence, unless the cut was taken away before. */
export function starve(network: Network, { connection, block }: Extract<NetworkDue, { kind: "starved" }>): void {
  if (!network.held.blocks.has(block)) return;
  const [a, b] = [memberAt(network, connection.dialer), memberAt(network, connection.acceptor)];
  if (isOpen(connection, a) || isOpen(connection, b)) network.faults.bite(block.injection);
  closeEnd(network, a, b, connection);
  closeEnd(network, b, a, connection);
}

/**
 * One end forgets the connection and the other is not told: what the other sends vanishes until it has been silent
 * for as long as the heartbeat allows, or until they connect again.
 */
export function halfOpen(network: Network, one: number, other: number): void {
  const injection = network.faults.inject("half-open");
  const [forgetful, left] = [memberAt(network, one), memberAt(network, other)];
  const connection = forgetful.connections.get(other);
  if (connection === undefined) return;
  connection.halfOpen = injection;
  closeEnd(network, forgetful, left, connection);
  network.plan.after(PING_TIMEOUT_MS, { kind: "forgotten", left, forgetful, connection, injection });
}

/** The end that was not told gives the connection up at last. */
export function forget(network: Network, due: Extract<NetworkDue, { kind: "forgotten" }>): void {
  const { left, forgetful, connection, injection } = due;
  if (isOpen(connection, left)) network.faults.bite(injection);
  closeEnd(network, left, forgetful, connection);
}

/** Puts some members behind one line of so many bytes a millisecond, until `unshare`. */
export function share(network: Network, members: readonly number[], bytesPerMs: number): SharedLine {
  const line = createLine(members, bytesPerMs, network.faults.inject("shared-bandwidth"));
  network.held.lines.add(line);
  return line;
}

/** Every member has a line of its own again. What waits in the shared one arrives when it was going to. */
export function unshare({ held }: Network, line: SharedLine): void {
  held.lines.delete(line);
}

/** Breaks a connection between two members at both ends, at once. */
export function reset(network: Network, one: number, another: number): void {
  const [a, b] = [memberAt(network, one), memberAt(network, another)];
  const connection: Connection | undefined = a.connections.get(another);
  if (connection === undefined) return;
  closeEnd(network, a, b, connection);
  closeEnd(network, b, a, connection);
}

/** Changes the conditions of the whole network now, until the answer is taken back by `restoreNetworkConditions`. */
export function changeNetworkConditions(
  { held }: Network,
  conditions: Partial<LinkConditions>,
): Partial<LinkConditions> {
  const own = { ...conditions };
  held.networkConditions.add(own);
  applyNetworkConditions(held);
  return own;
}

/** Takes a change of the whole network's conditions back. */
export function restoreNetworkConditions({ held }: Network, change: Partial<LinkConditions>): void {
  held.networkConditions.delete(change);
  applyNetworkConditions(held);
}

/** Every link works as it usually does, and the network is whole. */
export function healNetwork({ held }: Network, usual: LinkConditions): void {
  held.blocks.clear();
  held.lines.clear();
  held.overrides.clear();
  held.networkConditions.clear();
  held.usual = usual;
  applyNetworkConditions(held);
}

function applyNetworkConditions(held: NetworkState): void {
  held.conditions = Object.assign({}, held.usual, ...held.networkConditions) as LinkConditions;
}
