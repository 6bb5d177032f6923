/**
 * Goal: what concerns everybody is told to each wallet that enables its category, and to no other (protocol 04 §6.6).
 * Method: an occasion for all subscribers planned over a node's real memory; proposals through the ingress of a node
 * that has read the chain's result.
 */

import { describe, expect, test } from "vitest";
import { ProposalActivate, ProposalCreate, ProposalWithdraw } from "../../core/domains/governance/schema.ts";
import { Resolutions } from "../../core/domains/governance/tables.ts";
import { planOccasion } from "../../core/domains/notifications/planning.ts";
import type { Occasion } from "../../core/domains/notifications/triggers.ts";
import { marketplace } from "../../core/domains.ts";
import { stepContextOf } from "../../core/engine/step-context.ts";
import { devnetNetwork } from "../../core/index.ts";
import { toHex } from "../../core/kernel/bytes.ts";
import { compactWriter } from "../../core/kernel/compact.ts";
import { openStore } from "../../core/kernel/state.ts";
import { utf8 } from "../../core/kernel/text.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { crypto, gossipOnly, loneNode } from "../rpc/lone-node.ts";
import {
  at,
  buyer,
  gateway,
  merchant,
  posted,
  register,
  rival,
  send,
  subscribe,
  T,
  toldOf as toldTo,
} from "./stage.ts";

/** The wallets that are told of a proposal, in order. */
function toldOf(recipients: Occasion["recipients"]): readonly string[] {
  const node = loneNode(T);
  register(node);
  subscribe(node, merchant, { enabled_categories: ["Governance", "Trading", "Governance"] });
  subscribe(node, buyer, { enabled_categories: ["Trading"] });
  subscribe(node, rival, { enabled_categories: ["Governance"] });
  subscribe(node, gateway, { enabled_categories: ["Governance"], destinations: [] });
  const context = stepContextOf(node.view, {
    ...{ now: T, number: 1, bootSeed: new Uint8Array(32), identities: openStore(crypto, []).identities },
    ...{ crypto, configuration: gossipOnly(devnetNetwork), registry: marketplace },
  });
  planOccasion(context, "ProposalPublished", { source: new Uint8Array(32), recipients });
  return context.effects.flatMap((effect) =>
    effect.type === "notification.deliver" ? [posted(effect).recipient_wallet] : [],
  );
}

test("every subscriber to the category, in order of wallet, once", () => {
  expect(toldOf("subscribers")).toEqual([merchant.peer, rival.peer].sort((a, b) => (a < b ? -1 : 1)));
});

test("named recipients in the order they are named, once, and only if they want it", () => {
  expect(toldOf([rival.peer, buyer.peer, merchant.peer, rival.peer])).toEqual([rival.peer, merchant.peer]);
});

const proposal = {
  ...{ id: "p-1", title: "A title", summary: "", category: "Protocol" as const, author: rival.peer },
  ...{ author_public_key: rival.key, onchain_proposal_id: 7n, timestamp: T },
};

/** A node with one subscriber; `accepted` when it has read that the chain accepted the proposal. */
function governed(accepted: boolean): LoneNode {
  const writer = compactWriter();
  Resolutions.record.encode(
    {
      ...{ offchain_id_hash: toHex(crypto.sha256(utf8(proposal.id))), proposer: rival.key },
      ...{ state: "Accepted", votes_for: 2n, votes_against: 1n, voting_ends_at: T },
    },
    writer,
  );
  const row = { table: Resolutions.name, key: "7", bytes: writer.finish() };
  const node = loneNode(T, undefined, accepted ? new Map([["resolution", row]]) : undefined);
  register(node);
  subscribe(node, merchant, { enabled_categories: ["Governance"] });
  return node;
}

describe("proposals", () => {
  const { id, author } = proposal;
  const acts = (node: LoneNode) => ({
    publish: () => expect(send(node, ProposalCreate, proposal, rival)).toBe(id),
    activate: (timestamp = at(1)) => node.gossip(ProposalActivate, { proposal_id: id, author, timestamp }, rival),
    withdraw: () => node.gossip(ProposalWithdraw, { proposal_id: id, author, timestamp: at(1) }, rival),
  });

  test("are told when published, and when the author activates one that the chain accepted", () => {
    const node = governed(true);
    const { publish, activate } = acts(node);
    publish();
    expect(toldTo(node)).toEqual(["ProposalPublished merchant"]);
    activate(at(2));
    activate(at(3));
    activate(at(1));
    expect(toldTo(node)).toEqual(["ProposalPublished merchant", "ProposalActivated merchant"]);
  });

  test("are not told as activated while the chain has not accepted them, nor when withdrawn", () => {
    const node = governed(false);
    const { publish, activate, withdraw } = acts(node);
    publish();
    activate();
    withdraw();
    expect(toldTo(node)).toEqual(["ProposalPublished merchant"]);
  });
});
