/**
 * Sealing: what is terminal and older than any ingress would take leaves the roots, and with them the comparison
 * between peers, one record after another, each with what was said about it. Records, the sums that they leave in their
 * advertisement, and reads stay as they are.
 * Source: CONVERGENCE B7; protocol 02 O.25.
 */

import { STATEMENT_AGE_MS_MAX } from "../../../engine/admission/ingress.ts";
import {
  childrenOfType,
  contenders,
  isSealed,
  parentsOf,
  Seals,
  Statements,
} from "../../../engine/statements/table.ts";
import type { StepContext } from "../../../engine/step-context.ts";
import type { Draft } from "../../../kernel/draft.ts";
import type { SignedType, Statement } from "../../../kernel/signed.ts";
import { recordsOf } from "../../../kernel/table.ts";
import type { EpochMillis } from "../../../kernel/values.ts";
import { latest } from "../../../kernel/values.ts";
import { Disputes } from "../disputes/tables.ts";
import type { ReservationRequest } from "../reservations/schema.ts";
import { RESERVATION_WINDOW_MS } from "../reservations/schema.ts";
import { Reservations } from "../reservations/tables.ts";
import { spellingsOf } from "../settlements/reservation-numbers.ts";
import type { SettlementState } from "../settlements/schema.ts";
import { SettlementInitiate } from "../settlements/schema.ts";
import { ChainFacts, Settlements } from "../settlements/tables.ts";

/**
 * How long after its newest effective statement or fact a record is sealed, in milliseconds: 2H, after which no ingress
 * takes what could change it, and a reservation's window. Source: CONVERGENCE "Sealing".
 */
export const SEAL_AGE_MS = BigInt(2 * STATEMENT_AGE_MS_MAX + RESERVATION_WINDOW_MS);
/**
 * Nodes seal by the hour, each by its own clock, so that they differ for as long as their clocks do. Source: DESIGN
 * "Waiting times".
 */
export const SEAL_EVERY_MS = 3_600_000n;
/**
 * How long after the hour a sweep still seals: two sweeps, so that none of them is missed. Source: DESIGN "Waiting
 * times".
 */
const SEAL_WINDOW_MS = 120_000n;

/**
 * States in which nobody waits for anybody. A rejected one stays open: its buyer may want it decided. Source:
 * CONVERGENCE B7.
 */
const TERMINAL: ReadonlySet<SettlementState> = new Set(["Approved", "Completed", "Cancelled"]);

/** A sweep's part: seals in the first minutes of an hour. */
export function sealByTheHour(context: StepContext): void {
  if (context.now % SEAL_EVERY_MS < SEAL_WINDOW_MS) sealOld(context.draft, context.now, context.registry.types);
}

/**
 * Seals what was terminal SEAL_AGE_MS before the last full hour; settlements first, as a reservation waits for its own.
 */
export function sealOld(draft: Draft, now: EpochMillis, types: readonly SignedType[]): void {
  const before = now - (now % SEAL_EVERY_MS) - SEAL_AGE_MS;
  for (const kind of ["settlement", "reservation"] as const) {
    for (const identity of draft.find(Statements, "creating", kind)) {
      const create = draft.get(Statements, identity);
      if (create === undefined || create.timestamp >= before) continue;
      const sealed = isSealed(draft, identity);
      if (!sealed && isTerminal(draft, create, before)) sealWhole(draft, create, before, types);
      else if (!sealed) continue;
      if (kind === "reservation") sealFacts(draft, create as Statement<ReservationRequest>, before);
    }
  }
}

function isTerminal(draft: Draft, create: Statement, before: bigint): boolean {
  return create.type.creates === "settlement"
    ? isSettlementTerminal(draft, create, before)
    : isReservationTerminal(draft, create, before);
}

/** Terminal, or inert: it fits no reservation, and what would make it fit is too old for every ingress. */
function isSettlementTerminal(draft: Draft, { identity }: Statement, before: bigint): boolean {
  const row = draft.get(Settlements, identity);
  if (row === undefined) return true;
  const newest = latest([
    row.updated_at,
    ...recordsOf(draft, Disputes, "settlement", identity).map((dispute) => dispute.updated_at),
  ]);
  return TERMINAL.has(row.state) && newest < before;
}

/** Its window is long over; what remains is whether all its settlements are sealed. */
function isReservationTerminal(draft: Draft, request: Statement, before: bigint): boolean {
  const rows = recordsOf(draft, Reservations, "request", request.identity);
  if (rows.some((row) => row.settling || row.updated_at >= before)) return false;
  return childrenOfType(draft, request, SettlementInitiate).every(({ identity }) => isSealed(draft, identity));
}

/** Seals a record with what was said about it, inert or not, unless that names another old one still unsealed. */
function sealWhole(draft: Draft, create: Statement, before: bigint, types: readonly SignedType[]): void {
  const queue = [create];
  for (let statement = queue.pop(); statement !== undefined; statement = queue.pop()) {
    draft.put(Seals, statement.identity, {});
    for (const type of types) {
      for (const child of childrenOfType(draft, statement, type)) {
        if (isSealed(draft, child.identity) || sealsAlone(child)) continue;
        if (areSealed(draft, parentsOf(draft, child), before)) queue.push(child);
      }
    }
  }
}

/** Whether all that are old are sealed. What came later decides nothing here, or nodes that seal later would differ. */
function areSealed(draft: Draft, statements: readonly Statement[], before: bigint): boolean {
  return statements.every(({ identity, timestamp }) => timestamp >= before || isSealed(draft, identity));
}

/** Settlements seal by themselves: one may outlive its reservation. */
function sealsAlone({ type }: Statement): boolean {
  return type.creates === "settlement";
}

/** Facts of an escrow seal once every old reservation that bears its number is sealed. */
function sealFacts(draft: Draft, { payload }: Statement<ReservationRequest>, before: bigint): void {
  const ids = spellingsOf(payload.id);
  const facts = draft.find(ChainFacts, "reservation", ids[0] ?? payload.id);
  if (facts.length === 0) return;
  const requests = ids.flatMap((id) => contenders(draft, "reservation", id));
  if (!areSealed(draft, requests, before)) return;
  for (const key of facts) {
    const fact = draft.get(ChainFacts, key);
    if (fact !== undefined && fact.timestamp < before) draft.put(Seals, key, {});
  }
}
