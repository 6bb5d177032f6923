/**
 * What endpoints agree on about a transaction: all of it, or as much as they tell. Whoever tells less has no voice
 * about the rest: what is missing is unknown, never empty. Source: protocol 03 A.10.3 R3, R4; C9.
 */
import { toBase64, toHex } from "../../core/index.ts";
import type { Vote } from "./quorum.ts";
import { verdictOf } from "./quorum.ts";
import type { SeenTransaction } from "./seen-transaction.ts";

/** From everything down to what every endpoint can tell. */
const PARTS = ["whole", "logged", "plain"] as const;
type Part = (typeof PARTS)[number];
const ABSENT = "absent";

/** An endpoint that tells the transaction, or by null that it is not there; or what else it is taken for. */
export type Telling =
  | { readonly type: "told"; readonly seen: SeenTransaction | null }
  /** `denies`: it listed the transaction, and does not show it. */
  | { readonly type: "waits" | "mute"; readonly denies?: boolean };

export type Agreement =
  /** `seen` is null where they agree that it is not there. `answer` is what those who agree voted. */
  | {
      readonly type: "agreed";
      readonly seen: SeenTransaction | null;
      readonly answer: string;
      readonly votes: readonly Vote[];
    }
  | { readonly type: "waiting"; readonly votes: readonly Vote[] }
  | { readonly type: "contradicted"; readonly votes: readonly Vote[] };

export function agreementOf(tellings: readonly Telling[]): Agreement {
  const seen = tellings.flatMap((telling) => (telling.type === "told" && telling.seen !== null ? [telling.seen] : []));
  let first: Agreement | undefined;
  for (const part of PARTS) {
    const votes = tellings.map((telling) => voteAbout(telling, part));
    const verdict = verdictOf(votes);
    const isPartly = seen.some((each) => textIn(each, part) === undefined);
    // Whoever tells a part of it does not say that it is not there.
    if (verdict.type === "agreed" && !(isPartly && verdict.answer === ABSENT)) {
      const found = seen.find((each) => textIn(each, part) === verdict.answer);
      return { ...verdict, votes, seen: found === undefined ? null : cutTo(found, part) };
    }
    if (verdict.type === "contradicted") return { type: "contradicted", votes };
    first ??= { type: "waiting", votes };
    if (!isPartly) break;
  }
  return first ?? { type: "waiting", votes: [] };
}

/** Whether they agree on all of it, so that nobody who has not spoken could add anything. Source: protocol 03 C9. */
export function isWhole(tellings: readonly Telling[]): boolean {
  const agreement = agreementOf(tellings);
  return agreement.type === "agreed" && (agreement.seen === null || agreement.seen.invoked !== undefined);
}

function voteAbout(telling: Telling, part: Part): Vote {
  if (telling.type !== "told") return { type: telling.type };
  const answer = telling.seen === null ? ABSENT : textIn(telling.seen, part);
  return answer === undefined ? { type: "mute" } : { type: "answers", answer };
}

/** One text for what counts of it; undefined when that much is not told. */
function textIn({ slot, succeeded, wire, logs, invoked }: SeenTransaction, part: Part): string | undefined {
  const plain = [slot.toString(), succeeded, toBase64(wire)];
  if (part === "plain") return JSON.stringify(plain);
  if (logs === undefined || (part === "whole" && invoked === undefined)) return undefined;
  if (part === "logged") return JSON.stringify([...plain, logs]);
  const inner = invoked?.inner.map(({ program, accounts, data }) => [program, accounts, toHex(data)]);
  return JSON.stringify([...plain, logs, invoked?.loaded, inner]);
}

function cutTo(seen: SeenTransaction, part: Part): SeenTransaction {
  if (part === "whole") return seen;
  return { ...seen, invoked: undefined, ...(part === "plain" && { logs: undefined }) };
}
