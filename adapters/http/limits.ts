/**
 * What one API server takes on at most, and what it does when it is full.
 * Source: protocol 01 §10.4, §13.3, W13, W14; bounds without a source there are ours.
 */

/** A burst, then one more per interval, for each client. */
export interface RateLimitBounds {
  readonly burst: number;
  readonly intervalMs: number;
  /** Clients remembered; beyond that the one longest unheard of is forgotten. */
  readonly clientsMax: number;
}

/** The bounds of the server: of bodies, connections, streams and calls. */
export interface ApiLimits {
  /** Calls and handshakes per client; `null` switches the limit off. Source: protocol 01 §10.4. */
  readonly rate: RateLimitBounds | null;
  /** Larger bodies answer 413. Source: protocol 01 §10.4. */
  readonly bodyBytesMax: number;
  /** Bytes of bodies being received at once, all clients together; beyond that a call answers "queue full". */
  readonly receivingBytesMax: number;
  /** The same for one client: more of the largest bodies than his calls allow for. */
  readonly clientReceivingBytesMax: number;
  /** Answers of GET routes per client, asides apart; a large one counts as several. `null` switches the limit off. */
  readonly pages: RateLimitBounds | null;
  /**
   * Per client, answers of `/health` and `/metrics`, preflights, and refusals that no other allowance counts: enough
   * for a preflight before each call. `null` switches the limit off.
   */
  readonly asides: RateLimitBounds | null;
  /**
   * New connections per client: as many as who opens one for each call and each page within his allowances.
   * Connections of trusted proxies are not counted. `null` switches the limit off.
   */
  readonly newConnections: RateLimitBounds | null;
  /** Connections beyond this are closed as they come. */
  readonly connectionsMax: number;
  /** The same for one client; connections of trusted proxies count for all clients together alone. */
  readonly clientConnectionsMax: number;
  /** Streams beyond this are refused with 429. Source: protocol 01 W13. */
  readonly subscribersMax: number;
  /** The same for one client. */
  readonly clientSubscribersMax: number;
  /** Snapshot files that one client may be taking at once; beyond that it is refused with 429. */
  readonly clientDownloadsMax: number;
  /** Messages that a slow subscriber may be behind; beyond that it is closed with 1013. Source: protocol 01 §10.6. */
  readonly subscriberMessagesMax: number;
  /** The same in bytes. */
  readonly subscriberBytesMax: number;
  /**
   * Messages that all subscribers together may be behind. Once they are, whoever is further behind than his share of
   * these is too slow: a thousand who never read take no more memory than a few.
   */
  readonly streamMessagesMax: number;
  /** How long a refusal waits of who asks or connects above his rate, in milliseconds: less than he is to wait. */
  readonly refusalMs: number;
  /** So many refusals wait at once; beyond that they do not. */
  readonly refusalsWaitingMax: number;
  /** How often a subscriber is asked whether it is still there; one that missed a whole turn is dropped. */
  readonly heartbeatMs: number;
  /** How long a client may take to send the head of a request, from the moment it connected. */
  readonly headersMs: number;
  /** How long a client may take to send one request. */
  readonly requestMs: number;
  /** How long a connection may move no byte: between requests, or while an answer is not taken. */
  readonly idleMs: number;
  /**
   * How long calls that were taken may wait for the node when the server closes, and how long then clients get to take
   * their last answers.
   */
  readonly closingMs: number;
}

/** The bounds unless others are given. */
export const DEFAULT_LIMITS: ApiLimits = {
  rate: { burst: 120, intervalMs: 500, clientsMax: 65_536 },
  bodyBytesMax: 2 * 1024 * 1024,
  receivingBytesMax: 256 * 1024 * 1024,
  clientReceivingBytesMax: 8 * 1024 * 1024,
  pages: { burst: 120, intervalMs: 500, clientsMax: 65_536 },
  asides: { burst: 240, intervalMs: 250, clientsMax: 65_536 },
  newConnections: { burst: 240, intervalMs: 250, clientsMax: 65_536 },
  connectionsMax: 4096,
  clientConnectionsMax: 256,
  subscribersMax: 1024,
  clientSubscribersMax: 64,
  clientDownloadsMax: 4,
  subscriberMessagesMax: 1024,
  subscriberBytesMax: 8 * 1024 * 1024,
  streamMessagesMax: 131_072,
  refusalMs: 100,
  refusalsWaitingMax: 1024,
  heartbeatMs: 30_000,
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 30_000,
  closingMs: 1000,
};
