/**
 * Control of nodes and of what lies between them: cuts, latency, loss, crashes, clocks.
 */
import { bool, list, ok, struct, u64 } from "../../../core/index.ts";
import { plainText } from "../../../core/testing.ts";
import { may } from "../../data/optional.ts";
import { Millionths, Milliseconds, NodeGroups, NodeIndex } from "../../data/values.ts";
import { changeNetworkConditions, cut, restoreNetworkConditions, uncut } from "../../network-faults.ts";
import type { Controlled } from "./method.ts";
import { jumpTo, lacksNode, method, refuse } from "./method.ts";

/** How long a node that starts may read its disk, in virtual milliseconds. Source: DESIGN "Simulated world". */
const READY_WITHIN_MS = 60_000;

/** One node, as control shows it. */
export const NodeData = struct("Node", {
  node: NodeIndex,
  url: plainText,
  peer: plainText,
  up: bool,
  ready: bool,
  gossip_only: bool,
  ahead: u64,
  behind: u64,
  statements_root: plainText,
  facts_root: plainText,
  state_root: plainText,
});
const group = "Nodes and links";

/** One node as it is now. */
export function nodeData({ host, apis }: Controlled, node: number) {
  const world = host.world();
  const seat = world.nodes[node];
  const { statements, facts, state } = world.rootsOf(node);
  const driver = seat?.driver();
  return {
    ...{ node, url: apis.urlOf(node), peer: seat?.wallet.peer ?? "" },
    ...{ up: driver !== undefined, ready: driver?.ready() === true },
    gossip_only: host.live().members[node]?.gossipOnly === true,
    ...{ ahead: BigInt(Math.max(0, seat?.skewMs() ?? 0)), behind: BigInt(Math.max(0, -(seat?.skewMs() ?? 0))) },
    ...{ statements_root: statements, facts_root: facts, state_root: state },
  };
}

/** Opens and shuts servers so that exactly the nodes that are up have one. */
export async function alignServers({ host, apis }: Controlled): Promise<void> {
  const up = new Set(host.nodes().flatMap(({ index, driver }) => (driver() === undefined ? [] : [index])));
  for (const node of apis.known()) if (!up.has(node)) await apis.shut(node);
  for (const node of up) await apis.open(node);
}

/** Starts a node, and runs the network until it has read its disk. */
export async function startNode(network: Controlled, node: number): Promise<void> {
  const { host } = network;
  const seat = host.world().nodes[node];
  seat?.start();
  await host.advance(host.world().loop.now() + READY_WITHIN_MS, () => seat?.driver()?.ready() === true);
  await jumpTo(network, host.world().loop.now());
}

export const networkMethods = {
  sim_getNodes: method({
    ...{ group, params: {}, result: list(NodeData) },
    doc: "Every node: where it is reached, whether it is up, and the roots of what it holds.",
    run: (network) => ok(network.host.nodes().map(({ index }) => nodeData(network, index))),
  }),
  sim_partition: method({
    ...{ group, params: { groups: NodeGroups, one_way: may(bool) }, result: bool, errors: ["UNKNOWN_NODE"] },
    doc:
      "Cuts the links between groups of nodes; a node of no group keeps its links. With one_way only what the first " +
      "group sends to the others is lost. Cuts add up until sim_heal.",
    run(network, { groups, one_way: oneWay = false }) {
      const lacks = lacksNode(network, ...groups.flat());
      if (lacks !== undefined) return lacks;
      cut(network.host.world().network, { groups, oneWay });
      return ok(true);
    },
  }),
  sim_setLatency: method({
    ...{ group, params: { least: Milliseconds, most: may(Milliseconds) }, result: bool },
    doc: "Every message between nodes takes so long from now on: evenly between least and most, or least exactly.",
    run(network, { least, most = least }) {
      const [from, to] = [Math.min(least, most), Math.max(least, most)];
      changeNetworkConditions(network.host.world().network, { latency: { type: "uniform", least: from, most: to } });
      return ok(true);
    },
  }),
  sim_setLoss: method({
    ...{ group, params: { millionths: Millionths }, result: bool },
    doc: "Of a million messages between nodes so many are lost from now on.",
    run(network, { millionths }) {
      changeNetworkConditions(network.host.world().network, { loss: millionths });
      return ok(true);
    },
  }),
  sim_heal: method({
    ...{ group, params: {}, result: bool },
    doc: "Takes every cut and every change of latency and loss back. Nodes that are down stay down.",
    run(network) {
      const { network: links } = network.host.world();
      for (const block of [...links.held.blocks]) uncut(links, block);
      for (const change of [...links.held.networkConditions]) restoreNetworkConditions(links, change);
      return ok(true);
    },
  }),
  sim_crash: method({
    ...{ group, params: { node: NodeIndex, power: may(bool) }, result: NodeData },
    errors: ["UNKNOWN_NODE", "NODE_IS_DOWN"],
    doc:
      "Ends the process of a node at once; its port refuses from then on. With power, what its disk had not synced is " +
      "gone as well.",
    async run(network, { node, power = false }) {
      const lacks = lacksNode(network, node);
      if (lacks !== undefined) return lacks;
      const seat = network.host.world().nodes[node];
      if (seat?.driver() === undefined) return refuse("NODE_IS_DOWN", `node ${node} is down already`);
      seat.crash(power);
      await network.apis.shut(node);
      return ok(nodeData(network, node));
    },
  }),
  sim_restart: method({
    ...{ group, params: { node: NodeIndex }, result: NodeData, errors: ["UNKNOWN_NODE", "NODE_IS_UP"] },
    doc: "Starts a node that is down, and runs the network until it has read its disk.",
    async run(network, { node }) {
      const lacks = lacksNode(network, node);
      if (lacks !== undefined) return lacks;
      const seat = network.host.world().nodes[node];
      if (seat === undefined || seat.driver() !== undefined) return refuse("NODE_IS_UP", `node ${node} is up`);
      await startNode(network, node);
      await alignServers(network);
      return ok(nodeData(network, node));
    },
  }),
  sim_setClockSkew: method({
    ...{ group, params: { node: NodeIndex, ahead: may(Milliseconds), behind: may(Milliseconds) }, result: bool },
    errors: ["UNKNOWN_NODE"],
    doc: "The clock of a node is so many milliseconds ahead of the network's, or behind it; right without either.",
    run(network, { node, ahead = 0, behind = 0 }) {
      const lacks = lacksNode(network, node);
      if (lacks !== undefined) return lacks;
      const seat = network.host.world().nodes[node];
      seat?.skewClock(ahead - behind - seat.skewMs());
      return ok(true);
    },
  }),
};
