/**
 * Looking transactions up: at which level each stands, or that the chain does not hold it, as the endpoints agree. A
 * fork shows endpoints different things for a while, so what they disagree about is asked again before it is said.
 * Source: protocol 03 A.10.3 R6, R7; C9.
 */
import type { ChainObservation, Commitment } from "../../core/index.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import type { Endpoint } from "./endpoint.ts";
import { slotNumber } from "./head.ts";
import type { Vote } from "./quorum.ts";
import { verdictOf } from "./quorum.ts";
import type { SeenTransaction } from "./seen-transaction.ts";
import { ABSENT, askTransaction, observationOf, textOf } from "./seen-transaction.ts";
import type { Tasks } from "./tasks.ts";

/** Transactions being looked up at most, and polls after which one is given up. Source: DESIGN L10. */
export const CHECKS_MAX = 10_000;
const TRIES_MAX = 12;

export interface TransactionStatusesOptions {
  readonly endpoints: readonly Endpoint[];
  readonly crypto: CryptoPort;
  readonly tasks: Tasks;
  readonly tell: (observation: ChainObservation) => void;
}

export interface TransactionStatuses {
  check(signature: string): void;
  /** Asks again for what is not answered yet. */
  again(): void;
}

interface Answer {
  readonly votes: Readonly<Record<Commitment, Vote>>;
  readonly seen: Readonly<Record<Commitment, SeenTransaction | null>>;
  /** Slots that the endpoint was at before it was asked. */
  readonly slots: Readonly<Record<Commitment, bigint>>;
}

export function openTransactionStatuses(options: TransactionStatusesOptions): TransactionStatuses {
  const asked = new Map<string, { tries: number; asking: boolean }>();
  const start = (signature: string, order: { tries: number; asking: boolean }) => {
    if (order.asking) return;
    order.asking = true;
    options.tasks.run(async () => {
      const answered = await lookUp(options, signature);
      order.asking = false;
      order.tries += 1;
      if (answered === undefined && order.tries < TRIES_MAX) return;
      asked.delete(signature);
      options.tell(answered ?? { type: "unavailable", reason: "a transaction could not be looked up" });
    });
  };
  return {
    check(signature) {
      if (options.tasks.closed()) return;
      if (!asked.has(signature) && asked.size >= CHECKS_MAX)
        return void setImmediate(() =>
          options.tell({ type: "unavailable", reason: "too many transactions are being looked up" }),
        );
      const order = asked.get(signature) ?? { tries: 0, asking: false };
      asked.set(signature, order);
      start(signature, order);
    },
    again() {
      for (const [signature, order] of asked) start(signature, order);
    },
  };
}

/** What to tell; undefined when it has to be asked again. */
async function lookUp(
  { endpoints, crypto }: TransactionStatusesOptions,
  signature: string,
): Promise<ChainObservation | undefined> {
  const answers = await Promise.all(endpoints.map((endpoint) => ask(endpoint, crypto, signature)));
  for (const level of ["finalized", "confirmed"] as const) {
    const verdict = verdictOf(answers.map((answer) => answer.votes[level]));
    if (verdict.type !== "agreed") continue;
    const agreeing = answers.filter(({ votes }) => isAnswering(votes[level], verdict.answer));
    const seen = agreeing[0]?.seen[level];
    if (seen !== undefined && seen !== null) return observationOf(seen, signature, null, level);
    if (level === "confirmed") return { type: "absent", signature, ...leastSlots(agreeing) };
  }
  return undefined;
}

async function ask(endpoint: Endpoint, crypto: CryptoPort, signature: string): Promise<Answer> {
  // The slots first: what is absent afterwards was absent as of them.
  const confirmed = await endpoint.ask((connection) => connection.getSlot("confirmed"));
  const finalized = await endpoint.ask((connection) => connection.getSlot("finalized"));
  const slots = {
    confirmed: confirmed.ok ? slotNumber(confirmed.value) : 0n,
    finalized: finalized.ok ? slotNumber(finalized.value) : 0n,
  };
  const silent: Vote = { type: endpoint.isOut() ? "mute" : "waits" };
  const final = await askTransaction(endpoint, crypto, signature, "finalized");
  const near =
    final.ok && final.value === null ? await askTransaction(endpoint, crypto, signature, "confirmed") : final;
  const seen = { finalized: seenIn(final), confirmed: seenIn(near) };
  const answered = confirmed.ok && finalized.ok;
  const votes = {
    finalized: answered ? voteOf(final, silent) : silent,
    confirmed: answered ? voteOf(near, silent) : silent,
  };
  return { votes, seen, slots };
}

type Asked = Awaited<ReturnType<typeof askTransaction>>;

function voteOf(asked: Asked, silent: Vote): Vote {
  if (!asked.ok) return silent;
  if (asked.value === "unlogged") return { type: "mute" };
  return { type: "answers", answer: asked.value === null ? ABSENT : textOf(asked.value) };
}

function seenIn(asked: Asked): SeenTransaction | null {
  return asked.ok && asked.value !== "unlogged" ? asked.value : null;
}

function isAnswering(vote: Vote, answer: string): boolean {
  return vote.type === "answers" && vote.answer === answer;
}

/** As of which slots all of them do not hold it. */
function leastSlots(answers: readonly Answer[]): Readonly<Record<Commitment, bigint>> {
  const least = (level: Commitment) => {
    const [first = 0n, ...rest] = answers.map(({ slots }) => slots[level]);
    return rest.reduce((lower, slot) => (slot < lower ? slot : lower), first);
  };
  return { confirmed: least("confirmed"), finalized: least("finalized") };
}
