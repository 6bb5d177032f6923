/**
 * Peers: those that were met, where others say that peers are, and whom this node dials when.
 * Source: protocol 01 §5.5, §13.1.
 */

import { defineDomain } from "../../engine/domain.ts";
import { AddressClaims } from "./address-claims.ts";
import { Dials, dialEntrypoints, onUnreachable, redial } from "./dialling.ts";
import { ObservedAddresses, onObserved } from "./observed-addresses.ts";
import { Counters, Peers, Requests } from "./peers.ts";
import { TriedAddresses } from "./tried-addresses.ts";

export const peers = defineDomain({
  name: "peers",
  tables: [Peers, Requests, Counters, AddressClaims, TriedAddresses, Dials, ObservedAddresses],
  onStart: [redial, dialEntrypoints],
  timers: { redial },
  onInput: { "peer.unreachable": onUnreachable, "peer.observed": onObserved },
});
