/**
 * The one read of reputation. Source: OFS-3000; protocol 04 §2.7.
 */

import { call } from "../../engine/method.ts";
import { readAt, ruleOf } from "../../engine/overrides.ts";
import { err, ok } from "../../kernel/result.ts";
import { struct } from "../../kernel/schema-composites.ts";
import { Text, walletNamed } from "../../kernel/values.ts";
import { ReputationProfile } from "./schema.ts";
import { reputationOf } from "./views.ts";

export const reputationMethods = {
  getReputation: call({
    kind: "query",
    params: struct("WalletParams", { wallet: Text }),
    result: ReputationProfile,
    source: "OFS-3000; protocol 04 §2.7",
    doc: "Counters about a wallet's trades as this node knows them; all zero for an unknown wallet.",
    run(context, params) {
      const wallet = ruleOf(context.configuration, walletNamed)(params.wallet);
      if (wallet === undefined) return err({ type: "params", reason: "wallet must be a peer id in base64 or base58" });
      return ok(reputationOf(context.draft, wallet, readAt(context)));
    },
  }),
};
