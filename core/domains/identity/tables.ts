/**
 * The table of claims. Source: protocol 04 §1.11; CONVERGENCE "Records and ids".
 */

import { table } from "../../kernel/table.ts";
import type { PeerId } from "../../kernel/values.ts";
import { Claim } from "./schema.ts";

const DIGITS_OF_U64 = 20;
const NEVER = (1n << 64n) - 1n;

/** Claims by the identity of the statement that created them. */
export const Claims = table<Claim>("identity_claims", Claim, {
  root: "state",
  indexes: {
    id: (claim) => [claim.id],
    wallet: (claim) => [claim.wallet],
    supersedes: ({ wallet, supersedes }) => (supersedes === null ? [] : [succession(wallet, supersedes)]),
  },
  orders: {
    /** Those that are not revoked and name a file, what expires last or never at the end. */
    avatar: {
      under: ({ claim_type, value, revoked }) => (claim_type === "Avatar" && !revoked ? [value] : []),
      rank: ({ expires_at }) => (expires_at ?? NEVER).toString().padStart(DIGITS_OF_U64, "0"),
    },
  },
});

/** Where the claims are found that replace one: only its own wallet's can. */
export function succession(wallet: PeerId, name: string): string {
  return `${wallet}/${name}`;
}
