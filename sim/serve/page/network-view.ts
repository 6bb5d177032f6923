/**
 * The drawing of the network: nodes on a circle, a line for each connection. A node is chosen by a click, or by keys:
 * arrows go from one to the next, Enter or space chooses.
 */
import type { NodeSeen, Topology } from "./answers.ts";
import { at, h, runsOf, s, show } from "./dom.ts";

const SIZE = 640;
const MIDDLE = SIZE / 2;
/** Up to so many nodes are drawn large; more are drawn small. */
const LARGE = 16;

/** The nodes that are chosen, and the drawing of all. */
export interface NetworkView {
  readonly chosen: ReadonlySet<number>;
  draw(topology: Topology): void;
  choose(nodes: readonly number[]): void;
}

export function openNetworkView(changed: () => void): NetworkView {
  const chosen = new Set<number>();
  const state: { topology?: Topology; drawn: string; focus: number } = { drawn: "", focus: 0 };
  const box = at("drawing");
  const nodeAt = (place: number): number => state.topology?.nodes[place]?.node ?? place;
  const toggle = (node: number): void => {
    if (!chosen.delete(node)) chosen.add(node);
    redraw();
    changed();
  };
  const focusOn = (place: number): void => box.querySelectorAll<SVGElement>("[data-node]")[place]?.focus();
  const press = (event: KeyboardEvent, place: number, count: number): void => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      state.focus = (place + step + count) % count;
      redraw();
      focusOn(state.focus);
    } else if (event.key === "Enter" || event.key === " ") toggle(nodeAt(place));
    else return;
    event.preventDefault();
  };
  const redraw = (): void => {
    const { topology } = state;
    if (topology === undefined) return;
    const drawn = JSON.stringify([topology.nodes, topology.links, topology.cuts, [...chosen], state.focus]);
    if (drawn === state.drawn) return;
    state.drawn = drawn;
    const focused = box.contains(document.activeElement);
    show(box, drawing(topology, chosen, state.focus, { toggle, press }), caption(topology, chosen));
    if (focused) focusOn(state.focus);
  };
  return {
    chosen,
    draw(topology) {
      state.topology = topology;
      // Nodes may leave for good.
      for (const node of chosen) if (!topology.nodes.some((there) => there.node === node)) chosen.delete(node);
      state.focus = Math.min(state.focus, topology.nodes.length - 1);
      redraw();
    },
    choose(nodes) {
      chosen.clear();
      for (const node of nodes) chosen.add(node);
      redraw();
      changed();
    },
  };
}

interface Acts {
  readonly toggle: (node: number) => void;
  readonly press: (event: KeyboardEvent, place: number, count: number) => void;
}

function drawing({ nodes, links, cuts }: Topology, chosen: ReadonlySet<number>, focus: number, acts: Acts): SVGElement {
  const large = nodes.length <= LARGE;
  const radius = large ? 30 : 15;
  const ring = nodes.length === 1 ? 0 : MIDDLE - radius - 14;
  const places = new Map(nodes.map(({ node }, place) => [node, place] as const));
  const place = (node: number): readonly [number, number] => {
    const angle = (2 * Math.PI * (places.get(node) ?? 0)) / nodes.length - Math.PI / 2;
    return [MIDDLE + ring * Math.cos(angle), MIDDLE + ring * Math.sin(angle)];
  };
  const lines = links.map(({ one, other, open, cut }) => {
    const [[x1, y1], [x2, y2]] = [place(one), place(other)];
    const kind = cut ? "cut" : open ? "open" : "half";
    return s("line", { x1, y1, x2, y2, class: `link ${kind}` });
  });
  const apart = large ? cutPairs(links, cuts) : [];
  for (const [one, other] of apart) {
    const [[x1, y1], [x2, y2]] = [place(one), place(other)];
    lines.push(s("line", { x1, y1, x2, y2, class: "link cut" }));
  }
  const circles = nodes.map((node, at) => {
    const [x, y] = place(node.node);
    const group = cuts
      .map(({ groups }) => groups.findIndex((members) => members.includes(node.node)))
      .find((n) => n >= 0);
    const picked = chosen.has(node.node);
    const circle = s(
      "g",
      {
        ...{ role: "button", tabindex: at === focus ? 0 : -1, "data-node": node.node },
        ...{ "aria-pressed": String(picked), "aria-label": nodeText(node, group), transform: `translate(${x} ${y})` },
        class: `node ${stateOf(node)}${(group ?? 0) > 0 ? " apart" : ""}${picked ? " chosen" : ""}`,
        onclick: () => acts.toggle(node.node),
        onkeydown: (event) => acts.press(event as KeyboardEvent, at, nodes.length),
      },
      s("title", {}, nodeText(node, group)),
      s("circle", { r: radius }),
      s("text", { class: "number", y: large ? 6 : 5 }, `${node.node}${group === undefined ? "" : sideOf(group)}`),
    );
    return circle;
  });
  const size = { viewBox: `0 0 ${SIZE} ${SIZE}`, class: large ? "large" : "small" };
  return s("svg", { ...size, role: "group", "aria-label": "nodes and links" }, ...lines, ...circles);
}

/** Pairs on two sides of a cut whose connection has died of it. */
function cutPairs(links: Topology["links"], cuts: Topology["cuts"]): readonly (readonly [number, number])[] {
  const linked = new Set(links.map(({ one, other }) => `${Math.min(one, other)} ${Math.max(one, other)}`));
  return cuts
    .flatMap(({ groups }) =>
      groups.flatMap((group, place) =>
        groups.slice(place + 1).flatMap((rest) => group.flatMap((one) => rest.map((other) => [one, other] as const))),
      ),
    )
    .filter(([one, other]) => !linked.has(`${Math.min(one, other)} ${Math.max(one, other)}`));
}

function caption({ nodes, links, cuts }: Topology, chosen: ReadonlySet<number>): HTMLElement {
  const down = nodes.filter(({ up }) => !up).map(({ node }) => node);
  const cut = links.filter((link) => link.cut).length;
  const parts = [
    `${nodes.length} nodes, ${links.length} links`,
    ...(cut > 0 ? [`${cut} of them cut`] : []),
    ...(down.length > 0 ? [`down: ${runsOf(down)}`] : []),
    ...cuts.map(({ groups, one_way: oneWay }) => `cut ${groups.map(runsOf).join(oneWay ? " ↛ " : " | ")}`),
    chosen.size === 0 ? "none chosen" : `chosen: ${runsOf([...chosen])}`,
  ];
  return h("p", { class: "dim", id: "caption" }, parts.join(" · "));
}

const sideOf = (group: number): string => String.fromCharCode("a".charCodeAt(0) + (group % 26));

function stateOf({ up, ready, gossip_only: gossipOnly }: NodeSeen): string {
  if (!up) return "down";
  return `${ready ? "up" : "starting"}${gossipOnly ? " gossip" : ""}`;
}

function nodeText(node: NodeSeen, group: number | undefined): string {
  const [ahead, behind] = [Number(node.ahead), Number(node.behind)];
  const parts = [
    `node ${node.node}`,
    node.up ? (node.ready ? "up" : "starting") : "down",
    ...(node.gossip_only ? ["gossip-only"] : []),
    ...(group === undefined ? [] : [`side ${sideOf(group)} of a cut`]),
    ...(ahead > 0 ? [`clock ${ahead} ms ahead`] : []),
    ...(behind > 0 ? [`clock ${behind} ms behind`] : []),
  ];
  return parts.join(", ");
}
