/**
 * What a node with an endpoint remembers of its reading: watched escrows, facts that are not final yet, and
 * transactions it asks about. None is replicated. Source: protocol 03 A.10.3 R6-R8, W-2, W-6.
 */

import type { Infer } from "../../kernel/schema.ts";
import { list, option, struct } from "../../kernel/schema-composites.ts";
import { bool, byteArray, u32, u64 } from "../../kernel/schema-scalars.ts";
import { table } from "../../kernel/table.ts";
import { EpochMillis, Text } from "../../kernel/values.ts";
import { ChainFactKind, TerminalSplit } from "../trade/settlements/schema.ts";

const MONTH_MS = 30n * 86_400_000n;
/** The thirty days of an instant, counted from 1970. */
export function monthOf(instant: bigint): bigint {
  return instant / MONTH_MS;
}

/** `pairs`: some of the pairs whose settlements the escrow may belong to; `ends_at`: when the last of these ends. */
const Watch = struct("Watch", { reservation: u64, pairs: list(Text), ends_at: EpochMillis });
/** Watched escrows, by address. Releases and executions both write the escrow, so one address shows both. */
export const Watches = table<Infer<typeof Watch>>("watches", Watch, {
  root: "local",
  indexes: {
    reservation: (watch) => [watch.reservation.toString()],
    month: ({ ends_at }) => [`${monthOf(ends_at)}`],
  },
});

export const AccountText = struct("AccountText", { owner: Text, data: byteArray(null) });
export type AccountText = Infer<typeof AccountText>;

/** An escrow that a transaction was seen to close, until it is a final fact or turns out not to be one. */
export const PendingFact = struct("PendingFact", {
  kind: ChainFactKind,
  reservation: u64,
  transaction: Text,
  slot: u64,
  /** Whether the transaction was told as finalized. */
  final: bool,
  event: byteArray(null),
  /** Why a case ended without a verdict, by the transaction's own second event. */
  reason: option(TerminalSplit),
  mint: Text,
  escrow: Text,
  dispute: Text,
  escrow_account: option(AccountText),
  dispute_account: option(AccountText),
  /** Whether it is a chain fact already, which can still be undone. */
  taken: bool,
  attempts: u32,
  again_at: EpochMillis,
});
export type PendingFact = Infer<typeof PendingFact>;
/**
 * Pending facts by the name of their fact: the undo journal of R6, and what R7 asks for again. Kept, so that a restart
 * reads on.
 */
export const PendingFacts = table<PendingFact>("sightings", PendingFact, {
  root: "local",
  durable: true,
  indexes: {
    address: ({ escrow, dispute }) => [escrow, dispute],
    reservation: ({ reservation }) => [reservation.toString()],
    transaction: ({ transaction }) => [transaction],
  },
});

/** A watched escrow that may be closed although no event says so. Source: protocol 03 A.10.3 R4. */
const Look = struct("Look", {
  reservation: u64,
  dispute: Text,
  /** Readings as of this slot or later count. */
  slot: u64,
  /** The transaction that would have closed it, if one is known. */
  transaction: option(Text),
  /** The reading that is under way. */
  escrow_account: option(AccountText),
  escrow_slot: option(u64),
  dispute_account: option(AccountText),
  dispute_slot: option(u64),
  /** What was found so far, and how often in a row. */
  found: option(Text),
  readings: u32,
  attempts: u32,
  again_at: EpochMillis,
});
export type Look = Infer<typeof Look>;
/** Looks by escrow, one at a time; a restart begins them again. */
export const Looks = table<Look>("looks", Look, { root: "local", indexes: { dispute: ({ dispute }) => [dispute] } });

/** A submitted transaction that is asked about until it landed or cannot. */
const Inquiry = struct("Inquiry", {
  /** The newest slot this node knew when it submitted. */
  slot: u64,
  /** The last slot in which it may land; null while no slot is known. */
  valid_until: option(u64),
  attempts: u32,
  again_at: EpochMillis,
});
export type Inquiry = Infer<typeof Inquiry>;
/** Inquiries by transaction signature. */
export const Inquiries = table<Inquiry>("inquiries", Inquiry, { root: "local", durable: true });

const Alarm = struct("Alarm", { at: EpochMillis });
/** When the one timer is set to ask again; one row. */
export const Alarms = table<Infer<typeof Alarm>>("chain_alarm", Alarm, { root: "local" });
