/**
 * POST /rpc: hands the text of a call to the node and its answer to the client, who may be gone by then.
 * Source: protocol 01 §10.1-§10.4, W14.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { BATCH_MEMBERS_MAX, countElements } from "../../core/index.ts";
import type { ApiHandlers, ApiPort } from "../../core/ports/http.ts";
import type { Allowance } from "./allowances.ts";
import type { Refusals } from "./answers.ts";
import { answer, answerCall, answerNothing, NOT_UTF8, RATE_LIMIT_EXCEEDED, STOPPING, waitHeaders } from "./answers.ts";
import type { BodyFailure, BodyReader } from "./body.ts";
import type { RefusalCounts } from "./counts.ts";
import type { CallCounts } from "./metrics.ts";

type Reply = ApiPort["reply"];
type Answered = (body: string | null) => void;

export interface Calls {
  readonly serve: (request: IncomingMessage, response: ServerResponse) => void;
  /** Asks the node something for a client that did not post it; not counted as a call. */
  readonly ask: (body: string, response: ServerResponse, answered: Answered) => void;
  readonly reply: Reply;
  /** Calls that the node has taken and not answered, and whose clients still wait. */
  readonly waiting: () => number;
  /** Answers every call that still waits, and every later one, as a node that stops. */
  readonly stop: () => void;
}

export interface CallsOptions {
  readonly called: ApiHandlers["called"];
  readonly bodies: BodyReader;
  readonly counts: CallCounts;
  readonly allowance: Pick<Allowance, "take" | "charge">;
  readonly refusals: Refusals;
  readonly refused: RefusalCounts;
}

export function openCalls({ called, bodies, counts, allowance, refusals, refused }: CallsOptions): Calls {
  const waiting = new Map<string, Answered>();
  let last = 0;
  let stopped = false;

  const finish = (response: ServerResponse, body: string | null): void => {
    if (body === null) answerNothing(response);
    else answerCall(response, body);
    counts.onAnswer(body);
  };
  const ask = (body: string, response: ServerResponse, answered: Answered): void => {
    if (stopped) return answered(STOPPING);
    last += 1;
    const replyTo = `http-${last}`;
    waiting.set(replyTo, answered);
    response.on("close", () => waiting.delete(replyTo));
    if (called(replyTo, body)) return;
    waiting.delete(replyTo);
    refused.note("queue");
    answered(RATE_LIMIT_EXCEEDED);
  };
  const refuse = (response: ServerResponse, failure: BodyFailure | null): void => {
    if (failure === "too large") {
      refused.note("body-size");
      return answer(response, 413, refusals.tooLarge.type, refusals.tooLarge.body);
    }
    if (failure === "too much at once") refused.note("bodies-at-once");
    counts.onCall();
    finish(response, failure === "not UTF-8" ? NOT_UTF8 : RATE_LIMIT_EXCEEDED);
  };

  return {
    serve: (request, response) => {
      const waitMs = allowance.take(request);
      if (waitMs > 0) {
        refused.note("call-rate");
        return refuseRate(response, refusals, waitMs);
      }
      bodies.read(request, (body, failure) => {
        if (body === null) return refuse(response, failure);
        counts.onCall();
        allowance.charge(request, membersOf(body) - 1);
        ask(body, response, (text) => finish(response, text));
      });
    },
    ask,
    reply: (replyTo, body) => {
      const answered = waiting.get(replyTo);
      waiting.delete(replyTo);
      answered?.(body);
    },
    waiting: () => waiting.size,
    stop: () => {
      stopped = true;
      const left = [...waiting.values()];
      waiting.clear();
      for (const answered of left) answered(STOPPING);
    },
  };
}

function refuseRate(response: ServerResponse, refusals: Refusals, waitMs: number): void {
  const { type, body } = refusals.tooMany(waitMs);
  answer(response, 429, type, body, waitHeaders(waitMs));
}

/** How many calls a body makes, one at least, as far as a node answers them. Only a batch is looked through for it. */
function membersOf(body: string): number {
  return Math.min(Math.max(countElements(body, BATCH_MEMBERS_MAX) ?? 1, 1), BATCH_MEMBERS_MAX);
}
