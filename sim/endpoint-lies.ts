/**
 * What an endpoint that lies makes of an observation: a slot of the far future, a transaction that failed, or decided
 * something else, or said nothing; an account that decided something else, or is not there; a verdict that nobody gave.
 * Source: DESIGN section 4 "Cluster".
 */
import type { ChainObservation } from "../core/index.ts";
import { toBase64 } from "../core/index.ts";
import type { ParsedMessage, TradeEscrow } from "../core/testing.ts";
import { decodeAccount, encodeEventLine, parseTransaction, simulatedProfile, tradeEscrow } from "../core/testing.ts";
import type { ChainAccount } from "./chain/executor.ts";
import { instructionDiscriminators } from "./chain/instruction-parts.ts";
import type { Stream } from "./random.ts";
import { below } from "./random.ts";

/** Prefix of a decision's log line. Source: protocol 03 D.5. */
const EVENT_LINE = "Program data: ";
const DISPUTE_RESOLVED = "7940f9998b80ecbb";
const OUTCOME_PRESENT_AT = 80;
const OUTCOME_AT = 81;
const OUTCOMES = 4;
const EXECUTE = instructionDiscriminators.execute_dispute_outcome;
/** The place of the escrow among the accounts of an execution. Source: protocol 03 D.4. */
const ESCROW = 2;
/** Slots that a lie is ahead. */
const FAR_AHEAD = 1_000_000_000n;
/** A text of a blockhash's form that no block has. */
const NO_BLOCK = "4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi";

/** The observation with a lie in it; the same when it says nothing worth lying about. */
export function lieAbout(seen: ChainObservation, stream: Stream, n: number): ChainObservation {
  const kind = below(stream, n, 3);
  switch (seen.type) {
    case "slot":
      return { ...seen, slot: seen.slot + FAR_AHEAD, blockhash: NO_BLOCK };
    case "transaction":
      if (kind === 0) return { ...seen, succeeded: !seen.succeeded };
      return { ...seen, logs: kind === 1 ? [] : seen.logs.map(otherDecision) };
    case "account":
      if (kind === 0 || seen.account === null) return { ...seen, account: null };
      return { ...seen, account: { ...seen.account, data: spoiled(seen.account.data, below(stream, n + 1, 200)) } };
    case "absent":
      return { ...seen, confirmed: seen.confirmed + FAR_AHEAD };
    default:
      return seen;
  }
}

/**
 * A failed execution of a case as one that decided it. The round and the outcome are the signature's, so one is told
 * alike whenever it is told, and of two hardly ever the same. Anything else stays as it is.
 */
export function forgedVerdict(
  seen: ChainObservation,
  accountAt: (address: string) => ChainAccount | undefined,
): ChainObservation {
  if (seen.type !== "transaction" || seen.succeeded) return seen;
  const parsed = parseTransaction(seen.wire);
  const [round = 0, outcome = 0] = parsed.ok ? (parsed.value.signatures[0] ?? []) : [];
  const program = simulatedProfile.escrowProgram;
  const escrow = parsed.ok ? executedEscrow(parsed.value.message, accountAt) : undefined;
  if (escrow === undefined) return seen;
  const line = encodeEventLine("DisputeResolved", {
    ...{ reservation_id: escrow.reservation_id, buyer: escrow.buyer, seller: escrow.seller },
    ...{ outcome: outcome % OUTCOMES, round, winning_weight: 1n, arbitrator_count: 3 },
    ...{ reward_pool: 0n, deposit_refunded: 0n, timestamp: 0n },
  });
  return { ...seen, succeeded: true, logs: [`Program ${program} invoke [1]`, line, `Program ${program} success`] };
}

/** The escrow of the case that a message would execute. */
function executedEscrow(
  { accounts, instructions }: ParsedMessage,
  accountAt: (address: string) => ChainAccount | undefined,
): TradeEscrow | undefined {
  const found = instructions.find(({ data }) => hexOf(data.subarray(0, 8)) === EXECUTE);
  const account = accountAt(accounts[found?.accounts[ESCROW] ?? -1] ?? "");
  const decoded = account && decodeAccount(tradeEscrow, simulatedProfile, account);
  return decoded?.ok === true ? decoded.value : undefined;
}

/** A decision's line with the next outcome in the place of its own; any other line as it is. */
function otherDecision(line: string): string {
  if (!line.startsWith(EVENT_LINE)) return line;
  const bytes = Uint8Array.from(Buffer.from(line.slice(EVENT_LINE.length), "base64"));
  if (hexOf(bytes.subarray(0, 8)) !== DISPUTE_RESOLVED) return line;
  const present = bytes[OUTCOME_PRESENT_AT] === 1;
  // An option without a value is one byte shorter.
  const outcome = present ? [1, ((bytes[OUTCOME_AT] ?? 0) + 1) % OUTCOMES] : [1, 0];
  const rest = bytes.subarray(present ? OUTCOME_AT + 1 : OUTCOME_AT);
  return EVENT_LINE + toBase64(Uint8Array.from([...bytes.subarray(0, OUTCOME_PRESENT_AT), ...outcome, ...rest]));
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

function spoiled(data: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(data);
  const place = copy.length === 0 ? 0 : at % copy.length;
  if (copy.length > 0) copy[place] = (copy[place] ?? 0) ^ 1;
  return copy;
}
