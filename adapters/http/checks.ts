/**
 * What comes before an answer: it is taken from an allowance of its client, or waits and is a refusal.
 * Source: protocol 01 §10.4.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Allowance } from "./allowances.ts";
import type { Refusals } from "./answers.ts";
import { sendText, waitHeaders } from "./answers.ts";
import type { RefusalCause, RefusalCounts } from "./counts.ts";
import type { LateRefusals } from "./late-refusals.ts";

/** Goes on with what may be answered. */
export type Check = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;

export type TurnAway = (reply: FastifyReply, waitMs: number) => void;

/** How refusals are said, counted and put off. */
export interface Refusing {
  readonly refusals: Refusals;
  readonly refused: Pick<RefusalCounts, "note">;
  readonly late: Pick<LateRefusals, "later">;
}

/** Spends one of an allowance, or answers 429 after a while. */
export function checking(refusing: Refusing, allowance: Allowance, cause: RefusalCause): Check {
  const turnAway = turningAway(refusing, cause);
  return (request, reply, done) => {
    const waitMs = allowance.take(request.raw);
    if (waitMs === 0) done();
    else turnAway(reply, waitMs);
  };
}

/** Answers 429 after a while to who has to wait so many milliseconds. */
export function turningAway({ refusals, refused, late }: Refusing, cause: RefusalCause): TurnAway {
  return (reply, waitMs) => {
    refused.note(cause);
    const { type, body } = refusals.tooMany(waitMs);
    const refuse = () => sendText(reply.code(429).headers(waitHeaders(waitMs)), type, body);
    late.later(refuse, reply.request.raw.socket);
  };
}
