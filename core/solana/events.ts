/**
 * Events of the programs: log lines `Program data: ` + base64(discriminator ‖ fields).
 * A line counts only for the program on top of the invocation stack, so no other program can speak for it.
 * Source: protocol 03 D.5, A.10.3 R4.
 */
import { concat } from "../kernel/bytes.ts";
import { fromBase64, toBase64 } from "../kernel/text.ts";
import type { Field, Fields } from "./layout.ts";
import { bool, hex, i64, option, pk, raw, startsWith, struct, u8, u16, u32, u64 } from "./layout.ts";

interface EventRow<T> {
  readonly discriminator: Uint8Array;
  readonly codec: Field<T>;
}

const eventTable = {
  DisputeResolved: entry("7940f9998b80ecbb", {
    reservation_id: u64,
    buyer: pk,
    seller: pk,
    outcome: option(u8),
    round: u8,
    winning_weight: u64,
    arbitrator_count: u8,
    reward_pool: u64,
    deposit_refunded: u64,
    timestamp: i64,
  }),
  DisputeTerminalSplit: entry("c6b11e35a0f5984f", {
    reservation_id: u64,
    reason: u8,
    round: u8,
    seats_this_round: u8,
    counted_reveals: u8,
    barred: u8,
    seats_taken_total: u32,
    required_pool: u32,
    published_pool: u32,
    timestamp: i64,
  }),
  EscrowReleased: entry("83078a68a6be7170", {
    reservation_id: u64,
    buyer: pk,
    seller: pk,
    mint: pk,
    amount: u64,
    buyer_amount: u64,
    fee: u64,
    dev: u64,
    ecosystem: u64,
    infra: u64,
    emergency: u64,
    via_dispute: bool,
    timestamp: i64,
  }),
  ArbitrationDepositTaken: entry("8994e6dcc8a87d87", {
    reservation_id: u64,
    merchant: pk,
    opened_by: pk,
    deposit_vault: pk,
    mint: pk,
    amount: u64,
    shortfall: u64,
    timestamp: i64,
  }),
  StakeRecoveryClaimRecorded: entry("6f04709b938b2230", {
    reservation_id: u64,
    merchant: pk,
    claim: pk,
    mint: pk,
    shortfall: u64,
    owed_total: u64,
    credited_total: u64,
    case_count: u32,
    timestamp: i64,
  }),
  StakeRecoveryAbsorbed: entry("1c1c2209f0bbb624", {
    merchant: pk,
    claim: pk,
    mint: pk,
    amount: u64,
    owed_total: u64,
    credited_total: u64,
    outstanding: u64,
    vault_available: u64,
    timestamp: i64,
  }),
  ArbitrationDepositToppedUp: entry("50d029ecb76c2c6c", {
    reservation_id: u64,
    merchant: pk,
    mint: pk,
    amount: u64,
    deposit: u64,
    remaining_shortfall: u64,
    vault_available: u64,
    timestamp: i64,
  }),
  ArbitrationRewardClaimed: entry("5992998b5818be04", {
    reservation_id: u64,
    arbitrator: pk,
    weight: u64,
    winning_weight: u64,
    amount: u64,
    destination: pk,
    timestamp: i64,
  }),
  ArbitratorPoolSizePublished: entry("9468053091e6b186", {
    admin: pk,
    previous: u32,
    eligible: u32,
    min_decidable_pool: u32,
    timestamp: i64,
  }),
  AdListingFeeCharged: entry("8c1ecf8ba2aa00d7", {
    merchant: pk,
    advertisement_id: raw(32),
    mint: pk,
    amount: u64,
    vault_available: u64,
    timestamp: i64,
  }),
  SlashApplied: entry("cf14a4b3ea3950ee", {
    stake_account: pk,
    owner: pk,
    role: u8,
    code: u16,
    amount: u64,
    remaining_stake: u64,
    slashed_total: u64,
    eligible_after: bool,
    destination: pk,
    timestamp: i64,
  }),
} as const;

type EventTable = typeof eventTable;
export type ChainEventType = keyof EventTable;
/** The fields of one kind of event. */
export type EventFields<K extends ChainEventType> = EventTable[K] extends EventRow<infer T> ? T : never;
/** Any event, told apart by `type`; `bytes` is what the line carried (a chain fact's identity hashes it, R11). */
export type ChainEvent = {
  [K in ChainEventType]: { readonly type: K; readonly fields: EventFields<K>; readonly bytes: Uint8Array };
}[ChainEventType];

/** Prefix of a log line that carries an event. Source: protocol 03 D.5. */
export const EVENT_LINE_PREFIX = "Program data: ";

/** The events that `program` itself emitted, in order. Lines that are no event of the table are passed over. */
export function programEvents(logs: readonly string[], program: string): readonly ChainEvent[] {
  const events: ChainEvent[] = [];
  for (const line of programLines(logs, program)) {
    const event = decodeEventLine(line);
    if (event !== undefined) events.push(event);
  }
  return events;
}

/** The `Program data: ` and `Program log: ` lines written while `program` was on top of the invocation stack. */
export function programLines(logs: readonly string[], program: string): readonly string[] {
  const lines: string[] = [];
  let stack: readonly string[] = [];
  for (const line of logs) {
    const invoked = /^Program ([1-9A-HJ-NP-Za-km-z]{32,44}) invoke \[([0-9]+)\]$/.exec(line);
    if (invoked !== null) {
      const [, invokedProgram = "", depth = "1"] = invoked;
      stack = [...stack.slice(0, Number(depth) - 1), invokedProgram];
    } else if (/^Program [1-9A-HJ-NP-Za-km-z]{32,44} (success$|failed: )/.test(line)) {
      stack = stack.slice(0, -1);
    } else if (stack[stack.length - 1] === program && /^Program (data|log): /.test(line)) {
      lines.push(line);
    }
  }
  return lines;
}

/** One event line; undefined when it is none of ours. */
export function decodeEventLine(line: string): ChainEvent | undefined {
  if (!line.startsWith(EVENT_LINE_PREFIX)) return undefined;
  const bytes = fromBase64(line.slice(EVENT_LINE_PREFIX.length));
  return bytes === undefined ? undefined : decodeEvent(bytes);
}

/** Discriminator, every field, and nothing after them. Source: protocol 03 D.5. */
export function decodeEvent(bytes: Uint8Array): ChainEvent | undefined {
  const found = Object.entries(eventTable).find(([, row]) => startsWith(bytes, row.discriminator));
  if (found === undefined) return undefined;
  const [type, row] = found;
  const read = (row.codec as Field<unknown>).read(bytes, row.discriminator.length);
  if (read === undefined || read.next !== bytes.length) return undefined;
  return { type, fields: read.value, bytes } as ChainEvent;
}

/** An event as its log line. */
export function encodeEventLine<K extends ChainEventType>(type: K, fields: EventFields<K>): string {
  const row = eventTable[type];
  const body = (row.codec as Field<unknown>).write(fields);
  return EVENT_LINE_PREFIX + toBase64(concat(row.discriminator, body));
}

function entry<T extends object>(discriminator: string, fields: Fields<T>): EventRow<Readonly<T>> {
  return { discriminator: hex(discriminator), codec: struct(fields) };
}
