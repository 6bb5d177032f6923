/**
 * The reference's way to the chain. Source: protocol 03 C.3, C1, C5, W-10.
 */

import { originsPassedOn } from "../domains/chain-bridge/gossip.ts";
import { acceptedSignature, relay } from "../domains/chain-bridge/methods.ts";
import { isHardlyNewer } from "../domains/chain-bridge/observe.ts";
import { override } from "../engine/overrides.ts";
import { firstSignatureOf } from "../solana/transaction.ts";

export const chainBridgeOverrides = [
  /** A transaction is taken whether it can land or not. Source: protocol 03 C.3, C2. */
  override(acceptedSignature, (bytes) => firstSignatureOf(bytes)),
  /** A node without an endpoint queues a transaction and forgets it. Source: protocol 03 W-10. */
  override(relay, () => undefined),
  /** A slot is announced however little it advanced. Source: protocol 03 C5. */
  override(isHardlyNewer, () => false),
  /** One announcement of a blockhash and its slot is passed on. Source: protocol 03 C.4. */
  override(originsPassedOn, () => 1),
];
