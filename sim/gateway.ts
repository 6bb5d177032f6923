/**
 * The gateways of the simulated world, as a node reaches them: every delivery takes its time and most are taken.
 * Source: protocol 04 §6.6; DESIGN section 5.
 */
import type { GatewayPort, TellDelivered } from "../core/ports/gateway.ts";
import type { Clock } from "./clock.ts";
import type { Distribution } from "./distributions.ts";
import { sample } from "./distributions.ts";
import { chance, openStream } from "./random.ts";

/** From an order to its answer. Source: DESIGN "Simulated world". */
const LATENCY: Distribution = { type: "uniform", least: 20, most: 400 };
/** Deliveries of a million that fail. Source: DESIGN "Simulated world". */
const FAILURE = 50_000;

/** The gateways as one process of a node sees them. `stream` names what is drawn for it. */
export function openSimGateway(seed: bigint, stream: string, clock: Clock, delivered: TellDelivered): GatewayPort {
  const decisions = openStream(seed, stream);
  const inHand = new Set<string>();
  let posted = 0;
  let open = true;
  return {
    deliver({ dispatch }) {
      if (!open || inHand.has(dispatch)) return;
      inHand.add(dispatch);
      const n = 2 * posted++;
      clock.after(sample(LATENCY, decisions, n), () => {
        inHand.delete(dispatch);
        if (open) delivered(dispatch, !chance(decisions, n + 1, FAILURE));
      });
    },
    close(done) {
      open = false;
      clock.after(0, done);
    },
  };
}
