/**
 * What a network looks like from above: nodes and links, what happened lately, one trade from its offer to its end, and
 * any record on every node. Reads only. Source: DESIGN section 6 "serve".
 */
import { bool, enumeration, list, ok, option, struct, tables, u64 } from "../../../core/index.ts";
import { plainText, small } from "../../../core/testing.ts";
import { may } from "../../data/optional.ts";
import { DistributionData, Millionths, Name, NodeGroups, NodeIndex } from "../../data/values.ts";
import { blockOf } from "../../network-state.ts";
import { labelOf, recordText } from "../../record-text.ts";
import { WORLD_START } from "../../world.ts";
import type { LoggedEvent } from "../event-log.ts";
import { eventKinds } from "../event-log.ts";
import type { Controlled } from "./method.ts";
import { lacksNode, method, refuse } from "./method.ts";
import { NodeData, nodeData } from "./network-methods.ts";
import { storyOf } from "./story.ts";

/** Events and records of one answer at most. Source: DESIGN L10. */
export const EVENTS_SHOWN_MAX = 1_000;
export const RECORDS_SHOWN_MAX = 1_000;
/** Events and records of one answer unless said. */
const SHOWN = 100;

const LinkData = struct("Link", { one: NodeIndex, other: NodeIndex, open: bool, cut: bool });
const CutData = struct("Cut", { groups: NodeGroups, one_way: bool });
const TopologyData = struct("Topology", {
  now: u64,
  nodes: list(NodeData),
  links: list(LinkData),
  cuts: list(CutData),
  latency: DistributionData,
  loss: Millionths,
});
const EventData = struct("Event", {
  number: u64,
  at: u64,
  node: option(NodeIndex),
  kind: enumeration(...eventKinds),
  text: plainText,
  client: bool,
  from: option(NodeIndex),
  about: list(plainText),
  signature: option(plainText),
  slot: option(u64),
});
const EventsData = struct("Events", { newest: u64, events: list(EventData) });
const StoryLine = struct("StoryLine", {
  at: u64,
  text: plainText,
  nodes: list(struct("Reached", { node: NodeIndex, at: u64, from: option(NodeIndex) })),
  slot: option(u64),
  signature: option(plainText),
  failed: bool,
});
const StoryData = struct("Story", {
  id: plainText,
  about: list(plainText),
  lines: list(StoryLine),
  shows: list(struct("Shows", { node: NodeIndex, record: plainText, state: plainText })),
});
const TableData = struct("Table", { table: plainText, root: plainText, records: u64 });
const KeyData = struct("Key", { key: plainText, label: plainText });
const KeysData = struct("Keys", { total: u64, keys: list(KeyData) });
const HeldData = struct("HeldRecord", { node: NodeIndex, up: bool, record: option(plainText) });
const ComparedData = struct("ComparedRecord", { equal: bool, nodes: list(HeldData) });
const group = "Looking";

export const watchMethods = {
  sim_getTopology: method({
    ...{ group, params: {}, result: TopologyData },
    doc: "Nodes and connections between them, which of these a cut stops, every cut, and how messages fare.",
    run: (network) => ok(topologyOf(network)),
  }),
  sim_getEvents: method({
    group,
    params: { after: may(u64), limit: may(small(32, { least: 1, most: EVENTS_SHOWN_MAX })) },
    result: EventsData,
    doc:
      "What happened lately, oldest first: statements that nodes took, transactions that they saw, processes that " +
      "began and ended, what control did. The newest so many, 100 unless said, after a number.",
    run({ host }, { after = 0n, limit = SHOWN }) {
      const { events } = host.live();
      const newest = BigInt(events.newest());
      const kept = after > newest ? [] : events.after(Number(after)).slice(-limit);
      return ok({ newest, events: kept.map(eventData) });
    },
  }),
  sim_getStory: method({
    ...{ group, params: { id: Name }, result: StoryData, errors: ["UNKNOWN_RECORD"] },
    doc:
      "The story of one trade, named by the id of its settlement, reservation or dispute, or of an advertisement: " +
      "each statement and when it reached which node, each transaction of its escrow, and what every node shows now. " +
      "Statements older than the newest 4,096 events are not in it.",
    run(network, { id }) {
      const story = storyOf(network.host, id);
      return story === undefined ? refuse("UNKNOWN_RECORD", `no kept event is about ${id}`) : ok(story);
    },
  }),
  sim_getTables: method({
    ...{ group, params: { node: NodeIndex }, result: list(TableData), errors: ["UNKNOWN_NODE", "NODE_IS_DOWN"] },
    doc: "The tables of a node's memory, by name, and how many records each holds.",
    run(network, { node }) {
      const view = viewOf(network, node);
      if ("ok" in view) return view;
      return ok(tables.map((table) => ({ table: table.name, root: table.root, records: BigInt(view.size(table)) })));
    },
  }),
  sim_getKeys: method({
    group,
    params: {
      ...{ node: NodeIndex, table: Name, find: may(plainText) },
      limit: may(small(32, { least: 1, most: RECORDS_SHOWN_MAX })),
    },
    result: KeysData,
    errors: ["UNKNOWN_NODE", "NODE_IS_DOWN", "UNKNOWN_RECORD"],
    doc:
      "Keys of a table of a node in order, with the id or name that the record bears; those that hold a text in key " +
      "or label where one is given. So many, 100 unless said.",
    run(network, { node, table: named, find = "", limit = SHOWN }) {
      const view = viewOf(network, node);
      if ("ok" in view) return view;
      const table = tables.find(({ name }) => name === named);
      if (table === undefined) return noTable(named);
      const found = [...view.keys(table)]
        .map((key) => ({ key, label: labelOf(view.get(table, key)) }))
        .filter(({ key, label }) => key.includes(find) || label.includes(find))
        .sort((one, other) => (one.key < other.key ? -1 : 1));
      return ok({ total: BigInt(found.length), keys: found.slice(0, limit) });
    },
  }),
  sim_compareRecord: method({
    ...{ group, params: { table: Name, key: Name }, result: ComparedData, errors: ["UNKNOWN_RECORD"] },
    doc: "One record as every node holds it, in JSON; null where a node has none. Equal: all that are up hold the same.",
    run({ host }, { table: named, key }) {
      const table = tables.find(({ name }) => name === named);
      if (table === undefined) return noTable(named);
      const nodes = host.nodes().map(({ index: node, driver }) => {
        const record = driver()?.view.get(table, key);
        return { node, up: driver() !== undefined, record: record === undefined ? null : recordText(record) };
      });
      const held = new Set(nodes.filter(({ up }) => up).map(({ record }) => record));
      return ok({ equal: held.size <= 1, nodes });
    },
  }),
};

function noTable(name: string) {
  return refuse("UNKNOWN_RECORD", `there is no table ${name}; sim_getTables has their names`);
}

/** What a node remembers, or why nobody can look. */
function viewOf(network: Controlled, node: number) {
  const lacks = lacksNode(network, node);
  if (lacks !== undefined) return lacks;
  return network.host.world().nodes[node]?.driver()?.view ?? refuse("NODE_IS_DOWN", `node ${node} is down`);
}

function topologyOf(network: Controlled) {
  const world = network.host.world();
  const { held } = world.network;
  const count = world.nodes.length;
  const links = held.members.slice(0, count).flatMap((member) =>
    [...member.connections]
      .filter(([other, { dialer }]) => other < count && dialer === member.index)
      .map(([other, { dialerOpen, acceptorOpen }]) => {
        const cut = [blockOf(world.network, member.index, other), blockOf(world.network, other, member.index)];
        return { one: member.index, other, open: dialerOpen && acceptorOpen, cut: cut.some((block) => block) };
      }),
  );
  return {
    now: world.loop.epoch() as bigint,
    nodes: network.host.nodes().map(({ index }) => nodeData(network, index)),
    links,
    cuts: [...held.blocks].map(({ groupOf, oneWay }) => ({ groups: groupsOf(groupOf), one_way: oneWay })),
    latency: held.conditions.latency,
    loss: held.conditions.loss,
  };
}

function groupsOf(groupOf: ReadonlyMap<number, number>): readonly (readonly number[])[] {
  const groups: number[][] = [];
  for (const [node, at] of groupOf) {
    groups[at] ??= [];
    groups[at].push(node);
  }
  return groups.map((nodes) => nodes ?? []);
}

function eventData({ number, at, from, slot, statement: _, ...event }: LoggedEvent) {
  return {
    ...event,
    ...{ number: BigInt(number), at: WORLD_START + BigInt(at), client: from === "client" },
    from: typeof from === "number" ? from : null,
    slot: slot === null ? null : BigInt(slot),
  };
}
