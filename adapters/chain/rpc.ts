/**
 * The chain port over Solana JSON-RPC: polls slots and watched addresses at finalized, reads accounts,
 * submits to every endpoint. Reads go round the endpoints; a failed one waits longer each time.
 * Source: protocol 03 C.2, C.6, A.10.3 R3-R8.
 */
import type { Commitment, VersionedTransactionResponse } from "@solana/web3.js";
import { Connection, PublicKey } from "@solana/web3.js";
import bs58 from "bs58";
import type { ChainObservation, InvokedInstruction } from "../../core/index.ts";
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
      const options = { commitment: "finalized", maxSupportedTransactionVersion: 0 } as const;
      const seen = await connection.getTransaction(signature, options);
      if (seen === null) return;
      tell(observationOf(seen, signature, address, "finalized"));
      state.newest = signature;
    }
  }

  async function check(signature: string): Promise<void> {
    try {
      const connection = next();
      // The slots first: what is absent afterwards was absent as of them.
      const [confirmed, finalized] = [await connection.getSlot("confirmed"), await connection.getSlot("finalized")];
      for (const commitment of ["finalized", "confirmed"] as const) {
        const options = { commitment, maxSupportedTransactionVersion: 0 } as const;
        const seen = await connection.getTransaction(signature, options);
        if (seen !== null) return tell(observationOf(seen, signature, null, commitment));
      }
      tell({ type: "absent", signature, confirmed: BigInt(confirmed), finalized: BigInt(finalized) });
    } catch (error) {
      tell({ type: "unavailable", reason: error instanceof Error ? error.message : String(error) });
    }
  }

  async function read(address: string, slot: bigint, commitment: Commitment = "finalized"): Promise<void> {
    try {
      const options = { commitment, minContextSlot: Number(slot) } as const;
      const { value, context } = await next().getAccountInfoAndContext(new PublicKey(address), options);
      const account = value && {
        owner: value.owner.toBase58(),
        lamports: BigInt(value.lamports),
        data: new Uint8Array(value.data),
      };
      const level = commitment === "confirmed" ? "confirmed" : "finalized";
      tell({ type: "account", address, slot: BigInt(context.slot), commitment: level, account });
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
    read: (address, slot, commitment) => void read(address, slot, commitment),
    check: (signature) => void check(signature),
    submit: (signature, bytes) => void submit(signature, bytes),
    close(done) {
      closed = true;
      clearTimeout(timer);
      done();
    },
  };
}

function observationOf(
  seen: VersionedTransactionResponse,
  signature: string,
  address: string | null,
  commitment: "confirmed" | "finalized",
): ChainObservation {
  const loaded = seen.meta?.loadedAddresses;
  const addresses = [...(loaded?.writable ?? []), ...(loaded?.readonly ?? [])].map((key) => key.toBase58());
  return {
    type: "transaction",
    ...{ address, signature, commitment, slot: BigInt(seen.slot), succeeded: seen.meta?.err === null },
    wire: wireOf(seen.transaction),
    logs: seen.meta?.logMessages ?? [],
    loaded: addresses,
    inner: invokedIn(seen, addresses),
  };
}

/** Instructions that programs invoked, their accounts by address. */
function invokedIn(seen: VersionedTransactionResponse, loaded: readonly string[]): readonly InvokedInstruction[] {
  const keys = [...seen.transaction.message.staticAccountKeys.map((key) => key.toBase58()), ...loaded];
  const all = (seen.meta?.innerInstructions ?? []).flatMap((group) => group.instructions);
  return all.map(({ programIdIndex, accounts, data }) => ({
    program: keys[programIdIndex] ?? "",
    accounts: accounts.map((index) => keys[index] ?? ""),
    data: bs58.decode(data),
  }));
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
