/**
 * A transaction of the chain that closes an escrow which a node watches leaves something behind in that node: a fact, a
 * pending one, or a look at the accounts, whatever its log says or leaves out. Polling would come by the same closing
 * later, so nothing else sees one that is passed over. What the transaction does is read here by its bytes, as the
 * chain itself holds them; what an endpoint makes up is not asked about.
 * Source: protocol 03 A.10.3 R3, R4, D.4; DESIGN section 4 "A decision cannot be hidden".
 */
import type { ChainObservation, InvokedInstruction } from "../../core/index.ts";
import type { ParsedMessage } from "../../core/testing.ts";
import { ChainFacts, Looks, PendingFacts, Watches } from "../../core/testing.ts";
import type { CheckContext, Checker, StepSeen } from "../checker.ts";

/** What an instruction that closes an escrow begins with: an execution, a release. Source: protocol 03 D.4. */
const CLOSINGS = ["9e38eebbdbdfd463", "92fd81e91491b5ce"];
const DISCRIMINATOR_BYTES = 8;
/** The place of the escrow among the accounts of either. Source: protocol 03 D.4. */
const ESCROW_PLACE = 2;

type Seen = Extract<ChainObservation, { readonly type: "transaction" }>;

/** No closing that a node is told of passes it by. */
export function closingsAreLookedInto({ violate, chain, profile }: CheckContext): Checker {
  return {
    name: "closings-are-looked-into",
    onStep({ node, input, view }) {
      if (input.type !== "chain.observed" || input.observation.type !== "transaction") return;
      const seen = input.observation;
      const held = seen.commitment === "finalized" ? chain()?.transaction(seen.signature) : undefined;
      // Whatever else an endpoint makes of it: it is this transaction, and the chain ran it.
      if (held === undefined || held.err !== null || !seen.succeeded || !isWhole(seen)) return;
      for (const escrow of closedBy(seen, held.message, profile.escrowProgram)) {
        const watch = view.get(Watches, escrow);
        if (watch !== undefined && !isHeeded(view, escrow, `${watch.reservation}`))
          violate(`node ${node} is told of ${seen.signature}, which closes escrow ${escrow}, and looks into nothing`);
      }
    },
  };

  function isWhole({ wire, signature }: Seen): boolean {
    const bytes = chain()?.transaction(signature)?.wire;
    return bytes !== undefined && Buffer.compare(bytes, wire) === 0;
  }
}

function isHeeded(view: StepSeen["view"], escrow: string, reservation: string): boolean {
  return (
    view.find(ChainFacts, "reservation", reservation).length > 0 ||
    view.find(PendingFacts, "reservation", reservation).length > 0 ||
    view.get(Looks, escrow) !== undefined
  );
}

/** Escrows that its own instructions, or those that it invoked, would close. */
function closedBy(seen: Seen, message: ParsedMessage, program: string): readonly string[] {
  const addresses = [...message.accounts, ...(seen.loaded ?? [])];
  const own = message.instructions.map(({ programIndex, accounts, data }) => ({
    program: addresses[programIndex] ?? "",
    accounts: accounts.map((index) => addresses[index] ?? ""),
    data,
  }));
  return [...own, ...(seen.inner ?? [])].flatMap((instruction) => escrowOf(instruction, program) ?? []);
}

function escrowOf({ program, accounts, data }: InvokedInstruction, escrowProgram: string): string | undefined {
  const begins = Buffer.from(data.subarray(0, DISCRIMINATOR_BYTES)).toString("hex");
  return program === escrowProgram && CLOSINGS.includes(begins) ? accounts[ESCROW_PLACE] : undefined;
}
