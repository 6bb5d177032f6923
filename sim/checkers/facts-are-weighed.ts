/**
 * What a node makes of a closing that it was told of: one that the finalized chain bears out, event and accounts, and
 * that names a trade of this node is a fact at once; one that names nobody's trade may be a misread account, and is
 * read four times before it is believed, each time as of a later slot. A later look would come to the same fact, so
 * nothing else sees one that waits for nothing.
 * Source: protocol 03 A.10.3 R1b, R4, R7; DESIGN section 4 "A decision cannot be hidden".
 */
import type { Reader } from "../../core/index.ts";
import { toBase64 } from "../../core/index.ts";
import type { ChainFact } from "../../core/testing.ts";
import {
  ChainFacts,
  chainAddresses,
  Looks,
  PendingFacts,
  Settlements,
  simulatedProfile,
  Watches,
} from "../../core/testing.ts";
import type { ChainView } from "../chain/chain-view.ts";
import type { CheckContext, Checker } from "../checker.ts";
import { openCrypto } from "../runtime.ts";
import type { EscrowTerms } from "./closings.ts";
import { escrowOfAccount } from "./closings.ts";

/** Readings of an escrow that names nobody's trade before it is believed. Source: protocol 03 C.8. */
const READINGS_LEAST = 4;

type Pending = NonNullable<ReturnType<typeof pendingAt>>;
type Account = { readonly owner: string; readonly data: Uint8Array };

/** Facts are taken when they are borne out, and not before. */
export function factsAreWeighed({ violate, chain, keep, profile }: CheckContext): Checker {
  const program = profile.escrowProgram;
  const addresses = chainAddresses(openCrypto(), { ...simulatedProfile, escrowProgram: program });
  /** How often each node had each escrow read. */
  const readings = keep(() => new Map<string, number>());
  return {
    name: "facts-are-weighed",
    onStep({ node, input, changes, effects, view }) {
      // What is only confirmed is no reading, though it may say which transaction closed what was read.
      const read =
        input.type === "chain.observed" && input.observation.type === "account" ? input.observation : undefined;
      if (read !== undefined && read.commitment !== "confirmed") {
        const { slot } = read;
        for (const { table, key } of changes) {
          const look = table === Looks.name ? view.get(Looks, key) : undefined;
          if (look === undefined || look.readings === 0 || look.slot > slot) continue;
          // Of a reading that lacks one account yet the other is known.
          if (look.escrow_slot === null && look.dispute_slot === null)
            violate(`node ${node} would count what it read of ${key} as of slot ${slot} twice`);
        }
      }
      if (input.type !== "store.loaded") {
        for (const { table, record } of changes) {
          if (table !== ChainFacts.name || record === undefined) continue;
          const fact = record as ChainFact;
          const { address } = addresses.tradeEscrow(fact.reservation);
          const known = readings.get(`${node}/${address}`) ?? 0;
          if (known < READINGS_LEAST && !isNamed(view, address, fact))
            violate(`node ${node} read escrow ${fact.reservation}, which is nobody's, ${known} times and believes it`);
        }
      }
      for (const effect of effects) {
        if (effect.type !== "chain.read") continue;
        const key = `${node}/${effect.address}`;
        readings.set(key, (readings.get(key) ?? 0) + 1);
      }
      const seen = chain();
      if (seen === undefined || input.type !== "chain.observed" || input.observation.type !== "account") return;
      for (const id of view.find(PendingFacts, "address", input.observation.address)) {
        const held = pendingAt(view, id);
        if (held !== undefined && isBorneOut(seen, view, held, program))
          violate(`node ${node} does not take what escrow ${held.reservation} and its event say alike`);
      }
    },
  };
}

function pendingAt(view: Reader, id: string) {
  return view.get(PendingFacts, id);
}

/** Whether all that a pending fact rests on is what the finalized chain holds, and a trade of this node's is named. */
function isBorneOut(chain: ChainView, view: Reader, held: Pending, program: string): boolean {
  const { final, escrow, dispute, kind, event, transaction } = held;
  if (!final || !isOnChain(chain, escrow, held.escrow_account)) return false;
  if (kind === "decided" && !isOnChain(chain, dispute, held.dispute_account)) return false;
  const told = chain.transaction(transaction);
  if (told === undefined || told.err !== null || !told.logs.includes(`Program data: ${toBase64(event)}`)) return false;
  const terms = held.escrow_account === null ? undefined : escrowOfAccount(held.escrow_account, program);
  return terms !== undefined && terms.mint === held.mint && isNamed(view, escrow, terms);
}

function isOnChain(chain: ChainView, address: string, read: Account | null): boolean {
  const account = chain.account(address, "finalized");
  if (account === undefined || read === null || account.owner !== read.owner) return false;
  return Buffer.compare(account.data, read.data) === 0;
}

/** Whether a settlement that a node holds is about an escrow of these terms. Source: protocol 03 A.10.3 R1b. */
function isNamed(view: Reader, escrow: string, terms: Pick<EscrowTerms, "buyer" | "seller" | "amount">): boolean {
  // A watch that ended with the fact has left no pairs: then every settlement is looked at.
  const pairs = view.get(Watches, escrow)?.pairs;
  const keys = pairs?.flatMap((pair) => view.ordered(Settlements, "followed", pair)) ?? view.keys(Settlements);
  for (const key of keys) {
    const row = view.get(Settlements, key);
    if (row === undefined || row.amount.base_units !== terms.amount) continue;
    if (row.buyer_public_key === terms.buyer && row.seller_public_key === terms.seller) return true;
  }
  return false;
}
