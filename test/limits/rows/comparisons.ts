/**
 * Limits on what is remembered of comparisons: refusals, and ranges in which nothing was to be moved.
 */

import { PaymentSubmitted } from "../../../core/domains/trade/settlements/schema.ts";
import type { Statement } from "../../../core/kernel/signed.ts";
import { statementOf } from "../../../core/kernel/signed.ts";
import type { Signature } from "../../../core/kernel/values.ts";
import { ComparedRanges, noteRange } from "../../../core/network/gossip/idle-ranges.ts";
import { isRefused, Refusals, remember } from "../../../core/network/gossip/refused.ts";
import { crypto, person } from "../../rpc/lone-node.ts";
import { buyer, T } from "../../rpc/node-with-settlement.ts";
import type { CrowdedNode } from "../crowded-node.ts";
import { crowdedNode } from "../crowded-node.ts";
import type { Limit } from "../limit.ts";
import { most } from "../limit.ts";

const peer = person(0x51).peer;

function payment(n: number): Statement {
  const payload = { settlement_id: `set-${n}`, buyer: buyer.peer, payment_reference: null, timestamp: T };
  return statementOf(crypto, PaymentSubmitted, payload, "" as Signature, "bare");
}

/** Whether the first refusal is remembered once there are so many. */
function refusals(n: number): string {
  const node = crowdedNode(T);
  const isKept = (change: (node: CrowdedNode) => void) => {
    node.withContext((context) => remember(context, payment(1), "space"));
    change(node);
    return node.withContext((context) => {
      remember(context, payment(2), "space");
      return isRefused(context, payment(1).identity);
    });
  };
  return isKept(() => node.holds(Refusals, n - 1)) ? "remembered" : "forgotten";
}

function ranges(change: (node: CrowdedNode) => void): string {
  const node = crowdedNode(T);
  change(node);
  const digests = { own: new Uint8Array(16), theirs: new Uint8Array(16) };
  node.withContext((context) => noteRange(context, { peer, prefix: "0", ...digests }, true));
  return [...node.store.keys(ComparedRanges)].length > 0 ? "remembered" : "forgotten";
}

const REMEMBERED_OR_FORGOTTEN = { within: "remembered", beyond: "forgotten" };

export const limits: readonly Limit[] = [
  most("core/network/gossip/refused.ts REFUSED_MAX", 65_536, refusals, REMEMBERED_OR_FORGOTTEN),
  most(
    "core/network/gossip/idle-ranges.ts RANGES_PER_PEER_MAX",
    8_192,
    (n) => ranges((node) => node.holdsUnder(ComparedRanges, "peer", peer, n - 1)),
    REMEMBERED_OR_FORGOTTEN,
  ),
  most(
    "core/network/gossip/idle-ranges.ts RANGES_MAX",
    65_536,
    (n) => ranges((node) => node.holds(ComparedRanges, n - 1)),
    REMEMBERED_OR_FORGOTTEN,
  ),
];
