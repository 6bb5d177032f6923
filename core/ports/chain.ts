/**
 * The chain port: what a chain-connected node may ask of its endpoints, and what it is told.
 * core/ports/README.md says which suite each adapter passes. Source: protocol 03 C; A.10.3 R3-R8.
 */

import type { ChainObservation, Commitment } from "../inputs.ts";

/** What the core needs of a chain endpoint. It answers with observations, and none is told after `close`. */
export interface ChainPort {
  /**
   * Observes every transaction that touches the address, oldest first, from its first one on: once at `commitment`
   * (finalized when absent), again as finalized, and again when a fork moved it. One that failed may be left out. The
   * account itself may be told too, when it changed.
   */
  watch(address: string, commitment?: Commitment): void;
  unwatch(address: string): void;
  /** Reads an account as of a slot not older than `slot`, finalized unless said; an `account` observation follows. */
  read(address: string, slot: bigint, commitment?: Commitment): void;
  /** Looks a transaction up; it is observed at the level that it has, or `absent`. */
  check(signature: string): void;
  /** Hands a signed transaction to every endpoint; `submitted` or `refused` follows. */
  submit(signature: string, bytes: Uint8Array): void;
  close(done: () => void): void;
}

/** Takes what an endpoint saw. */
export type ObserveChain = (observation: ChainObservation) => void;
