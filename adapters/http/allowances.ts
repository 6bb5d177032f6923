/**
 * What each client may ask of the server in a while: calls, with handshakes and content, which all enter the node's
 * queue; pages, which do not; and asides, the small answers that say nothing of what the node holds: to who watches it,
 * to preflights, and to who asks for what there is not. They are counted apart, so that who reads much can still call.
 * Source: protocol 01 §10.4, W21; the bounds on pages and asides are ours.
 */
import type { IncomingMessage } from "node:http";
import type { ClientOf } from "./client-address.ts";
import type { ApiLimits, RateLimitBounds } from "./limits.ts";
import type { RateLimit } from "./rate-limit.ts";
import { openRateLimit } from "./rate-limit.ts";

/** So many bytes of an answer count as one page more. Source: DESIGN L10. */
const BYTES_OF_A_PAGE = 262_144;
/**
 * So many bytes of a body count as one call more: what takes longest to read takes some 4 ms then, and the largest body
 * half of a burst. Source: DESIGN L10.
 */
const BYTES_OF_A_CALL = 32_768;

/** One bound on what clients ask. */
export interface Allowance {
  /** Counts one: how long the client has to wait for it, in milliseconds; 0 when it may go on. */
  readonly take: (request: IncomingMessage) => number;
  /** Counts more that the client has already: its next one waits for them. */
  readonly charge: (request: IncomingMessage, more: number) => void;
  /** Counts more of a request that is not read yet, or says how long it has to wait, in milliseconds. */
  readonly takeMore: (request: IncomingMessage, more: number) => number;
  /** Goes on with other bounds, from nothing; `null` switches it off. */
  readonly change: (bounds: RateLimitBounds | null) => void;
}

export interface Allowances {
  readonly calls: Allowance;
  readonly pages: Allowance;
  readonly asides: Allowance;
}

/** `clock` is monotonic, in milliseconds. */
export function openAllowances(
  { rate, pages, asides }: Pick<ApiLimits, "rate" | "pages" | "asides">,
  clientOf: ClientOf,
  clock: () => number,
): Allowances {
  const open = (bounds: RateLimitBounds | null): Allowance => {
    let limit: RateLimit | null = bounds === null ? null : openRateLimit(bounds);
    return {
      take: (request) => limit?.take(clientOf(request), clock()) ?? 0,
      charge: (request, more) => limit?.charge(clientOf(request), more, clock()),
      takeMore: (request, more) => limit?.takeMore(clientOf(request), more, clock()) ?? 0,
      change: (other) => {
        limit = other === null ? null : openRateLimit(other);
      },
    };
  };
  return { calls: open(rate), pages: open(pages), asides: open(asides) };
}

/** How many pages an answer counts for beyond the first. */
export function furtherPages(bytes: number): number {
  return Math.floor(bytes / BYTES_OF_A_PAGE);
}

/** How many calls a body counts for beyond those that are in it. */
export function furtherCalls(body: string): number {
  return Math.floor(Buffer.byteLength(body) / BYTES_OF_A_CALL);
}
