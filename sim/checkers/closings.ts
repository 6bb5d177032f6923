/**
 * How transactions closed escrows, by the events in their logs, and what the accounts say that they left; read here by
 * their offsets, apart from the core's own reader, so that checkers do not believe what they check.
 * Source: protocol 03 A.10.2, D.3, D.5, W-3.
 */
import { toBase58 } from "../../core/index.ts";

const DISPUTE_RESOLVED = "7940f9998b80ecbb";
const ESCROW_RELEASED = "83078a68a6be7170";
const RESERVATION_AT = 8;
const OUTCOME_PRESENT_AT = 80;
const OUTCOME_AT = 81;
/** What the outcome byte of an execution reads as. */
const OUTCOMES = ["BuyerWins", "MerchantWins", "MutualSettlement", "Invalid"];

/** Where the accounts of a closed escrow say so. Source: protocol 03 D.3. */
const CASE = "a4c836ef5e4c3382";
const ESCROW = "40de25bd51062756";
const CASE_RESOLVED_AT = 72;
const CASE_LISTS_AT = 130;
const AFTER_LISTS_BYTES = 80;
const ESCROW_STATE_AT = 120;
const BUYER_AT = 16;
const SELLER_AT = 48;
const MINT_AT = 80;
const AMOUNT_AT = 112;
const KEY_BYTES = 32;
/** Between the outcome of a case and why it ended without one. Source: protocol 03 D.3, W-3. */
const AFTER_OUTCOME_BYTES = 8 + 8 + 8 + 1 + 1 + 4;
const SPLITS = ["NoConsensus", "QuorumNotReached", "RoundUnstaffed", "PoolExhausted"];
const RELEASED = 3;

/** One escrow that a transaction closed. */
export interface Escrowed {
  /** Its number, decimal. */
  readonly reservation: string;
  /** What was decided: null is a terminal split; undefined, that it was paid out and nothing more is said. */
  readonly outcome: string | null | undefined;
  /** Why a case ended without a verdict, where an account was read that says so. */
  readonly split?: string | null;
}

/** Whose an escrow is, and what is in it. */
export interface EscrowTerms {
  readonly reservation: string;
  readonly buyer: string;
  readonly seller: string;
  readonly mint: string;
  readonly amount: bigint;
}

interface Executed {
  readonly succeeded: boolean;
  readonly logs: readonly string[];
}

/** The escrows that a successful transaction closed, event by event. */
export function closingsIn({ succeeded, logs }: Executed, program: string): readonly Escrowed[] {
  if (!succeeded) return [];
  return eventsOf(logs, program).flatMap((bytes): readonly Escrowed[] => {
    const kind = bytes.subarray(0, 8).toString("hex");
    if (kind !== DISPUTE_RESOLVED && kind !== ESCROW_RELEASED) return [];
    const reservation = bytes.readBigUInt64LE(RESERVATION_AT).toString();
    if (kind === ESCROW_RELEASED) return [{ reservation, outcome: undefined }];
    const outcome = bytes[OUTCOME_PRESENT_AT] === 1 ? (OUTCOMES[bytes[OUTCOME_AT] ?? -1] ?? null) : null;
    return [{ reservation, outcome }];
  });
}

/** What an account of the program says: a case that was decided, or an escrow that was paid out. */
export function closingOfAccount(
  account: { readonly owner: string; readonly data: Uint8Array } | null,
  program: string,
): Escrowed | undefined {
  if (account === null || account.owner !== program) return undefined;
  const bytes = Buffer.from(account.data);
  const kind = bytes.subarray(0, 8).toString("hex");
  if (kind === ESCROW && bytes[ESCROW_STATE_AT] === RELEASED)
    return { reservation: bytes.readBigUInt64LE(RESERVATION_AT).toString(), outcome: undefined };
  if (kind !== CASE || bytes[CASE_RESOLVED_AT] !== 1) return undefined;
  const lists = afterLists(bytes);
  if (lists === undefined) return undefined;
  const at = lists + AFTER_LISTS_BYTES;
  const outcome = bytes[at] === 1 ? (OUTCOMES[bytes[at + 1] ?? -1] ?? null) : null;
  const splitAt = at + 1 + (bytes[at] ?? 0) + AFTER_OUTCOME_BYTES;
  // A verdict leaves no other reason.
  const split = outcome === null && bytes[splitAt] === 1 ? (SPLITS[bytes[splitAt + 1] ?? -1] ?? null) : null;
  return { reservation: bytes.readBigUInt64LE(RESERVATION_AT).toString(), outcome, split };
}

/** The terms of an escrow of the program, whatever became of it. */
export function escrowOfAccount(
  account: { readonly owner: string; readonly data: Uint8Array } | null,
  program: string,
): EscrowTerms | undefined {
  if (account === null || account.owner !== program) return undefined;
  const bytes = Buffer.from(account.data);
  if (bytes.subarray(0, 8).toString("hex") !== ESCROW) return undefined;
  const keyAt = (at: number) => toBase58(bytes.subarray(at, at + KEY_BYTES));
  return {
    reservation: bytes.readBigUInt64LE(RESERVATION_AT).toString(),
    ...{ buyer: keyAt(BUYER_AT), seller: keyAt(SELLER_AT), mint: keyAt(MINT_AT) },
    amount: bytes.readBigUInt64LE(AMOUNT_AT),
  };
}

/**
 * Keys, commitments, revealed votes (each absent or a byte), weights, claims, barred keys: counted, one by one. Nothing
 * where an endpoint spoiled a count.
 */
function afterLists(bytes: Buffer): number | undefined {
  let at = CASE_LISTS_AT;
  for (const size of [32, 32, "option", 8, 1, 32] as const) {
    const count = at + 4 > bytes.length ? bytes.length : bytes.readUInt32LE(at);
    if (count >= bytes.length) return undefined;
    at += 4;
    for (let index = 0; index < count; index += 1) at += size === "option" ? 1 + (bytes[at] ?? 0) : size;
  }
  return at;
}

/** The event bytes that the program itself logged: lines written while it is on top of the invocation stack. */
function eventsOf(logs: readonly string[], program: string): readonly Buffer[] {
  const stack: string[] = [];
  const events: Buffer[] = [];
  for (const line of logs) {
    const parts = line.split(" ");
    const frame = parts[0] === "Program" && parts[1]?.endsWith(":") === false;
    if (frame && parts[2] === "invoke") stack.push(parts[1] ?? "");
    else if (frame && (parts[2] === "success" || parts[2] === "failed:")) stack.pop();
    else if (line.startsWith("Program data: ") && stack.at(-1) === program) {
      const bytes = Buffer.from(parts[2] ?? "", "base64");
      if (bytes.length > OUTCOME_AT) events.push(bytes);
    }
  }
  return events;
}
