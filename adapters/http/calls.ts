/**
 * POST /rpc: hands the text of a call to the node and its answer to the client, who may be gone by then.
 * Source: protocol 01 §10.1-§10.4, W14.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ReplyHandle } from "../../core/index.ts";
import { BATCH_MEMBERS_MAX, countElements } from "../../core/index.ts";
import type { ApiHandlers, ApiPort } from "../../core/ports/http.ts";
import type { Allowance } from "./allowances.ts";
import { furtherCalls } from "./allowances.ts";
import type { Refusal, Refusals } from "./answers.ts";
import { JSON_TYPE, NOT_UTF8, RATE_LIMIT_EXCEEDED, STOPPING, sendText } from "./answers.ts";
import type { BodyFailure, BodyReader } from "./body.ts";
import type { TurnAway } from "./checks.ts";
import type { RefusalCounts } from "./counts.ts";
import type { CallCounts } from "./metrics.ts";

type Reply = ApiPort["reply"];
type Answered = (body: string | null) => void;

/** What a client gets in the place of an answer of the node: its line is cut, or HTTP refuses the call. */
export type BrokenOff = "cut" | { readonly status: number; readonly refusal: Refusal };

/** A client that waits, and how a call that it posted is refused by HTTP. */
interface Waiting {
  readonly answered: Answered;
  readonly response: ServerResponse;
  readonly refused?: (status: number, refusal: Refusal) => void;
}

export interface Calls {
  /** Answers a call, once the node has. What the call's allowance says was asked before. */
  readonly serve: (request: FastifyRequest, reply: FastifyReply) => void;
  /** Asks the node something for a client that did not post it; not counted as a call. */
  readonly ask: (body: string, response: ServerResponse, answered: Answered) => void;
  readonly reply: Reply;
  /** Ends a call without an answer of the node. */
  readonly breakOff: (replyTo: ReplyHandle, how: BrokenOff) => void;
  /** Calls that the node has taken and not answered, and whose clients still wait. */
  readonly waiting: () => number;
  /** Answers every later call as a node that stops; those that wait are answered by the node. */
  readonly takeNoMore: () => void;
  /** Answers every call that still waits so as well. */
  readonly stop: () => void;
}

export interface CallsOptions {
  readonly called: ApiHandlers["called"];
  readonly bodies: BodyReader;
  readonly counts: CallCounts;
  readonly allowance: Pick<Allowance, "takeMore">;
  readonly turnAway: TurnAway;
  readonly refusals: Refusals;
  readonly refused: RefusalCounts;
}

export function openCalls({ called, bodies, counts, allowance, turnAway, refusals, refused }: CallsOptions): Calls {
  const waiting = new Map<string, Waiting>();
  let last = 0;
  let stopped = false;

  const finish = (reply: FastifyReply, body: string | null): void => {
    // A client that keeps its connection open would have a server that closes wait for it.
    if (stopped) void reply.header("connection", "close");
    sendAnswer(reply, body);
    counts.onAnswer(body);
  };
  const put = (body: string, one: Waiting): void => {
    const { response, answered } = one;
    if (stopped) return answered(STOPPING);
    last += 1;
    const replyTo = `http-${last}`;
    waiting.set(replyTo, one);
    const isTaken = called(replyTo, body);
    // What was answered at once, as most reads are, waits for nothing.
    if (isTaken && waiting.has(replyTo)) response.on("close", () => waiting.delete(replyTo));
    if (isTaken) return;
    waiting.delete(replyTo);
    refused.note("queue");
    answered(RATE_LIMIT_EXCEEDED);
  };
  const refuse = (reply: FastifyReply, failure: BodyFailure | null): void => {
    if (failure === "too large") {
      refused.note("body-size");
      return sendText(reply.code(413), refusals.tooLarge.type, refusals.tooLarge.body);
    }
    if (failure === "too much at once") refused.note("bodies-at-once");
    counts.onCall();
    finish(reply, failure === "not UTF-8" ? NOT_UTF8 : RATE_LIMIT_EXCEEDED);
  };

  return {
    serve: ({ raw }, reply) => {
      bodies.read(raw, (body, failure) => {
        if (body === null) return refuse(reply, failure);
        const waitMs = waitOf(allowance, raw, body);
        if (waitMs > 0) return turnAway(reply, waitMs);
        counts.onCall();
        put(body, {
          ...{ response: reply.raw, answered: (text) => finish(reply, text) },
          refused: (status, refusal) => sendText(reply.code(status), refusal.type, refusal.body),
        });
      });
    },
    ask: (body, response, answered) => put(body, { response, answered }),
    reply: (replyTo, body) => take(waiting, replyTo)?.answered(body),
    breakOff: (replyTo, how) => breakOff(take(waiting, replyTo), how),
    waiting: () => waiting.size,
    takeNoMore: () => {
      stopped = true;
    },
    stop() {
      this.takeNoMore();
      for (const replyTo of [...waiting.keys()]) take(waiting, replyTo)?.answered(STOPPING);
    },
  };
}

/** HTTP 204: a batch in which nothing asked for an answer. Source: protocol 01 §10.2. */
function sendAnswer(reply: FastifyReply, body: string | null): void {
  if (body === null) void reply.code(204).send();
  else sendText(reply, JSON_TYPE, body);
}

/** The client that waits for an answer; nobody waits for it any more. */
function take(waiting: Map<string, Waiting>, replyTo: string): Waiting | undefined {
  const one = waiting.get(replyTo);
  waiting.delete(replyTo);
  return one;
}

function breakOff(one: Waiting | undefined, how: BrokenOff): void {
  if (how === "cut" || one?.refused === undefined) one?.response.destroy();
  else one.refused(how.status, how.refusal);
}

/** How long a body has to wait that counts as several calls, in milliseconds; any other was counted before it came. */
function waitOf(allowance: Pick<Allowance, "takeMore">, request: IncomingMessage, body: string): number {
  const more = membersOf(body) - 1 + furtherCalls(body);
  return more > 0 ? allowance.takeMore(request, more) : 0;
}

/** How many calls a body makes, one at least, as far as a node answers them. Only a batch is looked through for it. */
function membersOf(body: string): number {
  return Math.min(Math.max(countElements(body, BATCH_MEMBERS_MAX) ?? 1, 1), BATCH_MEMBERS_MAX);
}
