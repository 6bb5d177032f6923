/** What an actor knows when he publishes something. Source: DESIGN "Simulated world". */
import type { EpochMillis, Reader } from "../../core/index.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import type { Stream } from "../random.ts";
import type { Wallet } from "../wallet.ts";
import type { ObservedStatement } from "./observed-statements.ts";

/** What an actor goes by. */
export interface Actor {
  readonly wallet: Wallet;
  readonly now: EpochMillis;
  readonly people: readonly Wallet[];
  readonly observed: readonly ObservedStatement[];
  /** What the actor's node holds. */
  readonly view: Reader | undefined;
  readonly crypto: CryptoPort;
  readonly stream: Stream;
  /** A number that no other publication has. */
  readonly fresh: number;
}
