/**
 * Node information. Source: protocol 01 §12.
 */

import { noParams, query } from "../../engine/method.ts";
import { ruleOf } from "../../engine/overrides.ts";
import { compareBytes } from "../../kernel/bytes.ts";
import { list, struct } from "../../kernel/schema-composites.ts";
import { bool, u64 } from "../../kernel/schema-scalars.ts";
import { fromBase58 } from "../../kernel/text.ts";
import { EpochMillis, PeerId, Text } from "../../kernel/values.ts";
import { announcedAddresses } from "../../network/peers/observed-addresses.ts";
import { addressesOf, Peer, Peers } from "../../network/peers/peers.ts";
import { epochOf, epochStart } from "../rewards/epochs.ts";
import { hasServedContent } from "../rewards/queries.ts";

const { peer_id, node_version, supported_ofs, roles, last_seen, latency_ms, successes, failures } = Peer.fields;
const measures = { last_seen, latency_ms, successes, failures };
/** What a peer claims of itself, and what was measured here. */
const PeerView = struct("PeerView", {
  ...{ peer_id, node_version, supported_ofs, roles, ...measures },
  addresses: list(Text),
  served_content: bool,
});
const ContentWindow = struct("ContentProofWindow", {
  epoch: u64,
  epoch_start_millis: EpochMillis,
  epoch_end_millis: EpochMillis,
});
const PeersView = struct("PeersView", {
  self_peer_id: PeerId,
  peers: list(PeerView),
  announced_addresses: list(Text),
  content_proof_window: ContentWindow,
});

/** A peer as this node measured it. Source: protocol 01 §12.3. */
export function measuredOf(peer: Peer): Peer {
  return peer;
}

export const nodeMethods = {
  getVersion: query({
    params: noParams,
    need: "none",
    result: struct("Version", { version: Text }),
    source: "protocol 01 §12.1",
    doc: "The version of the node's software.",
    read: (_reader, _params, context) => ({ version: context.configuration.version }),
  }),
  getHealth: query({
    params: noParams,
    need: "none",
    result: Text,
    source: "protocol 01 §12.2",
    doc: "The text ok.",
    read: () => "ok",
  }),
  getPeers: query({
    params: noParams,
    need: "none",
    result: PeersView,
    source: "protocol 01 §12.3",
    doc: "This node's id and addresses, and its peers as it measured them.",
    read(reader, _params, context) {
      const epoch = epochOf(context.now);
      const measured = ruleOf(context.configuration, measuredOf);
      const peers = [...reader.keys(Peers)].flatMap((key) => reader.get(Peers, key) ?? []);
      const byId = (peer: Peer) => fromBase58(peer.peer_id) ?? new Uint8Array(0);
      return {
        self_peer_id: context.configuration.peerId,
        peers: peers
          .sort((a, b) => compareBytes(byId(a), byId(b)))
          .map((peer) => ({
            addresses: addressesOf(peer),
            served_content: hasServedContent(reader, peer.peer_id, context.now),
            ...measured(peer),
          })),
        announced_addresses: announcedAddresses(reader, context.configuration),
        content_proof_window: {
          epoch,
          epoch_start_millis: epochStart(epoch),
          epoch_end_millis: epochStart(epoch + 1n),
        },
      };
    },
  }),
};
