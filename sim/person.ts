/**
 * A person in a script: a wallet at a client, which talks JSON-RPC to one node and believes only its answers.
 * Source: protocol 01 §10, §13.4; ours: retries and polling.
 */
import type { EpochMillis, Fields, RecordOf, SignedType } from "../core/index.ts";
import type { Clock } from "./clock.ts";
import type { Script } from "./script.ts";
import { ScriptFailure, sleep } from "./script.ts";
import type { SigningForm, Wallet } from "./wallet.ts";

/** What a call came to. Source: protocol 01 §6.1, §10.3. */
export type Answer =
  | { readonly type: "result"; readonly result: unknown }
  | { readonly type: "refused"; readonly code: number; readonly name: string; readonly retryable: boolean }
  | { readonly type: "unreachable" };

/** How long a client tries, and how often. Source: DESIGN "Simulated world"; the time-out is protocol 01 §13.3. */
export const PATIENCE_MS = 30_000;
export const POLL_MS = 500;

/** Somebody who calls nodes, signs and waits. */
export interface Person {
  readonly wallet: Wallet;
  /** The node this person's client talks to. */
  readonly via: number;
  /** The person's own clock. */
  now(): EpochMillis;
  /** One call, one answer. */
  ask(method: string, params: unknown): Script<Answer>;
  /** A call whose result is needed; tries again while the node is down or says that trying again may help. */
  must(method: string, params: unknown): Script<unknown>;
  /** Signs a payload and sends it. */
  send<F extends Fields>(
    method: string,
    type: SignedType<F>,
    payload: RecordOf<F>,
    form?: SigningForm,
  ): Script<unknown>;
  /** A read that proves the wallet, with a fresh challenge. Source: protocol 01 §13.4. */
  prove(method: string, domain: string, more?: Readonly<Record<string, unknown>>): Script<unknown>;
  /** Reads again and again until `found` makes something of the result. */
  poll<T>(method: string, params: unknown, found: (result: unknown) => T | undefined, withinMs: number): Script<T>;
}

/** A person of a world with a wallet and a node to ask. */
export function createPerson(wallet: Wallet, via: number, clock: Pick<Clock, "epoch">): Person {
  let asked = 0;
  const person: Person = {
    wallet,
    via,
    now: clock.epoch,
    *ask(method, params) {
      asked += 1;
      const body = JSON.stringify({ jsonrpc: "2.0", id: asked, method, params });
      const answer = yield { type: "call", node: via, body };
      return typeof answer === "string" ? answerOf(answer) : { type: "unreachable" };
    },
    *must(method, params) {
      for (let waited = 0; ; waited += POLL_MS) {
        const answer = yield* person.ask(method, params);
        if (answer.type === "result") return answer.result;
        const hopeless = answer.type === "refused" && !answer.retryable;
        if (hopeless || waited >= PATIENCE_MS) throw new ScriptFailure(`${wallet.name}: ${method}: ${textOf(answer)}`);
        yield* sleep(POLL_MS);
      }
    },
    send: (method, type, payload, form) => person.must(method, { data: wallet.data(type, payload, form) }),
    *prove(method, domain, more = {}) {
      const challenge = (yield* person.must("getWalletChallenge", { wallet: wallet.parameter("base64") })) as {
        readonly subject: string;
        readonly nonce: string;
      };
      return yield* person.must(method, { ...wallet.prove(domain, challenge, "base64"), ...more });
    },
    *poll(method, params, found, withinMs) {
      for (let waited = 0; ; waited += POLL_MS) {
        const answer = yield* person.ask(method, params);
        const value = answer.type === "result" ? found(answer.result) : undefined;
        if (value !== undefined) return value;
        if (waited >= withinMs)
          throw new ScriptFailure(`${wallet.name}: ${method} did not come true: ${textOf(answer)}`);
        yield* sleep(POLL_MS);
      }
    },
  };
  return person;
}

/** Reads a JSON-RPC answer as an official client does. Source: protocol 01 §6.1. */
export function answerOf(body: string): Answer {
  const { result, error } = JSON.parse(body) as {
    readonly result?: unknown;
    readonly error?: {
      readonly code: number;
      readonly message: string;
      readonly data?: { readonly ofsErrorName?: string; readonly ofsRetryable?: boolean };
    };
  };
  if (error === undefined) return { type: "result", result };
  const name = error.data?.ofsErrorName ?? error.message;
  return { type: "refused", code: error.code, name, retryable: error.data?.ofsRetryable === true };
}

function textOf(answer: Answer): string {
  switch (answer.type) {
    case "result":
      return JSON.stringify(answer.result);
    case "refused":
      return `${answer.code} ${answer.name}`;
    case "unreachable":
      return "no answer";
  }
}
