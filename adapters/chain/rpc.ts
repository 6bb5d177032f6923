/**
 * The chain port over Solana JSON-RPC: polls slots and watched addresses at finalized, reads accounts,
 * submits to every endpoint. Reads go round the endpoints; a failed one waits longer each time.
 * Source: protocol 03 C.2, C.6, A.10.3 R3-R8.
 */
import { Connection, PublicKey } from "@solana/web3.js";
import bs58 from "bs58";
import type { ChainObservation } from "../../core/index.ts";
import type { ChainPort, ObserveChain } from "../../core/ports/chain.ts";

/** How often the chain is asked, in milliseconds. Source: protocol 03 C.7. */
const POLL_MS = 10_000;
/** Longest pause after failures, in milliseconds. Source: ours. */
const POLL_MS_MAX = 60_000;
/** Watched addresses at most. Source: ours (L10). */
const WATCHES_MAX = 100_000;

interface Watched {
  /** Newest signature that was told. */
  newest: string | undefined;
}

/** Opens the port; asks at once, then on an interval that grows while nothing answers. */
export function openRpcChain(urls: readonly string[], observe: ObserveChain): ChainPort {
  const connections = urls.map((url) => new Connection(url, "finalized"));
  const watched = new Map<string, Watched>();
  let turn = 0;
  let failures = 0;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  const next = (): Connection => connections[turn++ % connections.length] as Connection;
  const tell = (observation: ChainObservation): void => {
    if (!closed) observe(observation);
  };

  async function poll(): Promise<void> {
    try {
      const connection = next();
      const { value, context } = await connection.getLatestBlockhashAndContext("confirmed");
      tell({ type: "slot", slot: BigInt(context.slot), blockhash: value.blockhash });
      for (const [address, state] of watched) await follow(connection, address, state);
      failures = 0;
    } catch (error) {
      failures += 1;
      tell({ type: "unavailable", reason: error instanceof Error ? error.message : String(error) });
    }
    if (!closed) timer = setTimeout(() => void poll(), Math.min(POLL_MS * 2 ** Math.min(failures, 3), POLL_MS_MAX));
  }

  /** Tells what happened on an address since last time, oldest first. */
  async function follow(connection: Connection, address: string, state: Watched): Promise<void> {
    const until = state.newest === undefined ? {} : { until: state.newest };
    const found = await connection.getSignaturesForAddress(new PublicKey(address), until, "finalized");
    for (const { signature } of found.reverse()) {
      const seen = await connection.getTransaction(signature, {
        commitment: "finalized",
        maxSupportedTransactionVersion: 0,
      });
      if (seen === null) return;
      tell({
        type: "transaction",
        address,
        signature,
        slot: BigInt(seen.slot),
        commitment: "finalized",
        succeeded: seen.meta?.err === null,
        wire: wireOf(seen.transaction),
        logs: seen.meta?.logMessages ?? [],
      });
      state.newest = signature;
    }
  }

  async function read(address: string, slot: bigint): Promise<void> {
    try {
      const options = { commitment: "finalized", minContextSlot: Number(slot) } as const;
      const { value, context } = await next().getAccountInfoAndContext(new PublicKey(address), options);
      const account = value && {
        owner: value.owner.toBase58(),
        lamports: BigInt(value.lamports),
        data: new Uint8Array(value.data),
      };
      tell({ type: "account", address, slot: BigInt(context.slot), account });
    } catch (error) {
      tell({ type: "unavailable", reason: error instanceof Error ? error.message : String(error) });
    }
  }

  async function submit(signature: string, bytes: Uint8Array): Promise<void> {
    const sent = await Promise.allSettled(connections.map((connection) => connection.sendRawTransaction(bytes)));
    if (sent.some((each) => each.status === "fulfilled")) return tell({ type: "submitted", signature });
    const [first] = sent;
    const reason =
      first?.status === "rejected" && first.reason instanceof Error ? first.reason.message : "no endpoint took it";
    tell({ type: "refused", signature, reason });
  }

  void poll();
  return {
    watch(address) {
      if (watched.size < WATCHES_MAX && !watched.has(address)) watched.set(address, { newest: undefined });
    },
    unwatch: (address) => void watched.delete(address),
    read: (address, slot) => void read(address, slot),
    submit: (signature, bytes) => void submit(signature, bytes),
    close(done) {
      closed = true;
      clearTimeout(timer);
      done();
    },
  };
}

/** The transaction as it was signed: signatures, then the message. */
function wireOf(transaction: {
  readonly signatures: readonly string[];
  readonly message: { serialize(): Uint8Array };
}): Uint8Array {
  const signatures = transaction.signatures.map((text) => bs58.decode(text));
  const message = transaction.message.serialize();
  const wire = new Uint8Array(1 + 64 * signatures.length + message.length);
  wire[0] = signatures.length;
  for (const [place, signature] of signatures.entries()) wire.set(signature, 1 + 64 * place);
  wire.set(message, 1 + 64 * signatures.length);
  return wire;
}
