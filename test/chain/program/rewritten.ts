/**
 * An account with other fields. What lies behind the fields of a dispute case, the buyer's mark, stays where the
 * fields leave it room. Source: adapters/chain/program/README.md, "Parties as arbitrators".
 */
import type { AccountLayout } from "../../../core/solana/accounts.ts";
import { encodeAccount } from "../../../core/solana/accounts.ts";
import type { ChainAccount } from "../../../sim/chain/executor.ts";

const MARK_BYTES = 16;

/** The account as if these were its fields. */
export function rewritten<T extends object>(kind: AccountLayout<T>, account: ChainAccount, value: T): ChainAccount {
  const data = encodeAccount(kind, value);
  const markAt = kind.bytesAllocated - MARK_BYTES;
  const end = kind.discriminator.length + kind.fields.write(value).length;
  if (end <= markAt) data.set(account.data.subarray(markAt), markAt);
  return { ...account, data };
}
