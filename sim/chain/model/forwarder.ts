/**
 * The forwarder's rules: which call it makes of the one it was given. Source: sim/chain/forwarder/README.md.
 */
import { forwarderProgram } from "../disguises.ts";

/** Accounts of one call at most. Source: sim/chain/forwarder/README.md. */
export const FORWARDED_ACCOUNTS_MAX = 32;
/** How deep calls may stand. Source: Solana's compute budget. */
export const CALL_HEIGHT_MAX = 5;

/** A call, with its accounts in any form that names them. */
export interface CallOf<A> {
  readonly program: string;
  readonly accounts: readonly A[];
  readonly data: Uint8Array;
}

/** What the forwarder calls when called like this; undefined for another program, or without a program to call. */
export function forwardedCall<A extends { readonly address: string }>(call: CallOf<A>): CallOf<A> | undefined {
  const [called, ...accounts] = call.accounts;
  if (call.program !== forwarderProgram || called === undefined) return undefined;
  return { program: called.address, accounts, data: call.data };
}
