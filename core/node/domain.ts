/**
 * Peers: dialling them, and what this node says of itself.
 */

import { defineDomain } from "../domain.ts";
import { AddressClaims } from "./address-claims.ts";
import { Dials, dialEntrypoints, onUnreachable, redial } from "./dialling.ts";
import { nodeMethods } from "./methods.ts";
import { Counters, Peers, Requests } from "./peers.ts";

export const peers = defineDomain({
  name: "peers",
  tables: [Peers, Requests, Counters, AddressClaims, Dials],
  methods: nodeMethods,
  onStart: [redial, dialEntrypoints],
  timers: { redial },
  onInput: { "peer.unreachable": onUnreachable },
});
