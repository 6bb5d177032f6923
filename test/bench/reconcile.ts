/**
 * Two nodes that hold a million statements each, of which a hundred differ, meet. Source: DESIGN "Budgets":
 * at most 200 KB moved and 12 round trips.
 */

import { marketplace, tables } from "../../core/domains.ts";
import { Statements } from "../../core/engine/statements/table.ts";
import { step } from "../../core/engine/step.ts";
import type { Effect, Fact, Input } from "../../core/index.ts";
import { devnetNetwork } from "../../core/index.ts";
import { toHex, u64be } from "../../core/kernel/bytes.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { Store } from "../../core/kernel/state.ts";
import { openStore, rootText } from "../../core/kernel/state.ts";
import type { EpochMillis, Identity, PeerId } from "../../core/kernel/values.ts";
import { advertisementData } from "../gossip/advertisements.ts";
import { crypto, gossipOnly, person } from "../rpc/lone-node.ts";
import type { Bench } from "./measure.ts";

const SHARED = 1_000_000;
const DIFFERENT_EACH = 50;
const NOW = 1_786_000_000_000n as EpochMillis;

interface Node {
  readonly peer: PeerId;
  readonly store: Store;
  readonly receive: (fact: Fact) => readonly Effect[];
}

function nodeOf(index: number): Node {
  const own = person(index + 1);
  const store = openStore(crypto, tables);
  const configuration = { ...gossipOnly(devnetNetwork), secretKey: own.secret, publicKey: own.key, peerId: own.peer };
  let number = 0;
  return {
    peer: own.peer,
    store,
    receive(fact) {
      const context = { store, crypto, configuration, bootSeed: new Uint8Array(32).fill(index), network: marketplace };
      const { changes, effects } = step(context, { ...fact, now: NOW, number: number++ } as Input);
      store.commit(changes);
      return effects;
    },
  };
}

interface Order {
  readonly effect: Effect;
  readonly index: number;
}

function ordersOf(index: number, effects: readonly Effect[]): Order[] {
  return effects.map((effect) => ({ effect, index }));
}

/** One statement of somebody's, a million times under other identities: what is compared is identities alone. */
function share(nodes: readonly Node[], pattern: Statement): void {
  for (let n = 0; n < SHARED; n++) {
    const identity = toHex(crypto.sha256(u64be(BigInt(n)))) as Identity;
    const record = { ...pattern, identity, type: { ...pattern.type, creates: undefined } };
    for (const { store } of nodes) store.commit([{ table: Statements.name, key: identity, record }]);
  }
}

export const reconcileBench: Bench = {
  async run() {
    const nodes = [nodeOf(0), nodeOf(1)] as const;
    nodes.forEach((node, index) => {
      for (let n = 0; n < DIFFERENT_EACH; n++) {
        const params = { data: advertisementData(`own-${index}-${n}`, NOW) };
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "sendAdvertisementCreate", params });
        node.receive({ type: "rpc.called", replyTo: "client", body });
      }
    });
    const [first] = nodes[0].store.keys(Statements);
    const pattern = first === undefined ? undefined : nodes[0].store.get(Statements, first);
    if (pattern === undefined) throw new Error("no statement to repeat");
    share(nodes, pattern);

    let [bytes, rounds] = [0, 0];
    const started = performance.now();
    /** What each node says in one round; all of it is answered before the next. */
    let orders = [0, 1].flatMap((index) => {
      const [node, other] = [nodes[index], nodes[1 - index]] as [Node, Node];
      return ordersOf(index, node.receive({ type: "peer.connected", peer: other.peer, address: null }));
    });
    while (orders.length > 0) {
      const next: Order[] = [];
      if (orders.some(({ effect }) => effect.type === "message.send")) rounds += 1;
      for (const { effect, index } of orders) {
        const [from, to] = [nodes[index], nodes[1 - index]] as [Node, Node];
        if (effect.type === "timer.set" && effect.at <= NOW) {
          next.push(...ordersOf(index, from.receive({ type: "timer.fired", timer: effect.timer })));
        }
        if (effect.type !== "message.send") continue;
        bytes += effect.bytes.length;
        for (const order of to.receive({
          type: "message.received",
          from: from.peer,
          replyTo: "r",
          bytes: effect.bytes,
        })) {
          if (order.type !== "message.reply") next.push({ effect: order, index: 1 - index });
          if (order.type !== "message.reply") continue;
          bytes += order.bytes.length;
          const { request } = effect;
          next.push(
            ...ordersOf(index, from.receive({ type: "message.answered", from: to.peer, request, bytes: order.bytes })),
          );
        }
      }
      orders = next;
    }
    const equal = rootText(nodes[0].store.roots.statements) === rootText(nodes[1].store.roots.statements);
    return [
      { name: "reconciled to one set", value: equal ? 1 : 0, unit: "of 1", bar: { least: 1 } },
      { name: "bytes moved for 100 among 1,000,000", value: bytes, unit: "bytes", bar: { most: 200000 } },
      { name: "round trips", value: rounds, unit: "round trips", bar: { most: 12 } },
      { name: "time of both nodes", value: Math.round(performance.now() - started), unit: "ms" },
    ];
  },
};
