/**
 * The gossip ingresses: an event that a peer pushed, or that came back from our own recovery, is checked in
 * order, judged like any send, folded, stored and passed on. Nothing is reported to the sender.
 * Source: protocol 01 §7.3, §15 W4-W8; CONVERGENCE "Three layers".
 */

import type { Refused } from "../../engine/admission/admit.ts";
import { admit } from "../../engine/admission/admit.ts";
import type { Ingress } from "../../engine/admission/ingress.ts";
import { ingresses, isTimely, STATEMENT_BYTES_MAX } from "../../engine/admission/ingress.ts";
import { receivedCandidate } from "../../engine/admission/rpc.ts";
import type { Fold } from "../../engine/statements/fold.ts";
import { Pending, Statements } from "../../engine/statements/table.ts";
import type { StepContext } from "../../engine/step-context.ts";
import { equalBytes } from "../../kernel/bytes.ts";
import type { Statement } from "../../kernel/signed.ts";
import { fromBase58 } from "../../kernel/text.ts";
import type { PeerId } from "../../kernel/values.ts";
import { keyOfPeer } from "../../kernel/values.ts";
import { chargeFault, isBarred, spendCredit } from "./credit.ts";
import type { GossipEvent } from "./envelope.ts";
import { Events, eventId, eventKey, signedBytes } from "./envelope.ts";
import { note } from "./news.ts";
import { forgetEventsOf, passOn } from "./originate.ts";
import { noticeOwnKey } from "./own-key.ts";
import { remember } from "./refused.ts";

/** Largest hop count believed on receipt. Source: protocol 01 §13.1. */
export const TTL_MAX = 16;
/** Events of one node's log at most: beyond, new ones are applied and passed on, not kept. Source: DESIGN L10. */
export const EVENTS_MAX = 2_000_000;
/** Events kept of one statement, however many relays or signatures wrap it. Source: protocol 01 §3.3, W6; ours. */
export const EVENTS_PER_STATEMENT_MAX = 4;
/** Events without a statement: of one origin, and in all. What is not kept is not passed on. Source: DESIGN L10. */
export const PLAIN_PER_ORIGIN_MAX = 128;
export const PLAIN_MAX = 16_384;

/** Takes events in order until the link is cut; folds once for all of them. */
export function receiveEvents(
  context: StepContext,
  fold: Fold,
  events: readonly GossipEvent[],
  from: PeerId,
  ingress: Ingress,
): void {
  for (const event of events) {
    if (isBarred(context, from)) break;
    if (isKnown(context, event)) continue;
    // Answers to this node's own requests are paid for by having been asked for.
    if (ingress === ingresses.push && !spendCredit(context, from, event.payload.length)) continue;
    if (receiveEvent(context, fold, event, from, ingress) === "fault") chargeFault(context, from);
  }
  fold.run();
}

/**
 * Whether an event came before. A ledger that was damaged and repaired may have lost a statement and kept its event:
 * then the next copy is taken. Source: protocol 05 §11.2.
 */
function isKnown({ draft }: StepContext, event: GossipEvent): boolean {
  const kept = draft.get(Events, eventKey(event, draft.sharing));
  if (kept === undefined || kept.statement === null) return kept !== undefined;
  return draft.get(Statements, kept.statement) !== undefined || draft.get(Pending, kept.statement) !== undefined;
}

/** `fault`: no honest node sends this. Everything else that is not taken is nobody's fault, and may come again. */
type Outcome = "taken" | "fault" | "left";

function receiveEvent(context: StepContext, fold: Fold, event: GossipEvent, from: PeerId, ingress: Ingress): Outcome {
  if (!isWellFormed(event)) return "fault";
  if (!isTimely(ingress, event.timestamp, context.now)) return "left";
  if (!isAuthentic(context, event)) return "fault";
  const type = context.registry.typesByEvent.get(event.event_type);
  if (type === undefined || type.ofs !== event.ofs_spec) return receivePlain(context, event, from);
  if (event.payload.length > STATEMENT_BYTES_MAX) return "left";
  const candidate = receivedCandidate(context, type, event.payload);
  if (candidate === undefined) return "fault";
  const { statement, verdict, payload } = candidate;
  if (type.eventOf(payload as never) !== event.event_type) return "fault";
  if (verdict.form === undefined || !verdict.bound) return "fault";
  const held = context.draft.get(Statements, statement.identity) ?? context.draft.get(Pending, statement.identity);
  const admission = admit(context, fold, ingress, statement);
  if (typeof admission === "object") return onRefused(context, statement, admission.refused);
  if (admission === "superseded") {
    remember(context, statement, "rule");
    return "left";
  }
  if (held === undefined || (held.tagged === null && statement.tagged !== null)) {
    if (held !== undefined) forgetEventsOf(context, statement.identity);
    // Only a push shows which way is the fastest.
    if (ingress === ingresses.push) note(context, statement.identity, from);
    keepAndForward(context, event, statement.identity, from);
  } else {
    keep(context, event, statement.identity);
  }
  if (held === undefined) {
    announce(context, event.event_type, statement);
    noticeOwnKey(context, event);
  }
  return "taken";
}

/**
 * Refusals that another room, or another reading of the chain, takes back: a slot that this node does not believe yet,
 * which the first liar of a new node makes of any. Source: CONVERGENCE B4.
 */
const FOR_A_WHILE: readonly Refused["refused"][] = ["space", "SNAPSHOT_VERIFICATION_FAILED"];

/** What was refused is remembered, but for a date, which may be taken later, and for what no honest node sends. */
function onRefused(context: StepContext, statement: Statement, refused: Refused["refused"]): Outcome {
  if (refused === "ids") return "fault";
  if (refused !== "date") remember(context, statement, FOR_A_WHILE.includes(refused) ? "space" : "rule");
  return "left";
}

/** An event that no signed statement carries: of the chain, or of a kind that is not known yet. */
function receivePlain(context: StepContext, event: GossipEvent, from: PeerId): Outcome {
  const full =
    context.draft.count(Events, "plain", event.origin) >= PLAIN_PER_ORIGIN_MAX ||
    context.draft.count(Events, "plain", "all") >= PLAIN_MAX;
  const row = context.registry.events.get(event.ofs_spec);
  const outcome = full ? "left" : (row?.handle(context, event) ?? "passed on");
  if (outcome === "left") return "left";
  if (outcome === "passed on") keepAndForward(context, event, null, from);
  else keep(context, withFewerHops(event), null);
  return "taken";
}

/** What the opt-in stream shows of a change that a peer brought: the event's name and an id, never a person. */
function announce(context: StepContext, event: string, statement: Statement): void {
  const id = statement.type.idOf(statement.payload as never) ?? null;
  const message = `{"method":${JSON.stringify(event)},"result":${JSON.stringify(id)}}`;
  context.emit({ type: "ws.publish", source: "gossip", message });
}

function keepAndForward(context: StepContext, event: GossipEvent, statement: string | null, from: PeerId): void {
  const clamped = withFewerHops(event);
  if (statement === null && context.draft.size(Events) >= EVENTS_MAX) return;
  keep(context, clamped, statement);
  if (clamped.ttl > 1) passOn(context, oneHopOn(context, clamped), from, statement !== null);
}

function withFewerHops(event: GossipEvent): GossipEvent {
  return event.ttl <= TTL_MAX ? event : { ...event, ttl: TTL_MAX };
}

/** An event as it is passed on. */
function oneHopOn({ draft: { sharing } }: StepContext, event: GossipEvent): GossipEvent {
  const make = () => ({ ...event, ttl: event.ttl - 1 });
  return sharing === undefined ? make() : sharing.of(oneHopOn, event, make);
}

function keep(context: StepContext, event: GossipEvent, statement: string | null): void {
  if (context.draft.size(Events) >= EVENTS_MAX) return;
  if (statement !== null && context.draft.count(Events, "statement", statement) >= EVENTS_PER_STATEMENT_MAX) return;
  const { sharing } = context.draft;
  const make = () => ({ event, statement });
  const stored = sharing === undefined || statement === null ? make() : sharing.of(keep, event, make);
  context.draft.put(Events, eventKey(event, sharing), stored);
}

/** Shape checks that make the signed bytes parse in one way only. Source: protocol 01 §15 W8. */
function isWellFormed(event: GossipEvent): boolean {
  return event.version === 1 && event.ofs_spec <= 9_999 && /^[A-Z][A-Za-z0-9]{0,63}$/.test(event.event_type);
}

function isAuthentic(context: StepContext, event: GossipEvent): boolean {
  const { sharing } = context.draft;
  const make = () => isSigned(context, event);
  return sharing === undefined ? make() : sharing.of(isAuthentic, event, make);
}

function isSigned(context: StepContext, event: GossipEvent): boolean {
  const key = keyOfPeer(event.origin);
  const signature = fromBase58(event.signature);
  if (key === undefined || signature?.length !== 64) return false;
  if (!equalBytes(event.id, eventId(context.crypto, event))) return false;
  return context.crypto.verify(key, signedBytes(event), signature);
}
