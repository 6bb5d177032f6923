/**
 * Random trades with every ending, people who say everything they can, and strangers who ask everything they may; and
 * the scenario that plays them. Source: DESIGN §5 "Named suites" (ours).
 */
import fc from "fast-check";
import { fundEscrow, provideLiquidity, release } from "../../sim/actions/chain-trade.ts";
import { commit, join, openDispute, reveal } from "../../sim/actions/dispute.ts";
import type { TradeIds } from "../../sim/actions/publish.ts";
import { publishEverything } from "../../sim/actions/publish.ts";
import { snoop } from "../../sim/actions/snoop.ts";
import { advertise, approve, initiate, pay, reserve } from "../../sim/actions/trade.ts";
import type { CaseTerms, Offer, TradeTerms } from "../../sim/actions/trade-terms.ts";
import { settlementMints } from "../../sim/chain/genesis.ts";
import { noPartyLeaks } from "../../sim/checkers/no-party-leaks.ts";
import { readsChangeNothing } from "../../sim/checkers/reads-change-nothing.ts";
import type { Action, Scenario, Scene } from "../../sim/scenario.ts";
import { defineScenario, seconds } from "../../sim/scenario.ts";

export const NODES = 5;
const WHOLE = 1_000_000n;
const MERCHANTS = ["mia", "max"];
const TAKERS = ["tom", "tia", "tess"];
const JURORS = ["jon", "joy", "jim"];
const STRANGER = "nosy";

/** How far a trade goes. */
const ENDINGS = ["reserved", "initiated", "paid", "approved", "released", "disputed"] as const;

export interface TradeStory {
  readonly merchant: number;
  readonly taker: number;
  readonly via: number;
  readonly ending: (typeof ENDINGS)[number];
  readonly seed: number;
}

export const arbTrades: fc.Arbitrary<readonly TradeStory[]> = fc.array(
  fc.record({
    merchant: fc.nat({ max: MERCHANTS.length - 1 }),
    taker: fc.nat({ max: TAKERS.length - 1 }),
    via: fc.nat({ max: NODES - 1 }),
    ending: fc.constantFrom(...ENDINGS),
    seed: fc.nat(),
  }),
  { minLength: 2, maxLength: 4 },
);

const mint = settlementMints.find(({ symbol }) => symbol === "USDC");
if (mint === undefined) throw new Error("the simulated chain has a mint");

function offerOf(merchant: string): Offer {
  return {
    ...{ id: `offer-of-the-${merchant.length}-${MERCHANTS.indexOf(merchant)}`, merchant, fiatCurrency: "EUR" },
    ...{ mint: mint as NonNullable<typeof mint>, priceCents: 92n },
    ...{ minTrade: WHOLE, maxTrade: 100n * WHOLE, liquidity: 1_000n * WHOLE },
  };
}

interface Trade extends TradeStory {
  readonly terms: TradeTerms;
  readonly dispute: CaseTerms;
}

function tradesOf(stories: readonly TradeStory[]): readonly Trade[] {
  return stories.map((story, place) => {
    const reservation = BigInt(7_000 + place);
    const terms: TradeTerms = {
      ...{ offer: offerOf(MERCHANTS[story.merchant] ?? ""), buyer: TAKERS[story.taker] ?? "" },
      ...{ reservation, settlement: `settlement-${place}`, amount: 10n * WHOLE },
    };
    const windows = { commitSecs: 60n, revealSecs: 60n };
    return { ...story, terms, dispute: { id: `dispute-${place}`, trade: terms, reason: "nothing came", ...windows } };
  });
}

function played({ terms, dispute, via, ending }: Trade, place: number): readonly Action[] {
  const step = ENDINGS.indexOf(ending);
  const at = (second: number) => ({ at: seconds(4 + place + second), via });
  const home = (second: number) => ({ at: seconds(4 + place + second), via: 0 });
  const panel = JURORS.map((name) => ({ name, vote: "BuyerWins" as const }));
  const paid = step >= ENDINGS.indexOf("paid");
  return [
    reserve(terms, at(0)),
    ...(step >= 1 ? [initiate(terms, at(0))] : []),
    ...(paid ? [fundEscrow(terms, home(0)), pay(terms, at(0))] : []),
    ...(ending === "approved" || ending === "released" ? [approve(terms, home(1))] : []),
    ...(ending === "released" ? [release(terms, home(1))] : []),
    ...(ending === "disputed" ? [openDispute(dispute, at(1))] : []),
    ...(ending === "disputed"
      ? panel.flatMap((juror) => [
          join(dispute, juror, at(2)),
          commit(dispute, juror, at(3)),
          reveal(dispute, juror, at(4)),
        ])
      : []),
  ];
}

function idsOf({ terms, dispute }: Trade): TradeIds {
  return {
    ...{ advertisement: terms.offer.id, reservation: terms.reservation.toString() },
    ...{ settlement: terms.settlement, dispute: dispute.id },
  };
}

/** Everything that a stranger may have heard of: every id, every wallet in every spelling. */
function rumoursIn(scene: () => Scene["world"] | undefined, trades: readonly Trade[]) {
  return () => {
    const people = [...MERCHANTS, ...TAKERS, ...JURORS];
    const world = scene();
    const wallets = world === undefined ? [] : people.map((name) => world.person(name));
    return {
      ids: ["", "unknown", ...trades.flatMap((trade) => Object.values(idsOf(trade)))],
      wallets: wallets.flatMap((wallet) => [wallet.parameter("base64"), wallet.peer]),
    };
  };
}

export function redactionScenario(stories: readonly TradeStory[]): Scenario {
  const trades = tradesOf(stories);
  const merchants = MERCHANTS.filter((_, index) => stories.some((story) => story.merchant === index));
  let world: Scene["world"] | undefined;
  const notes: Action = {
    ...{ name: "look around", actor: STRANGER, at: 0, via: 0 },
    // biome-ignore lint/correctness/useYield: it waits for nothing
    *run(_, scene) {
      world = scene.world;
    },
  };
  const parties = trades.flatMap((trade, place) =>
    [trade.terms.offer.merchant, trade.terms.buyer, ...(trade.ending === "disputed" ? JURORS : [])].map((actor, nth) =>
      publishEverything(actor, idsOf(trade), {
        at: seconds(70 + place),
        via: (trade.via + nth) % NODES,
        seed: trade.seed + nth,
      }),
    ),
  );
  const snoops = [55, 85].flatMap((second, nth) =>
    [0, NODES - 1].map((via) =>
      snoop(
        STRANGER,
        rumoursIn(() => world, trades),
        { at: seconds(second + nth), via },
      ),
    ),
  );
  return defineScenario({
    ...{
      name: "redaction",
      description: "nobody learns who trades with whom",
      source: "DESIGN L4 (ours)",
      nodes: NODES,
    },
    cast: merchants.map((name) => ({ name, merchant: true })),
    actions: [
      notes,
      ...merchants.flatMap((name) => [
        provideLiquidity(offerOf(name), { at: seconds(1), via: 0 }),
        advertise(offerOf(name), { at: seconds(2), via: 0 }),
      ]),
      ...trades.flatMap(played),
      ...parties,
      ...snoops,
    ],
    chain: "bankrun",
    lasts: seconds(100),
    safety: [noPartyLeaks, readsChangeNothing],
  });
}
