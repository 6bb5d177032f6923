/**
 * Changes of a network's rules: what is exchanged to tell networks apart is the hash of the rules in force, so nodes
 * that have a coming rule and nodes that have not compare sets until its date. Who has one tells its peers at connect;
 * who has it not says so, and from its date on compares with those peers no more. Nothing that a peer tells about rules
 * keeps a node from others. Source: CONVERGENCE "Profile".
 */

import { CLOCK_SKEW_MS_MAX } from "../../engine/admission/ingress.ts";
import type { StepContext } from "../../engine/step-context.ts";
import { equalBytes } from "../../kernel/bytes.ts";
import { decodeCompact, encodeCompact } from "../../kernel/schema.ts";
import { struct } from "../../kernel/schema-composites.ts";
import { bool, byteArray } from "../../kernel/schema-scalars.ts";
import type { Reader } from "../../kernel/table.ts";
import { table } from "../../kernel/table.ts";
import { utf8 } from "../../kernel/text.ts";
import type { PeerId } from "../../kernel/values.ts";
import { EpochMillis } from "../../kernel/values.ts";
import { profileText } from "../../profile.ts";
import { connectedPeers, count, peerOf } from "../peers/peers.ts";
import { chargeFault, spendWork } from "./credit.ts";
import { OFS_GOSSIP } from "./envelope.ts";
import { ask } from "./wire.ts";

/** Peers who have to tell of a change where this node dialled none of its peers. Source: DESIGN "Bounds". */
const TOLD_BY_LEAST = 3;

/** Tells from when on the sender has other rules: the hash of those in force just before, and from then on. */
export const RuleChange = struct("GossipRuleChange", {
  from: EpochMillis,
  before: byteArray(32),
  after: byteArray(32),
});

const Announced = struct("AnnouncedRuleChange", { from: EpochMillis, after: byteArray(32), told: bool });
/** The change that a connected peer told of and this node does not have, by peer. */
export const RuleChanges = table("rule_changes", Announced, { root: "local" });

/** SHA-256 of the profile with the rules in force at an instant: everything on which a network's nodes must agree. */
export function profileHash(context: StepContext, at: EpochMillis = context.now): Uint8Array {
  return context.crypto.sha256(utf8(profileText(context.configuration.profile, at)));
}

/** Whether a peer has the rules that are in force here, by a clock that may be as far off as honest ones are. */
export function hasOurRules(context: StepContext, theirs: Uint8Array): boolean {
  return [0, -CLOCK_SKEW_MS_MAX, CLOCK_SKEW_MS_MAX].some((skew) =>
    equalBytes(theirs, profileHash(context, shifted(context.now, BigInt(skew)))),
  );
}

/** Tells a peer of every change that this node has or had, once a connection. */
export function announceChanges(context: StepContext, peer: PeerId): void {
  const { amendments = [] } = context.configuration.profile;
  for (const from of new Set(amendments.map((each) => each.from))) {
    const told = { from, before: profileHash(context, shifted(from, -1n)), after: profileHash(context, from) };
    ask(context, peer, "have", OFS_GOSSIP, "GossipRuleChange", encodeCompact(RuleChange, told));
  }
}

/**
 * Notes a change of the rules that are in force here, unless this node has it too. Of the changes that an honest node
 * tells, one a connection follows the rules in force here: any other that does is a fault.
 */
export function onRuleChange(context: StepContext, from: PeerId, payload: Uint8Array): void {
  const told = decodeCompact(RuleChange, payload);
  if (told === undefined) return chargeFault(context, from);
  if (!spendWork(context, from, payload.length)) return;
  const isOurs = equalBytes(told.before, profileHash(context, shifted(told.from, -1n)));
  if (!isOurs || equalBytes(told.after, profileHash(context, told.from))) return;
  const held = context.draft.get(RuleChanges, from);
  if (held !== undefined) {
    if (held.from !== told.from || !equalBytes(held.after, told.after)) chargeFault(context, from);
    return;
  }
  const isNews = ![...context.draft.keys(RuleChanges)].some((peer) => {
    const other = context.draft.get(RuleChanges, peer);
    return other !== undefined && equalBytes(other.after, told.after);
  });
  context.draft.put(RuleChanges, from, { from: told.from, after: told.after, told: false });
  const fields = { from: told.from.toString(), peer: from };
  if (isNews && isLogged(context, "rules change"))
    context.emit({ type: "log", level: "warn", event: "rules change that this node lacks: update it", fields });
}

/** A connection ended: what its peer told of rules is forgotten. */
export function forgetChangesOf(context: StepContext, peer: PeerId): void {
  if (context.draft.get(RuleChanges, peer) !== undefined) context.draft.put(RuleChanges, peer, undefined);
}

/** Whether a peer's rules have changed without this node's. Said once in the log. */
export function isLeftBehindBy(context: StepContext, peer: PeerId): boolean {
  const change = context.draft.get(RuleChanges, peer);
  if (change === undefined || change.from > context.now) return false;
  if (!change.told) {
    context.draft.put(RuleChanges, peer, { ...change, told: true });
    const fields = { from: change.from.toString(), peer };
    if (isLogged(context, "left behind"))
      context.emit({ type: "log", level: "error", event: "left behind by new rules: no comparison with peer", fields });
  }
  return true;
}

/**
 * How many connected peers have rules that this node lacks, those to come counted, and from when on more than half of
 * those who are asked have them: the ones that this node dialled, or where it dialled none, all, and then three at
 * least. Whoever connects from outside may be anybody. Source: CONVERGENCE "Profile"; DESIGN section 7 #28.
 */
export function rulesLacked(reader: Reader): { readonly peers: number; readonly from: EpochMillis | undefined } {
  const connected = connectedPeers(reader);
  const dialled = connected.filter((peer) => peerOf(reader, peer).dialled);
  const [asked, least] = dialled.length > 0 ? [dialled, 1] : [connected, TOLD_BY_LEAST];
  const dates = asked.flatMap((peer) => reader.get(RuleChanges, peer)?.from ?? []);
  const needed = Math.max(Math.floor(asked.length / 2) + 1, least);
  return { peers: reader.size(RuleChanges), from: dates.sort((a, b) => (a < b ? -1 : 1))[needed - 1] };
}

/** Whether the log says it this time: the first, the second, the fourth and so on, for strangers decide how often. */
function isLogged(context: StepContext, what: string): boolean {
  const times = count(context, what);
  return (times & (times - 1)) === 0;
}

function shifted(at: EpochMillis, ms: bigint): EpochMillis {
  return (at + ms > 0n ? at + ms : 0n) as EpochMillis;
}
