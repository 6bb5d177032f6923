/**
 * What a peer asks for and its allowance pays for, it gets: of a range of sets all that is held there, in full or as
 * digests of its branches; of statements that it names or whose beginnings it names every one that is held, unless the
 * answer says that there is more; of the log the oldest events first, those of one date by their ids. Another peer or
 * another comparison would bring the same later, so nothing else sees what is left out.
 * Source: protocol 01 §7.6, §15 W3; CONVERGENCE "Roots", B4, B5; DESIGN "Gossip and sync".
 */
import type { Reader } from "../../core/index.ts";
import { decodeCompact, toHex } from "../../core/index.ts";
import type { GossipEvent } from "../../core/testing.ts";
import {
  Events,
  eventKey,
  FetchRequest,
  FetchResponse,
  Links,
  Pending,
  RecoveryResponse,
  Seals,
  SetRequest,
  SetResponse,
  Statements,
} from "../../core/testing.ts";
import type { CheckContext, Checker, StepSeen } from "../checker.ts";
import { headOf, payloadOf } from "./frames.ts";

/** Written down apart from the core. Source: protocol 01 §9.3, §15 W3; DESIGN "Work at once". */
const PREFIXES_MOST = 1_024;
const NAMED_MOST = 4_096;
const BRANCHES = 16;
const ACKNOWLEDGED = "GossipPushAck";
const PREFIX = /^[0-9a-f]{0,64}$/;
/** What is older is asked for by nobody, less what clocks may differ by: 14 days. Source: CONVERGENCE "Door policy". */
const OVER_MS = 14n * 86_400_000n;

/** Peers get what they ask for. */
export function requestsAreAnswered({ violate, profile }: CheckContext): Checker {
  return {
    name: "requests-are-answered",
    onStep(step) {
      const { node, input, effects, changes } = step;
      if (profile.parity || input.type !== "message.received") return;
      const look = LOOKS[headOf(input.bytes)?.type ?? ""];
      const reply = effects.find((effect) => effect.type === "message.reply" && effect.replyTo === input.replyTo);
      if (look === undefined || reply?.type !== "message.reply") return;
      // A frame that does not read as its head says, and one of a peer that is cut off, are acknowledged and not heard.
      if (headOf(reply.bytes)?.type === ACKNOWLEDGED) return;
      // What was not paid for is answered with nothing.
      const isPaid = changes.some(({ table, key }) => table === Links.name && key === input.from);
      const wrong = look(step, payloadOf(input.bytes), payloadOf(reply.bytes), isPaid);
      if (wrong !== undefined) violate(`node ${node} answers ${input.from} ${wrong}`);
    },
  };
}

type Look = (step: StepSeen, asked: Uint8Array, told: Uint8Array, isPaid: boolean) => string | undefined;

const LOOKS: Readonly<Record<string, Look>> = {
  GossipRecoveryRequest: (_, __, told) => logWrong(decodeCompact(RecoveryResponse, told)?.events),
  GossipFetchRequest: fetchWrong,
  GossipSetRequest: setWrong,
};

/** What is wrong with the order or the size of what is told of a log. */
function logWrong(events: readonly GossipEvent[] | undefined): string | undefined {
  if (events === undefined) return "with what is no part of a log";
  for (const [place, event] of events.entries()) {
    const before = events[place - 1];
    if (before !== undefined && compareEvents(before, event) >= 0)
      return `with ${eventKey(event)} after ${eventKey(before)}, which comes later in the log`;
  }
  return undefined;
}

function compareEvents(a: GossipEvent, b: GossipEvent): number {
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? -1 : 1;
  return Buffer.compare(a.id, b.id);
}

/** A statement that was named, or whose beginning was, is held, and is not in an answer that says that it is all. */
function fetchWrong({ view, input }: StepSeen, payload: Uint8Array, told: Uint8Array, isPaid: boolean) {
  const [asked, answer] = [decodeCompact(FetchRequest, payload), decodeCompact(FetchResponse, told)];
  if (answer === undefined) return "with what is no answer of a fetch";
  if (asked === undefined) return answer.events.length > 0 ? "with statements that nobody asked for" : undefined;
  const named = new Set(asked.identities.slice(0, NAMED_MOST).map(toHex));
  const prefixes = asked.prefixes.slice(0, PREFIXES_MOST).filter((prefix) => PREFIX.test(prefix));
  const isAsked = (identity: string) => named.has(identity) || prefixes.some((prefix) => identity.startsWith(prefix));
  const given = new Set(answer.events.map((event) => view.get(Events, eventKey(event))?.statement ?? ""));
  const strange = [...given].find((identity) => !isAsked(identity));
  if (strange !== undefined) return `with ${strange || "an event of no statement"}, which it did not ask for`;
  if (!isPaid || answer.more) return undefined;
  const left = heldIn(view).find(
    (identity) => isAsked(identity) && !given.has(identity) && isTaken(view, identity, input),
  );
  return left && `that there is no more than ${given.size} statements, and holds ${left}`;
}

/** A range that is answered otherwise than with all that is held in it. */
function setWrong({ view, input }: StepSeen, payload: Uint8Array, told: Uint8Array, isPaid: boolean) {
  const [asked, answer] = [decodeCompact(SetRequest, payload), decodeCompact(SetResponse, told)];
  if (answer === undefined) return "with what is no part of a set";
  const differing = new Map(answer.contents.map((content) => [content.prefix, content]));
  // Most sets are equal, and going through all that is held takes the longer the more that is.
  if (differing.size === 0) return undefined;
  const held = heldIn(view);
  for (const [prefix, { branches, identities }] of differing) {
    const below = rangeIn(held, prefix);
    if (branches.length === BRANCHES) {
      const wrong = branches.findIndex(
        (digest, digit) => isEmpty(digest) !== (rangeIn(below, prefix + digit.toString(16)).length === 0),
      );
      if (wrong >= 0) return `otherwise than it holds below ${prefix}${wrong.toString(16)}`;
      continue;
    }
    const listed = new Set(identities.map(toHex));
    const left = below.find((identity) => !listed.has(identity) && isTaken(view, identity, input));
    if (left !== undefined) return `with a range "${prefix}" without ${left}, which it holds there`;
  }
  if (!isPaid) return undefined;
  // Of a network with other rules nothing was told; who has nothing in a range lacks whatever is held there.
  const left = asked?.ranges
    .slice(0, PREFIXES_MOST)
    .find(
      ({ prefix, digest }) =>
        isEmpty(digest) && PREFIX.test(prefix) && !differing.has(prefix) && rangeIn(held, prefix).length > 0,
    );
  return left && `as if it held nothing below "${left.prefix}"`;
}

/** Identities of what is held, waiting or not, and not sealed, in order. */
function heldIn(view: Reader): readonly string[] {
  const attached = [...view.keys(Statements)].filter((identity) => view.get(Seals, identity) === undefined);
  return [...attached, ...view.keys(Pending)].sort((a, b) => (a < b ? -1 : 1));
}

/** Of identities in order those that begin so. */
function rangeIn(held: readonly string[], prefix: string): readonly string[] {
  const first = (isBelow: (identity: string) => boolean) => {
    let [low, high] = [0, held.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBelow(held[middle] as string)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return held.slice(
    first((identity) => identity < prefix),
    first((identity) => identity.slice(0, prefix.length) <= prefix),
  );
}

/** Whether a peer may still take a statement that is held. */
function isTaken(view: Reader, identity: string, { now }: StepSeen["input"]): boolean {
  const statement = view.get(Statements, identity) ?? view.get(Pending, identity);
  return statement !== undefined && (!statement.type.dated || statement.timestamp >= now - OVER_MS);
}

function isEmpty(digest: Uint8Array): boolean {
  return digest.every((byte) => byte === 0);
}
