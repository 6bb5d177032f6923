/**
 * What most scenarios about disputes begin with: a merchant's offer, a paid trade on it, a case about it off and on
 * chain, arbitrators with stakes; and what readers must see of it. Source: protocol 03 A, D.7, D.8.
 */

import type { Action } from "../../sim/action-kinds.ts";
import { commitOnChain, execute, openCase, revealOnChain } from "../../sim/actions/chain-dispute.ts";
import { fundEscrow, provideLiquidity } from "../../sim/actions/chain-trade.ts";
import type { Juror } from "../../sim/actions/dispute.ts";
import { commit, join, openDispute, reveal } from "../../sim/actions/dispute.ts";
import type { Watch } from "../../sim/actions/expect.ts";
import { comesToShow, keepsShowing, record } from "../../sim/actions/expect.ts";
import { advertise, initiate, pay, reserve } from "../../sim/actions/trade.ts";
import type { CaseTerms, Offer, TradeTerms } from "../../sim/actions/trade-terms.ts";
import type { Wanted } from "../../sim/actions/wanted.ts";
import { ARBITRATOR_STAKE_MIN } from "../../sim/chain/genesis.ts";
import type { Participant, ScenarioPlan } from "../../sim/scenario.ts";
import { minutes, seconds } from "../../sim/scenario.ts";

export const WHOLE = 1_000_000n;
export const MERCHANT = "mara";
export const MERCHANT_NODE = 0;
export const BUYER = "tobi";
export const BUYER_NODE = 1;
/** Nodes of a small test network: the merchant's, the buyer's, two more; the last has no endpoint of its own. */
export const NODES = 4;
export const GOSSIP_ONLY = 3;
export const CONNECTED = [0, 1, 2] as const;

/** When a paid trade is disputed, and its case opened on chain: seconds after the start. */
export const DISPUTE_AT = 50;
export const CASE_AT = 52;
/** When off-chain votes begin. */
export const PANEL_AT = 60;

export const offer: Offer = {
  id: "usdc-for-eur",
  merchant: MERCHANT,
  asset: "USDC",
  fiatCurrency: "EUR",
  priceCents: 92n,
  minTrade: 10n * WHOLE,
  maxTrade: 500n * WHOLE,
  liquidity: 1_000n * WHOLE,
};

export function tradeOf(reservation: bigint, more: Partial<TradeTerms> = {}): TradeTerms {
  return { offer, reservation, settlement: `settlement-${reservation}`, buyer: BUYER, amount: 50n * WHOLE, ...more };
}

export function caseOf(trade: TradeTerms): CaseTerms {
  const windows = { commitSecs: 60n, revealSecs: 60n };
  return { id: `dispute-${trade.reservation}`, trade, reason: "I paid, and nothing came", ...windows };
}

export const trade = tradeOf(2001n);
export const dispute = caseOf(trade);

/** An arbitrator, where he lives, and how many times the least stake he has. */
export interface Sitting extends Juror {
  readonly via: number;
  readonly stakes: bigint;
}

export function participants(...arbitrators: readonly Sitting[]): readonly Participant[] {
  return [
    { name: MERCHANT, merchant: true },
    ...arbitrators.map(({ name, stakes }) => ({ name, arbitratorStake: stakes * ARBITRATOR_STAKE_MIN })),
  ];
}

const merchant = (at: number) => ({ at: seconds(at), via: MERCHANT_NODE });

/** The merchant's liquidity on chain, and the offer of it. */
export const offered: readonly Action[] = [provideLiquidity(offer, merchant(1)), advertise(offer, merchant(2))];

/** A trade up to the buyer's word that the payment was sent; around 45 s after the start. */
export function paid(terms: TradeTerms = trade, via: number = BUYER_NODE, at = 4): readonly Action[] {
  return [
    reserve(terms, { via, at: seconds(at) }),
    initiate(terms, { via, at: seconds(at) }),
    fundEscrow(terms, merchant(at)),
    pay(terms, { via, at: seconds(at) }),
  ];
}

/** A paid trade on which the buyer opens a case, off chain and on. */
export function disputed(terms: CaseTerms = dispute, via: number = BUYER_NODE): readonly Action[] {
  return [
    ...paid(terms.trade, via),
    openDispute(terms, { via, at: seconds(DISPUTE_AT) }),
    openCase(terms, { via, at: seconds(CASE_AT) }),
  ];
}

/** Arbitrators join, commit and reveal off chain, one after the other. */
export function votesOffChain(terms: CaseTerms, jurors: readonly Sitting[], at = PANEL_AT): readonly Action[] {
  return jurors.flatMap((juror, place) => [
    join(terms, juror, { via: juror.via, at: seconds(at + place) }),
    commit(terms, juror, { via: juror.via, at: seconds(at + 10 + place) }),
    reveal(terms, juror, { via: juror.via, at: seconds(at + 20 + place) }),
  ]);
}

/** Arbitrators vote on chain in one round of the case. */
export function votesOnChain(terms: CaseTerms, jurors: readonly Sitting[], round = 0): readonly Action[] {
  return jurors.flatMap((juror, place) => {
    const when = { via: juror.via, at: seconds(CASE_AT + 1) + 200 * place };
    return [commitOnChain(terms, juror, when, round), revealOnChain(terms, juror, when, round)];
  });
}

/** The buyer executes the case once its windows are over. */
export function executed(terms: CaseTerms = dispute, via: number = BUYER_NODE): Action {
  return execute(terms, { via, at: seconds(CASE_AT + 1) });
}

/** Every one of the nodes comes to show it. */
export function allCome(
  nodes: readonly number[],
  subject: ReturnType<typeof record>,
  wanted: Wanted,
  when: Omit<Watch, "via"> = { at: seconds(CASE_AT) },
): readonly Action[] {
  return nodes.map((via) => comesToShow(`reader ${via}`, subject, wanted, { ...when, via }));
}

/** Every one of the nodes shows it all the while. */
export function allKeep(
  nodes: readonly number[],
  subject: ReturnType<typeof record>,
  wanted: Wanted,
  when: Omit<Watch, "via"> & { readonly forMs: number },
): readonly Action[] {
  return nodes.map((via) => keepsShowing(`reader ${via}`, subject, wanted, { ...when, via }));
}

export const theDispute = (terms: CaseTerms = dispute) => record("getDispute", terms.id);
export const theSettlement = (terms: TradeTerms = trade) => record("getSettlement", terms.settlement);
export const theReservation = (terms: TradeTerms = trade) => record("getReservation", terms.reservation.toString());

/** A dispute that nobody has decided. */
export const undecided = { resolution: null, terminal_split: null, onchain_execution_signature: null };

/** What a decision for one side makes of a trade. Source: protocol 03 A.6. */
export const outcomeOf = {
  BuyerWins: { settlement: { state: "Completed" }, reservation: { state: "Settled" } },
  MutualSettlement: { settlement: { state: "Completed" }, reservation: { state: "Settled" } },
  MerchantWins: { settlement: { state: "Cancelled" }, reservation: { state: "EscrowLocked" } },
  Invalid: { settlement: { state: "Cancelled" }, reservation: { state: "EscrowLocked" } },
} as const;

/** The nodes come to show the chain's decision, and what it makes of the trade. */
export function decided(
  terms: CaseTerms,
  resolution: keyof typeof outcomeOf,
  nodes: readonly number[] = CONNECTED,
  at: number = CASE_AT,
): readonly Action[] {
  const { settlement, reservation } = outcomeOf[resolution];
  const when = { at: seconds(at) };
  const shown = { status: "Resolved", resolution, terminal_split: null, onchain_execution_signature: isSigned };
  return [
    ...allCome(nodes, theDispute(terms), shown, when),
    ...allCome(nodes, theSettlement(terms.trade), settlement, when),
    ...allCome(nodes, theReservation(terms.trade), reservation, when),
  ];
}

/** What stands where the chain has decided: the signature of some transaction. */
export const isSigned = { matches: "signature" } as const;

/** What every scenario of a small test network starts from: laws, chain, time to come right. */
export const smallNetwork = {
  nodes: NODES,
  nodesMin: NODES,
  chain: "bankrun",
  gossipOnly: [GOSSIP_ONLY],
  safety: [
    { kind: "equal-sets-equal-states" },
    { kind: "reads-change-nothing" },
    { kind: "no-resolution-without-execution" },
    { kind: "no-party-leaks" },
  ],
  liveness: { within: minutes(8), checks: [{ kind: "replicas-converge" }] },
} as const satisfies Partial<ScenarioPlan>;
