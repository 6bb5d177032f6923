/**
 * The API port: how clients reach a node. The adapter moves text; the core reads and answers it.
 * Source: protocol 01 §10.
 */

import type { ReplyHandle } from "../inputs.ts";

/** What the API server asks of its node. */
export interface ApiHandlers {
  /** A JSON-RPC body; the answer comes through `ApiPort.reply`. False when the queue is full. */
  readonly called: (replyTo: ReplyHandle, body: string) => boolean;
  /** Whether the node answers calls. */
  readonly healthy: () => boolean;
  /** The OpenRPC document of this node. */
  readonly openrpc: () => string;
}

/** Answers requests, tells streams, and knows where the server is bound. */
export interface ApiPort {
  /** Host and port that are really bound. */
  readonly address: { readonly host: string; readonly port: number };
  /** The JSON-RPC answer of a call; `null` is HTTP 204. */
  reply(replyTo: ReplyHandle, body: string | null): void;
  /** A stream message for `/ws` (own) or for `/ws?scope=all` alone (gossip). */
  publish(source: "own" | "gossip", message: string): void;
  close(done: () => void): void;
}
