/**
 * Challenges for wallet-proof reads. Issuing one writes nothing.
 * Source: protocol 03 B.4.
 */

import { call } from "../../engine/method.ts";
import { ruleOf } from "../../engine/overrides.ts";
import { err, ok } from "../../kernel/result.ts";
import { struct } from "../../kernel/schema-composites.ts";
import { fromBase58, toBase64 } from "../../kernel/text.ts";
import { later, Text } from "../../kernel/values.ts";
import { CHALLENGE_LIFETIME_MS, issueNonce } from "./nonce.ts";
import { WalletChallenge } from "./schema.ts";
import { walletSpelled } from "./spelling.ts";

export const walletProofMethods = {
  getWalletChallenge: challenge(
    "Issues a single-use challenge for any wallet-proof read; the subject comes back in the caller's spelling.",
  ),
  getCounterpartiesChallenge: challenge(
    "Issues the same challenge as getWalletChallenge, under the name that getCounterparties is documented with.",
  ),
};

function challenge(doc: string) {
  return call({
    kind: "query",
    params: struct("WalletParams", { wallet: Text }),
    result: WalletChallenge,
    source: "OFS-8200 §7; protocol 03 B.4",
    doc,
    run(context, params) {
      const wallet = ruleOf(context.configuration, walletSpelled)(params.wallet);
      if (wallet === undefined) return err({ type: "params", reason: "wallet must be a peer id in base64 or base58" });
      const subject = fromBase58(wallet.peer) ?? new Uint8Array(0);
      const expires = later(context.now, CHALLENGE_LIFETIME_MS);
      return ok({
        subject: wallet.form === "base64" ? toBase64(subject) : wallet.peer,
        nonce: issueNonce(context.crypto, context.bootSeed, context.number, { ledger: "wallet", subject }, expires),
        expires_at: expires,
      });
    },
  });
}
