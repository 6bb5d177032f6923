/**
 * A node that takes a statement as a peer pushes it: decoding, admission, the fold, and every reaction to what changed.
 * Whatever is signed is taken for signed well, so that no figure holds the time of a signature's check, which does not
 * depend on what there is. Source: CONVERGENCE B5.
 */
import { marketplace } from "../../core/domains.ts";
import { Statements } from "../../core/engine/statements/table.ts";
import { step } from "../../core/engine/step.ts";
import { devnetNetwork, peerOfKey } from "../../core/index.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { at, crypto, stranger } from "../convergence/actors.ts";
import type { Replica } from "../convergence/replica.ts";
import { gossipOnly, pushFrame } from "../rpc/lone-node.ts";

const trusting = { ...crypto, verify: () => true };
const configuration = gossipOnly(devnetNetwork);
/** No statement of a row is dated later than the clocks of two nodes may differ by. */
const NOW = at(10);

/** One push that nobody has answered yet; what it comes to is committed, and the rows that it writes are counted. */
export function taking(replica: Replica): (statement: Statement) => () => number {
  let number = 1;
  return (statement) => {
    number += 1;
    const now = statement.timestamp > NOW ? statement.timestamp : NOW;
    // Another link each time: none runs out of credit.
    const from = peerOfKey(crypto.sha256(Uint8Array.of(number & 255, number >> 8)));
    const bytes = pushFrame(statement.type, statement.payload as never, stranger, now as EpochMillis);
    const input = { type: "message.received" as const, from, replyTo: `${number}`, bytes, now, number };
    return () => {
      const store = replica.store();
      const node = { store, crypto: trusting, configuration, bootSeed: new Uint8Array(32), network: marketplace };
      const { changes } = step(node, input);
      store.commit(changes);
      if (store.get(Statements, statement.identity) === undefined)
        throw new Error(`a ${statement.type.name} was not taken`);
      return changes.length;
    };
  };
}
