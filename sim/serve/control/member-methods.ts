/**
 * Control of who is in the network: nodes that come, and nodes that leave for good.
 */
import { bool, ok } from "../../../core/index.ts";
import { nothing } from "../../chain/blocks.ts";
import { WALLET_LAMPORTS } from "../../chain/genesis.ts";
import { may } from "../../data/optional.ts";
import { NodeIndex } from "../../data/values.ts";
import { catchUp } from "../chain-time.ts";
import { holdLiveWorld, resumeLiveWorld } from "../live-world.ts";
import { SERVED_NODES_MAX, withNewcomer, withoutMember } from "../members.ts";
import type { Controlled } from "./method.ts";
import { lacksNode, method, refuse } from "./method.ts";
import { alignServers, NodeData, nodeData, startNode } from "./network-methods.ts";

const group = "Nodes and links";

export const memberMethods = {
  sim_addNode: method({
    group,
    params: { gossip_only: may(bool) },
    result: NodeData,
    errors: ["TOO_MANY", "NO_PORT"],
    doc:
      "One more node, with the next number, the port that belongs to it and keys of the seed; it dials some that are " +
      "there. The network runs until it is ready: await sim_awaitConverged for what it is to learn. With gossip_only it " +
      "has no endpoint of the chain.",
    async run(network, { gossip_only: gossipOnly = false }) {
      const { host, apis, options } = network;
      const node = host.world().nodes.length;
      if (node >= SERVED_NODES_MAX) return refuse("TOO_MANY", `${SERVED_NODES_MAX} nodes, counting those that left`);
      // Before the network has changed at all.
      const listens = await apis.open(node);
      if (!listens.ok) return refuse("NO_PORT", listens.error);
      const held = holdLiveWorld(host.live());
      const members = withNewcomer(held.members, options.seed, gossipOnly);
      await host.goOnIn(await resumeLiveWorld(options, { ...held, members }));
      await fund(network, node);
      await startNode(network, node);
      await alignServers(network);
      return ok(nodeData(network, node));
    },
  }),
  sim_removeNode: method({
    ...{ group, params: { node: NodeIndex }, result: bool, errors: ["UNKNOWN_NODE", "LAST_NODE"] },
    doc:
      "A node leaves for good, with its disk: its port refuses, and nobody is ever called by its number again. Its " +
      "peers see their connections end.",
    async run(network, { node }) {
      const lacks = lacksNode(network, node);
      if (lacks !== undefined) return lacks;
      const { host, apis } = network;
      if (host.nodes().length === 1) return refuse("LAST_NODE", `node ${node} is the last one`);
      host.world().nodes[node]?.crash(false);
      const live = host.live();
      live.members = withoutMember(live.members, node);
      await apis.shut(node);
      return ok(true);
    },
  }),
};

/** A node's own wallet has what those of the first day have. */
async function fund({ host }: Controlled, node: number): Promise<void> {
  await catchUp(host);
  const { cluster } = host.live().supply;
  const address = host.world().nodes[node]?.wallet.address;
  if (address === undefined || cluster.account(address, "processed") !== undefined) return;
  await cluster.putAccount(address, { ...nothing, lamports: WALLET_LAMPORTS });
}
