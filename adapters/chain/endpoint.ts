/**
 * One chain endpoint: web3.js behind bounds. So many requests at once, so many waiting, a deadline for each; after a
 * failure it is left alone for ever longer, and for as long as it asks. Source: protocol 03 A.10.3 R7; DESIGN L10.
 */
import { Connection } from "@solana/web3.js";
import type { Result } from "../../core/index.ts";
import { err, ok } from "../../core/index.ts";
import { openBoundedFetch } from "./bounded-fetch.ts";
import type { Failure } from "./failures.ts";
import { failureOf, isMalfunction } from "./failures.ts";

/** From the order of a request to its answer, in milliseconds. Source: protocol 03 C.2 (10 s). */
export const TIMEOUT_MS = 10_000;
/** The first pause after a failure, and the longest, in milliseconds. Source: DESIGN "Waiting times". */
export const BACK_OFF_MS = 500;
export const BACK_OFF_MS_MAX = 60_000;
/** Failing for so long, an endpoint no longer has a voice, until it answers again. Source: DESIGN "Waiting times". */
export const OUT_AFTER_MS = 120_000;
/** Endpoints of one node at most. Source: DESIGN L10. */
export const ENDPOINTS_MAX = 8;
/** Requests under way at once, and requests that wait for those. Source: DESIGN L10. */
export const IN_FLIGHT_MAX = 8;
const WAITING_MAX = 1_024;
/** Largest answer, in bytes: a full page of signatures has a third of it. Source: DESIGN L10. */
const ANSWER_BYTES_MAX = 1_048_576;

export interface EndpointOptions {
  readonly timeoutMs?: number;
  readonly backOffMs?: number;
  readonly outAfterMs?: number;
  /** A monotonic clock in milliseconds; the machine's unless said. */
  readonly now?: () => number;
}

/** The machine's monotonic clock. */
export const machineClock = (): number => performance.now();

export interface Endpoint {
  /** How logs name it: the host alone, as a URL may hold a key. */
  readonly name: string;
  /** The newest finalized slot it told; 0 before the first. */
  slot: bigint;
  ask<T>(call: (connection: Connection) => Promise<T>): Promise<Result<T, Failure>>;
  /** Whether it failed for so long that nobody waits for it. */
  isOut(): boolean;
  /** Why it is not to be relied on; undefined while it answers as asked, and before it was asked. */
  failure(): Failure | undefined;
  /** Milliseconds until it may be asked again. */
  restsFor(): number;
  close(): void;
}

export function openEndpoint(url: string, name: string, options: EndpointOptions = {}): Endpoint {
  const { timeoutMs = TIMEOUT_MS, backOffMs = BACK_OFF_MS, outAfterMs = OUT_AFTER_MS, now = machineClock } = options;
  const bounded = openBoundedFetch({
    timeoutMs,
    answerBytesMax: ANSWER_BYTES_MAX,
    connectionsMax: IN_FLIGHT_MAX,
  });
  const connection = new Connection(url, {
    commitment: "finalized",
    disableRetryOnRateLimit: true,
    fetch: bounded.fetch,
    httpAgent: false,
  });
  const waiting: (() => void)[] = [];
  let inFlight = 0;
  let failures = 0;
  let failingSince: number | undefined;
  let last: Failure | undefined;
  let restsUntil = 0;
  let closed = false;

  function note(failure: Failure | undefined): void {
    const noted = now();
    if (failure === undefined || !isMalfunction(failure)) {
      failures = 0;
      failingSince = undefined;
      last = undefined;
      restsUntil = 0;
      return;
    }
    last = failure;
    failingSince ??= noted;
    // Requests that fail together are one failure.
    if (noted < restsUntil) return;
    failures += 1;
    const asked = failure.type === "limited" ? (failure.retryAfterMs ?? 0) : 0;
    const pause = Math.max(backOffMs * 2 ** Math.min(failures - 1, 10), asked);
    restsUntil = noted + Math.min(pause, BACK_OFF_MS_MAX);
  }

  async function ask<T>(call: (connection: Connection) => Promise<T>): Promise<Result<T, Failure>> {
    if (inFlight < IN_FLIGHT_MAX) inFlight += 1;
    else if (waiting.length >= WAITING_MAX) return err({ type: "busy" });
    else await new Promise<void>((proceed) => waiting.push(proceed));
    const answered = await askNow(call);
    // Whoever waits longest takes the place.
    const next = waiting.shift();
    if (next === undefined) inFlight -= 1;
    else next();
    return answered;
  }

  async function askNow<T>(call: (connection: Connection) => Promise<T>): Promise<Result<T, Failure>> {
    if (closed) return err({ type: "unreachable" });
    if (now() < restsUntil) return err({ type: "resting" });
    // What a call throws before it waits is its failure too, so that its place is given back.
    const answered = await (async () => call(connection))().then(
      (value) => ok(value),
      (error: unknown) => err(failureOf(error)),
    );
    note(answered.ok ? undefined : answered.error);
    return answered;
  }

  return {
    name,
    slot: 0n,
    ask,
    isOut: () => failingSince !== undefined && now() - failingSince >= outAfterMs,
    failure: () => last,
    restsFor: () => Math.max(0, restsUntil - now()),
    close() {
      closed = true;
      bounded.close();
      for (const proceed of waiting.splice(0)) proceed();
    },
  };
}

/** Names for the URLs of one node: hosts, numbered where they repeat. */
export function namesOf(urls: readonly string[]): readonly string[] {
  const hosts = urls.map((url) => new URL(url).host);
  return hosts.map((host, place) => {
    const same = hosts.slice(0, place).filter((other) => other === host).length;
    return same === 0 ? host : `${host} (${same + 1})`;
  });
}
