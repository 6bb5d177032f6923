/**
 * The `/ws` stream across breaks. A stream has no history: what a node accepted while nobody listened is never sent
 * again, so what was missed is what its reads show by now and did not show before; whoever follows says which reads
 * those are. The stream is open before they are made, so that nothing falls between the two.
 * Source: protocol 01 §10.6, W13.
 */

import type { StreamMessage, StreamOptions } from "./stream.ts";
import { openStream } from "./stream.ts";

/** How long the first attempt after a break waits, in milliseconds; each further one twice as long.
 *  Source: ours; protocol 01 §10.4. */
const REOPEN_MS = 500;
/** The longest such wait, in milliseconds. Source: ours; protocol 01 §10.4. */
const REOPEN_WAIT_MS = 30_000;
/** Messages that wait while `missed` reads; with one more the stream begins anew. Source: protocol 01 §10.6. */
const WAITING_MESSAGES = 1_024;

/** Which node to follow, and what to do with what it tells. */
export interface FollowingOptions extends Pick<StreamOptions, "url" | "message" | "WebSocket" | "after"> {
  /**
   * Reads what matters: once the stream is open, and again after each break. Messages that come meanwhile are handed
   * over after it, so one may tell of what was read already. Where it fails, the stream begins anew.
   */
  readonly missed: () => Promise<void>;
  /** The stream broke with this code, or `missed` failed, and both will be tried again after so many milliseconds. */
  readonly broken?: (cause: number | Error, waitMs: number) => void;
  /** Waits before the next attempt; the runtime's timer unless given. */
  readonly wait?: (ms: number) => Promise<void>;
}

/** Follows a node until the answer is called. */
export function openFollowing(options: FollowingOptions): () => void {
  const wait = options.wait ?? ((ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)));
  let failures = 0;
  let ended = false;
  let close = (): void => undefined;

  function open(): void {
    /** Nothing once what was missed is read. */
    let waiting: StreamMessage[] | undefined = [];
    let over = false;

    /** Ends this stream, whatever of it comes later, and opens the next one. */
    function again(cause: number | Error): void {
      if (over || ended) return;
      over = true;
      close();
      const waitMs = Math.min(REOPEN_MS * 2 ** failures, REOPEN_WAIT_MS);
      failures += 1;
      options.broken?.(cause, waitMs);
      void wait(waitMs).then(() => {
        if (!ended) open();
      });
    }

    function handOver(message: StreamMessage): void {
      if (!over && !ended) options.message(message);
    }

    async function catchUp(): Promise<void> {
      try {
        await options.missed();
      } catch (thrown) {
        return again(thrown instanceof Error ? thrown : new Error(String(thrown)));
      }
      if (over || ended) return;
      failures = 0;
      const held = waiting ?? [];
      waiting = undefined;
      // Each on its own, as those that come later are: one that its listener fails on takes no others with it.
      for (const message of held) queueMicrotask(() => handOver(message));
    }

    close = openStream({
      url: options.url,
      ...(options.WebSocket !== undefined && { WebSocket: options.WebSocket }),
      ...(options.after !== undefined && { after: options.after }),
      opened: () => void catchUp(),
      message(message) {
        if (over || ended) return;
        if (waiting === undefined) return handOver(message);
        if (waiting.push(message) > WAITING_MESSAGES) again(new Error("too much came while what was missed was read"));
      },
      closed: again,
    });
  }

  open();
  return () => {
    ended = true;
    close();
  };
}
