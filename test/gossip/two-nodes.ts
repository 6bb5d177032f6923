/**
 * Two nodes on one link without a network between: messages are delivered in order, and weighed.
 */

import type { Effect, NodeConfiguration, NodeDriver, PeerId } from "../../core/index.ts";
import { createDriver, devnetNetwork } from "../../core/index.ts";
import { known } from "../../core/kernel/assert.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { StorePort } from "../../core/ports/store.ts";
import { crypto, gossipOnly, person } from "../rpc/lone-node.ts";

export const T = 1_786_000_000_000n as EpochMillis;

export interface End {
  readonly driver: NodeDriver;
  readonly peer: PeerId;
  /** Sends that this node's clients made before the link was up. */
  call(method: string, params: object): string;
}

export interface Link {
  readonly ends: readonly [End, End];
  /** Bytes of requests and answers, both ways, and how many requests there were. */
  readonly moved: { bytes: number; requests: number };
  /** Brings the link up; what the nodes then say to each other is said to its end, timers that are due included. */
  connect(): void;
  /** One end, the first unless said, compares its set with the other's. */
  compare(index?: 0 | 1): void;
}

const noStore: StorePort = {
  commit: (_, done) => done({ ok: true, value: null }),
  load: (page) => page({ ok: true, value: { rows: [], last: true } }),
  close: (done) => done(),
};

/** Two nodes that are told something each, at an instant that may be changed. */
export function linkedNodes(
  told: readonly [Partial<NodeConfiguration>, Partial<NodeConfiguration>] = [{}, {}],
  clock: { now: EpochMillis } = { now: T },
): Link {
  const moved = { bytes: 0, requests: 0 };
  const queue: (() => void)[] = [];
  const replies = new Map<string, (bytes: Uint8Array) => void>();
  const answers: (string | null)[] = [];

  function open(index: 0 | 1): End {
    const own = person(index + 1);
    const configuration = { ...gossipOnly(devnetNetwork), secretKey: own.secret, publicKey: own.key, peerId: own.peer };
    const driver = createDriver({
      crypto,
      store: noStore,
      bootSeed: new Uint8Array(32).fill(index),
      now: () => clock.now,
      configuration: { ...configuration, ...told[index] },
      perform: (effect) => perform(index, effect),
    });
    return {
      driver,
      peer: own.peer,
      call(method, params) {
        driver.accept({
          type: "rpc.called",
          replyTo: "client",
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
        });
        return known(answers.pop(), "an answer") ?? "";
      },
    };
  }

  function perform(index: 0 | 1, effect: Effect): void {
    if (effect.type === "rpc.reply") answers.push(effect.body);
    if (effect.type === "message.reply") replies.get(effect.replyTo)?.(effect.bytes);
    if (effect.type === "timer.set" && effect.at <= clock.now) {
      queue.push(() => ends[index].driver.accept({ type: "timer.fired", timer: effect.timer }));
    }
    if (effect.type !== "message.send") return;
    const { request, bytes } = effect;
    queue.push(() => {
      const [from, to] = [ends[index], ends[index === 0 ? 1 : 0]];
      const replyTo = `${index}/${request}`;
      moved.bytes += bytes.length;
      moved.requests += 1;
      replies.set(replyTo, (answer) => {
        moved.bytes += answer.length;
        from.driver.accept({ type: "message.answered", from: to.peer, request, bytes: answer });
      });
      to.driver.accept({ type: "message.received", from: from.peer, replyTo, bytes });
    });
  }

  function passOn(): void {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) next();
  }

  const ends: readonly [End, End] = [open(0), open(1)];
  return {
    ends,
    moved,
    connect() {
      queue.length = 0;
      ends[0].driver.accept({ type: "peer.connected", peer: ends[1].peer, address: null });
      ends[1].driver.accept({ type: "peer.connected", peer: ends[0].peer, address: null });
      passOn();
    },
    compare(index = 0) {
      ends[index].driver.accept({ type: "timer.fired", timer: "recover" });
      passOn();
    },
  };
}
