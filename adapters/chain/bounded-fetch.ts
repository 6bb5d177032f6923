/**
 * The fetch that web3.js gets: one deadline over the whole exchange, a bound on the answer, no redirects, connections
 * of its own that end when it is closed, and failures told apart. Source: DESIGN L10.
 */
import type { IncomingMessage } from "node:http";
import { Agent as HttpAgent, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { FetchFn } from "@solana/web3.js";
import { hasReadableTexts } from "./answer-texts.ts";
import type { Failure } from "./failures.ts";
import { EndpointError } from "./failures.ts";

export interface BoundedFetch {
  readonly fetch: FetchFn;
  /** Ends what is under way and every idle connection. */
  close(): void;
}

export interface FetchBounds {
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
  readonly connectionsMax: number;
}

export function openBoundedFetch(bounds: FetchBounds): BoundedFetch {
  const pool = { keepAlive: true, maxSockets: bounds.connectionsMax };
  const agents = { "http:": new HttpAgent(pool), "https:": new HttpsAgent(pool) };
  const fetchBounded = (input: URL, body: string, headers: Record<string, string>): Promise<Response> =>
    new Promise((resolve, reject) => {
      const secure = input.protocol === "https:";
      const agent = secure ? agents["https:"] : agents["http:"];
      const request = (secure ? requestHttps : requestHttp)(input, { method: "POST", headers, agent });
      const fail = (failure: Failure): void => {
        clearTimeout(deadline);
        reject(new EndpointError(failure));
        request.destroy();
      };
      const deadline = setTimeout(() => fail({ type: "silent" }), bounds.timeoutMs);
      request.on("error", () => fail({ type: "unreachable" }));
      request.on("response", (answer) => {
        collect(answer, bounds.answerBytesMax, (read) => {
          if ("type" in read) return fail(read);
          clearTimeout(deadline);
          resolve(new Response(read.text));
        });
      });
      request.end(body);
    });
  return {
    fetch: ((input: string | URL, init?: { readonly body?: unknown; readonly headers?: unknown }) =>
      fetchBounded(
        new URL(input),
        String(init?.body ?? ""),
        (init?.headers ?? {}) as Record<string, string>,
      )) as unknown as FetchFn,
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** The body of an answer of status 200, or why there is none. */
function collect(
  answer: IncomingMessage,
  bytesMax: number,
  done: (read: { readonly text: string } | Failure) => void,
): void {
  const status = answer.statusCode ?? 0;
  if (status === 429) return done({ type: "limited", retryAfterMs: retryAfterOf(answer) });
  if (status !== 200) return done({ type: "failed", status });
  const parts: Buffer[] = [];
  let bytes = 0;
  answer.on("data", (part: Buffer) => {
    bytes += part.length;
    if (bytes > bytesMax) return done({ type: "nonsense" });
    parts.push(part);
  });
  answer.on("end", () => {
    const text = Buffer.concat(parts).toString("utf8");
    done(hasReadableTexts(text) ? { text } : { type: "nonsense" });
  });
  answer.on("error", () => done({ type: "unreachable" }));
  answer.on("close", () => done({ type: "unreachable" }));
}

/** `Retry-After` in seconds; a date is not read. */
function retryAfterOf(answer: IncomingMessage): number | undefined {
  const text = answer.headers["retry-after"];
  return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) * 1_000 : undefined;
}
