/**
 * The gateway port over HTTP: one POST for each notification, to whatever URL its gateway registered. A delivery is
 * taken when the answer is 2xx; nothing else of the answer is read. Everything is bounded, so that a gateway that
 * hangs, redirects or points inwards costs this node one slot for ten seconds. Source: protocol 04 §6.6, §6.12.
 */
import { lookup as systemLookup } from "node:dns";
import type { DispatchKey, NotificationDelivery } from "../../core/index.ts";
import type { GatewayPort, TellDelivered } from "../../core/ports/gateway.ts";
import type { Lookup } from "./addresses.ts";
import { openNameServers } from "./name-servers.ts";
import type { PostOptions } from "./post.ts";
import { post } from "./post.ts";

/** From the order of a request to its answer, in milliseconds. Source: protocol 04 §6.10. */
export const TIMEOUT_MS = 10_000;
/** Largest body, in bytes. Source: protocol 04 §6.12. */
export const BODY_BYTES_MAX = 65_536;
/** Deliveries in hand, under way included; beyond, one has failed at once. Source: protocol 04 §6.12. */
export const QUEUE_MAX = 10_000;
/**
 * Requests under way at once over all endpoints; to one endpoint there is one. Source: DESIGN "Work at once"; protocol
 * 04 §6.12.
 */
export const IN_FLIGHT_MAX = 64;

/** Who is told what came of a delivery, and the bounds of what is under way. */
export interface HttpGatewayOptions {
  readonly delivered: TellDelivered;
  /** Whether endpoints at private and loopback addresses are posted to as well. */
  readonly allowPrivate: boolean;
  /** How host names are resolved; by name servers unless said, and by the system where private addresses count. */
  readonly lookup?: Lookup;
  readonly timeoutMs?: number;
  readonly queueMax?: number;
}

interface Pool {
  readonly options: HttpGatewayOptions;
  readonly sending: PostOptions;
  /** Keys of every delivery in hand. */
  readonly inHand: Set<DispatchKey>;
  /** What waits for each endpoint, oldest first. */
  readonly waiting: Map<string, NotificationDelivery[]>;
  /** Endpoints with something waiting and nothing under way, longest waiting first. */
  readonly idle: Set<string>;
  /** How to give up each request under way, by endpoint. */
  readonly underWay: Map<string, () => void>;
  open: boolean;
}

/** Opens the gateway port over HTTP. */
export function openHttpGateway(options: HttpGatewayOptions): GatewayPort {
  const { allowPrivate, timeoutMs = TIMEOUT_MS, queueMax = QUEUE_MAX } = options;
  const lookup = options.lookup ?? (allowPrivate ? systemLookup : openNameServers());
  const pool: Pool = {
    options,
    sending: { allowPrivate, lookup, timeoutMs },
    inHand: new Set(),
    waiting: new Map(),
    idle: new Set(),
    underWay: new Map(),
    open: true,
  };
  return {
    deliver(delivery) {
      const { dispatch, endpoint } = delivery;
      if (!pool.open || pool.inHand.has(dispatch)) return;
      if (pool.inHand.size >= queueMax || delivery.body.length > BODY_BYTES_MAX) {
        // A verdict never comes during the call that asked for it.
        setImmediate(() => tell(pool, dispatch, false));
        return;
      }
      pool.inHand.add(dispatch);
      const queue = pool.waiting.get(endpoint);
      if (queue === undefined) pool.waiting.set(endpoint, [delivery]);
      else queue.push(delivery);
      if (!pool.underWay.has(endpoint)) pool.idle.add(endpoint);
      setImmediate(() => fill(pool));
    },
    close(done) {
      pool.open = false;
      for (const giveUp of pool.underWay.values()) giveUp();
      pool.waiting.clear();
      pool.idle.clear();
      setImmediate(done);
    },
  };
}

/** Starts what may start: one request to an endpoint, so many in all. */
function fill(pool: Pool): void {
  for (const endpoint of pool.idle) {
    if (!pool.open || pool.underWay.size >= IN_FLIGHT_MAX) return;
    pool.idle.delete(endpoint);
    const queue = pool.waiting.get(endpoint);
    const delivery = queue?.shift();
    if (queue?.length === 0) pool.waiting.delete(endpoint);
    if (delivery === undefined) continue;
    const giveUp = post(delivery, pool.sending, (delivered) => {
      pool.underWay.delete(endpoint);
      pool.inHand.delete(delivery.dispatch);
      if (pool.waiting.has(endpoint)) pool.idle.add(endpoint);
      tell(pool, delivery.dispatch, delivered);
      fill(pool);
    });
    pool.underWay.set(endpoint, giveUp);
  }
}

function tell(pool: Pool, dispatch: DispatchKey, delivered: boolean): void {
  if (pool.open) pool.options.delivered(dispatch, delivered);
}
