/**
 * Law L3: the chain decides. An answer shows a resolution, a terminal split or a completed settlement only where the
 * node that gives it observed the executing transaction and that transaction says so.
 * Source: protocol 03 A.10.3, D.5, E.
 */
import type { ChainObservation } from "../../core/index.ts";
import type { CheckContext, Checker } from "../checker.ts";
import { closingsIn } from "./closings.ts";

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
  for (const { reservation, outcome } of closingsIn(transaction, program)) {
    seen.closed.add(reservation);
    if (outcome === undefined) continue;
    const outcomes = seen.decided.get(transaction.signature) ?? new Set();
    seen.decided.set(transaction.signature, outcomes.add(outcome));
  }
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
