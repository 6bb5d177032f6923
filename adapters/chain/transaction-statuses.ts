/**
 * Looking transactions up: at which level each stands, or that the chain does not hold it, as the endpoints agree. A
 * fork shows endpoints different things for a while, so what they disagree about is asked again before it is said.
 * Source: protocol 03 A.10.3 R6, R7; C9.
 */
import type { ChainObservation, Commitment } from "../../core/index.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import type { Endpoint } from "./endpoint.ts";
import { slotNumber } from "./head.ts";
import { whenEnough } from "./pace.ts";
import { askTransaction, observationOf } from "./seen-transaction.ts";
import type { Tasks } from "./tasks.ts";
import type { Telling } from "./transaction-agreement.ts";
import { agreementOf, isWhole } from "./transaction-agreement.ts";

/** Transactions being looked up at most, and polls after which one is given up. Source: DESIGN L10. */
export const CHECKS_MAX = 10_000;
export const TRIES_MAX = 12;

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

interface Order {
  tries: number;
  asking: boolean;
  /** Asked for after its last look began: that look may be of a time before. */
  anew: boolean;
}

interface Answer {
  readonly tellings: Readonly<Record<Commitment, Telling>>;
  /** Slots that the endpoint was at before it was asked. */
  readonly slots: Readonly<Record<Commitment, bigint>>;
}

/** An endpoint that has not answered yet. */
const OPEN: Answer = {
  tellings: { finalized: { type: "waits" }, confirmed: { type: "waits" } },
  slots: { finalized: 0n, confirmed: 0n },
};

export function openTransactionStatuses(options: TransactionStatusesOptions): TransactionStatuses {
  const asked = new Map<string, Order>();
  const start = (signature: string, order: Order) => {
    if (order.asking) return;
    order.asking = true;
    order.anew = false;
    options.tasks.run(async () => {
      const answered = await lookUp(options, signature).finally(() => {
        order.asking = false;
      });
      order.tries += 1;
      if (answered === undefined && order.tries < TRIES_MAX) return;
      if (answered === undefined && order.anew) order.tries = 0;
      else asked.delete(signature);
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
      const order = asked.get(signature) ?? { tries: 0, asking: false, anew: false };
      asked.set(signature, order);
      order.anew = true;
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
  const asked = endpoints.map((endpoint) => ask(endpoint, crypto, signature));
  const answers = await whenEnough(asked, OPEN, isDecided);
  for (const level of ["finalized", "confirmed"] as const) {
    const agreement = agreementOf(answers.map((answer) => answer.tellings[level]));
    if (agreement.type !== "agreed") continue;
    if (agreement.seen !== null) return observationOf(agreement.seen, signature, null, level);
    const absent = answers.filter(({ tellings }) => isAbsent(tellings[level]));
    if (level === "confirmed") return { type: "absent", signature, ...leastSlots(absent) };
  }
  return undefined;
}

/** Whether nobody who has not answered yet could say more: not only that it is confirmed where it may be final. */
function isDecided(answers: readonly Answer[]): boolean {
  const finalized = answers.map(({ tellings }) => tellings.finalized);
  if (!isWhole(finalized)) return false;
  const agreement = agreementOf(finalized);
  const isHeld = agreement.type === "agreed" && agreement.seen !== null;
  return isHeld || isWhole(answers.map(({ tellings }) => tellings.confirmed));
}

async function ask(endpoint: Endpoint, crypto: CryptoPort, signature: string): Promise<Answer> {
  // The slots first: what is absent afterwards was absent as of them.
  const confirmed = await endpoint.ask((connection) => connection.getSlot("confirmed"));
  const finalized = await endpoint.ask((connection) => connection.getSlot("finalized"));
  const slots = {
    confirmed: confirmed.ok ? slotNumber(confirmed.value) : 0n,
    finalized: finalized.ok ? slotNumber(finalized.value) : 0n,
  };
  const silent: Telling = { type: endpoint.isOut() ? "mute" : "waits" };
  const final = await askTransaction(endpoint, crypto, signature, "finalized");
  const near =
    final.ok && final.value === null ? await askTransaction(endpoint, crypto, signature, "confirmed") : final;
  const answered = confirmed.ok && finalized.ok;
  const telling = (asked: Asked): Telling => (asked.ok && answered ? { type: "told", seen: asked.value } : silent);
  return { tellings: { finalized: telling(final), confirmed: telling(near) }, slots };
}

type Asked = Awaited<ReturnType<typeof askTransaction>>;

function isAbsent(telling: Telling): boolean {
  return telling.type === "told" && telling.seen === null;
}

/** As of which slots all of them do not hold it. */
function leastSlots(answers: readonly Answer[]): Readonly<Record<Commitment, bigint>> {
  const least = (level: Commitment) => {
    const [first = 0n, ...rest] = answers.map(({ slots }) => slots[level]);
    return rest.reduce((lower, slot) => (slot < lower ? slot : lower), first);
  };
  return { confirmed: least("confirmed"), finalized: least("finalized") };
}
