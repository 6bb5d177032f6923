/**
 * Who has a wallet in a served network, as clients and wallets of a chain take it. These are keys that a seed gives to
 * everybody who knows it: they are for networks of this kind alone. Source: DESIGN section 6 "serve".
 */
import type { Infer } from "../../core/index.ts";
import { bool, concat, list, struct, toBase58 } from "../../core/index.ts";
import { plainText, small } from "../../core/testing.ts";
import type { Wallet } from "../wallet.ts";
import type { World } from "../world.ts";
import { servedPeople } from "./live-world.ts";

/** A wallet with its keys. */
export const WalletData = struct("Wallet", {
  name: plainText,
  address: plainText,
  peer: plainText,
  secretKey: plainText,
  keyfile: list(small(8)),
  merchant: bool,
  arbitrator: bool,
});
/** A wallet with its keys: base58 of secret and public key, and the same as the array of a keyfile of Solana. */
export type WalletData = Infer<typeof WalletData>;

/** The wallets that are funded from the first day, in the order of the scenario. */
export function fundedWallets(world: World): readonly WalletData[] {
  return servedPeople.map(({ name }) => walletData(world.walletOf(name)));
}

/** A wallet as others can take it up. */
export function walletData({ name, address, peer, keypair }: Wallet): WalletData {
  const both = concat(keypair.secretKey, keypair.publicKey);
  const person = servedPeople.find((one) => one.name === name);
  return {
    ...{ name, address, peer, secretKey: toBase58(both), keyfile: [...both] },
    merchant: person?.merchant === true,
    arbitrator: person?.arbitratorStake !== undefined,
  };
}
