/**
 * A range in which two sets differ, and in which nothing is left to be moved, is not looked into again for ten minutes
 * while neither side changes there, and none is fetched as a whole twice: a difference that cannot close costs a
 * comparison once. It would cost every comparison otherwise, and come to the same. Source: CONVERGENCE B4.
 */
import type { Effect, Reader } from "../../core/index.ts";
import { decodeCompact, toHex } from "../../core/index.ts";
import {
  FetchRequest,
  Have,
  Peers,
  Pending,
  Refusals,
  Seals,
  SetRequest,
  SetResponse,
  Statements,
} from "../../core/testing.ts";
import type { CheckContext, Checker, StepSeen } from "../checker.ts";
import { headOf, payloadOf } from "./frames.ts";

/** Written down apart from the core. Source: CONVERGENCE B4. */
const REST_MS = 600_000n;
const DIGITS = "0123456789abcdef";

/** What one node has asked, and what it found at rest; of each side by its digest. */
interface Looked {
  /** By the number of a request: its peer, and the digests of this side below each prefix. */
  readonly asked: Map<string, { readonly peer: string; readonly own: Map<string, string> }>;
  /** By peer and prefix: the digest that the peer told last. */
  readonly theirs: Map<string, string>;
  /** By peer and prefix: both digests when nothing was left, and when that was. */
  readonly resting: Map<string, { readonly sides: string; readonly at: bigint }>;
  /** The same of ranges of which nothing is here, and which were fetched whole; by what the peer had. */
  readonly fetched: Map<string, { readonly sides: string; readonly at: bigint }>;
}

/** Below so many digits nothing is searched any more. Source: DESIGN "Formats". */
const SEARCHED_DIGITS = 16;

/** Nobody looks again and again into what cannot change. */
export function rangesRest({ violate, keep, profile }: CheckContext): Checker {
  const nodes = keep(() => new Map<number, Looked>());
  const of = (node: number): Looked => {
    const known = nodes.get(node) ?? { asked: new Map(), theirs: new Map(), resting: new Map(), fetched: new Map() };
    nodes.set(node, known);
    return known;
  };
  const forget = (node: number) => void nodes.delete(node);
  return {
    name: "ranges-rest",
    onStep(step) {
      const { node, input, effects, changes } = step;
      if (profile.parity) return;
      const looked = of(node);
      if (input.type === "peer.connected") forgetPeer(looked, input.peer);
      for (const change of changes) noteChange(looked, change);
      if (input.type === "message.failed") looked.asked.delete(`${input.request}`);
      if (input.type === "message.answered")
        for (const prefix of lookedInto(step, looked))
          violate(`node ${node} looks into "${prefix}" with ${input.from} again, where nothing has changed`);
      for (const [prefix, peer] of fetchedAgain(step, looked))
        violate(`node ${node} fetches all of "${prefix}" from ${peer} again, where nothing has changed`);
      for (const effect of effects) noteAsked(looked, effect);
    },
    onCrash: ({ node }) => forget(node),
    onCommit: ({ node, report }) => (report.type === "failed" ? forget(node) : undefined),
  };
}

/** Ranges that are told as they were while nothing was left in them; notes those in which nothing is. */
function lookedInto({ input, effects, view }: StepSeen, { asked, theirs, resting }: Looked): readonly string[] {
  if (input.type !== "message.answered" || headOf(input.bytes)?.type !== "GossipSetResponse") return [];
  const about = asked.get(`${input.request}`);
  asked.delete(`${input.request}`);
  const answer = decodeCompact(SetResponse, payloadOf(input.bytes));
  // A peer that compares itself is not gone on with.
  if (about?.peer !== input.from || view.get(Peers, input.from)?.leads === true) return [];
  const again: string[] = [];
  const told = toldTo(effects, input.from);
  const seen = new Set<string>();
  for (const { prefix, branches, identities } of answer?.contents ?? []) {
    const own = about.own.get(prefix);
    const key = `${input.from}/${prefix}`;
    // A liar is believed what he was not asked for, and what he says first of a range.
    if (branches.length === DIGITS.length && !seen.has(prefix))
      branches.forEach((digest, digit) => void theirs.set(key + DIGITS[digit], toHex(digest)));
    seen.add(prefix);
    // Each range counts once; what was not asked says nothing, and what has changed since is not at rest.
    about.own.delete(prefix);
    if (own === undefined || branches.length === DIGITS.length) continue;
    const digest = theirs.get(key);
    // The whole set is compared each time.
    if (digest === undefined) continue;
    const sides = `${own} ${digest}`;
    const held = resting.get(key);
    if (held?.sides === sides && input.now >= held.at && input.now - held.at < REST_MS) again.push(prefix);
    const listed = new Set(identities.map(toHex));
    const isLeft = [...listed].some((identity) => !isKnown(view, identity, input.now));
    const isTold = ownBelow(view, prefix).every((identity) => listed.has(identity) || told.has(identity));
    if (isLeft || !isTold) resting.delete(key);
    else resting.set(key, { sides, at: input.now });
  }
  return again;
}

/** Ranges that are fetched whole as they were before, each with its peer. */
function fetchedAgain(
  { input, effects }: StepSeen,
  { theirs, fetched }: Looked,
): readonly (readonly [string, string])[] {
  return effects.flatMap((effect) => {
    if (effect.type !== "message.send" || headOf(effect.bytes)?.type !== "GossipFetchRequest") return [];
    const { prefixes } = decodeCompact(FetchRequest, payloadOf(effect.bytes)) ?? { prefixes: [] };
    return prefixes.flatMap((prefix): readonly (readonly [string, string])[] => {
      const key = `${effect.to}/${prefix}`;
      const [sides, held] = [theirs.get(key), fetched.get(key)];
      if (sides === undefined || prefix.length >= SEARCHED_DIGITS) return [];
      const isAgain = held?.sides === sides && input.now >= held.at && input.now - held.at < REST_MS;
      fetched.set(key, { sides, at: input.now });
      return isAgain ? [[prefix, effect.to]] : [];
    });
  });
}

function noteAsked({ asked }: Looked, effect: Effect): void {
  if (effect.type !== "message.send" || headOf(effect.bytes)?.type !== "GossipSetRequest") return;
  const { ranges } = decodeCompact(SetRequest, payloadOf(effect.bytes)) ?? { ranges: [] };
  const own = new Map(ranges.map(({ prefix, digest }) => [prefix, toHex(digest)]));
  asked.set(`${effect.request}`, { peer: effect.to, own });
}

/** What changes here while somebody is asked makes the answer one about something else; what may be wanted wakes. */
function noteChange({ asked, resting, fetched }: Looked, { table, key }: StepSeen["changes"][number]): void {
  const isOfSet = table === Statements.name || table === Pending.name || table === Seals.name;
  if (isOfSet || table === Refusals.name) wake(fetched, key);
  if (table === Refusals.name) wake(resting, key);
  if (!isOfSet) return;
  for (const { own } of asked.values())
    for (let digits = 0; digits <= key.length && own.size > 0; digits++) own.delete(key.slice(0, digits));
}

/** Forgets what is noted of ranges in which an identity lies. */
function wake(ranges: Map<string, unknown>, identity: string): void {
  for (const about of ranges.keys()) if (identity.startsWith(about.slice(about.indexOf("/") + 1))) ranges.delete(about);
}

/** Whoever connects is compared with from the beginning. */
function forgetPeer({ asked, theirs, resting, fetched }: Looked, peer: string): void {
  for (const [request, about] of asked) if (about.peer === peer) asked.delete(request);
  for (const map of [theirs, resting, fetched])
    for (const key of map.keys()) if (key.startsWith(`${peer}/`)) map.delete(key);
}

/** Identities that a step tells a peer of. */
function toldTo(effects: readonly Effect[], peer: string): ReadonlySet<string> {
  const told = effects.flatMap((effect) => {
    const isHave = effect.type === "message.send" && effect.to === peer && headOf(effect.bytes)?.type === "GossipHave";
    return isHave ? (decodeCompact(Have, payloadOf(effect.bytes))?.identities ?? []) : [];
  });
  return new Set(told.map(toHex));
}

function ownBelow(view: Reader, prefix: string): readonly string[] {
  return [...view.keys(Statements), ...view.keys(Pending)].filter((identity) => identity.startsWith(prefix));
}

/** Whether a statement is here, or was refused. */
function isKnown(view: Reader, identity: string, now: bigint): boolean {
  if (view.get(Statements, identity) !== undefined || view.get(Pending, identity) !== undefined) return true;
  const refusal = view.get(Refusals, identity);
  return refusal !== undefined && !refusal.lifted && refusal.until > now;
}
