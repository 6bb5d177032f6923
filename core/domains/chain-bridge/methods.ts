/**
 * Chain bridge methods. Source: OFS-4300; protocol 03 C.3, C1, C2.
 */

import { call, noParams, query } from "../../engine/method.ts";
import { ruleOf } from "../../engine/overrides.ts";
import type { StepContext } from "../../engine/step-context.ts";
import type { Result } from "../../kernel/result.ts";
import { err, ok } from "../../kernel/result.ts";
import { encodeCompact } from "../../kernel/schema.ts";
import { option, struct } from "../../kernel/schema-composites.ts";
import { bool, enumeration, u64 } from "../../kernel/schema-scalars.ts";
import { fromBase64, toBase58 } from "../../kernel/text.ts";
import { Text } from "../../kernel/values.ts";
import { emitEvent } from "../../network/gossip/originate.ts";
import type { CryptoPort } from "../../ports/crypto.ts";
import { acceptTransaction } from "../../solana/transaction.ts";
import { CHAIN_EVENT, TransactionRelayRequested } from "./gossip-events.ts";
import { submitOnce } from "./submissions.ts";
import { slotView } from "./view.ts";

const ChainStatus = struct("ChainStatus", {
  mode: enumeration("RpcConnected", "GossipOnly"),
  blockhash: option(Text),
  slot: option(u64),
  age_ms: option(u64),
});

export const chainBridgeMethods = {
  getChainStatus: query({
    params: noParams,
    need: "none",
    result: ChainStatus,
    source: "OFS-4300; protocol 03 C.3",
    doc: "Whether this node has a chain endpoint, and the newest slot and blockhash it knows.",
    read(reader, _, context) {
      const view = slotView(reader, context.now);
      const age = view === undefined ? null : context.now > view.observed_at ? context.now - view.observed_at : 0n;
      return {
        mode: context.configuration.chain,
        blockhash: view?.blockhash ?? null,
        slot: view?.slot ?? null,
        age_ms: age,
      };
    },
  }),
  getLatestBlockhash: call({
    kind: "query",
    params: noParams,
    need: "none",
    result: struct("LatestBlockhash", { blockhash: Text, slot: u64 }),
    errors: ["CHAIN_UNAVAILABLE"],
    source: "OFS-4300; protocol 03 C.3",
    doc: "A fresh blockhash to build a transaction on.",
    run(context) {
      const view = slotView(context.draft, context.now);
      return view === undefined
        ? err({ type: "domain", code: "CHAIN_UNAVAILABLE" })
        : ok({ blockhash: view.blockhash, slot: view.slot });
    },
  }),
  sendTransaction: call({
    kind: "action",
    params: struct("TransactionParams", { data: Text, correlation: option(Text) }),
    result: struct("Queued", { queued: bool }),
    errors: ["MALFORMED_TRANSACTION"],
    source: "OFS-4300; protocol 03 C.3, C1, C2",
    doc: "Hands a signed Solana transaction to the chain, or from a gossip-only node to its peers.",
    run(context, { data, correlation }) {
      const bytes = fromBase64(data);
      if (bytes === undefined)
        return err({ type: "params", reason: "invalid base64: expected the standard alphabet with padding" });
      const taken = ruleOf(context.configuration, acceptedSignature)(bytes, context.crypto);
      if (!taken.ok) return err({ type: "domain", code: "MALFORMED_TRANSACTION" });
      const signature = taken.value;
      if (context.configuration.chain === "RpcConnected") {
        if (signature !== undefined) submitOnce(context, toBase58(signature), bytes, correlation);
      } else {
        ruleOf(context.configuration, relay)(context, bytes, correlation);
      }
      return ok({ queued: true });
    },
  }),
};

/** Hands a transaction to the peers of a node without an endpoint. Source: protocol 03 C1, W-10. */
export function relay(context: StepContext, bytes: Uint8Array, correlation: string | null): void {
  const payload = encodeCompact(TransactionRelayRequested, { tx_bytes: bytes, requested_at: context.now, correlation });
  emitEvent(context, { event_type: "TransactionRelayRequested", ...CHAIN_EVENT, payload }, null);
}

/** The first signature of a transaction that can land. */
export function acceptedSignature(bytes: Uint8Array, crypto: CryptoPort): Result<Uint8Array | undefined, unknown> {
  const accepted = acceptTransaction(bytes, crypto);
  return accepted.ok ? ok(accepted.value.signatures[0]) : accepted;
}
