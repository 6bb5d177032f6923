/**
 * The gateway port: hands notifications to the gateways that their recipients chose.
 * core/ports/README.md says which suite each adapter passes. Source: protocol 04 §6.6, §6.12.
 */

import type { DispatchKey, NotificationDelivery } from "../inputs.ts";

/** Delivers notifications over HTTP and tells what came of each. */
export interface GatewayPort {
  /** Hands one over; exactly one verdict follows unless the port was closed. A dispatch in hand is one order. */
  deliver(delivery: NotificationDelivery): void;
  /** Gives up what is in hand, without a word. */
  close(done: () => void): void;
}

/** Whether a gateway took a notification. */
export type TellDelivered = (dispatch: DispatchKey, delivered: boolean) => void;
