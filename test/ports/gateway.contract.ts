/**
 * Goal: every GatewayPort answers each delivery with one verdict, whatever the gateway does.
 * Method: orders of one dispatch and of many; the harness of each adapter runs its world until nothing is in hand, so
 * that no test waits for a clock. Source: protocol 04 §6.6, §6.12.
 */
import { describe, expect, test } from "vitest";
import type { NotificationDelivery, PeerId, Signature } from "../../core/index.ts";
import { compareText } from "../../core/kernel/text.ts";
import type { GatewayPort, TellDelivered } from "../../core/ports/gateway.ts";

export interface GatewayWorld {
  readonly port: GatewayPort;
  /** An endpoint that takes what it is given. */
  readonly endpoint: string;
  /** Runs until every verdict that will come has come. */
  settle(): Promise<void>;
  end(): Promise<void>;
}

/** A delivery of a few bytes. */
export function delivery(dispatch: string, endpoint: string, body = `{"of":"${dispatch}"}`): NotificationDelivery {
  return {
    type: "notification.deliver",
    dispatch,
    endpoint,
    body: new TextEncoder().encode(body),
    node: "12D3KooWnode" as PeerId,
    signature: "signature" as Signature,
  };
}

export function describeGateway(name: string, open: (delivered: TellDelivered) => Promise<GatewayWorld>): void {
  describe(`gateway: ${name}`, () => {
    test("each dispatch gets one verdict, never during the call", async () => {
      const verdicts: string[] = [];
      const world = await open((dispatch) => void verdicts.push(dispatch));
      const wanted = Array.from({ length: 40 }, (_, n) => `d${n}`);
      for (const dispatch of wanted) world.port.deliver(delivery(dispatch, world.endpoint));
      expect(verdicts).toEqual([]);
      await world.settle();
      expect([...verdicts].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)))).toEqual(wanted);
      await world.end();
    });

    test("a dispatch that is in hand is one order; one that is done may be ordered again", async () => {
      const verdicts: string[] = [];
      const world = await open((dispatch) => void verdicts.push(dispatch));
      for (let again = 0; again < 3; again++) world.port.deliver(delivery("d", world.endpoint));
      world.port.deliver(delivery("e", world.endpoint));
      await world.settle();
      expect([...verdicts].sort(compareText)).toEqual(["d", "e"]);
      world.port.deliver(delivery("d", world.endpoint));
      await world.settle();
      expect([...verdicts].sort(compareText)).toEqual(["d", "d", "e"]);
      await world.end();
    });

    test("after close nothing is told, and nothing is taken", async () => {
      const verdicts: string[] = [];
      const world = await open((dispatch) => void verdicts.push(dispatch));
      for (let n = 0; n < 5; n++) world.port.deliver(delivery(`d${n}`, world.endpoint));
      await world.end();
      world.port.deliver(delivery("late", world.endpoint));
      await world.settle();
      expect(verdicts).toEqual([]);
    });
  });
}
