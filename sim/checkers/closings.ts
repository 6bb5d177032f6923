/**
 * How transactions closed escrows, by the events in their logs; read here by their offsets, apart from the core's own
 * reader, so that checkers do not believe what they check. Source: protocol 03 A.10.2, D.5, W-3.
 */

const DISPUTE_RESOLVED = "7940f9998b80ecbb";
const ESCROW_RELEASED = "83078a68a6be7170";
const RESERVATION_AT = 8;
const OUTCOME_PRESENT_AT = 80;
const OUTCOME_AT = 81;
/** What the outcome byte of an execution reads as. */
const OUTCOMES = ["BuyerWins", "MerchantWins", "MutualSettlement", "Invalid"];

/** One escrow that a transaction closed. */
export interface Escrowed {
  /** Its number, decimal. */
  readonly reservation: string;
  /** What was decided: null is a terminal split; undefined, that it was paid out and nothing more is said. */
  readonly outcome: string | null | undefined;
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
