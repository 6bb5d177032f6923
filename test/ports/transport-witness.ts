/**
 * A node of a transport test: it writes down every fact it is told, in order, and says what it saw.
 */
import { assert } from "vitest";
import type { ReplyHandle, RequestNumber } from "../../core/inputs.ts";
import type { PeerId } from "../../core/kernel/values.ts";
import type { TransportEvents, TransportPort } from "../../core/ports/transport.ts";

type Received = { type: "received"; peer: PeerId; replyTo: ReplyHandle; bytes: Uint8Array };
type Verdict =
  | { type: "answered"; peer: PeerId; request: RequestNumber; bytes: Uint8Array }
  | { type: "failed"; peer: PeerId; request: RequestNumber; reason: string };
type LinkFact = { type: "connected"; peer: PeerId; address: string | null } | { type: "disconnected"; peer: PeerId };

export type TransportFact = LinkFact | Received | Verdict;

export class Witness {
  readonly facts: TransportFact[] = [];
  readonly received: Received[] = [];
  /** Dials that led nowhere, and pings; no facts about a peer's link. */
  readonly unreachable: { readonly address: string; readonly reason: string }[] = [];
  readonly measured: { readonly peer: PeerId; readonly latency: number }[] = [];
  readonly observed: { readonly peer: PeerId; readonly address: string }[] = [];
  node: { readonly peer: PeerId; readonly port: TransportPort } | undefined;
  #onReceived: (fact: Received) => void = () => {};

  readonly events: TransportEvents = {
    connected: (peer, address) => void this.facts.push({ type: "connected", peer, address }),
    disconnected: (peer) => void this.facts.push({ type: "disconnected", peer }),
    unreachable: (address, reason) => void this.unreachable.push({ address, reason }),
    measured: (peer, latency) => void this.measured.push({ peer, latency }),
    observed: (peer, address) => void this.observed.push({ peer, address }),
    received: (peer, replyTo, bytes) => {
      const fact: Received = { type: "received", peer, replyTo, bytes };
      this.facts.push(fact);
      this.received.push(fact);
      this.#onReceived(fact);
    },
    answered: (peer, request, bytes) => void this.facts.push({ type: "answered", peer, request, bytes }),
    failed: (peer, request, reason) => void this.facts.push({ type: "failed", peer, request, reason }),
  };

  get port(): TransportPort {
    assert.ok(this.node !== undefined, "the node is open");
    return this.node.port;
  }

  get peer(): PeerId {
    assert.ok(this.node !== undefined, "the node is open");
    return this.node.peer;
  }

  get address(): string {
    const [address] = this.port.addresses();
    assert.ok(address !== undefined, "the node can be dialled");
    return address;
  }

  send(to: Witness, request: RequestNumber, bytes: Uint8Array): void {
    this.port.send(to.peer, request, bytes);
  }

  onReceived(handler: (fact: Received) => void): void {
    this.#onReceived = handler;
  }

  verdicts(request: RequestNumber): readonly Verdict[] {
    return this.facts.filter(
      (fact): fact is Verdict => (fact.type === "answered" || fact.type === "failed") && fact.request === request,
    );
  }

  connectedTo(peer: PeerId): boolean {
    const last = this.facts.findLast((fact) => isLink(fact) && fact.peer === peer);
    return last?.type === "connected";
  }

  /** A peer connects before it disconnects, and speaks only while it is connected. */
  checkOrder(): void {
    const connected = new Set<PeerId>();
    for (const fact of this.facts) {
      if (fact.type === "failed") continue;
      assert.equal(connected.has(fact.peer), fact.type !== "connected", `${fact.type} in its place`);
      if (fact.type === "connected") connected.add(fact.peer);
      if (fact.type === "disconnected") connected.delete(fact.peer);
    }
  }
}

/** From now on these nodes answer every request with the bytes it came with. */
export function answerAll(...witnesses: readonly Witness[]): void {
  for (const witness of witnesses) {
    witness.onReceived(({ replyTo, bytes }) => witness.port.reply(replyTo, bytes));
  }
}

function isLink(fact: TransportFact): boolean {
  return fact.type === "connected" || fact.type === "disconnected";
}
