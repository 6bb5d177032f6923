/**
 * A way through a scope that broke a law, as a text: the scope's name and each move in words of its own, so that other
 * code can be asked the same. What is under way is named by a digest of all its bytes and, since other code may send
 * other bytes, by what it is. Source: DESIGN section 5 "Failure".
 */
import type { Infer, Result } from "../../core/index.ts";
import { decodeCompact, enumeration, err, list, ok, struct } from "../../core/index.ts";
import { Frame, plainText as text } from "../../core/testing.ts";
import { checkedText, plainText } from "../data/plain.ts";
import { canonicalText, digestOf } from "./canonical.ts";
import type { Item } from "./environment.ts";
import type { Opened } from "./explore.ts";
import type { Broken } from "./laws.ts";
import type { Move } from "./moves.ts";
import type { SmallWorld } from "./small-world.ts";

/** The mark of such a text. */
export const WALK_FORMAT = "ofs-walk/1";

const Step = struct("Step", {
  /** What happens, and to what. */
  move: text,
  /** The digest of what is under way; empty where nothing is. */
  bytes: text,
});
/** A way and what it broke, as its file holds them. */
export const WalkData = struct("Walk", {
  format: enumeration(WALK_FORMAT),
  scope: text,
  found: struct("Found", { check: text, message: text }),
  steps: list(Step),
});
export type WalkData = Infer<typeof WalkData>;

/** The text of a way that broke a law. */
export function walkText(
  scope: string,
  { world }: Opened,
  broken: Broken & { readonly moves: readonly number[] },
): string {
  const { check, message, moves } = broken;
  const steps = moves.map((move) => stepOf(world, world.moveAt(move)));
  const written = plainText({ format: WALK_FORMAT, scope, found: { check, message }, steps });
  if (!written.ok) throw new Error(`bug: ${written.error}`);
  return `${written.value}\n`;
}

/** The way that a text holds; or why it holds none, in one line that names the member. */
export function walkOf(content: string): Result<WalkData, string> {
  const read = checkedText(WalkData, content, "");
  return read.ok ? read : err(read.error.replace(/^: /, ""));
}

/** What became of a way: the same law broken, another one, none, or a move of it can no longer happen. */
export type WalkVerdict =
  | { readonly verdict: "same" | "same-law" | "other-law"; readonly broken: Broken }
  | { readonly verdict: "gone"; readonly broken: undefined; readonly stuck: string | undefined };

/** Takes the same way again. */
export function replayWalk({ steps, found }: WalkData, { world, first, judge }: Opened): WalkVerdict {
  let state = first;
  const verdictOn = (broken: Broken): WalkVerdict => {
    if (broken.check !== found.check) return { verdict: "other-law", broken };
    return { verdict: broken.message === found.message ? "same" : "same-law", broken };
  };
  for (const step of steps) {
    const move = moveLike(world, world.moves(state), step);
    if (!move.ok) return { verdict: "gone", broken: undefined, stuck: move.error };
    state = world.apply(state, move.value);
    const broken = judge.broken() ?? judge.ofState(state);
    if (broken !== undefined) return verdictOn(broken);
  }
  // Where the chain has more to come to, nothing need be as it ends yet.
  const goesOn = world.moves(state).some((move) => ["chain", "look"].includes(world.moveAt(move).kind));
  const broken = goesOn ? undefined : judge.ofFinal(state);
  return broken === undefined ? { verdict: "gone", broken, stuck: undefined } : verdictOn(broken);
}

/** The lines in which a way is told. */
export function walkLines({ steps }: Pick<WalkData, "steps">): readonly string[] {
  return steps.map(({ move }, place) => `${String(place + 1).padStart(4)}  ${move}`);
}

function moveLike(
  world: SmallWorld,
  moves: readonly number[],
  step: WalkData["steps"][number],
): Result<number, string> {
  let like: number | undefined;
  for (const move of moves) {
    const candidate = stepOf(world, world.moveAt(move));
    if (candidate.move !== step.move) continue;
    if (candidate.bytes === step.bytes) return ok(move);
    like ??= move;
  }
  return like === undefined ? err(`"${step.move}" cannot happen there any more`) : ok(like);
}

function stepOf(world: SmallWorld, move: Move): WalkData["steps"][number] {
  if (!("item" in move)) return { move: moveText(move), bytes: "" };
  const item = world.itemAt(move.item);
  const after = "performed" in move ? ` after ${move.performed} effects` : "";
  return { move: `${move.kind}${after}: ${itemText(item)}`, bytes: digestOf(canonicalText(item)) };
}

function moveText(move: Exclude<Move, { readonly item: number }>): string {
  switch (move.kind) {
    case "timer":
      return `timer ${move.timer} of node ${move.node}`;
    case "call":
      return `call of client ${move.client}`;
    case "sync-and-crash":
      return `sync and crash of node ${move.node} after ${move.performed} effects`;
    case "chain":
      return `the chain comes to its stage ${move.stage}`;
    case "tick":
    case "jump":
      return move.kind;
    default:
      return `${move.kind} of node ${move.node}`;
  }
}

function itemText(item: Item): string {
  switch (item.kind) {
    case "request":
    case "copy":
    case "answer":
      return `${item.kind} ${frameText(item)} from node ${item.from} to node ${item.to}`;
    case "notice":
      return `notice ${item.fact.type} to node ${item.to}`;
    case "dial":
      return `dial of node ${item.to} to node ${item.other}`;
    default:
      return `${item.kind} to node ${item.to}`;
  }
}

function frameText({ fact }: Extract<Item, { readonly kind: "request" | "copy" | "answer" }>): string {
  if (fact.type !== "message.received" && fact.type !== "message.answered") return fact.type;
  return decodeCompact(Frame, fact.bytes)?.message_type ?? "nothing";
}
