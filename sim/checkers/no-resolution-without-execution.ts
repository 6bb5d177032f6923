/**
 * Law L3: the chain decides. An answer shows a resolution, a terminal split or a completed settlement only where the
 * node that gives it observed the executing transaction and that transaction says so. The events are read here by
 * their offsets, apart from the core's own reader. Source: protocol 03 A.10.3, D.5, E.
 */
import type { ChainObservation } from "../../core/index.ts";
import type { CheckContext, Checker } from "../checker.ts";

const DISPUTE_RESOLVED = "7940f9998b80ecbb";
const ESCROW_RELEASED = "83078a68a6be7170";
const RESERVATION_AT = 8;
const OUTCOME_PRESENT_AT = 80;
const OUTCOME_AT = 81;
/** What the outcome byte of an execution reads as. Source: protocol 03 A.10.2, W-3. */
const OUTCOMES = ["BuyerWins", "MerchantWins", "MutualSettlement", "Invalid"];

/** What one node saw the chain do. */
interface Observed {
  /** Transaction signature to the outcomes it executed; `null` is a terminal split. */
  readonly decided: Map<string, Set<string | null>>;
  /** Reservation numbers whose escrow was released or decided. */
  readonly closed: Set<string>;
}

export function noResolutionWithoutExecution({ violate, profile }: CheckContext): Checker {
  const observed = new Map<number, Observed>();
  const observedBy = (node: number): Observed => {
    const known = observed.get(node) ?? { decided: new Map(), closed: new Set() };
    observed.set(node, known);
    return known;
  };

  return {
    name: "no-resolution-without-execution",
    onStep({ node, input }) {
      if (input.type !== "chain.observed" || input.observation.type !== "transaction") return;
      remember(observedBy(node), input.observation, profile.escrowProgram);
    },
    onAnswer({ node, answer }) {
      if (!/"(resolution|terminal_split|state)":"/.test(answer)) return;
      const { result } = JSON.parse(answer) as { readonly result?: unknown };
      for (const record of recordsIn(result)) {
        const wrong = unfounded(record, observedBy(node));
        if (wrong !== undefined) violate(`node ${node}: ${wrong}`);
      }
    },
  };
}

function remember(
  seen: Observed,
  transaction: Extract<ChainObservation, { readonly type: "transaction" }>,
  program: string,
): void {
  if (!transaction.succeeded) return;
  for (const bytes of eventsOf(transaction.logs, program)) {
    const kind = bytes.subarray(0, 8).toString("hex");
    if (kind !== DISPUTE_RESOLVED && kind !== ESCROW_RELEASED) continue;
    seen.closed.add(bytes.readBigUInt64LE(RESERVATION_AT).toString());
    if (kind !== DISPUTE_RESOLVED) continue;
    const outcomes = seen.decided.get(transaction.signature) ?? new Set();
    outcomes.add(bytes[OUTCOME_PRESENT_AT] === 1 ? (OUTCOMES[bytes[OUTCOME_AT] ?? -1] ?? null) : null);
    seen.decided.set(transaction.signature, outcomes);
  }
}

/** The event bytes that the program itself logged: lines written while it is on top of the invocation stack. */
function eventsOf(logs: readonly string[], program: string): readonly Buffer[] {
  const stack: string[] = [];
  const events: Buffer[] = [];
  for (const line of logs) {
    const words = line.split(" ");
    const frame = words[0] === "Program" && words[1]?.endsWith(":") === false;
    if (frame && words[2] === "invoke") stack.push(words[1] ?? "");
    else if (frame && (words[2] === "success" || words[2] === "failed:")) stack.pop();
    else if (line.startsWith("Program data: ") && stack.at(-1) === program) {
      const bytes = Buffer.from(words[2] ?? "", "base64");
      if (bytes.length > OUTCOME_AT) events.push(bytes);
    }
  }
  return events;
}

function unfounded(record: Readonly<Record<string, unknown>>, seen: Observed): string | undefined {
  const { resolution, terminal_split: split, onchain_execution_signature: signature, id } = record;
  if (typeof resolution === "string" || typeof split === "string") {
    const outcomes = typeof signature === "string" ? seen.decided.get(signature) : undefined;
    if (outcomes === undefined) return `${String(id)} reads ${resolution ?? split}, and no execution was observed`;
    const shown = typeof resolution === "string" ? resolution : null;
    if (!outcomes.has(shown))
      return `${String(id)} reads ${resolution ?? split}, the chain said ${[...outcomes].join()}`;
  }
  const reservation = record.reservation_id;
  if (record.state === "Completed" && typeof reservation === "string" && !seen.closed.has(reservation)) {
    return `settlement ${String(id)} reads Completed, and the escrow of ${reservation} was not seen to close`;
  }
  return undefined;
}

function* recordsIn(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (Array.isArray(value)) for (const item of value) yield* recordsIn(item);
  else if (typeof value === "object" && value !== null) {
    yield value as Readonly<Record<string, unknown>>;
    for (const member of Object.values(value)) yield* recordsIn(member);
  }
}
