/**
 * What the world needs of a node: the driver around the core.
 */
import type { Effect, Fact, Input, NodeConfiguration } from "../core/inputs.ts";
import type { Change, Reader } from "../core/kernel/table.ts";
import type { EpochMillis } from "../core/kernel/values.ts";
import type { CryptoPort } from "../core/ports/crypto.ts";
import type { StorePort } from "../core/ports/store.ts";
import type { RootTexts } from "./trace-encoding.ts";

export interface NodeDriver {
  accept(fact: Fact): void;
  readonly view: Reader;
  roots(): RootTexts;
  ready(): boolean;
}

export interface DriverOptions {
  readonly crypto: CryptoPort;
  readonly configuration: NodeConfiguration;
  readonly store: StorePort;
  readonly bootSeed: Uint8Array;
  readonly now: () => EpochMillis;
  readonly perform: (effect: Effect) => void;
  readonly observe?: (input: Input, changes: readonly Change[], effects: readonly Effect[]) => void;
}

export type OpenDriver = (options: DriverOptions) => NodeDriver;
