/**
 * What an adapter brings along to be tested as a TransportPort, and the nodes of one test.
 */
import { assert } from "vitest";
import type { PeerId } from "../../core/kernel/values.ts";
import type { TransportEvents, TransportPort } from "../../core/ports/transport.ts";
import { Witness } from "./transport-witness.ts";

/** Bytes of the largest envelope. Source: protocol 01 §9.3. */
export const ENVELOPE_BYTES_MAX = 1_048_576;
/** A peer that no network has: the key is the one of protocol 01 §1.2, vector C. */
export const NOBODY = "12D3KooWK9hQ7TwbfvFiaAxUbRFCkdhS7iEpAJDnewNL1anyREQ1" as PeerId;

export interface TransportNode {
  readonly peer: PeerId;
  readonly port: TransportPort;
}

/** What an adapter brings along to be tested. */
export interface TransportNetwork {
  /** Starts a node that can be dialled and that tells `events` what happens to it. */
  open(events: TransportEvents): Promise<TransportNode>;
  /** Runs the network until `enough` holds, or nothing is under way any more. */
  settle(enough?: () => boolean): Promise<void>;
  /** The time of every request under way is over; where time is the network's own, to settle brings that about. */
  runOutOfTime(): void;
  /** Closes every node. */
  close(): Promise<void>;
}

export type CreateNetwork = () => Promise<TransportNetwork>;

/** A network and the witnesses on it, for the length of one test. */
export class World {
  readonly #createNetwork: CreateNetwork;
  readonly #witnesses: Witness[] = [];
  #network: TransportNetwork | undefined;

  constructor(createNetwork: CreateNetwork) {
    this.#createNetwork = createNetwork;
  }

  async start(count: number): Promise<Witness[]> {
    this.#network = await this.#createNetwork();
    for (let i = 0; i < count; i++) {
      const witness = new Witness();
      witness.node = await this.#network.open(witness.events);
      this.#witnesses.push(witness);
    }
    return this.#witnesses;
  }

  async pair(): Promise<[Witness, Witness]> {
    const [a, b] = (await this.start(2)) as [Witness, Witness];
    await this.link(a, b);
    return [a, b];
  }

  async link(a: Witness, b: Witness): Promise<void> {
    a.port.dial(b.address);
    await this.settle(() => a.connectedTo(b.peer) && b.connectedTo(a.peer));
    assert.ok(a.connectedTo(b.peer) && b.connectedTo(a.peer), "the dial connects both sides");
  }

  async settle(enough?: () => boolean): Promise<void> {
    await this.#network?.settle(enough);
  }

  runOutOfTime(): void {
    this.#network?.runOutOfTime();
  }

  /** What holds of every test: each fact in its place, no request with two verdicts. */
  async end(): Promise<void> {
    await this.#network?.close();
    for (const witness of this.#witnesses.splice(0)) witness.checkOrder();
    this.#network = undefined;
  }
}
