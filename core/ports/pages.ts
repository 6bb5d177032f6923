/**
 * Where a node puts what it seldom reads and must not lose while it runs: pages, written once and read by their places.
 * What they hold is a copy of what the store holds, so nothing of it is durable. Both calls answer at once: a read of a
 * page is a read of memory to whoever asks. Source: CONVERGENCE B7; DESIGN §9.1.
 */
export interface PagesPort {
  /** Keeps a page; answers its place. What cannot be kept outside is kept in memory, so there is always one. */
  append(page: Uint8Array): number;
  /** What is kept at a place, as far as it can be read: whoever asks sees to it that it is what was written. */
  read(place: number): Uint8Array;
  /** Nobody reads any page again that was kept so far. */
  clear(): void;
  /** What came back from a place is not what was written: the node that reads this ends, and has to begin anew. */
  damaged(place: number, table: string): void;
}
