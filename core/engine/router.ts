/**
 * The one way of effects to the outside, and of the outside's facts to a node: the simulated node and the production
 * node both use it, so the wiring of one is that of the other. An outside that is not open takes no orders.
 * Source: DESIGN section 3.0, L11.
 */

import type { ChainObservation, Effect, Fact, TimerName } from "../inputs.ts";
import type { EpochMillis } from "../kernel/values.ts";
import type { ChainPort } from "../ports/chain.ts";
import type { GatewayPort, TellDelivered } from "../ports/gateway.ts";
import type { ApiPort } from "../ports/http.ts";
import type { SnapshotEvents, SnapshotPort } from "../ports/snapshots.ts";
import type { TransportEvents, TransportPort } from "../ports/transport.ts";

/** The outsides of one node. */
export interface Outsides {
  readonly api: Pick<ApiPort, "reply" | "publish"> | undefined;
  readonly transport: Omit<TransportPort, "close"> | undefined;
  readonly chain: Omit<ChainPort, "close"> | undefined;
  readonly gateway: Omit<GatewayPort, "close"> | undefined;
  readonly snapshots: Omit<SnapshotPort, "close"> | undefined;
  /** Sets a timer; one that was set under its name before no longer fires. */
  readonly setTimer: (timer: TimerName, at: EpochMillis) => void;
  readonly log: (entry: Extract<Effect, { readonly type: "log" }>) => void;
}

/** Hands an effect to the outside that it is for. */
export function route(outsides: Outsides, effect: Effect): void {
  const { api, transport, chain, gateway, snapshots } = outsides;
  switch (effect.type) {
    case "rpc.reply":
      return api?.reply(effect.replyTo, effect.body);
    case "ws.publish":
      return api?.publish(effect.source, effect.message);
    case "message.send":
      return transport?.send(effect.to, effect.request, effect.bytes);
    case "message.reply":
      return transport?.reply(effect.replyTo, effect.bytes);
    case "peer.dial":
      return transport?.dial(effect.address);
    case "peer.disconnect":
      return transport?.disconnect(effect.peer);
    case "chain.submit":
      return chain?.submit(effect.signature, effect.bytes);
    case "chain.watch":
      return chain?.watch(effect.address, effect.commitment);
    case "chain.unwatch":
      return chain?.unwatch(effect.address);
    case "chain.read":
      return chain?.read(effect.address, effect.slot, effect.commitment);
    case "chain.check":
      return chain?.check(effect.signature);
    case "notification.deliver":
      return gateway?.deliver(effect);
    case "snapshot.write":
      return snapshots?.write(effect.id, effect.archive);
    case "snapshot.fetch":
      return snapshots?.fetch(effect.id, effect.location, effect.sizeBytes);
    case "timer.set":
      return outsides.setTimer(effect.timer, effect.at);
    case "log":
      return outsides.log(effect);
  }
}

/** What the outsides tell, as the facts that a node takes. */
export interface Facts {
  readonly transport: TransportEvents;
  readonly observe: (observation: ChainObservation) => void;
  readonly delivered: TellDelivered;
  readonly snapshots: SnapshotEvents;
}

/** The callbacks of every port, each handing its facts on. */
export function factsTo(accept: (fact: Fact) => void): Facts {
  return {
    transport: {
      connected: (peer, address) => accept({ type: "peer.connected", peer, address }),
      disconnected: (peer) => accept({ type: "peer.disconnected", peer }),
      unreachable: (address, reason) => accept({ type: "peer.unreachable", address, reason }),
      measured: (peer, latency) => accept({ type: "peer.measured", peer, latency_ms: latency }),
      observed: (peer, address) => accept({ type: "peer.observed", peer, address }),
      received: (from, replyTo, bytes) => accept({ type: "message.received", from, replyTo, bytes }),
      answered: (from, request, bytes) => accept({ type: "message.answered", from, request, bytes }),
      failed: (to, request, reason) => accept({ type: "message.failed", to, request, reason }),
    },
    observe: (observation) => accept({ type: "chain.observed", observation }),
    delivered: (dispatch, delivered) => accept({ type: "notification.delivered", dispatch, delivered }),
    snapshots: {
      written: (id, outcome) => accept({ type: "snapshot.written", id, outcome }),
      fetched: (id, location, outcome) => accept({ type: "snapshot.fetched", id, location, outcome }),
    },
  };
}
