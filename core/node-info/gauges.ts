/**
 * What a node counts about itself, for `/metrics`. Source: protocol 01 §15 W20.
 */

import { Events } from "../gossip/envelope.ts";
import type { Reader } from "../kernel/table.ts";
import { connectedPeers } from "../node/peers.ts";
import { publishersOfRates } from "../oracles/queries.ts";
import { Pending, Statements } from "../statements/table.ts";

export function gaugesOf(reader: Reader): Readonly<Record<string, number>> {
  return {
    ofs_peers_connected: connectedPeers(reader).length,
    ofs_statements: reader.size(Statements),
    ofs_pending_statements: reader.size(Pending),
    ofs_oracle_publishers: publishersOfRates(reader),
    ofs_gossip_events: reader.size(Events),
  };
}
