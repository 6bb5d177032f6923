/**
 * A node whose memory of spent challenges is full: every proof is refused until one of them expires. The memory is
 * filled past admission, because through it it takes as many proofs. Source: protocol 03 B.6; DESIGN L10.
 */

import { CHALLENGE_LIFETIME_MS } from "../../core/domains/wallet-proofs/nonce.ts";
import { SPENT_NONCES_MAX } from "../../core/domains/wallet-proofs/queries.ts";
import { SpentNonces } from "../../core/domains/wallet-proofs/schema.ts";
import { marketplace, tables } from "../../core/domains.ts";
import { step } from "../../core/engine/step.ts";
import { openStore } from "../../core/kernel/state.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { later } from "../../core/kernel/values.ts";
import type { LoneNode } from "./lone-node.ts";
import { crypto, gossipOnly, usualProfile } from "./lone-node.ts";

export function tiredNode(now: EpochMillis): Pick<LoneNode, "body"> {
  const store = openStore(crypto, tables);
  const record = { expires_at: later(now, CHALLENGE_LIFETIME_MS) };
  store.commit(Array.from({ length: SPENT_NONCES_MAX }, (_, i) => ({ table: SpentNonces.name, key: `${i}`, record })));
  const context = {
    ...{ store, crypto, configuration: gossipOnly(usualProfile()) },
    ...{ bootSeed: new Uint8Array(32), network: marketplace },
  };
  let number = 0;
  return {
    body(text) {
      const input = { type: "rpc.called", replyTo: "1", body: text, now, number: number++ } as const;
      const { changes, effects } = step(context, input);
      store.commit(changes);
      return effects.flatMap((effect) => (effect.type === "rpc.reply" ? [effect.body] : []))[0] ?? null;
    },
  };
}
