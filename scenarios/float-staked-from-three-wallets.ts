/**
 * One owner has a float and three wallets. The first stakes it, votes for the buyer, asks it back and would pass it on
 * to the second, that one to the third, while arbitrators may still take seats. The goal: the float waits where it
 * voted, so it votes once and loses against a majority that it outweighs three times over; and who lost pays for it,
 * out of what he asked back.
 * Source: protocol 03 D.3, D.8, E5, E5b, E14; DESIGN section 4 "Staking".
 */
import type { Action } from "../sim/action-kinds.ts";
import { commitOnChain, execute, revealOnChain } from "../sim/actions/chain-dispute.ts";
import { requestUnstake, slashDissentingArbitrator, stake, withdrawUnstaked } from "../sim/actions/stake.ts";
import { ARBITRATOR_STAKE_MIN } from "../sim/chain/genesis.ts";
import type { Participant } from "../sim/scenario.ts";
import { defineScenario, minutes, seconds } from "../sim/scenario.ts";
import type { Sitting } from "./parts/disputed-trade.ts";
import {
  BUYER_NODE,
  CASE_AT,
  CONNECTED,
  caseOf,
  decided,
  disputed,
  MERCHANT,
  MERCHANT_NODE,
  offered,
  participants,
  smallNetwork,
  trade,
  votesOnChain,
} from "./parts/disputed-trade.ts";

/** More than each of the three honest seats weighs, less than they weigh together. */
const FLOAT = 4n * ARBITRATOR_STAKE_MIN;
/** Long enough to take three seats, one after the other. */
const COMMIT_SECS = 300n;
const dispute = { ...caseOf(trade), commitSecs: COMMIT_SECS };
/** When both windows are over. */
const EXECUTED_AT = CASE_AT + Number(dispute.commitSecs + dispute.revealSecs);

const honest: readonly Sitting[] = [
  { name: "ada", vote: "MerchantWins", via: 0, stakes: 2n },
  { name: "ben", vote: "MerchantWins", via: 2, stakes: 2n },
  { name: "cleo", vote: "MerchantWins", via: 3, stakes: 2n },
];
/** Wallets of one owner; the float is all the OPEN that they have. */
const [NORA, NILS, NELE] = ["nora", "nils", "nele"];
const purses: readonly Participant[] = [
  { name: NORA, openTokens: FLOAT },
  { name: NILS, openTokens: 0n },
  { name: NELE, openTokens: 0n },
];
/** Between two steps of the owner: a transaction is final. */
const STEP = 25;
const SEATS_AT = CASE_AT + 10;

const at = (second: number) => ({ at: seconds(second), via: BUYER_NODE });
const juror = (name: string) => ({ name, vote: "BuyerWins" }) as const;

/** Takes a seat, asks the stake back and would hand it on. */
function passesOn(name: string, next: string, from: number): readonly Action[] {
  return [
    commitOnChain(dispute, juror(name), at(from)),
    requestUnstake(name, FLOAT, at(from + STEP)),
    withdrawUnstaked(name, at(from + 2 * STEP), next),
    stake(next, FLOAT, at(from + 3 * STEP)),
  ];
}

export const floatStakedFromThreeWallets = defineScenario({
  ...smallNetwork,
  name: "float-staked-from-three-wallets",
  description: "One float would vote from three wallets; it waits where it voted, loses once, and is slashed.",
  source: "protocol 03 D.8, E5, E5b, E14",
  participants: [...participants(...honest), ...purses],
  actions: [
    ...offered,
    stake(NORA, FLOAT, at(5)),
    ...disputed(dispute),
    ...votesOnChain(dispute, honest),
    ...passesOn(NORA, NILS, SEATS_AT),
    ...passesOn(NILS, NELE, SEATS_AT + 4 * STEP),
    commitOnChain(dispute, juror(NELE), at(SEATS_AT + 8 * STEP)),
    ...[NORA, NILS, NELE].map((name) => revealOnChain(dispute, juror(name), at(SEATS_AT))),
    execute(dispute, { via: BUYER_NODE, at: seconds(CASE_AT + 1) }),
    slashDissentingArbitrator(MERCHANT, dispute, NORA, { via: MERCHANT_NODE, at: seconds(CASE_AT + 1) }),
    ...decided(dispute, "MerchantWins", CONNECTED, EXECUTED_AT),
  ],
  liveness: { ...smallNetwork.liveness, within: minutes(10) },
});
