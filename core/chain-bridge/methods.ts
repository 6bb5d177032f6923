/**
 * Chain bridge methods. Source: OFS-4300; protocol 03 C.3, C1, C2.
 */

import { emitEvent } from "../gossip/originate.ts";
import { err, ok } from "../kernel/result.ts";
import { encodeCompact } from "../kernel/schema.ts";
import { option, struct } from "../kernel/schema-composites.ts";
import { bool, enumeration, u64 } from "../kernel/schema-scalars.ts";
import { fromBase64, toBase58 } from "../kernel/text.ts";
import { Text } from "../kernel/values.ts";
import { call, noParams, query } from "../method.ts";
import { CHAIN_EVENT, TransactionRelayRequested } from "./gossip.ts";
import { acceptTransaction } from "./transaction.ts";
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
    read(reader, _, turn) {
      const view = slotView(reader, turn.now);
      const age = view === undefined ? null : turn.now > view.observed_at ? turn.now - view.observed_at : 0n;
      return {
        mode: turn.configuration.chain,
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
    run(turn) {
      const view = slotView(turn.draft, turn.now);
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
    run(turn, { data, correlation }) {
      const bytes = fromBase64(data);
      if (bytes === undefined)
        return err({ type: "params", reason: "invalid base64: expected the standard alphabet with padding" });
      const parsed = acceptTransaction(bytes, turn.crypto);
      const signature = parsed.ok ? parsed.value.signatures[0] : undefined;
      if (signature === undefined) return err({ type: "domain", code: "MALFORMED_TRANSACTION" });
      if (turn.configuration.chain === "RpcConnected") {
        turn.emit({ type: "chain.submit", signature: toBase58(signature), bytes });
      } else {
        const payload = encodeCompact(TransactionRelayRequested, {
          tx_bytes: bytes,
          requested_at: turn.now,
          correlation,
        });
        emitEvent(turn, { event_type: "TransactionRelayRequested", ...CHAIN_EVENT, payload }, null);
      }
      return ok({ queued: true });
    },
  }),
};
