/**
 * What is still to be sealed, by the hour in which to look at it: a pass goes through what is due and through nothing
 * else, however many trades there ever were. Computed from the set and never stored. Source: CONVERGENCE B5, B7.
 */

import type { FoldUnit } from "../../../engine/statements/fold.ts";
import { isSealed, Seals, Statements } from "../../../engine/statements/table.ts";
import type { Draft } from "../../../kernel/draft.ts";
import { struct } from "../../../kernel/schema-composites.ts";
import { bool, u32, u64 } from "../../../kernel/schema-scalars.ts";
import type { Statement } from "../../../kernel/signed.ts";
import { table } from "../../../kernel/table.ts";
import { DisputeOpen } from "../disputes/schema.ts";
import { ReservationRequest } from "../reservations/schema.ts";
import { FACTS_UNIT } from "../settlements/fold.ts";
import { SettlementInitiate } from "../settlements/schema.ts";
import { ChainFacts } from "../settlements/tables.ts";
import { isOver } from "./facts.ts";
import { hourAfter } from "./hours.ts";
import { forgetEnd, noteRequest } from "./number-ends.ts";

const Unseal = struct("Unsealed", {
  /** The hour in which to look at it. */
  due: u64,
  isFact: bool,
  /** How far what was said about a record was gone through, and whether anything of it was sealed then. */
  from: u32,
  found: bool,
});
/** What is looked at first of what is due, and what then. */
export const DUE_IN_ORDER = ["record", "fact"] as const;

/** Records and chain facts that are not sealed, by their keys. */
export const Unsealed = table("unsealed", Unseal, {
  root: "local",
  common: true,
  checkpoint: Unseal,
  indexes: { due: ({ due, isFact }) => [dueOf(isFact ? "fact" : "record", due.toString())] },
});

/** The place of what is due in an hour. */
export function dueOf(kind: (typeof DUE_IN_ORDER)[number], hour: string): string {
  return `${kind} ${hour}`;
}
const SealingHour = struct("SealingHour", {});
/** The hours for which something is noted. */
export const SealingHours = table("sealing_hours", SealingHour, { root: "local", checkpoint: SealingHour });

const loading: FoldUnit = {
  name: FACTS_UNIT,
  touches: {
    [ReservationRequest.name](draft, request) {
      noteRecord(draft, request);
      if (!isSealed(draft, request.identity)) noteRequest(draft, request as Statement<ReservationRequest>);
    },
    [SettlementInitiate.name]: noteRecord,
    [DisputeOpen.name]: noteRecord,
  },
  refold: (draft, reservation) => refoldFacts(draft, reservation, () => false),
};

/** Notes what comes, at the first hour in which it could be over; a fact about what is sealed is sealed at once. */
export const sealingFold: FoldUnit = {
  ...loading,
  refold: (draft, reservation) => refoldFacts(draft, reservation, isOver),
  // Before the last row is there, a fact may seem to be about another settlement of its number, sealed already.
  loading,
};

function refoldFacts(draft: Draft, reservation: string, isDone: typeof isOver): void {
  for (const key of draft.find(ChainFacts, "reservation", reservation)) {
    const fact = draft.get(ChainFacts, key);
    if (fact === undefined || isSealed(draft, key)) continue;
    if (isDone(draft, fact)) draft.put(Seals, key, {});
    else if (draft.get(Unsealed, key) === undefined) note(draft, key, 0n);
  }
}

/** Something is sealed, or its seal is loaded after it: there is nothing to look at any more. */
export function forgetSealed(draft: Draft, name: string, key: string): void {
  if (name !== Seals.name) return;
  if (draft.get(Unsealed, key) !== undefined) draft.put(Unsealed, key, undefined);
  const sealed = draft.get(Statements, key);
  if (sealed?.type.name === ReservationRequest.name) forgetEnd(draft, sealed as Statement<ReservationRequest>);
}

/** Notes when to look at something again. */
export function note(draft: Draft, key: string, due: bigint): void {
  draft.put(Unsealed, key, { due, isFact: draft.get(ChainFacts, key) !== undefined, from: 0, found: false });
  if (draft.get(SealingHours, due.toString()) === undefined) draft.put(SealingHours, due.toString(), {});
}

function noteRecord(draft: Draft, create: Statement): void {
  // What was sealed before a restart is not gone through again.
  if (!isSealed(draft, create.identity))
    note(draft, create.identity, hourAfter(create.timestamp + BigInt(create.type.lifeMs ?? 0)));
}
