/**
 * What the server turned away, by cause: what an operator looks at when clients complain.
 */

const CAUSES = [
  "connections",
  "client-connections",
  "connection-rate",
  "call-rate",
  "page-rate",
  "aside-rate",
  "stream-rate",
  "streams",
  "downloads",
  "queue",
  "body-size",
  "bodies-at-once",
] as const;

/** Why a connection, a call, a page or a stream was turned away. */
export type RefusalCause = (typeof CAUSES)[number];

export interface RefusalCounts {
  readonly note: (cause: RefusalCause) => void;
  /** How often each cause came up; all of them, from the start. */
  readonly read: () => Readonly<Record<RefusalCause, number>>;
}

/** Counts from nothing. */
export function openRefusalCounts(): RefusalCounts {
  const counts = Object.fromEntries(CAUSES.map((cause) => [cause, 0])) as Record<RefusalCause, number>;
  return {
    note: (cause) => {
      counts[cause] += 1;
    },
    read: () => ({ ...counts }),
  };
}
