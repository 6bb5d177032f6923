/**
 * What touched an address lately and can still be undone: told as confirmed once the endpoints agree on it, and again
 * when a fork moved it. Endpoints on different forks contradict each other without lying, so nobody is named.
 * Source: protocol 03 A.10.3 R6.
 */
import { PublicKey } from "@solana/web3.js";
import type { ChainObservation } from "../../core/index.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import type { Endpoint } from "./endpoint.ts";
import { slotNumber } from "./head.ts";
import { whenEnough } from "./pace.ts";
import { liarsOf } from "./quorum.ts";
import type { SeenTransaction } from "./seen-transaction.ts";
import { askTransaction, observationOf } from "./seen-transaction.ts";
import type { Telling } from "./transaction-agreement.ts";
import { agreementOf, isWhole } from "./transaction-agreement.ts";

/**
 * Unfinalized transactions of one address that are looked at; the rest are told once they are final. Source: DESIGN
 * "Bounds".
 */
const TAIL_MAX = 100;

export interface Tail {
  readonly address: string;
  /** Signatures told as confirmed, and where each stood. */
  readonly toldSlots: Map<string, bigint>;
  /** Whether it was told as final. */
  readonly isFinal: (signature: string) => boolean;
  /** The newest signature known to be final at the endpoint of a place. */
  readonly newestFinal: (place: number) => string | undefined;
}

export interface TailOptions {
  readonly endpoints: readonly Endpoint[];
  readonly crypto: CryptoPort;
  readonly tell: (observation: ChainObservation) => void;
}

/** Tells what is confirmed and was not told where it stands. */
export async function tellTail(options: TailOptions, tail: Tail): Promise<void> {
  const { address, toldSlots } = tail;
  const liars = liarsOf(options.endpoints.length);
  const asked = options.endpoints.map((endpoint, place) => list(endpoint, address, tail.newestFinal(place)));
  const listed = await whenEnough(asked, [], (_, left) => left <= liars);
  const slots = new Map(listed.flat().toReversed());
  for (const signature of toldSlots.keys()) if (tail.isFinal(signature)) toldSlots.delete(signature);
  const inOrder = [...slots].sort(([, a], [, b]) => (a === b ? 0 : a < b ? -1 : 1)).slice(0, TAIL_MAX);
  for (const [signature, slot] of inOrder) {
    if (tail.isFinal(signature) || toldSlots.get(signature) === slot) continue;
    const seen = await agreed(options, signature);
    if (seen === undefined || tail.isFinal(signature) || toldSlots.get(signature) === seen.slot) continue;
    toldSlots.set(signature, seen.slot);
    options.tell(observationOf(seen, signature, address, "confirmed"));
  }
}

/** Newest first. */
async function list(
  endpoint: Endpoint,
  address: string,
  until: string | undefined,
): Promise<readonly (readonly [string, bigint])[]> {
  const query = { limit: TAIL_MAX, ...(until !== undefined && { until }) };
  const found = await endpoint.ask((connection) =>
    connection.getSignaturesForAddress(new PublicKey(address), query, "confirmed"),
  );
  if (!found.ok) return [];
  const succeeded = found.value.slice(0, TAIL_MAX).filter(({ err }) => !err);
  return succeeded.map(({ signature, slot }) => [signature, slotNumber(slot)] as const);
}

/** The transaction as enough endpoints tell it. */
async function agreed({ endpoints, crypto }: TailOptions, signature: string): Promise<SeenTransaction | undefined> {
  const asked = endpoints.map(async (endpoint): Promise<Telling> => {
    const answer = await askTransaction(endpoint, crypto, signature, "confirmed");
    if (answer.ok) return { type: "told", seen: answer.value };
    return { type: endpoint.isOut() ? "mute" : "waits" };
  });
  const agreement = agreementOf(await whenEnough(asked, { type: "waits" }, isWhole));
  return agreement.type === "agreed" ? (agreement.seen ?? undefined) : undefined;
}
