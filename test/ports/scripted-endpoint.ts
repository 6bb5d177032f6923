/**
 * An endpoint of a few lines for the parts of the chain port: every method answers at once what a test says of it, and
 * a method that nothing was said of is not answered at all.
 */
import type { Connection } from "@solana/web3.js";
import { VersionedTransaction } from "@solana/web3.js";
import type { Endpoint } from "../../adapters/chain/endpoint.ts";
import type { Failure } from "../../adapters/chain/failures.ts";
import { EndpointError, failureOf } from "../../adapters/chain/failures.ts";
import { err, ok } from "../../core/kernel/result.ts";
import { toBase58 } from "../../core/kernel/text.ts";
import { createLiquidityVault } from "../../sim/chain/instructions.ts";
import { signTransaction } from "../../sim/chain/transaction.ts";
import { addressOf, at, crypto, usdc, wallets } from "../sim/chain/chain-world.ts";

/** What each method of web3.js answers; a thrown failure is the endpoint's. */
export type Script = Readonly<Record<string, (...params: readonly unknown[]) => unknown>>;

export interface ScriptedEndpoint extends Endpoint {
  script: Script;
  /** Failing for so long that nobody waits for it. */
  out: boolean;
  rests: number;
  /** Methods in the order they were asked. */
  readonly asked: string[];
}

export function scriptedEndpoint(name: string, script: Script = {}): ScriptedEndpoint {
  const asked: string[] = [];
  const endpoint: ScriptedEndpoint = {
    ...{ name, script, asked, slot: 0n, out: false, rests: 0 },
    async ask(call) {
      const connection = new Proxy({} as Connection, {
        get:
          (_, method: string) =>
          async (...params: readonly unknown[]) => {
            asked.push(method);
            const answer = endpoint.script[method];
            if (answer === undefined) throw new EndpointError({ type: "silent" });
            return answer(...params);
          },
      });
      try {
        return ok(await call(connection));
      } catch (error) {
        return err(failureOf(error));
      }
    },
    failure: () => undefined,
    isOut: () => endpoint.out,
    restsFor: () => endpoint.rests,
    close: () => undefined,
  };
  return endpoint;
}

/** Answers with a failure. */
export function failing(failure: Failure): () => never {
  return () => {
    throw new EndpointError(failure);
  };
}

/** A transaction as web3.js hands it over. */
export interface Landed {
  readonly signature: string;
  readonly slot: number;
  readonly told: { readonly slot: number; readonly transaction: unknown; readonly meta: Record<string, unknown> };
}

/** The nth transaction there is, in a slot, with more or other members of its `meta`. */
export function landed(n: number, slot: number, meta: Readonly<Record<string, unknown>> = {}): Landed {
  const merchant = addressOf("merchant");
  const blockhash = toBase58(crypto.sha256(Uint8Array.of(n)));
  const instructions = [createLiquidityVault(at, merchant, usdc)];
  const wire = signTransaction({ payer: merchant, instructions, blockhash }, [wallets.merchant], crypto);
  const { message, signatures } = VersionedTransaction.deserialize(wire);
  const texts = signatures.map((bytes) => toBase58(bytes));
  const usual = { err: null, logMessages: ["a log"], innerInstructions: [], loadedAddresses: undefined };
  const told = { slot, transaction: { message, signatures: texts }, meta: { ...usual, ...meta } };
  return { signature: texts[0] ?? "", slot, told };
}

/** Everything that was set in motion has come to its end. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 50; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
