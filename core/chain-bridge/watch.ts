/**
 * Watching the chain: a node with an endpoint watches the trade escrow of every settlement it knows, and
 * turns an executed transaction into a chain fact once its event and, for a decision, the case and escrow
 * accounts agree. Releases and executions both write the escrow, so one watched address sees both.
 * Source: protocol 03 A.10.3 R1-R8, R11; D.4, D.5, D.9.
 */

import type { ChainObservation } from "../inputs.ts";
import { concat, toHex } from "../kernel/bytes.ts";
import type { Infer } from "../kernel/schema.ts";
import { list, option, struct } from "../kernel/schema-composites.ts";
import { byteArray, u64 } from "../kernel/schema-scalars.ts";
import { table } from "../kernel/table.ts";
import { fromBase58 } from "../kernel/text.ts";
import type { EpochMillis, MintAddress, PublicKey } from "../kernel/values.ts";
import { later, Text } from "../kernel/values.ts";
import type { ChainFact } from "../settlements/schema.ts";
import { ChainFacts, Settlements } from "../settlements/tables.ts";
import { Statements } from "../statements/table.ts";
import type { Turn } from "../turn.ts";
import { foldOf } from "../turn.ts";
import { decodeAccount, named, outcomes, readCase, terminalReasons, tradeEscrow } from "./accounts.ts";
import { chainAddresses, devnetProfile, reservationNumber } from "./addresses.ts";
import type { EventFields } from "./events.ts";
import { decodeEvent, programEvents } from "./events.ts";
import { executeDisputeOutcome, findInstruction, parseTransaction, releaseEscrow } from "./transaction.ts";

/** How long to wait before reading accounts again that did not agree yet, in milliseconds. Source: ours (R7). */
export const READ_AGAIN_MS = 5_000;

const AccountText = struct("AccountText", { owner: Text, data: byteArray(null) });
/** An execution whose accounts are being read. `escrow` and `dispute` are their addresses. */
const Execution = struct("Execution", {
  reservation: u64,
  transaction: Text,
  slot: u64,
  event: byteArray(null),
  reason: option(Text),
  escrow: Text,
  dispute: Text,
  escrow_account: option(AccountText),
  dispute_account: option(AccountText),
});
type Execution = Infer<typeof Execution>;
/** Executions in hand, by fact id. Kept, so that a restart reads on. */
export const Executions = table<Execution>("executions", Execution, {
  root: "local",
  durable: true,
  indexes: { address: (held) => [held.escrow, held.dispute] },
});
const Watch = struct("Watch", { reservation: u64, ids: list(Text) });
/** Watched escrow addresses. */
export const Watches = table<Infer<typeof Watch>>("watches", Watch, { root: "local" });
/** Reservation ids that were looked at, so that an address is derived once. */
const Looked = struct("Looked", {});
export const LookedAt = table<Infer<typeof Looked>>("watched_reservations", Looked, { root: "local" });

/** Watches the escrow of every settlement that this turn brought. */
export function watchNewSettlements(turn: Turn): void {
  if (turn.configuration.chain !== "RpcConnected") return;
  for (const change of turn.draft.changes()) {
    if (change.table !== Settlements.name || change.record === undefined) continue;
    const row = turn.draft.get(Settlements, change.key);
    const number =
      row === undefined ? undefined : reservationNumber(requestIdOf(turn, row.request) ?? row.reservation_id);
    if (number === undefined || turn.draft.get(LookedAt, number.toString()) !== undefined) continue;
    const address = addressesOf(turn).tradeEscrow(number).address;
    turn.draft.put(LookedAt, number.toString(), {});
    turn.draft.put(Watches, address, { reservation: number, ids: [] });
    turn.emit({ type: "chain.watch", address });
  }
}

/** A transaction on a watched escrow: only a successful, final one that the escrow program executed counts. */
export function onTransaction(turn: Turn, seen: Extract<ChainObservation, { readonly type: "transaction" }>): void {
  const watch = turn.draft.get(Watches, seen.address);
  if (watch === undefined || !seen.succeeded || seen.commitment !== "finalized") return;
  const parsed = parseTransaction(seen.wire);
  if (!parsed.ok) return;
  const { message } = parsed.value;
  const program = turn.configuration.profile.escrowProgram;
  const dispute = addressesOf(turn).disputeCase(watch.reservation).address;
  const executes =
    findInstruction(message, program, executeDisputeOutcome, { 1: dispute, 2: seen.address }) !== undefined;
  const releases = findInstruction(message, program, releaseEscrow, { 2: seen.address }) !== undefined;
  const events = programEvents(seen.logs, program);
  for (const event of events) {
    const id = factId(turn, seen.signature, event.bytes);
    if (event.type === "EscrowReleased" && releases && event.fields.reservation_id === watch.reservation) {
      addFact(turn, id, releasedFact(event.fields, seen.signature));
    }
    if (event.type !== "DisputeResolved" || !executes || event.fields.reservation_id !== watch.reservation) continue;
    const split = events.find((other) => other.type === "DisputeTerminalSplit");
    const reason = split?.type === "DisputeTerminalSplit" ? named(terminalReasons, split.fields.reason) : null;
    begin(turn, id, {
      reservation: watch.reservation,
      transaction: seen.signature,
      slot: seen.slot,
      event: event.bytes,
      reason: reason ?? null,
      escrow: seen.address,
      dispute,
      escrow_account: null,
      dispute_account: null,
    });
  }
}

/** An account that was read for an execution in hand. */
export function onAccount(turn: Turn, seen: Extract<ChainObservation, { readonly type: "account" }>): void {
  for (const id of turn.draft.find(Executions, "address", seen.address)) {
    const held = turn.draft.get(Executions, id);
    if (held === undefined || seen.slot < held.slot || seen.account === null) continue;
    const account = { owner: seen.account.owner, data: seen.account.data };
    const filled =
      seen.address === held.escrow ? { ...held, escrow_account: account } : { ...held, dispute_account: account };
    turn.draft.put(Executions, id, filled);
    decide(turn, id, filled);
  }
}

/** Reads the accounts of every execution in hand again. */
export function readAgain(turn: Turn): void {
  for (const id of [...turn.draft.keys(Executions)]) {
    const held = turn.draft.get(Executions, id);
    if (held !== undefined) askAccounts(turn, held);
  }
}

function begin(turn: Turn, id: string, execution: Execution): void {
  if (turn.draft.get(Executions, id) !== undefined || turn.draft.get(ChainFacts, id) !== undefined) return;
  turn.draft.put(Executions, id, execution);
  askAccounts(turn, execution);
}

function askAccounts(turn: Turn, { escrow, dispute, slot }: Execution): void {
  turn.emit({ type: "chain.read", address: escrow, slot });
  turn.emit({ type: "chain.read", address: dispute, slot });
  turn.emit({ type: "timer.set", timer: "chain-retry", at: later(turn.now, READ_AGAIN_MS) });
}

/** The event and both accounts must tell the same story; otherwise nothing is decided and they are read again. */
function decide(turn: Turn, id: string, held: Execution): void {
  if (held.escrow_account === null || held.dispute_account === null) return;
  const event = decodeEvent(held.event);
  if (event?.type !== "DisputeResolved") return;
  const profile = { ...devnetProfile, escrowProgram: turn.configuration.profile.escrowProgram };
  const escrow = decodeAccount(tradeEscrow, profile, held.escrow_account);
  const reading = readCase(profile, held.dispute_account);
  if (!escrow.ok || !reading.ok) return;
  const { fields } = event;
  const outcome = named(outcomes, fields.outcome);
  const agrees =
    outcome !== undefined &&
    escrow.value.reservation_id === held.reservation &&
    escrow.value.buyer === fields.buyer &&
    escrow.value.seller === fields.seller &&
    reading.value.reservationId === held.reservation &&
    reading.value.tradeEscrow === held.escrow &&
    reading.value.resolved &&
    reading.value.outcome === outcome;
  if (!agrees) return;
  turn.draft.put(Executions, id, undefined);
  addFact(turn, id, {
    kind: "decided",
    reservation: held.reservation,
    buyer: fields.buyer as PublicKey,
    seller: fields.seller as PublicKey,
    mint: escrow.value.mint as MintAddress,
    amount: escrow.value.amount,
    resolution: outcome,
    terminal_split:
      outcome === null ? ((reading.value.terminalReason ?? held.reason) as ChainFact["terminal_split"]) : null,
    transaction: held.transaction,
    timestamp: millis(fields.timestamp),
  });
}

function releasedFact(fields: EventFields<"EscrowReleased">, transaction: string): ChainFact {
  return {
    kind: "released",
    reservation: fields.reservation_id,
    buyer: fields.buyer as PublicKey,
    seller: fields.seller as PublicKey,
    mint: fields.mint as MintAddress,
    amount: fields.amount,
    resolution: null,
    terminal_split: null,
    transaction,
    timestamp: millis(fields.timestamp),
  };
}

function addFact(turn: Turn, id: string, fact: ChainFact): void {
  if (turn.draft.get(ChainFacts, id) !== undefined) return;
  turn.draft.put(ChainFacts, id, fact);
  const fold = foldOf(turn);
  fold.mark("settlement", fact.reservation.toString());
  fold.run();
}

/** SHA-256(program ‖ transaction signature ‖ event bytes). Source: protocol 03 A.10.3 R11. */
function factId(turn: Turn, signature: string, event: Uint8Array): string {
  const program = fromBase58(turn.configuration.profile.escrowProgram) ?? new Uint8Array(0);
  return toHex(turn.crypto.sha256(concat(program, fromBase58(signature) ?? new Uint8Array(0), event)));
}

/** The id of the request behind a settlement, whichever of its names the initiate used. */
function requestIdOf(turn: Turn, request: string): string | undefined {
  const statement = turn.draft.get(Statements, request);
  return statement?.type.idOf(statement.payload as never);
}

function addressesOf(turn: Turn) {
  return chainAddresses(turn.crypto, { ...devnetProfile, escrowProgram: turn.configuration.profile.escrowProgram });
}

function millis(seconds: bigint): EpochMillis {
  return (seconds < 0n ? 0n : seconds * 1_000n) as EpochMillis;
}
