/**
 * The payloads of chain events. Source: protocol 03 C.5.
 */

import { option, struct } from "../../kernel/schema-composites.ts";
import { byteArray, u64 } from "../../kernel/schema-scalars.ts";
import { EpochMillis, Text } from "../../kernel/values.ts";

/** Number and priority of chain events. Source: protocol 03 C.5. */
export const CHAIN_EVENT = { ofs_spec: 4300, priority: 0 } as const;
/** A blockhash that a node with an endpoint tells those without. */
export const BlockhashAnnounced = struct("BlockhashAnnounced", {
  blockhash: Text,
  slot: u64,
  observed_at: EpochMillis,
});
export const TransactionRelayRequested = struct("TransactionRelayRequested", {
  tx_bytes: byteArray(null),
  requested_at: EpochMillis,
  correlation: option(Text),
});
/** A transaction that a node handed to the chain for another. */
export const TransactionRelayed = struct("TransactionRelayed", { signature: Text, slot_submitted: u64 });
