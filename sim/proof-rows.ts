/**
 * The reads that a proof opens, as a fold over the method table: who attacks proofs, and who checks them, meets a new
 * one the moment it is there. Source: protocol 03 B.3, B.4; 05 §2.3.
 */
import type { MethodRow } from "../core/index.ts";
import { methods } from "../core/index.ts";

export interface ProofRow {
  readonly method: string;
  /** What a proof signs is `<domain>:<subject>:<nonce>`. */
  readonly domain: string;
  /** The method that issues the nonce. */
  readonly challenge: string;
  /** Whom the nonce is issued for: a wallet, or a service by its id. */
  readonly subject: "wallet" | "service";
  /** Whether the read asks for an id beside the four members of a wallet's proof. */
  readonly needsId: boolean;
}

/** Reads of services: their rows do not say how they are proved. Source: protocol 03 B.3; 05 §2.3. */
const OF_SERVICES: Readonly<Record<string, Pick<ProofRow, "domain" | "challenge">>> = {
  getProviderEarnings: { domain: "openfiat-earnings", challenge: "getProviderEarningsChallenge" },
};

export const proofRows: readonly ProofRow[] = Object.entries(methods).flatMap(([method, row]) => rowOf(method, row));

function rowOf(method: string, { access, proof, params }: MethodRow): readonly ProofRow[] {
  const ofService = Object.hasOwn(OF_SERVICES, method) ? OF_SERVICES[method] : undefined;
  if (ofService !== undefined) return [{ method, ...ofService, subject: "service", needsId: false }];
  if (proof !== undefined) return [{ method, ...proof, subject: "wallet", needsId: "id" in params.fields }];
  if (access === "proof") throw new Error(`bug: nobody knows how ${method} is proved`);
  return [];
}

/** A row that another text is signed for, with nonces of the same kind where there is one. */
export function otherRow(row: ProofRow): ProofRow {
  const others = proofRows.filter(({ domain }) => domain !== row.domain);
  return others.find(({ subject }) => subject === row.subject) ?? others[0] ?? row;
}
