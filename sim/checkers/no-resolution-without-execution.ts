/**
 * Law L3: the chain decides. What a node says shows a resolution, a terminal split, the status Resolved, a signature of
 * an execution or release, or a completed settlement only where the node itself observed the executing transaction, or
 * the finalized accounts that it left, and these say so; and a case is Resolved when and only when something was
 * decided. Source: protocol 03 A.6, A.10.3, D.5, E.
 */
import type { ChainObservation } from "../../core/index.ts";
import type { CheckContext, Checker } from "../checker.ts";
import { closingOfAccount, closingsIn } from "./closings.ts";
import { recordsIn } from "./exchanges.ts";

/** What one node saw the chain do. */
interface Observed {
  /** Transaction signature to the outcomes it executed; `null` is a terminal split. */
  readonly decided: Map<string, Set<string | null>>;
  /** Outcomes that finalized cases had when they were read, as an event may be hidden; a dispute names no escrow. */
  readonly left: Set<string | null>;
  /** Successful transactions whose log was cut or is not there: what they did only accounts say. */
  readonly silent: Set<string>;
  /** Reservation number to the transactions that closed its escrow, each with whether the buyer was paid. */
  readonly closed: Map<string, Map<string, boolean>>;
}

type Shown = Readonly<Record<string, unknown>>;

/** Outcomes of an execution after which the buyer holds nothing of the escrow. Source: protocol 03 A.6. */
const UNPAID: readonly unknown[] = ["MerchantWins", "Invalid"];

/** Stands for the transaction where accounts alone say that the buyer was paid. */
const BY_ACCOUNTS = "";

/** Texts that a claim of an outcome cannot do without. */
const CLAIMS =
  /"(?:resolution|terminal_split|state|onchain_execution_signature|escrow_release_signature)":"|"Resolved"/;

/** A case resolves only with an execution that the chain carried out. Law L3. */
export function noResolutionWithoutExecution({ violate, profile, keep }: CheckContext): Checker {
  const observed = keep(() => new Map<number, Observed>());
  const observedBy = (node: number): Observed => {
    const known = observed.get(node) ?? { decided: new Map(), left: new Set(), silent: new Set(), closed: new Map() };
    observed.set(node, known);
    return known;
  };
  const judge = (node: number, text: string) => {
    if (!CLAIMS.test(text)) return;
    for (const record of recordsIn(JSON.parse(text))) {
      const wrong = unfounded(record, observedBy(node));
      if (wrong !== undefined) violate(`node ${node}: ${wrong}`);
    }
  };

  return {
    name: "no-resolution-without-execution",
    onStep({ node, input }) {
      if (input.type !== "chain.observed") return;
      const { observation } = input;
      if (observation.type === "transaction") remember(observedBy(node), observation, profile.escrowProgram);
      else if (observation.type === "account" && observation.commitment === "finalized")
        rememberAccount(observedBy(node), observation, profile.escrowProgram);
    },
    onAnswer: ({ node, answer }) => judge(node, answer),
    onPublished: ({ node, message }) => judge(node, message),
  };
}

function remember(
  seen: Observed,
  transaction: Extract<ChainObservation, { readonly type: "transaction" }>,
  program: string,
): void {
  const { signature, succeeded, logs } = transaction;
  if (succeeded && (logs.length === 0 || logs.includes("Log truncated"))) seen.silent.add(signature);
  for (const { reservation, outcome } of closingsIn(transaction, program)) {
    const closings = seen.closed.get(reservation) ?? new Map<string, boolean>();
    seen.closed.set(reservation, closings.set(signature, !UNPAID.includes(outcome)));
    if (outcome === undefined) continue;
    seen.decided.set(signature, (seen.decided.get(signature) ?? new Set<string | null>()).add(outcome));
  }
}

/** What stands in the accounts; no transaction is named by them. */
function rememberAccount(
  seen: Observed,
  { account }: Extract<ChainObservation, { readonly type: "account" }>,
  program: string,
): void {
  const closing = closingOfAccount(account, program);
  if (closing === undefined) return;
  const { reservation, outcome } = closing;
  if (outcome !== undefined) return void seen.left.add(outcome);
  const closings = seen.closed.get(reservation) ?? new Map<string, boolean>();
  seen.closed.set(reservation, closings.set(BY_ACCOUNTS, true));
}

function unfounded(record: Shown, seen: Observed): string | undefined {
  if ("resolution" in record) return wrongDispute(record, seen);
  if ("reservation_id" in record && "state" in record) return wrongSettlement(record, seen);
  return undefined;
}

/** A case: its status and its outcome say the same, and the chain said it. */
function wrongDispute(record: Shown, seen: Observed): string | undefined {
  const { id, status, resolution, terminal_split: split, onchain_execution_signature: signature } = record;
  const decided = typeof resolution === "string" || typeof split === "string";
  const claimed = decided ? String(resolution ?? split) : String(status);
  const told = typeof signature === "string" ? seen.decided.get(signature) : undefined;
  const outcomes = told ?? (decided && seen.left.size > 0 ? seen.left : undefined);
  if ((decided || status === "Resolved" || typeof signature === "string") && outcomes === undefined)
    return `${String(id)} reads ${claimed}, and no execution was observed`;
  const shown = typeof resolution === "string" ? resolution : null;
  if (decided && !outcomes?.has(shown))
    return `${String(id)} reads ${claimed}, the chain said ${[...(outcomes ?? [])].join()}`;
  if (decided !== (status === "Resolved"))
    return `${String(id)} has the status ${String(status)} and the outcome ${decided ? claimed : "none"}`;
  return undefined;
}

function wrongSettlement(record: Shown, seen: Observed): string | undefined {
  const { id, state, reservation_id: reservation, escrow_release_signature: signature } = record;
  const closings = typeof reservation === "string" ? seen.closed.get(reservation) : undefined;
  if (state === "Completed" && ![...(closings?.values() ?? [])].includes(true))
    return `settlement ${String(id)} reads Completed, and the escrow of ${reservation} was not seen to pay the buyer`;
  const byAccounts = closings?.has(BY_ACCOUNTS) === true && seen.silent.has(String(signature));
  if (typeof signature === "string" && closings?.has(signature) !== true && !byAccounts)
    return `settlement ${String(id)} names ${signature}, which was not seen to close the escrow of ${reservation}`;
  return undefined;
}
