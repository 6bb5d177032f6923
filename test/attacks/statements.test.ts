/**
 * Goal: statements that lie about dates, ids, payments or prices take nothing from those who traded honestly, and those
 * of strangers take no more room than is theirs.
 * Method: attackers on an in-memory network on which one trade was made. Counted: rows kept for the attack, and what
 * honest people read afterwards.
 */

import { SlotObservations, slotView } from "../../core/domains/chain-bridge/view.ts";
import { AdvertisementPriceUpdate } from "../../core/domains/trade/advertisements/schema.ts";
import { Advertisements } from "../../core/domains/trade/advertisements/tables.ts";
import { Pending, Statements, slot } from "../../core/engine/statements/table.ts";
import type { EpochMillis } from "../../core/index.ts";
import { SessionCreate, SessionRevoke, SettlementApproved } from "../../core/testing.ts";
import { eventAround } from "../../sim/byzantine/attacker.ts";
import { backDate } from "../../sim/byzantine/back-dating.ts";
import { claimPayment } from "../../sim/byzantine/claimed-payment.ts";
import { equivocate } from "../../sim/byzantine/equivocation.ts";
import { publishAtFalseDates } from "../../sim/byzantine/false-dates.ts";
import { announceSlot } from "../../sim/byzantine/forged-slots.ts";
import { stealIds } from "../../sim/byzantine/id-theft.ts";
import type { EventMaker } from "../../sim/byzantine/market-events.ts";
import { offerEvent } from "../../sim/byzantine/market-events.ts";
import { floodOrphans } from "../../sim/byzantine/orphan-flood.ts";
import { replay } from "../../sim/byzantine/replay.ts";
import { floodTrade } from "../../sim/byzantine/stranger-flood.ts";
import type { Arena, Core } from "./arena.ts";
import { openArena } from "./arena.ts";
import { firstOf, testAttacks } from "./attack-law.ts";

const SECOND = 1_000;
const DAY = 86_400_000;

async function approve(arena: Arena): Promise<void> {
  const payload = { settlement_id: "set-1", seller: arena.merchant.peer, timestamp: arena.now() };
  await arena.send(0, "sendSettlementApproved", SettlementApproved, payload, arena.merchant);
  await arena.pass(SECOND);
}

async function stateOf(arena: Arena, node: number, method: string, id: string): Promise<unknown> {
  const shown = (await arena.ask(node, method, { id })) as { readonly state?: string } | null;
  return shown?.state;
}

/** Counted: statements at impossible dates that are kept. */
async function falseDates(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core, nodes: 2 });
  const attacker = await arena.attacker();
  publishAtFalseDates(attacker, (name, at) => offerEvent(arena.world.crypto, attacker.sybil("author"), name, at));
  await arena.pass(5 * SECOND);
  const kept = arena.size(0, Statements as never);
  return firstOf([kept > 0, `${kept} statements of impossible dates are kept`]);
}

/** Counted: nodes that disagree after they were told different things. */
async function equivocation(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core });
  const attacker = await arena.attacker();
  const [twoFaced, at] = [attacker.sybil("two-faced"), arena.now()];
  const offer = (liquidity: bigint) => offerEvent(arena.world.crypto, twoFaced, "two", at, liquidity);
  equivocate(attacker, offer(1_000n), offer(2_000n));
  await arena.pass(100 * SECOND);
  return firstOf(
    [arena.size(0, Statements as never) !== 2, "one of the two is unknown at a node"],
    [!arena.equalRoots(), "nodes that were told different things stay apart"],
  );
}

/** Counted: old statements that come to life again, at nodes that knew them and at one that never did. */
async function replays(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core, nodes: 2, entrypoints: () => [] });
  const { buyer } = arena;
  const session = {
    ...{ id: "s-1", wallet: buyer.peer, wallet_public_key: buyer.publicKey, client: "app", host_node: buyer.peer },
    ...{ permissions: [], timestamp: arena.now(), expires_at: (arena.now() + BigInt(29 * DAY)) as EpochMillis },
  };
  await arena.send(0, "sendSessionEstablish", SessionCreate, session, buyer);
  const revoke = { session_id: "s-1", wallet: buyer.peer, timestamp: (arena.now() + 1n) as EpochMillis };
  await arena.send(0, "sendSessionRevoke", SessionRevoke, revoke, buyer);
  const create: EventMaker = (options) => eventAround(arena.world.crypto, SessionCreate, session, buyer, options);
  const asItWas = create({ origin: buyer, at: arena.now() });
  for (const node of arena.world.nodes) node.skewClock(15 * DAY);
  const attacker = await arena.attacker();
  attacker.skewClock(15 * DAY);
  replay(attacker, [create], [asItWas]);
  await arena.pass(60 * SECOND);
  const known = (await arena.ask(0, "getSession", { id: "s-1" })) as { readonly revoked?: boolean } | null;
  return firstOf(
    [known?.revoked !== true, "a revoked session is back"],
    [arena.size(1, Statements as never) > 0, "a session that was revoked long ago is new to a node"],
  );
}

/** Counted: whose records the ids of an honest trade show. */
async function idTheft(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core, nodes: 2 });
  await arena.trade();
  await approve(arena);
  const attacker = await arena.attacker();
  stealIds(attacker, { offer: "ad-1", reservation: "4711001", settlement: "set-1" }, arena.now());
  await arena.pass(5 * SECOND);
  const shown = (await arena.ask(1, "getAdvertisement", { id: "ad-1" })) as { readonly merchant: string };
  return firstOf(
    [arena.size(1, Statements as never) !== 8, "the thief was not heard"],
    [shown.merchant !== arena.merchant.peer, "the offer's id shows the thief's"],
    [(await stateOf(arena, 1, "getSettlement", "set-1")) !== "Approved", "the settlement's id shows the thief's"],
    [(await stateOf(arena, 1, "getReservation", "4711001")) !== "Settled", "the reservation's id shows the thief's"],
  );
}

/** Counted: what is left of a paid trade after rivals were first and its price never was. */
async function backDating(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core, nodes: 2 });
  const before = arena.now();
  await arena.trade();
  const attacker = await arena.attacker();
  backDate(attacker, arena.merchant, "ad-1", before);
  await arena.pass(5 * SECOND);
  return firstOf(
    [arena.size(1, Statements as never) !== 9, "the rivals were not heard"],
    [(await stateOf(arena, 1, "getReservation", "4711001")) !== "Settling", "a paid reservation was undone by a date"],
    [(await stateOf(arena, 1, "getSettlement", "set-1")) !== "PaymentSubmitted", "a payment was undone by a date"],
  );
}

/** Counted: liquidity that a mere claim of payment holds for ever. */
async function claimedPayment(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core, nodes: 2 });
  await arena.trade();
  const attacker = await arena.attacker();
  claimPayment(attacker, arena.merchant, "ad-1");
  await arena.pass(5 * SECOND);
  const stored = arena.size(1, Statements as never);
  await approve(arena);
  const [key] = [...arena.view(1).keys(Advertisements)];
  const held = arena.view(1).get(Advertisements, key ?? "")?.acknowledged;
  return firstOf(
    [stored !== 7, "the claim was not heard"],
    [held !== 60_000_000n, `${held} base units are held for ever, of which the merchant approved 60000000`],
  );
}

/** Counted: rows that strangers fill about one trade; whether its parties still find room. */
async function strangerFlood(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core, nodes: 2 });
  await arena.trade();
  const attacker = await arena.attacker();
  const aim = { merchant: arena.merchant, offer: "ad-1", reservation: "4711001", settlement: "set-1" };
  floodTrade(attacker, aim, 400, 11 * SECOND);
  await arena.pass(13 * SECOND);
  const view = arena.view(0);
  const about = (kind: "settlement" | "reservation" | "advertisement", name: string, type: string) =>
    view.count(Statements, "about", `${slot({ kind, name })}/${type}`);
  const [payments, prices] = [
    about("settlement", "set-1", "PaymentSubmitted"),
    about("advertisement", "ad-1", "AdvertisementPriceUpdate"),
  ];
  const offers = view.count(Statements, "named", slot({ kind: "advertisement", name: "ad-1" }));
  const approvals = about("settlement", "set-1", "SettlementApproved");
  const answer = await arena.ask(0, "sendSettlementApproved", {
    data: arena.merchant.data(SettlementApproved, {
      ...{ settlement_id: "set-1", seller: arena.merchant.peer, timestamp: arena.now() },
    }),
  });
  const pricing = { Fixed: { price: { base_units: 13_100n, decimals: 2 } } };
  const priced = await arena.ask(0, "sendAdvertisementPriceUpdate", {
    data: arena.merchant.data(AdvertisementPriceUpdate, {
      ...{ id: "ad-1", merchant: arena.merchant.peer, pricing, timestamp: arena.now() },
    }),
  });
  await arena.pass(5 * SECOND);
  return firstOf(
    [offers < 17, `only ${offers} offers of the name: the flood tests nothing`],
    // What strangers say of a trade waits for one of that name that is theirs.
    [
      Math.max(payments - 1, prices, approvals) > 0,
      `${payments}, ${prices}, ${approvals} payments, prices, approvals are kept`,
    ],
    [typeof answer === "number", `the merchant is refused with ${String(answer)}`],
    [typeof priced === "number", `the merchant's price is refused with ${String(priced)}`],
    [(await stateOf(arena, 1, "getSettlement", "set-1")) !== "Approved", "the merchant's word does not get through"],
  );
}

/** Counted: orphans kept, and kept for how long; whether a trade still gets through. */
async function orphanFlood(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core, nodes: 2 });
  const attacker = await arena.attacker();
  floodOrphans(attacker, "set-1", 376, 10 * SECOND);
  await arena.pass(11 * SECOND);
  const kept = arena.size(1, Pending as never);
  await arena.trade();
  await arena.pass(45 * SECOND);
  const state = await stateOf(arena, 1, "getSettlement", "set-1");
  for (const node of arena.world.nodes) node.skewClock(15 * DAY);
  await arena.pass(70 * SECOND);
  return firstOf(
    [kept < 200, `only ${kept} orphans: the flood tests nothing`],
    // One key has the room of 64; whoever waits for one record with many keys has that of his keys.
    [kept > 64 + 282, `${kept} orphans are kept`],
    [state !== "PaymentSubmitted", "an honest trade does not get through"],
    [arena.size(1, Pending as never) > 0, "orphans are kept for ever"],
  );
}

/** Counted: slots that cannot be and are believed. */
async function forgedSlots(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core, nodes: 2 });
  const attacker = await arena.attacker();
  announceSlot(attacker, 2n ** 63n, 3);
  await arena.pass(SECOND);
  const believed = arena.size(1, SlotObservations as never);
  announceSlot(await arena.attacker("honest"), 400_000_000n, 2);
  await arena.pass(SECOND);
  const slotNow = slotView(arena.view(1), arena.now())?.slot;
  return firstOf([believed > 0 || slotNow !== 400_000_000n, `slot ${slotNow} is believed`]);
}

testAttacks([
  {
    name: "false dates",
    gained: falseDates,
    without: [
      {
        file: "core/engine/admission/ingress.ts",
        find: "timestamp <= now + BigInt(CLOCK_SKEW_MS_MAX) && ",
        replace: "",
      },
    ],
  },
  {
    name: "equivocation",
    gained: equivocation,
    without: [
      {
        file: "core/engine/admission/bounds.ts",
        find: ".length < most",
        replace: ".length < 1",
      },
    ],
  },
  {
    name: "replay after retention",
    gained: replays,
    without: [
      {
        file: "core/engine/admission/ingress.ts",
        find: "return ageMsMax !== null && timestamp < now - BigInt(ageMsMax);",
        replace: "return timestamp < 0n && now > 0n && ageMsMax === null;",
      },
    ],
  },
  {
    name: "id theft by an earlier date",
    gained: idTheft,
    without: [
      {
        file: "core/domains/trade/advertisements/views.ts",
        find: "shown.row.acknowledged > 0n",
        replace: "shown.row.acknowledged < 0n",
      },
    ],
  },
  {
    name: "back-dating",
    gained: backDating,
    without: [
      {
        file: "core/domains/trade/reservations/views.ts",
        find: "(barred || (!granted && !row.touched))",
        replace: "(barred || !granted)",
      },
    ],
  },
  {
    name: "a claimed payment",
    gained: claimedPayment,
    without: [
      {
        file: "core/domains/trade/reservations/fold.ts",
        find: "if (sells) return row.approved && isMeant(reader, followed);",
        replace: "if (sells) return row.approved || row.ever_paid;",
      },
    ],
  },
  {
    name: "strangers on one advertisement, and in the room of its parties",
    gained: strangerFlood,
    without: [
      ["const places", "return"].map((next) => ({
        file: "core/engine/statements/table.ts",
        find: `const among = amongThose(statement);\n  ${next} `,
        replace: `const among = amongThose(statement) && undefined;\n  ${next} `,
      })),
    ],
  },
  {
    name: "orphans",
    gained: orphanFlood,
    without: [
      { file: "core/engine/admission/bounds.ts", find: "< PENDING_PER_SIGNER_MAX", replace: "< 1_000_000" },
      {
        file: "core/network/gossip/sweep.ts",
        find: "now - ORPHAN_MS, forgetEventsOf",
        replace: "-ORPHAN_MS, forgetEventsOf",
      },
    ],
  },
  {
    name: "forged slots",
    gained: forgedSlots,
    without: [
      { file: "core/domains/chain-bridge/view.ts", find: "return slot * SLOT_MS <= now;", replace: "return true;" },
    ],
  },
]);
