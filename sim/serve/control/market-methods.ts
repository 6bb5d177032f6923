/**
 * Control of what stands in the market: advertisements, rates, and a trade in any state that one can be in.
 */
import type { Infer } from "../../../core/index.ts";
import { enumeration, list, ok, option, struct, u64 } from "../../../core/index.ts";
import { f64, plainText, small } from "../../../core/testing.ts";
import type { Action } from "../../action-kinds.ts";
import { chainOf, transactAndSucceed } from "../../actions/chain.ts";
import { commitOnChain, execute, openCase, revealOnChain } from "../../actions/chain-dispute.ts";
import { fundEscrow, liquidityNews, release } from "../../actions/chain-trade.ts";
import { commit, join, openDispute, reveal } from "../../actions/dispute.ts";
import { comesToShow, record } from "../../actions/expect.ts";
import { publishRate, registerOracle } from "../../actions/oracle.ts";
import { advertise, approve, initiate, pay, reserve } from "../../actions/trade.ts";
import { cancelReservation, cancelSettlement, reject } from "../../actions/trade-ends.ts";
import type { CaseTerms, Offer, TradeTerms, When } from "../../actions/trade-terms.ts";
import { mintOf } from "../../actions/trade-terms.ts";
import { createLiquidityVault, depositLiquidity, reserveLiquidity } from "../../chain/instructions.ts";
import { may } from "../../data/optional.ts";
import { Name } from "../../data/values.ts";
import { act } from "../acting.ts";
import { runUntilEqual } from "./equality.ts";
import type { Controlled } from "./method.ts";
import { jumpTo, method, refuse } from "./method.ts";

/** Advertisements, providers and rates of one call at most. Source: DESIGN L10. */
export const ADVERTISEMENTS_MAX = 1_000;
export const PROVIDERS_MAX = 100;

/** A whole USDC, in base units. */
const WHOLE = 1_000_000n;
/** How long a rate of the seeded market lives. Source: protocol 05 §1.6, within its day. */
const RATE_LIFETIME_MS = 6 * 3_600_000;
/** How long the network runs at most until every node knows what was done, in its own milliseconds. */
const KNOWN_WITHIN_MS = 30_000;
/** What a case needs of each of its windows on chain, in seconds. Source: protocol 03 D.8, the least. */
const WINDOW_SECS = 60n;
/** Merchants sit at node 0, those who trade with them at the next one. */
const MERCHANT_AT: When = { at: 0, via: 0 };
const PANEL = ["arbitrator-1", "arbitrator-2", "arbitrator-3"];

const TradeState = enumeration(
  "Reserved",
  "ReservationCancelled",
  "AwaitingPayment",
  "Cancelled",
  "PaymentSubmitted",
  "Rejected",
  "Approved",
  "Completed",
  "Disputed",
  "Resolved",
);
type TradeState = Infer<typeof TradeState>;

const TradeData = struct("SeededTrade", {
  state: TradeState,
  merchant: plainText,
  buyer: plainText,
  advertisement: plainText,
  reservation: plainText,
  settlement: plainText,
  dispute: option(plainText),
  amount: u64,
});
const RateData = struct("Rate", { base: Name, quote: Name, rate: f64 });
const MarketData = struct("SeededMarket", { advertisements: list(plainText), providers: list(plainText) });
const group = "Market";

export const marketMethods = {
  sim_seedMarket: method({
    group,
    params: {
      advertisements: may(small(32, { least: 0, most: ADVERTISEMENTS_MAX })),
      providers: may(small(32, { least: 0, most: PROVIDERS_MAX })),
      rates: may(list(RateData)),
    },
    result: MarketData,
    errors: ["SCRIPT_FAILED", "TOO_MANY"],
    doc:
      "The merchants advertise so many offers of USDC for euros at different prices, three unless said; so many " +
      "providers of rates register, one unless said, and each publishes the rates given.",
    run: seedMarket,
  }),
  sim_seedTrade: method({
    group,
    params: { state: TradeState, merchant: may(Name), buyer: may(Name), amount: may(u64) },
    result: TradeData,
    errors: ["SCRIPT_FAILED"],
    doc:
      "Makes a trade of USDC for euros, with its escrow on chain, and brings it to a state: merchant and buyer sign " +
      "what it takes, the network runs as long as that takes it. Amount in base units, 50 USDC unless said.",
    run: seedTrade,
  }),
};

async function play(network: Controlled, actions: readonly Action[]) {
  const { host } = network;
  const failed = await act(host, actions);
  if (failed === undefined) await runUntilEqual(host, KNOWN_WITHIN_MS);
  await jumpTo(network, host.world().loop.now());
  return failed === undefined ? undefined : refuse("SCRIPT_FAILED", failed);
}

interface MarketParams {
  readonly advertisements?: number;
  readonly providers?: number;
  readonly rates?: readonly { readonly base: string; readonly quote: string; readonly rate: number }[];
}

async function seedMarket(network: Controlled, { advertisements = 3, providers = 1, rates = [] }: MarketParams) {
  if (rates.length > PROVIDERS_MAX) return refuse("TOO_MANY", `${PROVIDERS_MAX} rates at most`);
  const now = network.host.world().loop.now();
  const offers = Array.from({ length: advertisements }, (_, n) => {
    const merchant = n % 2 === 0 ? "merchant" : "merchant-2";
    return offerOf(`offer-${now}-${n}`, merchant, 90n + BigInt(n % 10));
  });
  const oracles = Array.from({ length: providers }, (_, n) => (n === 0 ? "oracle" : `oracle-${n + 1}`));
  const failed = await play(network, [
    ...offers.map((offer) => advertise(offer, MERCHANT_AT)),
    ...oracles.map((name) => registerOracle(name, MERCHANT_AT)),
  ]);
  if (failed !== undefined) return failed;
  const published = oracles.flatMap((name) =>
    rates.map((rate, n) => {
      const told = { ...rate, id: `rate-${name}-${now}-${n}`, version: 1n, lifetime: RATE_LIFETIME_MS };
      return publishRate(name, told, MERCHANT_AT);
    }),
  );
  return (await play(network, published)) ?? ok({ advertisements: offers.map(({ id }) => id), providers: oracles });
}

function offerOf(id: string, merchant: string, priceCents: bigint): Offer {
  const sold = { asset: "USDC", fiatCurrency: "EUR", priceCents } as const;
  return { id, merchant, ...sold, minTrade: WHOLE, maxTrade: 10_000n * WHOLE, liquidity: 10_000n * WHOLE };
}

interface TradeParams {
  readonly state: TradeState;
  readonly merchant?: string;
  readonly buyer?: string;
  readonly amount?: bigint;
}

async function seedTrade(network: Controlled, { state, amount = 50n * WHOLE, ...people }: TradeParams) {
  const { merchant = "merchant", buyer = "buyer" } = people;
  const number = BigInt(network.host.world().loop.now());
  const offer = offerOf(`offer-${number}`, merchant, 92n);
  const trade: TradeTerms = { offer, reservation: number, settlement: `settlement-${number}`, buyer, amount };
  const dispute: CaseTerms = {
    ...{ id: `dispute-${number}`, trade, reason: "I paid, and nothing came" },
    ...{ commitSecs: WINDOW_SECS, revealSecs: WINDOW_SECS },
  };
  const buyerAt: When = { at: 0, via: Math.min(1, network.host.nodes().length - 1) };
  const failed = await play(network, actionsTo(state, trade, dispute, buyerAt, readersOf(network)));
  if (failed !== undefined) return failed;
  const isDisputed = state === "Disputed" || state === "Resolved";
  return ok({
    ...{ state, merchant, buyer, amount, advertisement: offer.id },
    ...{ reservation: number.toString(), settlement: trade.settlement, dispute: isDisputed ? dispute.id : null },
  });
}

/** Fills the merchant's vault, which is made where there is none yet, and sets the liquidity of an offer aside. */
function setAside(offer: Offer): Action {
  const { at, via } = MERCHANT_AT;
  return {
    ...{ kind: "code", name: `set liquidity of ${offer.id} aside`, actor: offer.merchant, at, via },
    *run(person, scene) {
      const programs = chainOf(scene);
      const mint = mintOf(offer.asset);
      const owner = person.wallet.address;
      const vault = programs.liquidityVault(owner, mint.mint).address;
      const isThere = scene.witness(() => scene.world.chain()?.account(vault, "processed") !== undefined);
      const from = programs.tokenAccount(owner, mint.mint, mint.tokenProgram).address;
      yield* transactAndSucceed(person, scene, [
        ...(isThere ? [] : [createLiquidityVault(programs, owner, mint)]),
        depositLiquidity(programs, owner, mint, from, offer.liquidity),
        reserveLiquidity(programs, owner, mint.mint, offer.liquidity),
      ]);
      scene.share(liquidityNews(offer), "reserved");
    },
  };
}

/** What it takes to bring a trade to a state: everybody waits for the others by reading. */
function actionsTo(
  state: TradeState,
  trade: TradeTerms,
  terms: CaseTerms,
  at: When,
  readers: readonly When[],
): readonly Action[] {
  const { offer } = trade;
  const settlement = record("getSettlement", trade.settlement);
  const reserved = [setAside(offer), advertise(offer, MERCHANT_AT), reserve(trade, at)];
  const awaiting = [...reserved, initiate(trade, at), fundEscrow(trade, MERCHANT_AT)];
  const paid = [...awaiting, pay(trade, at)];
  const approved = [...paid, approve(trade, MERCHANT_AT)];
  const disputed = [...paid, openDispute(terms, at), openCase(terms, at)];
  const wanted: { readonly [S in TradeState]: () => readonly Action[] } = {
    Reserved: () => reserved,
    ReservationCancelled: () => [...reserved, cancelReservation(trade, at)],
    AwaitingPayment: () => awaiting,
    Cancelled: () => [...awaiting, cancelSettlement(trade, trade.buyer, at)],
    PaymentSubmitted: () => paid,
    Rejected: () => [...paid, reject(trade, MERCHANT_AT)],
    Approved: () => approved,
    Completed: () => [
      ...approved,
      release(trade, MERCHANT_AT),
      ...readers.map((reader) => comesToShow("reader", settlement, { state: "Completed" }, reader)),
    ],
    Disputed: () => disputed,
    Resolved: () => [...disputed, ...votes(terms, at), execute(terms, at), ...readers.map(seeResolved(terms))],
  };
  return wanted[state]();
}

/** Nodes that read the chain themselves, and are up: each comes to show what it decides. */
function readersOf({ host }: Controlled): readonly When[] {
  const { members } = host.live();
  return host.nodes().flatMap(({ index, driver }, via) => {
    return driver()?.ready() === true && members[index]?.gossipOnly !== true ? [{ at: 0, via }] : [];
  });
}

/** A node shows the decision of the chain. */
function seeResolved({ id }: CaseTerms): (reader: When) => Action {
  return (reader) => comesToShow("reader", record("getDispute", id), { status: "Resolved" }, reader);
}

/** Three arbitrators find for the buyer, off chain and on. */
function votes(terms: CaseTerms, at: When): readonly Action[] {
  return PANEL.flatMap((name) => {
    const juror = { name, vote: "BuyerWins" } as const;
    return [
      ...[join(terms, juror, at), commit(terms, juror, at), reveal(terms, juror, at)],
      ...[commitOnChain(terms, juror, at), revealOnChain(terms, juror, at)],
    ];
  });
}
