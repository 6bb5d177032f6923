/**
 * What a comparison of sets finds missing is fetched at once, from the first range that differs to the last, and a set
 * is compared only with a peer of the same network profile. Another comparison would find the same twenty seconds
 * later, so nothing else sees one that stops halfway. Source: protocol 01 §15 W3; CONVERGENCE "Roots", "Profile".
 */
import type { Effect, EpochMillis } from "../../core/index.ts";
import { decodeCompact, profileText, toHex, utf8 } from "../../core/index.ts";
import { FetchRequest, Peers, Pending, Refusals, SetRequest, SetResponse, Statements } from "../../core/testing.ts";
import type { CheckContext, Checker, StepSeen } from "../checker.ts";
import { sha256 } from "../runtime.ts";
import { carriedBy } from "./frames.ts";

/** Written down apart from the core. Source: protocol 01 §15 W3. */
const NAMED_MOST = 4_096;
const BRANCHES = 16;
/** How far off honest clocks are, in milliseconds. Source: protocol 01 §13.1. */
const SKEW_MS = 300_000n;

/** What a node has compared its set by. */
interface Compared {
  /** Whom it asked about which prefixes, by the number of the request; an answer settles one. */
  readonly asked: Map<string, { readonly peer: string; readonly prefixes: readonly string[] }>;
  /** Hashes of the profiles by which it asked. */
  readonly profiles: Set<string>;
}

/** Comparisons lead to what differs. */
export function comparisonsGoOn({ violate, keep, profile }: CheckContext): Checker {
  const nodes = keep(() => new Map<number, Compared>());
  const of = (node: number): Compared => {
    const known = nodes.get(node) ?? { asked: new Map(), profiles: new Set() };
    nodes.set(node, known);
    return known;
  };
  const forget = (node: number) => void of(node).asked.clear();
  const isOurs = (node: number, theirs: Uint8Array, now: bigint) => {
    const hash = hexOf(theirs);
    if (of(node).profiles.has(hash)) return true;
    const instants = [now, now - SKEW_MS, now + SKEW_MS];
    return instants.some((at) => hashOf(profileText(profile, at as EpochMillis)) === hash);
  };

  return {
    name: "comparisons-go-on",
    onStep(step) {
      const { node, input, effects, view } = step;
      if (profile.parity) return;
      if (input.type === "message.received") {
        const request = carriedBy(input.bytes, "GossipSetRequest");
        const asked = request && decodeCompact(SetRequest, request);
        if (asked !== undefined && !isOurs(node, asked.profile, input.now) && tellsOfSets(effects, input.replyTo))
          violate(`node ${node} compares its set with ${input.from}, which has another network profile`);
      }
      if (input.type === "message.answered") {
        const about = of(node).asked.get(`${input.request}`);
        of(node).asked.delete(`${input.request}`);
        const isHeeded = about?.peer === input.from && view.get(Peers, input.from)?.leads !== true;
        const left = about && isHeeded ? leftOf(step, about.prefixes) : undefined;
        if (left !== undefined) violate(`node ${node} lacks ${left}, which ${input.from} named, and does not fetch it`);
      }
      if (input.type === "message.failed") of(node).asked.delete(`${input.request}`);
      if (input.type === "peer.disconnected") forgetPeer(of(node), input.peer);
      for (const effect of effects) noteAsked(of(node), effect);
    },
    onCrash: ({ node }) => forget(node),
    onCommit: ({ node, report }) => (report.type === "failed" ? forget(node) : undefined),
  };
}

/** Whoever is cut off is not heeded any more. */
function forgetPeer({ asked }: Compared, peer: string): void {
  for (const [request, about] of asked) if (about.peer === peer) asked.delete(request);
}

function noteAsked(compared: Compared, effect: Effect): void {
  const { asked, profiles } = compared;
  if (effect.type === "peer.disconnect") forgetPeer(compared, effect.peer);
  if (effect.type !== "message.send") return;
  const payload = carriedBy(effect.bytes, "GossipSetRequest");
  const request = payload && decodeCompact(SetRequest, payload);
  if (request === undefined) return;
  profiles.add(hexOf(request.profile));
  asked.set(`${effect.request}`, { peer: effect.to, prefixes: request.ranges.map(({ prefix }) => prefix) });
}

/** Of the identities that an answer lists below prefixes that were asked: one that is neither here nor fetched. */
function leftOf({ input, effects, view }: StepSeen, prefixes: readonly string[]): string | undefined {
  if (input.type !== "message.answered") return undefined;
  const payload = carriedBy(input.bytes, "GossipSetResponse");
  const answer = payload && decodeCompact(SetResponse, payload);
  if (answer === undefined) return undefined;
  const missing = new Set<string>();
  const awaited = new Set(prefixes);
  for (const { prefix, branches, identities } of answer.contents) {
    // Each prefix counts once; what was not asked leads nowhere.
    if (!awaited.delete(prefix) || branches.length === BRANCHES) continue;
    for (const bytes of identities) {
      const identity = hexOf(bytes);
      if (view.get(Statements, identity) === undefined && view.get(Pending, identity) === undefined)
        missing.add(identity);
    }
  }
  if (missing.size === 0 || missing.size > NAMED_MOST) return undefined;
  const fetched = fetchedBy(effects, input.from);
  const isRefused = (identity: string) => {
    const refusal = view.get(Refusals, identity);
    return refusal !== undefined && !refusal.lifted && refusal.until > input.now;
  };
  return [...missing].find((identity) => !fetched.has(identity) && !isRefused(identity));
}

/** Identities that a step asks a peer for. */
function fetchedBy(effects: readonly Effect[], peer: string): ReadonlySet<string> {
  const fetched = new Set<string>();
  for (const effect of effects) {
    const payload =
      effect.type === "message.send" && effect.to === peer ? carriedBy(effect.bytes, "GossipFetchRequest") : undefined;
    const request = payload && decodeCompact(FetchRequest, payload);
    for (const bytes of request?.identities ?? []) fetched.add(hexOf(bytes));
  }
  return fetched;
}

/** Whether an answer says anything of a set. */
function tellsOfSets(effects: readonly Effect[], replyTo: string): boolean {
  return effects.some((effect) => {
    if (effect.type !== "message.reply" || effect.replyTo !== replyTo) return false;
    const payload = carriedBy(effect.bytes, "GossipSetResponse");
    return payload !== undefined && (decodeCompact(SetResponse, payload)?.contents.length ?? 0) > 0;
  });
}

function hashOf(text: string): string {
  return toHex(sha256(utf8(text)));
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
