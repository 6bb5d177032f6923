/**
 * What a node counts about itself, for `/metrics`. Source: protocol 01 §15 W20; 03 C10.
 */

import { Pending, Statements } from "../../engine/statements/table.ts";
import type { Reader } from "../../kernel/table.ts";
import { Events } from "../../network/gossip/envelope.ts";
import { usesElsewhere } from "../../network/gossip/own-key.ts";
import { rulesLacked } from "../../network/gossip/rule-changes.ts";
import { connectedPeers } from "../../network/peers/peers.ts";
import { forkedSlots } from "../chain-bridge/view.ts";
import { publishersOfRates } from "../oracles/queries.ts";

/** The gauges of a node's metrics page by name, read from its state alone. */
export function gaugesOf(reader: Reader): Readonly<Record<string, number>> {
  return {
    ofs_peers_connected: connectedPeers(reader).length,
    ofs_statements: reader.size(Statements),
    ofs_pending_statements: reader.size(Pending),
    ofs_oracle_publishers: publishersOfRates(reader),
    ofs_gossip_events: reader.size(Events),
    ofs_chain_forks: forkedSlots(reader),
    ofs_peers_with_rules_lacked: rulesLacked(reader).peers,
    ofs_identity_in_use_elsewhere: usesElsewhere(reader),
  };
}
