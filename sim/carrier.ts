/**
 * What carries envelopes between the members of a world: the simulated network, or the production transport in
 * lock-step. Who runs over the second is given real connections, and no faults of links.
 * Source: DESIGN section 5 "Network backends".
 */
import type { PeerId } from "../core/index.ts";
import type { TransportEvents, TransportPort } from "../core/ports/transport.ts";
import type { Loop } from "./clock.ts";
import type { FaultKind } from "./faults.ts";
import type { Joining } from "./network.ts";
import { enrolMember, joinNetwork, leaveNetwork, listenToNetwork } from "./network.ts";
import type { Network } from "./network-state.ts";

/** Who joins, with the key that its transport identity is made of. */
export interface Member extends Joining {
  readonly secretKey: Uint8Array;
}

export interface Carrier {
  /** Kinds of faults that this network does not know. */
  readonly unknownFaults: readonly FaultKind[];
  /** Makes a member known, in the order of their indexes, without bringing it up. */
  enrol(member: Member): void;
  join(member: Member, events: TransportEvents): TransportPort;
  /** The port of a member that a held world had brought up. */
  listen(member: Member, events: TransportEvents): TransportPort;
  leave(peer: PeerId, how: "closed" | "silent"): void;
  /** Messages that reached a member. */
  deliveries(): number;
  /** Brings everything that is under way to its end; nothing when nothing is. */
  settle(): Promise<void> | undefined;
  close(): Promise<void>;
}

/** Kinds of faults that real connections cannot have. */
export const unknownOverLibp2p: readonly FaultKind[] = ["half-open"];

/** Opens what carries the envelopes of a world, on the links of its simulated network. */
export type OpenCarrier = (loop: Loop, network: Network) => Carrier;

/** The simulated network. */
export function simulatedCarrier(network: Network): Carrier {
  return {
    unknownFaults: [],
    enrol: (member) => void enrolMember(network, joiningOf(member)),
    join: (member, events) => joinNetwork(network, joiningOf(member), events),
    listen: (member, events) => listenToNetwork(network, enrolMember(network, joiningOf(member)), events),
    leave: (peer, how) => leaveNetwork(network, peer, how),
    deliveries: () => network.held.deliveries,
    settle: () => undefined,
    close: async () => undefined,
  };
}

function joiningOf({ peer, address, name }: Member): Joining {
  return { peer, address, name };
}
