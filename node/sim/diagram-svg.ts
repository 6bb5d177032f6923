/**
 * A space-time diagram as SVG: nodes side by side, time downwards, statements of disputes as arrows, what each node
 * shows as the colour of its line, the chain's slots at the left, cuts of the network shaded.
 */
import type { Arrow, Diagram, Observation, Showing } from "../../sim/diagram.ts";
import { clockText } from "../../sim/scenario.ts";
import type { Scale } from "./diagram-scale.ts";
import { scaleOf } from "./diagram-scale.ts";

/** Places in pixels. */
const TOP = 56;
const CHAIN_X = 118;
const FIRST_X = 210;
const COLUMN = 112;
const BOTTOM = 24;
const TICK_EVERY_MS = 10_000;
const TICK_ROOM = 14;
const LABEL_ROOM = 12;
const SLOT_MS = 400;

const STATUS_COLOURS: Readonly<Record<Showing["status"], string>> = {
  Open: "#9aa0a6",
  CaseLocked: "#b58900",
  RevealPhase: "#8e44ad",
  AwaitingChainExecution: "#d35400",
  Resolved: "#1e8e3e",
};
const ARROW_COLOURS: Readonly<Record<string, string>> = {
  DisputeOpened: "#c0392b",
  ArbitratorJoined: "#2980b9",
  VoteCommitted: "#b58900",
  VoteRevealed: "#8e44ad",
};
const OTHER_COLOUR = "#7f8c8d";

interface Drawing {
  readonly diagram: Diagram;
  readonly scale: Scale;
  x(node: number): number;
}

/** The diagram, or nothing when no dispute was seen. */
export function diagramSvg(diagram: Diagram): string {
  if (diagram.arrows.length === 0) return "";
  const scale = scaleOf(diagram, TOP);
  const drawing: Drawing = {
    ...{ diagram, scale },
    x: (node) => FIRST_X + COLUMN * diagram.columns.findIndex((column) => column.node === node),
  };
  const width = FIRST_X + COLUMN * diagram.columns.length;
  const height = Math.ceil(scale.height + BOTTOM);
  const parts = [
    markers(),
    ...spans(drawing, width),
    ...ticks(drawing, width),
    ...heads(drawing),
    ...lines(drawing),
    ...outages(drawing),
    ...observations(drawing),
    ...diagram.arrows.map((arrow) => arrowLine(drawing, arrow)),
    ...labels(drawing),
  ];
  const size = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
  return `${legend()}<svg ${size} role="img" aria-label="How the dispute spread">${parts.join("\n")}</svg>`;
}

function markers(): string {
  const colours = [...Object.entries(ARROW_COLOURS), ["other", OTHER_COLOUR] as const];
  const heads = colours.map(([name, colour]) => {
    const box = `viewBox="0 0 8 8" refX="8" refY="4" markerWidth="6" markerHeight="6" orient="auto"`;
    return `<marker id="head-${name}" ${box}><path d="M0 0 8 4 0 8z" fill="${colour}"/></marker>`;
  });
  return `<defs>${heads.join("")}</defs>`;
}

function spans({ diagram, scale, x }: Drawing, width: number): readonly string[] {
  return diagram.spans.flatMap(({ text, from, until, groups }) => {
    const [top, bottom] = [scale.y(Math.max(from, scale.from)), scale.y(Math.min(until, scale.until))];
    if (bottom <= top) return [];
    const groupOf = (node: number) => groups.findIndex((group) => group.includes(node));
    const borders = diagram.columns.flatMap(({ node }, place) => {
      const next = diagram.columns[place + 1];
      if (next === undefined || groupOf(node) === groupOf(next.node)) return [];
      const middle = x(node) + COLUMN / 2;
      const dash = `stroke="#c0392b" stroke-width="2" stroke-dasharray="6 4"`;
      return [`<line x1="${middle}" y1="${px(top)}" x2="${middle}" y2="${px(bottom)}" ${dash}/>`];
    });
    const box = `x="${CHAIN_X}" y="${px(top)}" width="${width - CHAIN_X}" height="${px(bottom - top)}"`;
    return [
      `<rect ${box} fill="#c0392b" opacity=".09"/>`,
      `<text x="${width - 6}" y="${px(bottom - 6)}" class="cut">${text}</text>`,
      ...borders,
    ];
  });
}

/** Time and slot every ten seconds, where there is room. */
function ticks({ scale }: Drawing, width: number): readonly string[] {
  const marks: string[] = [];
  let lastY = Number.NEGATIVE_INFINITY;
  for (let at = Math.ceil(scale.from / TICK_EVERY_MS) * TICK_EVERY_MS; at <= scale.until; at += TICK_EVERY_MS) {
    const y = scale.y(at);
    if (y - lastY < TICK_ROOM) continue;
    lastY = y;
    marks.push(`<line x1="${CHAIN_X - 4}" y1="${px(y)}" x2="${width}" y2="${px(y)}" class="grid"/>`);
    marks.push(`<text x="4" y="${px(y + 4)}">${clockText(at).slice(0, 5)}</text>`);
    marks.push(`<text x="${CHAIN_X - 8}" y="${px(y + 4)}" class="end">slot ${at / SLOT_MS}</text>`);
  }
  const [top, bottom] = [px(TOP), px(scale.height)];
  return [...marks, `<line x1="${CHAIN_X}" y1="${top}" x2="${CHAIN_X}" y2="${bottom}" class="chain"/>`];
}

function heads({ diagram, x }: Drawing): readonly string[] {
  const chain = `<text x="${CHAIN_X}" y="20" class="head">chain</text>`;
  return [
    chain,
    ...diagram.columns.flatMap(({ node, gossipOnly }) => [
      `<text x="${x(node)}" y="20" class="head">node ${node}</text>`,
      `<text x="${x(node)}" y="36" class="middle">${gossipOnly ? "gossip-only" : "sees the chain"}</text>`,
    ]),
  ];
}

/** A column in the colour of what its node shows. */
function lines({ diagram, scale, x }: Drawing): readonly string[] {
  return diagram.columns.flatMap(({ node }) => {
    const own = diagram.showings.filter((showing) => showing.node === node);
    const first = own[0]?.at ?? scale.until;
    const before = `<line x1="${x(node)}" y1="${TOP}" x2="${x(node)}" y2="${px(scale.y(first))}" class="idle"/>`;
    return [
      before,
      ...own.map(({ at, status }, place) => {
        const [top, bottom] = [scale.y(at), scale.y(own[place + 1]?.at ?? scale.until)];
        const paint = `stroke="${STATUS_COLOURS[status]}" stroke-width="5"`;
        return `<line x1="${x(node)}" y1="${px(top)}" x2="${x(node)}" y2="${px(bottom)}" ${paint}/>`;
      }),
    ];
  });
}

/** Where a process was down its line is broken; a cross is where it ended without warning. */
function outages({ diagram, scale, x }: Drawing): readonly string[] {
  return diagram.outages.flatMap(({ node, from, until }) => {
    if (from < scale.from || from > scale.until) return [];
    const [top, bottom] = [scale.y(from), scale.y(Math.min(until ?? scale.until, scale.until))];
    const place = `x1="${x(node)}" y1="${px(top)}" x2="${x(node)}" y2="${px(bottom)}"`;
    const cross = `<text x="${x(node)}" y="${px(top + 4)}" class="crash">✕</text>`;
    const what = from === until ? "restarted" : "down";
    const name = `<text x="${x(node) - 8}" y="${px(top + 4)}" class="end">${what}</text>`;
    return [`<line ${place} class="gap"/>`, `<line ${place} class="idle"/>`, cross, name];
  });
}

/** Transactions on the disputed escrow: from their slot on the chain to each node that learned of them. */
function observations({ diagram, scale, x }: Drawing): readonly string[] {
  const deciding = new Set(diagram.showings.map((showing) => showing.execution));
  const disputed = new Set(diagram.observations.filter((one) => deciding.has(one.signature)).map((one) => one.address));
  const shown = diagram.observations.filter((one) => disputed.has(one.address) && slotTime(one) >= scale.from);
  const marked = new Map(shown.map((one) => [one.signature, one]));
  return [
    ...shown.map((one) => {
      const [y1, y2] = [scale.y(slotTime(one)), scale.y(one.at)];
      return `<line x1="${CHAIN_X}" y1="${px(y1)}" x2="${x(one.node)}" y2="${px(y2)}" class="observation"/>`;
    }),
    ...[...marked.values()].map((one) => {
      const y = scale.y(slotTime(one));
      const what = deciding.has(one.signature) ? "executed" : "case opened";
      const mark = `<circle cx="${CHAIN_X}" cy="${px(y)}" r="5" fill="#1e8e3e"/>`;
      return `${mark}<text x="${CHAIN_X + 10}" y="${px(y + 4)}" class="strong">${what}, slot ${one.slot}</text>`;
    }),
  ];
}

function slotTime({ slot }: Observation): number {
  return Number(slot) * SLOT_MS;
}

function arrowLine({ scale, x }: Drawing, { what, from, to, sentAt, at, recovered }: Arrow): string {
  const colour = ARROW_COLOURS[what] ?? OTHER_COLOUR;
  const end = px(scale.y(at));
  const head = `marker-end="url(#head-${what in ARROW_COLOURS ? what : "other"})"`;
  if (from === undefined) {
    const start = `x1="${x(to) - 34}" y1="${end}" x2="${x(to) - 4}" y2="${end}"`;
    const name = `<text x="${x(to) - 36}" y="${px(scale.y(at) - 5)}" class="what" fill="${colour}">${what}</text>`;
    return `<line ${start} stroke="${colour}" stroke-width="2.5" ${head}/>${name}`;
  }
  const side = x(from) < x(to) ? 1 : -1;
  const ends = `x1="${x(from) + 3 * side}" y1="${px(scale.y(sentAt))}" x2="${x(to) - 4 * side}" y2="${end}"`;
  const dash = recovered ? ` stroke-dasharray="4 3"` : "";
  return `<line ${ends} stroke="${colour}" stroke-width="1.2"${dash} ${head}/>`;
}

/** How many reveals a node shows, and what it says was decided, beside its line. */
function labels({ diagram, scale, x }: Drawing): readonly string[] {
  return diagram.columns.flatMap(({ node }) => {
    const own = diagram.showings.filter((showing) => showing.node === node);
    return own.flatMap(({ at, reveals, status, resolution }, place) => {
      const y = px(scale.y(at) + 11);
      if (resolution !== null) return [`<text x="${x(node) + 7}" y="${y}" class="strong">${resolution}</text>`];
      const same = reveals === (own[place - 1]?.reveals ?? 0) || status === "Resolved";
      const next = own[place + 1];
      const crowded = next?.resolution === null && scale.y(next.at) - scale.y(at) < LABEL_ROOM;
      return same || crowded ? [] : [`<text x="${x(node) + 7}" y="${y}" class="count">${reveals} revealed</text>`];
    });
  });
}

function legend(): string {
  const key = (colour: string, name: string) => `<span><i style="background:${colour}"></i>${name}</span>`;
  const statuses = Object.entries(STATUS_COLOURS).map(([name, colour]) => key(colour, name));
  const kinds = Object.entries(ARROW_COLOURS).map(([name, colour]) => key(colour, name));
  const dashed = "Dashed arrows were asked for later. Waits are drawn short.";
  const [shows, carries] = [statuses.join(""), kinds.join("")];
  return `<p class="legend">A node shows: ${shows}</p><p class="legend">Arrows carry: ${carries} ${dashed}</p>`;
}

function px(value: number): string {
  return value.toFixed(1);
}
