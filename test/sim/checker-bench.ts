/**
 * Checkers by hand: what one is told, and what it found; people, steps, and transactions that close escrows.
 */
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import type { Input, NetworkProfile, Reader } from "../../core/index.ts";
import type { ChainView } from "../../sim/chain/chain-view.ts";
import type { Checker, MakeChecker, StepSeen } from "../../sim/checker.ts";
import type { Wallet } from "../../sim/wallet.ts";
import { openWallet } from "../../sim/wallet.ts";

export const crypto = openNativeCrypto();
export const [alice, bob, carol] = ["alice", "bob", "carol"].map((name) => openWallet(crypto, 1n, name)) as [
  Wallet,
  Wallet,
  Wallet,
];
export const program = "Esc1111111111111111111111111111111111111111";

export function watch(
  make: MakeChecker,
  told: Partial<NetworkProfile> = {},
  clock: { now: number } = { now: 0 },
  chain: () => ChainView | undefined = () => undefined,
): { readonly checker: Checker; readonly found: string[] } {
  const found: string[] = [];
  const profile = { name: "test", parity: false, escrowProgram: program, stakingProgram: "s", mints: [], ...told };
  const people = () => [alice, bob, carol];
  const context = { violate: (text: string) => void found.push(text), people, keep: fresh, time: () => clock.now };
  return { checker: make({ ...context, chain, profile }), found };
}

/** A checker's memory in a world that begins. */
export function fresh<S>(make: () => S): S {
  return make();
}

/** A memory in which nothing is. */
export const noView: Reader = {
  get: () => undefined,
  find: () => [],
  count: () => 0,
  ordered: () => [],
  keys: () => [],
  size: () => 0,
};

/** A step that moved the roots: statements and facts in one letter each, then the state. */
export function step(node: number, input: Partial<Input>, before: string, after: string): StepSeen {
  const rootsOf = (text: string) => ({
    ...{ statements: text.slice(0, 1), facts: text.slice(1, 2) },
    ...{ state: text.slice(2), archive: "" },
  });
  const rootsBefore = rootsOf(before);
  const roots = before === after ? rootsBefore : rootsOf(after);
  return { node, input: input as Input, changes: [], effects: [], view: noView, roots, rootsBefore };
}

/**
 * The log line of a decision: discriminator, reservation number, buyer, seller, and the outcome, if any, at byte 80.
 * Source: protocol 03 D.5.
 */
export function resolved(reservation: bigint, outcome: number | null): string {
  const bytes = Buffer.alloc(116);
  Buffer.from("7940f9998b80ecbb", "hex").copy(bytes);
  bytes.writeBigUInt64LE(reservation, 8);
  bytes[80] = outcome === null ? 0 : 1;
  bytes[81] = outcome ?? 0;
  return `Program data: ${bytes.toString("base64")}`;
}

/** A node sees a transaction with these logs. */
export function observed(node: number, signature: string, logs: readonly string[], succeeded = true): StepSeen {
  const transaction = { type: "transaction", address: "a", signature, slot: 1n, commitment: "finalized", succeeded };
  const observation = { ...transaction, wire: new Uint8Array(0), logs } as const;
  return step(node, { type: "chain.observed", observation } as Partial<Input>, "00x", "00x");
}

/** A line as a program logs it. */
export const framed = (line: string, by = program): readonly string[] => [
  `Program ${by} invoke [1]`,
  line,
  `Program ${by} success`,
];
