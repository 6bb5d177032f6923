/**
 * Goal: acts that wait for their hour gain nothing: one more on an old trade at the moment when nodes seal it, told to
 * one of them alone, and a request of now at a price of hours ago (CONVERGENCE B6, B7, B8).
 * Method: attackers on an in-memory network on which one trade was made; clocks leap, one of them four minutes behind.
 * Counted: nodes that stay apart, and what the law of the papers and readers see of the offer.
 */
import { hourAfter, SEAL_EVERY_MS } from "../../core/domains/trade/sealing/hours.ts";
import { SETTLEMENT_LIFE_MS } from "../../core/domains/trade/settlements/schema.ts";
import { Seals, Statements } from "../../core/engine/statements/table.ts";
import type { EpochMillis } from "../../core/index.ts";
import { AdvertisementCreate, AdvertisementPriceUpdate, SettlementInitiate } from "../../core/testing.ts";
import type { Attacker } from "../../sim/byzantine/attacker.ts";
import { LIQUIDITY, offer } from "../../sim/byzantine/market-events.ts";
import { askOldPrice } from "../../sim/byzantine/old-price.ts";
import { actLast } from "../../sim/byzantine/sealing-edge.ts";
import type { Arena, Core } from "./arena.ts";
import { openArena } from "./arena.ts";
import { firstOf, testAttacks } from "./attack-law.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** How far the clock of the node that is told is behind the others', and how long after the hour that is. */
const BEHIND_MS = 4 * MINUTE;
const AFTER_MS = MINUTE;
const TOLD = 2;

/** Clocks go to an instant, that of the node that is told a little before it. */
function leap(arena: Arena, attacker: Attacker, to: bigint): void {
  const byMs = Number(to - attacker.now());
  for (const node of arena.world.nodes) node.skewClock(byMs);
  attacker.skewClock(byMs);
}

/** The settlement's last instant. */
function endOf(arena: Arena): EpochMillis {
  const view = arena.view(0);
  const initiate = [...view.keys(Statements)]
    .flatMap((key) => view.get(Statements, key) ?? [])
    .find(({ type }) => type.name === SettlementInitiate.name);
  return ((initiate?.timestamp ?? 0n) + BigInt(SETTLEMENT_LIFE_MS)) as EpochMillis;
}

/** Counted: nodes that stay apart when one alone was told, right after the others sealed or would have liked to. */
async function sealingEdge(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core });
  await arena.trade();
  arena.world.nodes[TOLD]?.skewClock(-BEHIND_MS);
  const attacker = await arena.attacker();
  const dated = endOf(arena);
  const to = arena.world.nodes[TOLD]?.wallet.peer;
  // The first full hour after the trade's life, when nothing may be sealed yet; and the one at which it is.
  const hours = [dated / SEAL_EVERY_MS + 1n, hourAfter(dated)];
  const sealed: number[] = [];
  for (const [place, act] of (["payment", "open"] as const).entries()) {
    leap(arena, attacker, (hours[place] as bigint) * SEAL_EVERY_MS + BigInt(AFTER_MS));
    await arena.pass(MINUTE + 1_000);
    actLast(attacker, { act, by: arena.buyer, settlement: "set-1", dated, to });
    await arena.pass(2 * MINUTE);
    sealed.push(arena.size(0, Seals as never));
    await arena.pass(4 * MINUTE);
    if (!arena.equalRoots()) return `nodes stay apart after one was told a last ${act}`;
  }
  return firstOf([sealed[0] !== 0 || sealed[1] === 0, `the attack missed its hour: ${sealed.join()} are sealed`]);
}

/** Counted: what is left of an offer, and what the laws say, after a request at a price of nine hours ago. */
async function oldPrice(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core, nodes: 2 });
  const { merchant } = arena;
  await arena.send(0, "sendAdvertisementCreate", AdvertisementCreate, offer(merchant, "ad-1", arena.now()), merchant);
  await arena.pass(1_000);
  const pricing = { Fixed: { price: { base_units: 14_000n, decimals: 2 } } };
  const edit = { id: "ad-1", merchant: merchant.peer, pricing, timestamp: arena.now() };
  await arena.send(0, "sendAdvertisementPriceUpdate", AdvertisementPriceUpdate, edit, merchant);
  const attacker = await arena.attacker();
  leap(arena, attacker, arena.now() + BigInt(9 * HOUR));
  const id = askOldPrice(attacker, { offer: "ad-1", priceCents: 13_000n, units: LIQUIDITY }, 0);
  await arena.pass(5_000);
  const shown = (await arena.ask(1, "getReservation", { id })) as { readonly state?: string } | null;
  const left = (await arena.ask(1, "getAdvertisement", { id: "ad-1" })) as {
    readonly available_liquidity: { readonly base_units: number };
  };
  const [violation] = arena.world.violations;
  return firstOf(
    [shown === null, "the request was not heard"],
    [violation !== undefined, `${violation?.check}: ${violation?.message}`],
    [BigInt(left.available_liquidity.base_units) !== LIQUIDITY, "an old price holds the offer"],
    [shown?.state !== "Cancelled", `a request at an old price reads ${shown?.state}`],
  );
}

testAttacks([
  {
    name: "a last act at the sealing edge, told to one node",
    gained: sealingEdge,
    without: [
      { file: "core/domains/trade/sealing/hours.ts", find: "(end + SEAL_AGE_MS) /", replace: "end /" },
      {
        file: "core/engine/admission/ingress.ts",
        find: "return ageMsMax !== null && timestamp < now - BigInt(ageMsMax);",
        replace: "return timestamp < 0n && now > 0n && ageMsMax === null;",
      },
    ],
  },
  {
    name: "a request of now at a price of nine hours ago",
    gained: oldPrice,
    without: [
      {
        file: "core/domains/trade/advertisements/ledger.ts",
        find: "closed !== undefined || !isOffered(supply.offer, allocation)",
        replace: "closed !== undefined",
      },
    ],
  },
]);
