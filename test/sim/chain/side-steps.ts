/**
 * Steps beside the honest walk of a trade: what else the program offers, and steps that miss by a little: too much by
 * one, a second early or late, twice, by somebody else, with another's vote.
 */
import type { DisputeCase, TradeEscrow } from "../../../core/solana/accounts.ts";
import { stakeRecoveryClaim } from "../../../core/solana/accounts.ts";
import { openMint, treasuriesFor } from "../../../sim/chain/genesis.ts";
import * as build from "../../../sim/chain/instructions.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import type { Name } from "./chain-world.ts";
import { addressOf, at, names, openTokensOf, receiptOf, tokensOf } from "./chain-world.ts";
import type { Look, Step } from "./next-step.ts";
import {
  caseOf,
  committed,
  disputed,
  escrowOf,
  executed,
  readAs,
  revealed,
  rewarded,
  TIMEOUT,
  termsOf,
  until,
  vaultOf,
  voteOf,
  WINDOW,
} from "./next-step.ts";

/** What else can be sent about a trade now; never empty. */
export function sideSteps(look: Look, reservation: bigint): readonly Step[] {
  const escrow = escrowOf(look, reservation);
  const found = caseOf(look, reservation);
  return [
    ...vaultSteps(look, reservation),
    ...(escrow === undefined ? [] : escrowSteps(look, escrow)),
    ...(found === undefined
      ? []
      : [...caseSteps(look, found), ...caseSteps(look, found), ...depositSteps(look, found)]),
  ];
}

/** Around what a vault holds, and what its merchant pays from OPEN. */
function vaultSteps(look: Look, reservation: bigint): readonly Step[] {
  const { seller: by, mint, buyer, ref } = termsOf(reservation);
  const merchant = addressOf(by);
  const { available = 0n, reserved = 0n } = vaultOf(look, by, mint) ?? {};
  const own = tokensOf(by, mint);
  const withdraw = (amount: bigint) => ({ by, instruction: build.withdrawLiquidity(at, merchant, mint, own, amount) });
  const reserve = (amount: bigint) => ({ by, instruction: build.reserveLiquidity(at, merchant, mint.mint, amount) });
  const create = (amount: bigint, timeout = TIMEOUT) => {
    return { by, instruction: build.createTradeEscrow(at, ref, addressOf(buyer), amount, timeout) };
  };
  const listing = build.chargeAdListingFee(at, merchant, new Uint8Array(32).fill(5), treasuriesFor(at, openMint(at)));
  return [
    ...[1n, available, available + 1n, 0n].map(withdraw),
    ...[1n, available, available + 1n].map(reserve),
    ...[reserved, reserved + 1n].map((amount) => create(amount)),
    create(1n, 0n),
    create(1n, (1n << 63n) - 1n),
    { by, instruction: build.depositLiquidity(at, merchant, mint, own, (1n << 64n) - 1n) },
    { by, instruction: build.createLiquidityVault(at, merchant, openMint(at)) },
    { by, instruction: listing },
    { by, instruction: listing },
  ];
}

function escrowSteps(look: Look, { reservation_id: reservation, timeout_at }: TradeEscrow): readonly Step[] {
  const { seller, buyer, ref, mint } = termsOf(reservation);
  const expire = build.expireReservation(at, ref);
  const release = build.releaseEscrow(at, ref, tokensOf(buyer, mint), treasuriesFor(at, mint));
  return [
    { by: "stranger", instruction: expire },
    { by: "stranger", instruction: expire, wait: until(look, timeout_at) },
    { by: "stranger", instruction: release },
    { by: "stranger", instruction: build.cancelReservation(at, ref, addressOf("stranger")) },
    { by: "stranger", instruction: build.approveSettlement(at, addressOf("stranger"), reservation) },
    { by: seller, instruction: build.approveSettlement(at, addressOf(seller), reservation) },
    { by: seller, instruction: build.fundTradeEscrow(at, ref) },
    { by: buyer, instruction: build.cancelReservation(at, ref, addressOf(buyer)) },
    disputed(reservation, "stranger"),
    disputed(reservation, buyer),
    disputed(reservation, seller, WINDOW - 1n),
    disputed(reservation, buyer, WINDOW, 604_801n),
  ];
}

/** Votes and executions at the edges of their windows, by whoever may and may not. */
function caseSteps(look: Look, found: DisputeCase): readonly Step[] {
  const { reservation_id: reservation, commit_deadline, reveal_deadline } = found;
  const judge = names[4 + (look.dice % 9)] as Name;
  const seated = names.find((name) => found.arbitrators.includes(addressOf(name))) ?? judge;
  const { seller, buyer } = termsOf(reservation);
  const atOpening = { wait: until(look, commit_deadline) };
  const atEnd = { wait: until(look, reveal_deadline) };
  const early = (time: bigint) => ({ wait: until(look, time - 1n) });
  return [
    ...[judge, seated, seller, buyer, "judge4" as const].map((name) => committed(look, found, name)),
    { ...committed(look, found, judge), ...early(commit_deadline) },
    { ...committed(look, found, judge), ...atOpening },
    { ...revealed(look, found, seated), ...early(commit_deadline) },
    { ...revealed(look, found, seated), ...atOpening },
    { ...revealed(look, found, judge), ...atOpening },
    { ...revealed(look, found, seated, (voteOf(look, found, seated) + 1) % 4), ...atOpening },
    { ...revealed(look, found, seated, voteOf(look, found, seated), 12), ...atOpening },
    { ...revealed(look, found, seated), ...early(reveal_deadline) },
    { ...revealed(look, found, seated), ...atEnd },
    { ...executed(reservation), ...early(reveal_deadline) },
    { ...policySwapped(executed(reservation)), ...atEnd },
    { ...withoutPolicy(executed(reservation)), ...atEnd },
    rewarded(reservation, seated),
    rewarded(reservation, judge),
  ];
}

/** The account that decides between another round and a split is left out. */
function withoutPolicy(step: Step): Step {
  return { ...step, instruction: { ...step.instruction, accounts: step.instruction.accounts.slice(0, 19) } };
}

/** Another account where the policy belongs. */
function policySwapped(step: Step): Step {
  const accounts = step.instruction.accounts.map((meta, place) => {
    return place === 19 ? { ...meta, address: at.feeConfig().address } : meta;
  });
  return { ...step, instruction: { ...step.instruction, accounts } };
}

/** What is missing of a deposit is paid, or recovered from the merchant's stake. */
function depositSteps(look: Look, { reservation_id: reservation }: DisputeCase): readonly Step[] {
  const { seller } = termsOf(reservation);
  const open = openMint(at);
  const merchant = addressOf(seller);
  const claim = readAs(look, stakeRecoveryClaim, at.stakeRecoveryClaim(merchant, open.mint).address);
  const { total = 0n } = vaultOf(look, seller, open) ?? {};
  const [owed, credited] = [claim?.owed_total ?? 0n, claim?.credited_total ?? 0n];
  const deposit = build.depositLiquidity(at, merchant, open, tokensOf(seller, open), 4_000_000n);
  const topUp = build.topUpArbitrationDeposit(at, reservation, merchant);
  const absorb = build.absorbStakeRecovery(at, merchant);
  return [
    { by: seller, instruction: build.createLiquidityVault(at, merchant, open) },
    { by: seller, instruction: deposit },
    { by: "stranger", instruction: topUp },
    { by: "stranger", instruction: topUp },
    { by: "stranger", instruction: absorb, put: receiptOf(seller, 0n) },
    { by: "stranger", instruction: absorb, put: receiptOf(seller, credited) },
    { by: "stranger", instruction: absorb, put: receiptOf(seller, owed + 1n) },
    { by: "stranger", instruction: absorb, put: openTokensOf(seller, total + owed + 1n - credited) },
  ];
}

/** The same instruction signed by somebody else in its signer's place. */
export function bySomebodyElse(
  { instruction }: Step,
  name: Name,
): { readonly by: Name; readonly instruction: Instruction } {
  const accounts = instruction.accounts.map((meta) => (meta.signer ? { ...meta, address: addressOf(name) } : meta));
  return { by: name, instruction: { ...instruction, accounts } };
}
