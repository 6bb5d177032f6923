// Goal: every kind of attack is data that any scenario can hold, and takes nothing from those who trade beside it.
// Method: one trade among four nodes, told by two people, while each attack comes in turn; the laws of every world, and
// a settlement that must still be paid. Each attack goes through the text of a file first.
import { expect, test } from "vitest";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { decodeCompact } from "../../core/index.ts";
import { Frame } from "../../core/testing.ts";
import { offer, trade } from "../../scenarios/parts/disputed-trade.ts";
import { comesToShow } from "../../sim/actions/expect.ts";
import { advertise, initiate, pay, publishFunded, reserve } from "../../sim/actions/trade.ts";
import { openBackends } from "../../sim/backends.ts";
import type { AttackKind, AttackOf } from "../../sim/byzantine/attacks.ts";
import { AttackData, attackKinds } from "../../sim/byzantine/attacks.ts";
import type { MakeChecker } from "../../sim/checker.ts";
import { replicasConverge } from "../../sim/checkers/replicas-converge.ts";
import { checkedText } from "../../sim/data/plain.ts";
import { attacker } from "../../sim/fault-plans.ts";
import { runScenario } from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { defineScenario, minutes, seconds } from "../../sim/scenario.ts";
import { openWallet } from "../../sim/wallet.ts";
import { WORLD_START } from "../../sim/world.ts";
import { runsOf, seedOf } from "../property/profile.ts";

const ids = { offer: offer.id, reservation: trade.reservation.toString(), settlement: trade.settlement };
const merchant = offer.merchant;

const samples: { readonly [K in AttackKind]: AttackOf<K> } = {
  "claimed-addresses": { kind: "claimed-addresses" },
  "back-dating": { kind: "back-dating", merchant, offer: offer.id, byMs: 60_000 },
  "ballot-crowd": { kind: "ballot-crowd", proposal: "ofip-0001" },
  "broken-frames": { kind: "broken-frames" },
  "case-crowd": { kind: "case-crowd", dispute: "d" },
  "chosen-acts": {
    ...{ kind: "chosen-acts", merchant, ...ids, dispute: "d", units: 1n },
    ...{ buyer: trade.buyer, seller: merchant, others: ["ada"] },
    acts: [
      { act: "pay", by: trade.buyer, draw: 3, earlierMs: 0 },
      { act: "join", by: "ada", draw: 0, earlierMs: 1_000 },
    ],
  },
  "claimed-holdings": { kind: "claimed-holdings", many: 3 },
  "claimed-payment": { kind: "claimed-payment", merchant, offer: offer.id },
  "claimed-verdict": { kind: "claimed-verdict", dispute: "d", settlement: trade.settlement, signature: "5".repeat(88) },
  equivocation: { kind: "equivocation" },
  "ever-more": { kind: "ever-more" },
  "every-order": {
    ...{ kind: "every-order", dispute: "d", settlement: trade.settlement, opener: trade.buyer },
    arbitrators: [{ name: "ada", vote: "Invalid" }],
  },
  "false-dates": { kind: "false-dates" },
  "forged-slots": { kind: "forged-slots", slot: 1n << 63n, origins: 3 },
  "fresh-peers": { kind: "fresh-peers", many: 3 },
  "hollow-votes": { kind: "hollow-votes", dispute: "d" },
  "hop-counts": { kind: "hop-counts" },
  "id-grinding": { kind: "id-grinding" },
  "id-theft": { kind: "id-theft", ...ids },
  "link-flood": { kind: "link-flood" },
  "lying-reconciliation": { kind: "lying-reconciliation" },
  "lying-recovery": { kind: "lying-recovery" },
  "name-crowd": { kind: "name-crowd", offer: offer.id, apart: 0 },
  "number-crowd": { kind: "number-crowd", reservation: ids.reservation },
  "old-price": { kind: "old-price", offer: offer.id, priceCents: offer.priceCents + 1n, units: offer.minTrade },
  "orphan-flood": { kind: "orphan-flood", settlement: trade.settlement },
  "recovery-amplification": { kind: "recovery-amplification" },
  "request-crowd": { kind: "request-crowd", offer: offer.id },
  "sealing-edge": {
    ...{
      kind: "sealing-edge",
      act: "payment",
      party: trade.buyer,
      settlement: trade.settlement,
      dated: 3_500,
      told: 2,
    },
  },
  "split-orphans": { kind: "split-orphans" },
  "stranger-flood": { kind: "stranger-flood", merchant, ...ids },
  "unchecked-acts": {
    ...{ kind: "unchecked-acts", merchant, ...ids, dispute: "d", units: 1n },
    ...{ buyer: trade.buyer, seller: merchant, others: ["ada"] },
  },
  withholding: { kind: "withholding" },
};

/** A trade of two people on four nodes, and somebody who attacks meanwhile. */
function attackedBy(attack: AttackData, safety: readonly MakeChecker[] = []): Scenario {
  return defineScenario({
    ...{ name: "attacked", description: "A trade while somebody attacks.", source: "DESIGN L10", nodes: 4 },
    actions: [
      advertise(offer, { via: 0, at: seconds(2) }),
      reserve(trade, { via: 1, at: seconds(3) }),
      initiate(trade, { via: 1, at: seconds(3) }),
      publishFunded(trade, { via: 0, at: seconds(3) }),
      pay(trade, { via: 1, at: seconds(3) }),
      ...[0, 1, 2, 3].map((via) => {
        const settlement = { method: "getSettlement", params: { id: trade.settlement } } as const;
        return comesToShow(`reader ${via}`, settlement, { state: "PaymentSubmitted" }, { at: seconds(4), via });
      }),
    ],
    faults: [attacker("eve", attack, { from: seconds(1), until: seconds(20), times: 5 })],
    safety,
    liveness: { within: minutes(3), checks: [replicasConverge] },
  });
}

test("an attacker reaches every node, and acts so often, evenly within its time", async () => {
  const { peer } = openWallet(openNativeCrypto(), 1n, "attacker/eve");
  const pushed: (readonly [second: number, node: number])[] = [];
  const sees: MakeChecker = () => ({
    name: "sees",
    onStep({ node, input }) {
      if (input.type !== "message.received" || input.from !== peer) return;
      if (decodeCompact(Frame, input.bytes)?.message_type !== "GossipPush") return;
      pushed.push([Number(input.now - WORLD_START) / 1_000, node]);
    },
  });
  await runScenario(attackedBy(samples.equivocation, [sees]), { seed: 1n }, openBackends());
  // From 1 s to 20 s, five times: 19 s in six equal parts, and the way of a message.
  for (let time = 0; time < 5; time += 1) {
    const due = 1 + (19 * (time + 1)) / 6;
    const nodes = pushed.filter(([second]) => second >= due - 0.001 && second < due + 1).map(([, node]) => node);
    expect(
      nodes.toSorted((a, b) => a - b),
      `time ${time}`,
    ).toEqual([0, 1, 2, 3]);
  }
  expect(pushed.length).toBe(20);
});

test("what suits others is done by anybody where none are left, as in a run that is made smaller", async () => {
  const { faults, ...attacked } = attackedBy({ ...samples["unchecked-acts"], others: [] });
  const often = faults.map((fault) => (fault.kind === "attacker" ? { ...fault, times: 60 } : fault));
  const { report } = await runScenario({ ...attacked, faults: often }, { seed: 1n }, openBackends());
  expect(report.faults).toEqual([{ kind: "peer", injected: 1, effective: 1 }]);
});

test.each(attackKinds)("%s", async (kind) => {
  const marked = JSON.stringify(samples[kind], (_, value) => (typeof value === "bigint" ? `#${value}` : value));
  const text = marked.replaceAll(/"#(\d+)"/g, "$1");
  const read: unknown = checkedText(AttackData, text, "attack");
  expect(read).toEqual({ ok: true, value: samples[kind] });

  const { report } = await runScenario(attackedBy(samples[kind]), { seed: 1n }, openBackends());
  expect(report.violations).toEqual([]);
  expect(report.faults).toEqual([{ kind: "peer", injected: 1, effective: 1 }]);
});

/** So many kinds from one that the run's seed draws, and all of them by night. */
const many = runsOf(4, attackKinds.length);
const from = (seedOf("attacks through real libp2p") >>> 0) % attackKinds.length;
const drawn = [...attackKinds, ...attackKinds].slice(from, from + Math.min(many, attackKinds.length));

// Over the adapter that production nodes have, with @libp2p/memory beneath it.
test.each(drawn)("%s, through real libp2p", async (kind) => {
  const choices = { seed: 1n, network: "libp2p-memory" } as const;
  const { report } = await runScenario(attackedBy(samples[kind]), choices, openBackends());
  expect(report.violations).toEqual([]);
  expect(report.faults).toEqual([{ kind: "peer", injected: 1, effective: 1 }]);
});
