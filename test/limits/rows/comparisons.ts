/**
 * Limits on what is remembered of comparisons: refusals, and ranges in which nothing was to be moved.
 */

import { PaymentSubmitted } from "../../../core/domains/trade/settlements/schema.ts";
import { encodeCompact } from "../../../core/kernel/schema.ts";
import type { Statement } from "../../../core/kernel/signed.ts";
import { statementOf } from "../../../core/kernel/signed.ts";
import type { EpochMillis, PeerId, Signature } from "../../../core/kernel/values.ts";
import { ComparedRanges, noteRange } from "../../../core/network/gossip/idle-ranges.ts";
import { isRefused, Refusals, remember } from "../../../core/network/gossip/refused.ts";
import { onRuleChange, profileHash, RuleChange, rulesLacked } from "../../../core/network/gossip/rule-changes.ts";
import { meet } from "../../../core/network/peers/peers.ts";
import { crypto, person } from "../../rpc/lone-node.ts";
import { buyer, T } from "../../rpc/node-with-settlement.ts";
import type { CrowdedNode } from "../crowded-node.ts";
import { crowdedNode } from "../crowded-node.ts";
import type { Limit } from "../limit.ts";
import { least, most } from "../limit.ts";

/** Fewer would fill their own parts before the whole. */
const PEERS = 15;
const digests = { own: new Uint8Array(16), theirs: new Uint8Array(16) };

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

/** Whether the first range of a peer is remembered once so many are, of it or of several with as many each. */
function ranges(n: number, peers: number): string {
  const node = crowdedNode(T);
  const people = Array.from({ length: peers }, (_, nth) => person(0x51 + nth).peer);
  node.withContext((context) => {
    for (const each of people) meet(context, each, null);
    for (let nth = 0; nth < n; nth++) {
      const range = { peer: people[nth % peers] as PeerId, prefix: `${nth}`, ...digests };
      noteRange(context, range, true);
    }
  });
  return node.store.get(ComparedRanges, `${people[0]}/0`) === undefined ? "forgotten" : "remembered";
}

const REMEMBERED_OR_FORGOTTEN = { within: "remembered", beyond: "forgotten" };

/** Whether a node that dialled nobody lacks rules when so many come, and all tell of them. */
function toldOfRules(n: number): string {
  const node = crowdedNode(T);
  const from = 1n as EpochMillis;
  return node.withContext((context) => {
    for (let nth = 0; nth < n; nth++) {
      const { peer } = person(0x51 + nth);
      meet(context, peer, null);
      const told = { from, before: profileHash(context, from), after: new Uint8Array(32) };
      onRuleChange(context, peer, encodeCompact(RuleChange, told));
    }
    return rulesLacked(context.draft).from === undefined ? "not heard" : "lacks rules";
  });
}

export const limits: readonly Limit[] = [
  most("core/network/gossip/refused.ts REFUSED_MAX", 65_536, refusals, REMEMBERED_OR_FORGOTTEN),
  most("core/network/gossip/idle-ranges.ts RANGES_PER_PEER_MAX", 8_192, (n) => ranges(n, 1), REMEMBERED_OR_FORGOTTEN),
  most("core/network/gossip/idle-ranges.ts RANGES_MAX", 65_536, (n) => ranges(n, PEERS), REMEMBERED_OR_FORGOTTEN),
  least("core/network/gossip/rule-changes.ts TOLD_BY_LEAST", 3, toldOfRules, {
    within: "lacks rules",
    beyond: "not heard",
  }),
];
