/**
 * Law L7: no slot, no snapshot; a file is stamped with a slot that somebody observed, never with a later one; forged
 * slots are refused by whoever knows better; a checkpoint is the slot of a file that was taken, and no chain fact comes
 * with it. What a node can know is worked out here from what it was told, apart from the core.
 * Source: protocol 05 §6.3, §6.4, §6.9; DESIGN L7.
 */
import type { Input } from "../../core/index.ts";
import type { CheckContext, Checker, StepSeen } from "../checker.ts";

/** No simulated chain comes this far: what is above is a forgery. Less than has fit since 1970, so it can fool. */
export const FORGED_FROM = 1n << 31n;
/** Messages that a test puts into the world in a liar's name. */
export const FORGED_REPLY = "forged";
/** How long a node may take to make durable what it was told, in milliseconds. */
const DURABLE_MS = 1_000n;
const FACT_TABLES = new Set(["chain_facts", "stake_readings", "proposal_resolutions"]);
/** Whoever asks too often, or whose disk refuses: neither says anything of what was sent. Source: protocol 01 §6.2. */
const UNREAD = /"ofsErrorCode":(?:9|9000)\b/;
const ANNOUNCED = Buffer.from("BlockhashAnnounced");
const PUSHED = Buffer.from("GossipPush");

/** What one node was told and did. */
interface Seen {
  /** Whether any slot can have reached it, and since when one surely did. */
  told: boolean;
  knowsSince: bigint | undefined;
  /** Whether a forgery reached it before any true slot: then it cannot know better. */
  fooled: boolean;
  fetching: bigint | undefined;
  checkpoint: bigint | undefined;
  /** The latest that memory held when it went: what its disk then says is this, one before it, or nothing. */
  held: bigint | undefined;
}

/** What happened, for tests that must see it happen. */
export interface SlotTally {
  readonly wrote: Set<number>;
  readonly took: Set<number>;
  readonly refused: Set<number>;
}

export function newTally(): SlotTally {
  return { wrote: new Set(), took: new Set(), refused: new Set() };
}

/** Snapshots carry the newest plausible slot that was seen, and none without one. Law L7. */
export function snapshotsKeepSlots({ violate, keep }: CheckContext, tally: SlotTally): Checker {
  const held = keep(nothingObserved);
  const { nodes, observed, asked } = held;

  function seenBy(node: number): Seen {
    const known = nodes.get(node) ?? nothingSeen();
    nodes.set(node, known);
    return known;
  }

  function knows(node: number): boolean {
    const { knowsSince, fooled } = seenBy(node);
    return !fooled && knowsSince !== undefined && held.now - knowsSince > DURABLE_MS;
  }

  /** Memory goes. Whether a disk may lose what it kept is what `durable-before-visible` asks. */
  function forget(node: number): void {
    const seen = seenBy(node);
    seen.fetching = undefined;
    if (seen.held === undefined || (seen.checkpoint ?? 0n) > seen.held) seen.held = seen.checkpoint;
    seen.checkpoint = undefined;
    if (!knows(node)) seen.knowsSince = undefined;
  }

  function onWrite(node: number, id: string): void {
    const seen = seenBy(node);
    const slot = slotOf(id);
    tally.wrote.add(node);
    if (!seen.told) violate(`node ${node} makes ${id}, and never observed a slot`);
    else if (!seen.fooled && !observed.has(slot)) violate(`node ${node} makes ${id}, and nobody observed slot ${slot}`);
  }

  return {
    name: "snapshots-keep-slots",
    onStep(step) {
      const { node, input, effects } = step;
      const seen = seenBy(node);
      if (input.now > held.now) held.now = input.now;
      noteAnnounced(seen, input, observed);
      for (const effect of effects) {
        if (effect.type === "snapshot.write") onWrite(node, effect.id);
        if (effect.type !== "snapshot.fetch") continue;
        seen.fetching = slotOf(effect.id);
        if (knows(node) && seen.fetching >= FORGED_FROM) violate(`node ${node} asks for ${effect.id}`);
      }
      const wrong = wrongCheckpoint(seen, step);
      if (wrong !== undefined) violate(`node ${node}: ${wrong}`);
      else if (step.changes.some(({ table }) => table === "snapshot_checkpoint") && input.type === "timer.fired")
        tally.took.add(node);
    },
    onCall({ node, request }) {
      const slot = announcedSlot(request);
      if (slot !== undefined && slot >= FORGED_FROM && knows(node)) asked.set(`${node}/${request}`, slot);
    },
    onAnswer({ node, request, answer }) {
      if (knows(node) && /getLatestSnapshot|getSnapshots/.test(request) && forgedSlotIn(answer))
        violate(`node ${node} shows ${answer}`);
      if (!asked.delete(`${node}/${request}`)) return;
      if (/"ofsErrorCode":(?:1005|2)\b/.test(answer)) tally.refused.add(node);
      else if (!UNREAD.test(answer)) violate(`node ${node} takes an announcement of a forged slot: ${answer}`);
    },
    onCommit: ({ node, report }) => (report.type === "failed" ? forget(node) : undefined),
    onCrash: ({ node }) => forget(node),
  };
}

/** What the network said: of each node, the slots that were observed, and announcements that were not answered. */
interface Observed {
  readonly nodes: Map<number, Seen>;
  readonly observed: Set<bigint>;
  readonly asked: Map<string, bigint>;
  now: bigint;
}

function nothingObserved(): Observed {
  return { nodes: new Map(), observed: new Set(), asked: new Map(), now: 0n };
}

function nothingSeen(): Seen {
  const nothing = { knowsSince: undefined, fetching: undefined, checkpoint: undefined, held: undefined };
  return { told: false, fooled: false, ...nothing };
}

/** What an input tells of the chain. A pushed announcement of an honest node is fresh. */
function noteAnnounced(seen: Seen, input: Input, observed: Set<bigint>): void {
  if (input.type === "chain.observed" && input.observation.type === "slot") {
    observed.add(input.observation.slot);
    seen.told = true;
    seen.knowsSince ??= input.now;
  }
  if (input.type !== "message.received" && input.type !== "message.answered") return;
  const bytes = Buffer.from(input.bytes.buffer, input.bytes.byteOffset, input.bytes.length);
  if (!bytes.includes(ANNOUNCED)) return;
  seen.told = true;
  if (input.type === "message.received" && input.replyTo.startsWith(FORGED_REPLY))
    seen.fooled ||= seen.knowsSince === undefined;
  else if (bytes.includes(PUSHED)) seen.knowsSince ??= input.now;
}

/** A checkpoint moves to the slot of the file that was asked for, upwards, and no fact moves with it. */
function wrongCheckpoint(seen: Seen, { changes, input, roots, rootsBefore }: StepSeen): string | undefined {
  const change = changes.find(({ table }) => table === "snapshot_checkpoint");
  if (change === undefined) return undefined;
  const before = seen.checkpoint;
  const slot = change.record as bigint;
  seen.checkpoint = slot;
  if (input.type === "store.loaded")
    return seen.held === undefined || slot <= seen.held ? undefined : "a checkpoint grew";
  if (slot !== seen.fetching) return `the checkpoint is ${slot}, the file's slot ${seen.fetching}`;
  if (before !== undefined && slot <= before) return `the checkpoint went from ${before} to ${slot}`;
  if (changes.some(({ table }) => FACT_TABLES.has(table)) || roots.facts !== rootsBefore.facts)
    return "a chain fact came with a file";
  return undefined;
}

function slotOf(id: string): bigint {
  return BigInt(/^snap-([0-9]+)-/.exec(id)?.[1] ?? 0);
}

/** The slot that a send announces. */
function announcedSlot(request: string): bigint | undefined {
  const data = /"method":"sendSnapshotAnnounce".*"data":"([^"]+)"/.exec(request)?.[1];
  const digits = data && /"slot":([0-9]+)/.exec(Buffer.from(data, "base64").toString())?.[1];
  return digits === undefined || digits === "" ? undefined : BigInt(digits);
}

function forgedSlotIn(answer: string): boolean {
  return [...answer.matchAll(/"slot":([0-9]+)/g)].some(([, digits]) => BigInt(digits ?? 0) >= FORGED_FROM);
}
