/**
 * Goal: what the chain did is told once, when it changes a settlement or a case, under the transaction's own name
 * (protocol 04 §6.5, §6.12). Method: a chain fact folded into a step over a node's real memory, then planned.
 */

import { expect, test } from "vitest";
import { notificationId } from "../../core/domains/notifications/identity.ts";
import { planNotifications } from "../../core/domains/notifications/planning.ts";
import { SETTLEMENT_UNIT } from "../../core/domains/trade/settlements/fold.ts";
import { groupOfFact } from "../../core/domains/trade/settlements/reservation-numbers.ts";
import type { ChainFact } from "../../core/domains/trade/settlements/schema.ts";
import { ChainFacts } from "../../core/domains/trade/settlements/tables.ts";
import { marketplace } from "../../core/domains.ts";
import { foldOf, stepContextOf } from "../../core/engine/step-context.ts";
import { devnetNetwork } from "../../core/index.ts";
import { toHex } from "../../core/kernel/bytes.ts";
import { compactWriter } from "../../core/kernel/compact.ts";
import { openStore } from "../../core/kernel/state.ts";
import { utf8 } from "../../core/kernel/text.ts";
import type { MintAddress } from "../../core/kernel/values.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { crypto, gossipOnly, loneNode } from "../rpc/lone-node.ts";
import { acts, at, buyer, merchant, paidTrade, posted, register, subscribe, T } from "./stage.ts";

const released: ChainFact = {
  kind: "released",
  reservation: 42n,
  buyer: buyer.key,
  seller: merchant.key,
  mint: "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU" as MintAddress,
  amount: 20n,
  resolution: null,
  terminal_split: null,
  transaction: "release",
  timestamp: at(20),
};
const decided = (resolution: ChainFact["resolution"]): ChainFact => ({
  ...released,
  kind: "decided",
  transaction: "decision",
  resolution,
  terminal_split: resolution === null ? "NoConsensus" : null,
});

function staged(disputed: boolean): LoneNode {
  const node = loneNode(T);
  register(node);
  for (const party of [merchant, buyer]) subscribe(node, party);
  paidTrade(node);
  if (disputed) acts.dispute(node);
  else acts.approve(node);
  return node;
}

/** What is ordered when a node observes these facts, one after another in one step each. */
function toldOf(node: LoneNode, ...batches: readonly (readonly ChainFact[])[]): readonly string[] {
  const told: string[] = [];
  let base = node.view;
  for (const facts of batches) {
    const context = stepContextOf(base, {
      ...{ now: T, number: 1, bootSeed: new Uint8Array(32) },
      ...{ crypto, configuration: gossipOnly(devnetNetwork), identities: openStore(crypto, []).identities },
      registry: marketplace,
    });
    const fold = foldOf(context);
    for (const fact of facts) {
      const writer = compactWriter();
      ChainFacts.record.encode(fact, writer);
      context.draft.put(ChainFacts, toHex(crypto.sha256(writer.finish())), fact);
      fold.mark(SETTLEMENT_UNIT, groupOfFact(fact));
    }
    fold.run();
    planNotifications(context);
    base = context.draft;
    for (const effect of context.effects) {
      if (effect.type !== "notification.deliver") continue;
      const { trigger, recipient_wallet, notification_id } = posted(effect);
      const source = [...facts]
        .flatMap(({ transaction }) => transaction ?? [])
        .find((transaction) =>
          [merchant, buyer].some(
            ({ peer }) => notificationId(crypto, trigger as never, utf8(transaction), peer) === notification_id,
          ),
        );
      told.push(`${trigger} ${recipient_wallet === buyer.peer ? "buyer" : "merchant"} ${source}`);
    }
  }
  return told;
}

const both = (trigger: string, source: string) => [`${trigger} buyer ${source}`, `${trigger} merchant ${source}`];

test("a release is told to both parties, and the same release again to nobody", () => {
  expect(toldOf(staged(false), [released], [released])).toEqual(both("EscrowReleased", "release"));
});

test("a release of what is still awaited is told too", () => {
  const node = loneNode(T);
  register(node);
  for (const party of [merchant, buyer]) subscribe(node, party);
  acts.advertise(node);
  acts.reserve(node);
  acts.initiate(node);
  expect(toldOf(node, [released])).toEqual(both("EscrowReleased", "release"));
});

test("a decision for the buyer releases the escrow and closes the case", () => {
  expect([...toldOf(staged(true), [decided("BuyerWins")])].sort((a, b) => (a < b ? -1 : 1))).toEqual([
    ...both("EscrowReleased", "decision"),
    ...both("ResolutionIssued", "decision"),
  ]);
});

test.each(["MerchantWins", "Invalid"] as const)("a decision of %s closes the case alone", (resolution) => {
  expect(toldOf(staged(true), [decided(resolution)], [decided(resolution)])).toEqual(
    both("ResolutionIssued", "decision"),
  );
});

test("a case that the chain closed without a verdict is told as closed", () => {
  expect(toldOf(staged(true), [decided(null)]).filter((line) => line.startsWith("Resolution"))).toEqual(
    both("ResolutionIssued", "decision"),
  );
});

test("what is known of the chain later changes nothing that was told", () => {
  const release = toldOf(staged(true), [decided("BuyerWins")], [released]);
  expect(release.filter((line) => line.startsWith("Escrow"))).toEqual(both("EscrowReleased", "decision"));
  const earlier = { ...decided("MerchantWins"), transaction: "earlier", timestamp: at(10) };
  expect(toldOf(staged(true), [decided("MerchantWins")], [earlier])).toEqual(both("ResolutionIssued", "decision"));
});

test("a fact about a trade that is not known here is told to nobody", () => {
  expect(toldOf(staged(true), [{ ...released, reservation: 43n }])).toEqual([]);
  expect(toldOf(staged(true), [{ ...released, amount: 21n }])).toEqual([]);
});
