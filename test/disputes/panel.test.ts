// Goal: a panel's status is monotone counts, and nobody's commit or reveal is taken out of effect by another's
// statement (CONVERGENCE "Dispute").
// Method: all 65,536 subsets of a panel's sixteen statements, times one more, against counts made here; then the pairs
// of the dispute table through the whole engine.
import { assert, describe, test } from "vitest";
import { disputeIn } from "../../core/domains/trade/disputes/panels.ts";
import { disputeOf, openingBy, panelOf } from "../../core/domains/trade/disputes/rules.ts";
import type { DisputeStatus } from "../../core/domains/trade/disputes/schema.ts";
import { Disputes } from "../../core/domains/trade/disputes/tables.ts";
import { actsOf, settlementRow } from "../../core/domains/trade/settlements/rules.ts";
import type { ChainFact } from "../../core/domains/trade/settlements/schema.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { Actor } from "../convergence/actors.ts";
import { arbitrators, at, crypto, merchant, stranger, taker } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import { received, replicaOf, seen } from "../convergence/replica.ts";

const [ada, bob, cyd] = arbitrators as readonly [Actor, Actor, Actor];
const advertisement = fixtures.advertisement(merchant, at(-60));
const request = fixtures.request(taker, at(-1));
const initiate = fixtures.initiate(taker, merchant, at(0));
const opened = fixtures.open(taker, at(1));
const settlement = settlementRow(initiate, { advertisement, request }, actsOf(initiate.payload, [opened]), []);
const parties = [taker.peer, merchant.peer];

/** Sixteen statements; the dates of three arbitrators interleave, and a party tries to sit. */
const PANEL: readonly Statement[] = [
  fixtures.join(ada, at(3)),
  fixtures.join(bob, at(2)),
  fixtures.join(cyd, at(9)),
  fixtures.join(taker, at(-9)),
  fixtures.commit(ada, at(4), "BuyerWins", 0),
  fixtures.commit(ada, at(-4), "MerchantWins", 1),
  fixtures.commit(bob, at(5), "BuyerWins", 0),
  fixtures.commit(cyd, at(1), "Invalid", 0),
  fixtures.reveal(ada, at(6), "BuyerWins", 0),
  fixtures.reveal(ada, at(7), "MerchantWins", 1),
  fixtures.reveal(bob, at(-7), "BuyerWins", 0),
  fixtures.reveal(bob, at(-8), "BuyerWins", 1),
  fixtures.reveal(cyd, at(8), "Invalid", 0),
  fixtures.agree(taker, at(2)),
  fixtures.agree(merchant, at(-20)),
  fixtures.agree(stranger, at(2)),
];
const ORDER: readonly DisputeStatus[] = ["Open", "CaseLocked", "RevealPhase", "AwaitingChainExecution", "Resolved"];
const memory = new Map<string, Uint8Array>();
const hash = (bytes: Uint8Array): Uint8Array => {
  const key = bytes.join();
  const held = memory.get(key) ?? crypto.sha256(bytes);
  memory.set(key, held);
  return held;
};

function disputeOfSubset(mask: number) {
  return disputeOf(
    opened,
    settlement,
    panelOf(
      openingBy(hash),
      parties,
      PANEL.filter((_, i) => (mask >> i) & 1),
    ),
  );
}

/** The table, read off the bits: who joined, committed, revealed what he had committed to. */
function statusByTable(mask: number): DisputeStatus {
  const has = (bit: number) => ((mask >> bit) & 1) === 1;
  const joined = [has(0), has(1), has(2)];
  const committed = [has(0) && (has(4) || has(5)), has(1) && has(6), has(2) && has(7)];
  const revealed = [
    has(0) && ((has(4) && has(8)) || (has(5) && has(9))),
    has(1) && has(6) && has(10),
    has(2) && has(7) && has(12),
  ];
  if ((has(13) && has(14)) || revealed.every(Boolean)) return "AwaitingChainExecution";
  if (committed.every(Boolean)) return "RevealPhase";
  return joined.every(Boolean) ? "CaseLocked" : "Open";
}

describe("a panel's sixteen statements", () => {
  test("every subset has the status of the table, and one more statement takes nobody's vote away", () => {
    const signers = PANEL.map((statement) => statement.signer);
    const seats = [ada, bob, cyd].map((arbitrator) => arbitrator.peer);
    const counted = new Uint8Array(1 << 16);
    const ranks = new Uint8Array(1 << 16);
    for (let mask = 0; mask < 1 << 16; mask++) {
      const dispute = disputeOfSubset(mask);
      if (dispute.status !== statusByTable(mask)) assert.equal(dispute.status, statusByTable(mask), mask.toString(2));
      ranks[mask] = ORDER.indexOf(dispute.status);
      for (const [i, seat] of seats.entries()) {
        const bits = (list: readonly { readonly arbitrator: string }[]) =>
          list.some((each) => each.arbitrator === seat) ? 1 : 0;
        counted[mask] = (counted[mask] ?? 0) | (bits(dispute.commitments) << i) | (bits(dispute.reveals) << (i + 3));
      }
    }
    for (let mask = 0; mask < 1 << 16; mask++) {
      for (const [bit] of signers.entries()) {
        const more = mask | (1 << bit);
        const lost = (counted[mask] ?? 0) & ~(counted[more] ?? 0);
        if (lost !== 0) assert.fail(`statement ${bit} took a commit or reveal away from ${mask.toString(2)}`);
        if ((ranks[more] ?? 0) < (ranks[mask] ?? 0)) assert.fail(`statement ${bit} turned ${mask.toString(2)} back`);
      }
    }
  });
});

describe("the dispute table", () => {
  const trade = [advertisement, request, initiate];
  const decided: ChainFact = {
    kind: "decided",
    reservation: 42n,
    buyer: taker.key,
    seller: merchant.key,
    mint: fixtures.MINTS[0],
    amount: 10n,
    resolution: "BuyerWins",
    terminal_split: null,
    transaction: "decision",
    timestamp: at(60),
  };
  const released: ChainFact = { ...decided, kind: "released", resolution: null, transaction: "release" };
  const disputesOf = (statements: readonly Statement[], facts: readonly ChainFact[] = []) => {
    const store = replicaOf([...received(...trade, ...statements), ...facts.map(seen)]).store();
    return [...store.keys(Disputes)]
      .flatMap((key) => store.get(Disputes, key) ?? [])
      .map((row) => disputeIn(store, row));
  };

  test("open × cancel, approve, reject, payment, reversal: the open", () => {
    const others = [
      fixtures.settlementCancel(taker, at(-5)),
      fixtures.settlementCancel(merchant, at(-5)),
      fixtures.approve(merchant, at(-5)),
      fixtures.reject(merchant, at(-5)),
      fixtures.payment(taker, at(-4)),
      fixtures.reversal(taker, at(-3)),
    ];
    assert.deepEqual(disputesOf([opened, ...others]), disputesOf([opened]));
  });

  test("open × open: both, with panels of their own, under one id too", () => {
    const other = fixtures.open(merchant, at(1));
    assert.lengthOf(disputesOf([opened, other]), 2);
    const rows = disputesOf([opened, fixtures.open(merchant, at(1), { id: "d2" }), fixtures.join(ada, at(2), "d2")]);
    assert.deepEqual(
      rows.map((row) => row?.arbitrators.length ?? 0).sort((a, b) => a - b),
      [0, 1],
    );
  });

  test("open × fact: a decided one resolves every open, a released one leaves the case as it is", () => {
    const other = fixtures.open(merchant, at(1), { id: "d2" });
    assert.deepEqual(
      disputesOf([opened, other], [decided]).map((row) => row?.status),
      ["Resolved", "Resolved"],
    );
    assert.deepEqual(disputesOf([opened], [released]), disputesOf([opened]));
    const split = disputesOf([opened], [{ ...decided, resolution: null, terminal_split: "RoundUnstaffed" }])[0];
    assert.deepEqual([split?.status, split?.resolution, split?.terminal_split], ["Resolved", null, "RoundUnstaffed"]);
  });

  test("join × join: both, and a party's is inert", () => {
    const [row] = disputesOf([
      opened,
      fixtures.join(ada, at(2)),
      fixtures.join(bob, at(2)),
      fixtures.join(merchant, at(-9)),
    ]);
    assert.lengthOf(row?.arbitrators ?? [], 2);
  });

  test("commit × own commit: committed once, and a reveal opens any of them", () => {
    const own = [
      fixtures.join(ada, at(2)),
      fixtures.commit(ada, at(3), "BuyerWins", 0),
      fixtures.commit(ada, at(4), "Invalid", 1),
    ];
    const [row] = disputesOf([opened, ...own, fixtures.reveal(ada, at(5), "Invalid", 1)]);
    assert.lengthOf(row?.commitments ?? [], 1);
    assert.deepEqual(row?.reveals, [{ arbitrator: ada.peer, vote: "Invalid" }]);
  });

  test("reveal × own reveal: the smallest date that opens a commit", () => {
    const own = [
      fixtures.join(ada, at(2)),
      fixtures.commit(ada, at(3), "BuyerWins", 0),
      fixtures.commit(ada, at(4), "Invalid", 1),
    ];
    const shown = [
      fixtures.reveal(ada, at(6), "Invalid", 1),
      fixtures.reveal(ada, at(5), "BuyerWins", 0),
      fixtures.reveal(ada, at(1), "Invalid", 0),
    ];
    assert.deepEqual(disputesOf([opened, ...own, ...shown])[0]?.reveals, [{ arbitrator: ada.peer, vote: "BuyerWins" }]);
  });

  test("agree × agree: both parties, under the same dispute", () => {
    const other = fixtures.open(merchant, at(1), { id: "d2" });
    const apart = disputesOf([opened, other, fixtures.agree(taker, at(2), "d"), fixtures.agree(merchant, at(2), "d2")]);
    assert.deepEqual(
      apart.map((row) => row?.status),
      ["Open", "Open"],
    );
    const [row] = disputesOf([
      opened,
      fixtures.agree(taker, at(2)),
      fixtures.agree(merchant, at(2)),
      fixtures.agree(stranger, at(2)),
    ]);
    assert.equal(row?.status, "AwaitingChainExecution");
  });
});

test("a reveal is hashed once, however many commitments its signer made", () => {
  const commits = Array.from({ length: 640 }, (_, nth) => fixtures.commit(ada, at(nth / 60), "Invalid", nth));
  const reveals = Array.from({ length: 115 }, (_, nth) => fixtures.reveal(ada, at(nth / 60), "BuyerWins", nth));
  let hashed = 0;
  const counting = (bytes: Uint8Array) => {
    hashed += 1;
    return crypto.sha256(bytes);
  };
  panelOf(openingBy(counting), parties, [fixtures.join(ada, at(2)), ...commits, ...reveals]);
  assert.equal(hashed, reveals.length);
});
