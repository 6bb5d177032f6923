/**
 * How the CPU time of a statement grows with the peers of the node that takes it: one node whose peers answer as in a
 * quiet network, where two of them have a statement by way of this node and all others by another. A peer brings each,
 * and everything that the node sends in the second after it is answered. Source: DESIGN "Budgets".
 */
import { encodeCompact } from "../../core/kernel/schema.ts";
import { PeerExchangeResponse, RecoveryResponse } from "../../core/network/gossip/envelope.ts";
import { Have } from "../../core/network/gossip/reconcile.ts";
import { Statements } from "../../core/testing.ts";
import { adEvent, peerOf, sentOf } from "../gossip/link.ts";
import { T } from "../gossip/two-nodes.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { loneNode, person } from "../rpc/lone-node.ts";
import type { Bench, Figure } from "./measure.ts";
import { medianRun, rounded } from "./measure.ts";

const PEERS = [8, 32, 128] as const;
const STATEMENTS = 400;
/** Peers to which the tree of the one origin leads. */
const CHILDREN = 2;
const SECOND = 1_000n;
const origin = person(0x21);
const NOTHING = new Uint8Array(0);

/** What a peer says to a request of a type; anything else is acknowledged. */
const ANSWERS: Readonly<Record<string, readonly [type: string, payload: Uint8Array]>> = {
  PeerExchangeRequest: ["PeerExchangeResponse", encodeCompact(PeerExchangeResponse, { peers: [] })],
  GossipRecoveryRequest: ["GossipRecoveryResponse", encodeCompact(RecoveryResponse, { events: [] })],
};

/** A node whose peers are there and were greeted, and what comes to it. */
function opened(count: number) {
  const node = loneNode(T);
  const people = Array.from({ length: count }, (_, at) => person(0x40 + at));
  const peers = people.map((by) => peerOf(node, by));
  for (const peer of peers) {
    peer.connect();
    // As this software does; others are pushed to.
    peer.tell("GossipAnnounce", encodeCompact(Have, { identities: [] }));
  }
  const settle = settling(node, people);
  settle();
  const events = Array.from({ length: STATEMENTS }, (_, n) => adEvent(origin, `ad-${n}`, T + BigInt(n + 1) * SECOND));
  return { node, peers, settle, events };
}

/** Answers what the node sends and fires its timers, until it waits for the next second. */
function settling(node: LoneNode, people: readonly Person[]): () => void {
  const places = new Map(people.map(({ peer }, at): [string, number] => [peer, at]));
  const ends = people.map((by) => peerOf(node, by));
  const timers = new Map<string, bigint>();
  let read = 0;
  return () => {
    for (;;) {
      const fresh = node.effects.slice(read);
      read = node.effects.length;
      for (const effect of fresh) if (effect.type === "timer.set") timers.set(effect.timer, effect.at);
      for (const { to, request, type } of sentOf(fresh)) {
        const at = places.get(to) ?? 0;
        const pruned = type === "GossipPush" && at >= CHILDREN ? "GossipPrune" : "GossipPushAck";
        const [answer, payload] = ANSWERS[type] ?? [pruned, NOTHING];
        ends[at]?.answer(request, answer, payload);
      }
      const [due] = [...timers].filter(([, at]) => at <= node.now).sort(([, a], [, b]) => (a < b ? -1 : 1));
      if (due !== undefined) {
        timers.delete(due[0]);
        node.accept({ type: "timer.fired", timer: due[0] as "recover" });
      } else if (read === node.effects.length) return;
    }
  };
}

/** CPU microseconds that a statement takes with so many peers. */
async function costWith(count: number): Promise<number> {
  const { cpuMs } = await medianRun(
    () => opened(count),
    ({ node, peers, settle, events }) => {
      for (const [n, event] of events.entries()) {
        node.now += SECOND;
        peers[n % CHILDREN]?.push(event);
        settle();
      }
      if (node.view.size(Statements) < STATEMENTS) throw new Error("not every statement was taken");
    },
  );
  return (1_000 * cpuMs) / STATEMENTS;
}

export const peersBench: Bench = {
  async run() {
    const costs: number[] = [];
    // Code that ran little is compiled before anything counts.
    for (const count of PEERS) await costWith(count);
    for (const count of PEERS) costs.push(await costWith(count));
    const figures = PEERS.map((count, at): Figure => {
      const name = `a statement, at a node of ${count} peers`;
      return { name, value: rounded(costs[at] ?? Number.NaN), unit: "us of CPU time" };
    });
    const [few = 1, many = 1] = [PEERS[0], PEERS[2]];
    const power = Math.log((costs[2] ?? Number.NaN) / (costs[0] ?? Number.NaN)) / Math.log(many / few);
    const name = `CPU time grows with peers, ${few} to ${many}, by the power`;
    return [...figures, { name, value: rounded(power), unit: "", bar: { most: 1.2 } }];
  },
};
