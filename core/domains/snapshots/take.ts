/**
 * What becomes of a file that came: its bytes, every record and every statement are verified page by page; then all
 * of it counts in one step, or nothing. Statements prove themselves; records of `state` are looked at and not taken,
 * for sealed statements come too; no chain fact comes from a file.
 * Source: protocol 05 §6.9; CONVERGENCE "Snapshots".
 */

import { admit } from "../../engine/admission/admit.ts";
import { CLOCK_SKEW_MS_MAX, ingresses } from "../../engine/admission/ingress.ts";
import { candidateOf } from "../../engine/admission/rpc.ts";
import { parentsOf } from "../../engine/statements/table.ts";
import type { StepContext } from "../../engine/step-context.ts";
import { foldOf } from "../../engine/step-context.ts";
import type { Fact } from "../../inputs.ts";
import { compareBytes, equalBytes } from "../../kernel/bytes.ts";
import { decodeCompact } from "../../kernel/schema.ts";
import type { Statement } from "../../kernel/signed.ts";
import { compareStatements } from "../../kernel/signed.ts";
import { compareText } from "../../kernel/text.ts";
import type { Signature } from "../../kernel/values.ts";
import { latest } from "../../kernel/values.ts";
import { endAbsence } from "../../network/gossip/absence.ts";
import { reconcileWith } from "../../network/gossip/reconcile.ts";
import { connectedPeers } from "../../network/peers/peers.ts";
import type { CarriedStatement } from "./contents.ts";
import { nextEntry, nextStatement, openState, openStatements, STATE, STATEMENTS } from "./contents.ts";
import { families } from "./families.ts";
import type { Family } from "./family.ts";
import { announcementError, giveUp } from "./search.ts";
import type { Search, Verifying } from "./tables.ts";
import { CHECKPOINT, Checkpoints, FRESHNESS, Freshnesses, IMPORT, Imports } from "./tables.ts";
import { membersOf } from "./tar.ts";

/** Entries of `state`, and statements with their signatures, that one step verifies. Source: DESIGN L10. */
export const ENTRIES_PER_PAGE = 1_024;
export const STATEMENTS_PER_PAGE = 256;
export const BYTES_PER_PAGE = 4_194_304;

type Fetched = Extract<Fact, { readonly type: "snapshot.fetched" }>;
type ValidationError = "DESERIALIZATION_ERROR" | "SNAPSHOT_VERIFICATION_FAILED";

const familiesByName: ReadonlyMap<string, Family> = new Map(families.map((family) => [family.name, family]));

/** A file came, or did not: its bytes are checked as a whole. */
export function onFetched(context: StepContext, { id, location, outcome }: Fetched): void {
  const search = context.draft.get(Imports, IMPORT);
  if (search?.phase !== "fetching" || search.candidate.id !== id || search.location !== location) return;
  if (!outcome.ok) return giveUp(context, search, outcome.code, outcome.reason);
  if (BigInt(outcome.sizeBytes) !== search.candidate.size_bytes)
    return giveUp(context, search, "SNAPSHOT_VERIFICATION_FAILED", "not the announced size");
  const members = membersOf(outcome.archive);
  const [state, statements] = [members?.get(STATE), members?.get(STATEMENTS)];
  if (state === undefined || statements === undefined)
    return giveUp(context, search, "UNSUPPORTED_OPERATION", "not an archive of state and statements");
  if (!equalBytes(context.crypto.sha256(state), search.candidate.state_root))
    return giveUp(context, search, "SNAPSHOT_VERIFICATION_FAILED", "not the announced digest");
  const [stateCursor, statementCursor] = [openState(state), openStatements(statements)];
  if (stateCursor === undefined || statementCursor === undefined)
    return giveUp(context, search, "DESERIALIZATION_ERROR", "the members do not decode");
  const nothing = { family: "", key: new Uint8Array(0), identity: "" };
  const opened = { state, stateCursor, statements, statementCursor, verified: [], last: nothing };
  context.draft.put(Imports, IMPORT, { ...searchOf(search), ...opened, phase: "verifying", entries: 0, leftOut: 0 });
  goOn(context);
}

/** One more page; after the last one the file counts, and after that its gaps are asked for. */
export function takePage(context: StepContext): void {
  const taking = context.draft.get(Imports, IMPORT);
  if (taking?.phase === "imported") return reconcileWithAll(context);
  if (taking?.phase !== "verifying") return;
  const page = statePage(context, taking);
  if (typeof page === "string") return giveUp(context, taking, page, "an entry of state");
  const further = page === taking ? statementPage(context, taking) : page;
  if (typeof further === "string") return giveUp(context, taking, further, "a statement");
  if (further === taking) return importAll(context, taking);
  context.draft.put(Imports, IMPORT, further);
  goOn(context);
}

/** Families of the allow-list in order, entries that are records of theirs in order. Source: protocol 05 §14.8. */
function statePage(context: StepContext, taking: Verifying): Verifying | ValidationError {
  let { stateCursor, last, entries } = taking;
  const end = stateCursor.at + BYTES_PER_PAGE;
  for (let n = 0; n < ENTRIES_PER_PAGE && stateCursor.at < end; n++) {
    const next = nextEntry(taking.state, stateCursor);
    if (next === undefined) return "DESERIALIZATION_ERROR";
    if (next === "done") return n === 0 ? taking : { ...taking, stateCursor, last, entries };
    stateCursor = next.cursor;
    const family = familiesByName.get(stateCursor.family);
    if (family === undefined) return "SNAPSHOT_VERIFICATION_FAILED";
    if (next.entry === undefined) {
      if (compareText(family.name, last.family) <= 0) return "SNAPSHOT_VERIFICATION_FAILED";
      last = { ...last, family: family.name, key: null };
      continue;
    }
    const { key } = next.entry;
    const ascends = last.key === null || compareBytes(key, last.key) > 0;
    if (!ascends || !family.accepts(context.crypto, next.entry)) return "SNAPSHOT_VERIFICATION_FAILED";
    last = { ...last, key };
    entries += 1;
  }
  return { ...taking, stateCursor, last, entries };
}

/** Statements in order of identity, each judged as at any ingress; those of the future are left out. */
function statementPage(context: StepContext, taking: Verifying): Verifying | ValidationError {
  if (taking.statementCursor.left === 0) return taking;
  let { statementCursor, last, leftOut } = taking;
  const page: Statement[] = [];
  const end = statementCursor.at + BYTES_PER_PAGE;
  const latestDate = context.now + BigInt(CLOCK_SKEW_MS_MAX);
  for (let n = 0; n < STATEMENTS_PER_PAGE && statementCursor.left > 0 && statementCursor.at < end; n++) {
    const next = nextStatement(taking.statements, statementCursor);
    if (next === undefined) return "DESERIALIZATION_ERROR";
    statementCursor = next.cursor;
    const statement = verified(context, next.carried);
    if (statement === undefined || compareText(statement.identity, last.identity) <= 0)
      return "SNAPSHOT_VERIFICATION_FAILED";
    last = { ...last, identity: statement.identity };
    if (statement.timestamp > latestDate) leftOut += 1;
    else page.push(statement);
  }
  return { ...taking, statementCursor, last, leftOut, verified: [...taking.verified, page] };
}

/** What an event carries, when it decodes and its signer signed it. Source: protocol 01 §2.1. */
function verified(context: StepContext, { event, wire }: CarriedStatement): Statement | undefined {
  const type = context.registry.typesByEvent.get(event);
  const outer = type && decodeCompact(type.wire, wire);
  if (type === undefined || outer === undefined) return undefined;
  const payload = outer[type.outer];
  if (type.eventOf(payload as never) !== event) return undefined;
  const { statement, verdict } = candidateOf(context, type, payload, outer["signature"] as Signature, false);
  return verdict.form !== undefined && verdict.bound ? statement : undefined;
}

/** All of the file, in one step: its statements join those that are held, and the checkpoint is set. */
function importAll(context: StepContext, taking: Verifying): void {
  const { candidate } = taking;
  const validationError = announcementError(context, candidate);
  if (validationError !== undefined) return giveUp(context, taking, validationError, "while it was verified");
  const statements = taking.verified.flat();
  const leftOut = taking.leftOut + admitAll(context, statements);
  context.draft.put(Checkpoints, CHECKPOINT, candidate.slot);
  const others = statements.filter(({ signer }) => signer !== context.configuration.peerId);
  const newest = latest(others.map(({ timestamp }) => timestamp));
  const held = context.draft.get(Freshnesses, FRESHNESS)?.newest ?? newest;
  context.draft.put(Freshnesses, FRESHNESS, { newest: newest > held ? newest : held, behind: false });
  endAbsence(context);
  context.draft.put(Imports, IMPORT, { phase: "imported" });
  const { id, slot } = candidate;
  const fields = {
    id,
    slot: slot.toString(),
    statements: statements.length,
    left_out: leftOut,
    entries: taking.entries,
  };
  context.emit({ type: "log", level: "info", event: "snapshot imported", fields });
  goOn(context);
}

/**
 * What a record takes now, in rounds, each bound asked when its turn comes. Nothing waits for what the same file
 * brings, be it of a later date: what waits is bounded, and what rests on it would be left out. In order of their
 * dates, so that rounds are few. Answers how many found no place.
 */
function admitAll(context: StepContext, statements: readonly Statement[]): number {
  const fold = foldOf(context, Infinity);
  let rest: readonly Statement[] = [...statements].sort(compareStatements);
  let refused = 0;
  const isAdmitted = (each: Statement) => typeof admit(context, fold, ingresses.snapshot, each) !== "object";
  for (let before = rest.length + 1; rest.length > 0 && rest.length < before; ) {
    before = rest.length;
    const early: Statement[] = [];
    for (const statement of rest) {
      if (fold.waits(statement)) early.push(statement);
      else if (!isAdmitted(statement)) refused += 1;
    }
    rest = early;
  }
  // What names a record that is known, and that takes it not yet, waits as if a peer had brought it.
  refused += rest.filter((each) => parentsOf(context.draft, each).length === 0 || !isAdmitted(each)).length;
  fold.run();
  return refused;
}

/** What a file lacks, peers have: the whole set is compared with each. Source: protocol 05 §14.6. */
function reconcileWithAll(context: StepContext): void {
  context.draft.put(Imports, IMPORT, undefined);
  for (const peer of connectedPeers(context.draft)) reconcileWith(context, peer);
}

function searchOf({ until, candidate, location, locations, candidates }: Search): Search {
  return { until, candidate, location, locations, candidates };
}

function goOn(context: StepContext): void {
  context.emit({ type: "timer.set", timer: "snapshot-page", at: context.now });
}
