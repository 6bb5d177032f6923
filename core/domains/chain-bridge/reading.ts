/**
 * What an observed transaction says of watched escrows: the instructions that close one, top-level or invoked by
 * another program, and the events by which the escrow program itself says what they did.
 * Source: protocol 03 A.10.3 R3-R5, D.4, D.5, D.9.
 */

import type { ChainObservation, InvokedInstruction } from "../../inputs.ts";
import { named, terminalReasons } from "../../solana/accounts.ts";
import type { ChainEvent } from "../../solana/events.ts";
import { programEvents } from "../../solana/events.ts";
import { startsWith } from "../../solana/layout.ts";
import type { ParsedMessage } from "../../solana/transaction.ts";
import { executeDisputeOutcome, releaseEscrow } from "../../solana/transaction.ts";
import type { ChainFact, TerminalSplit } from "../trade/settlements/schema.ts";

export type SeenTransaction = Extract<ChainObservation, { readonly type: "transaction" }>;

/** A watched escrow with the addresses that belong to its number. */
export interface Watched {
  readonly reservation: bigint;
  readonly escrow: string;
  readonly dispute: string;
}

/** One escrow that the transaction closed, and the event that says so. */
export interface Closing extends Watched {
  readonly kind: ChainFact["kind"];
  /** The mint that the instruction moved. */
  readonly mint: string;
  readonly event: Uint8Array;
  readonly reason: TerminalSplit | null;
}

export interface Reading {
  readonly closings: readonly Closing[];
  /** Watched escrows that it may have closed without an event that says so. */
  readonly unexplained: readonly Unexplained[];
}

export interface Unexplained {
  readonly reservation: bigint;
  readonly escrow: string;
  /**
   * Whether it may be what closed the escrow: an instruction of it would, and its log was cut before the event. Where
   * the log is whole it began another round, or somebody lies about it.
   */
  readonly closes: boolean;
}

/** What a validator writes where a log is cut. Source: Solana's log collector. */
const CUT = "Log truncated";
/** Places of the accounts that bind an instruction. Source: protocol 03 D.4. */
const MINT = 0;
const CASE_OF_EXECUTE = 1;
const ESCROW = 2;

/** Reads a transaction whose bytes were verified. */
export function readTransaction(
  seen: SeenTransaction,
  message: ParsedMessage,
  program: string,
  watchedAt: (escrow: string) => Watched | undefined,
): Reading {
  // What failed changed nothing.
  if (!seen.succeeded) return { closings: [], unexplained: [] };
  const events = programEvents(seen.logs, program);
  const closings: Closing[] = [];
  const unexplained: Unexplained[] = [];
  for (const attempt of attempts(seen, message, program, watchedAt)) {
    const closing = events.flatMap((event) => closingOf(attempt, event, events));
    closings.push(...closing);
    if (closing.length === 0) unexplained.push({ ...attempt, closes: seen.logs.includes(CUT) });
  }
  const watched = watchedAt(seen.address ?? "");
  const isExplained = [...closings, ...unexplained].some(({ escrow }) => escrow === seen.address);
  if (watched !== undefined && !isExplained && hidesSomething(seen)) unexplained.push({ ...watched, closes: false });
  return { closings, unexplained };
}

/** Whether it may have done more than is told of it. */
function hidesSomething({ loaded, inner }: SeenTransaction): boolean {
  return loaded === undefined || inner === undefined;
}

type Attempt = Omit<Closing, "event" | "reason">;

/** The watched escrows that instructions of the program would close. */
function attempts(
  seen: SeenTransaction,
  message: ParsedMessage,
  program: string,
  watchedAt: (escrow: string) => Watched | undefined,
): Iterable<Attempt> {
  const found = new Map<string, Attempt>();
  for (const instruction of instructionsOf(seen, message)) {
    if (instruction.program !== program) continue;
    const watched = watchedAt(instruction.accounts[ESCROW] ?? "");
    const kind = watched && kindOf(instruction, watched);
    if (watched === undefined || kind === undefined) continue;
    found.set(`${kind}/${watched.escrow}`, { ...watched, kind, mint: instruction.accounts[MINT] ?? "" });
  }
  return found.values();
}

function kindOf({ data, accounts }: InvokedInstruction, { dispute }: Watched): ChainFact["kind"] | undefined {
  if (startsWith(data, releaseEscrow)) return "released";
  if (startsWith(data, executeDisputeOutcome) && accounts[CASE_OF_EXECUTE] === dispute) return "decided";
  return undefined;
}

/** The message's own instructions, then those that programs invoked. */
function instructionsOf(seen: SeenTransaction, message: ParsedMessage): readonly InvokedInstruction[] {
  const addresses = [...message.accounts, ...(seen.loaded ?? [])];
  const own = message.instructions.map(({ programIndex, accounts, data }) => ({
    program: addresses[programIndex] ?? "",
    accounts: accounts.map((index) => addresses[index] ?? ""),
    data,
  }));
  return [...own, ...(seen.inner ?? [])];
}

function closingOf(attempt: Attempt, event: ChainEvent, all: readonly ChainEvent[]): readonly Closing[] {
  const { reservation, kind } = attempt;
  const closing = { ...attempt, event: event.bytes };
  if (kind === "released") {
    const released = event.type === "EscrowReleased" && !event.fields.via_dispute;
    return released && event.fields.reservation_id === reservation ? [{ ...closing, reason: null }] : [];
  }
  if (event.type !== "DisputeResolved" || event.fields.reservation_id !== reservation) return [];
  const split = all.find(
    (other) => other.type === "DisputeTerminalSplit" && other.fields.reservation_id === reservation,
  );
  const reason = split?.type === "DisputeTerminalSplit" ? named(terminalReasons, split.fields.reason) : null;
  return [{ ...closing, reason: reason ?? null }];
}
