/**
 * What can be done to the network from outside: cuts between groups in one or both directions, and half-open links.
 * Each is one injection in the ledger; it bites when it first stops something.
 * Source: DESIGN section 5 "Faults".
 */
import type { LinkConditions } from "./links.ts";
import { PING_TIMEOUT_MS } from "./network.ts";
import type { Block, Connection, Network } from "./network-state.ts";
import { isOpen, memberAt } from "./network-state.ts";
import { closeEnd } from "./requests.ts";

/** Groups of member indexes; who is in none is not cut off. */
export type Groups = readonly (readonly number[])[];

/** A cut: between every two groups, or only for what the first group sends to the others. */
export interface Cut {
  readonly groups: Groups;
  readonly oneWay?: boolean;
}

/** Cuts the network now; the returned function heals it. */
export function cut(network: Network, { groups, oneWay = false }: Cut): () => void {
  const groupOf = new Map(groups.flatMap((members, group) => members.map((member) => [member, group] as const)));
  const block: Block = {
    injection: network.faults.inject("partition"),
    blocks(from, to) {
      const [source, target] = [groupOf.get(from), groupOf.get(to)];
      if (source === undefined || target === undefined || source === target) return false;
      return !oneWay || source === 0;
    },
  };
  network.blocks.add(block);
  for (const index of groupOf.keys()) {
    for (const connection of memberAt(network, index).connections.values()) starve(network, connection, block);
  }
  return () => {
    network.blocks.delete(block);
  };
}

/**
 * One end forgets the connection and the other is not told: what the other sends vanishes until it has been silent
 * for as long as the heartbeat allows, or until they connect again.
 */
export function halfOpen(network: Network, forgetful: number, other: number): void {
  const injection = network.faults.inject("half-open");
  const [member, left] = [memberAt(network, forgetful), memberAt(network, other)];
  const connection = member.connections.get(other);
  if (connection === undefined) return;
  connection.halfOpen = injection;
  closeEnd(network, member, left, connection);
  network.clock.after(PING_TIMEOUT_MS, () => {
    if (isOpen(connection, left)) injection.bite();
    closeEnd(network, left, member, connection);
  });
}

/** Breaks a connection between two members at both ends, at once. */
export function reset(network: Network, one: number, another: number): void {
  const [a, b] = [memberAt(network, one), memberAt(network, another)];
  const connection = a.connections.get(another);
  if (connection === undefined) return;
  closeEnd(network, a, b, connection);
  closeEnd(network, b, a, connection);
}

/** Changes the conditions of the whole network now; the returned function takes the change back. */
export function changeNetworkConditions(network: Network, conditions: Partial<LinkConditions>): () => void {
  const own = { ...conditions };
  network.networkConditions.add(own);
  applyNetworkConditions(network);
  return () => {
    network.networkConditions.delete(own);
    applyNetworkConditions(network);
  };
}

/** Every link works as it usually does, and the network is whole. */
export function healNetwork(network: Network, usual: LinkConditions): void {
  network.blocks.clear();
  network.overrides.clear();
  network.networkConditions.clear();
  network.usual = usual;
  applyNetworkConditions(network);
}

function applyNetworkConditions(network: Network): void {
  network.conditions = Object.assign({}, network.usual, ...network.networkConditions) as LinkConditions;
}

/** A connection that a cut crosses dies of silence, unless the cut is healed before. */
function starve(network: Network, connection: Connection, block: Block): void {
  const { dialer, acceptor } = connection;
  if (!block.blocks(dialer, acceptor) && !block.blocks(acceptor, dialer)) return;
  network.clock.after(PING_TIMEOUT_MS, () => {
    if (!network.blocks.has(block)) return;
    const [a, b] = [memberAt(network, dialer), memberAt(network, acceptor)];
    if (isOpen(connection, a) || isOpen(connection, b)) block.injection.bite();
    closeEnd(network, a, b, connection);
    closeEnd(network, b, a, connection);
  });
}
