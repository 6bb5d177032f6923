/**
 * What an honest trader or arbitrator sends next, read from the chain as it stands: a trade walks on through deposit,
 * escrow, payment or dispute, rounds of votes, execution and rewards.
 */

import { utf8 } from "../../../core/kernel/text.ts";
import type {
  AccountLayout,
  DisputeCase,
  LiquidityVault,
  StakeRecoveryClaim,
  TradeEscrow,
} from "../../../core/solana/accounts.ts";
import {
  decodeAccount,
  disputeCase,
  liquidityVault,
  stakeRecoveryClaim,
  tradeEscrow,
} from "../../../core/solana/accounts.ts";
import { simulatedProfile } from "../../../core/solana/addresses.ts";
import type { ChainAccount } from "../../../sim/chain/executor.ts";
import type { GenesisAccount, Mint } from "../../../sim/chain/genesis.ts";
import { openMint, treasuriesFor, treasuryWallets } from "../../../sim/chain/genesis.ts";
import type { TradeRef } from "../../../sim/chain/instruction-parts.ts";
import * as build from "../../../sim/chain/instructions.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import type { Name } from "./chain-world.ts";
import {
  addressOf,
  at,
  commitmentOf,
  crypto,
  mints,
  names,
  openTokensOf,
  receiptOf,
  tokensOf,
  usdc,
} from "./chain-world.ts";

/** One instruction, who sends it, the seconds that pass before it, and what is written over the chain before it. */
export interface Step {
  readonly by: Name;
  readonly instruction: Instruction;
  readonly wait?: bigint;
  readonly put?: GenesisAccount;
}

/** The chain as it stands, a number below 100 that says which way a trade goes now, and one that is a story's own. */
export interface Look {
  readonly account: (address: string) => ChainAccount | undefined;
  readonly now: bigint;
  readonly dice: number;
  readonly luck: number;
}

/** A trade that a test may bring about. */
interface Terms {
  readonly seller: Name;
  readonly buyer: Name;
  readonly mint: Mint;
  readonly amount: bigint;
}

/** By reservation number, counted round: two of one vault, one whose seller has no OPEN vault, three mints. */
const terms: readonly Terms[] = [
  { seller: "merchant", buyer: "buyer", mint: usdc, amount: 1_000_003n },
  { seller: "rival", buyer: "buyer", mint: usdc, amount: 999_999n },
  { seller: "merchant", buyer: "other", mint: usdc, amount: 3n },
  { seller: "merchant", buyer: "buyer", mint: mints[3] as Mint, amount: 1_001n },
  { seller: "rival", buyer: "other", mint: mints[0] as Mint, amount: 1_000_000n },
];
export const TRADES = terms.length;

const [RESERVED, AWAITING, FROZEN] = [1, 2, 5];
const SALT = 11;
export const WINDOW = 60n;
/** An eighth of a window, after which more are drawn. */
const DRAW_EIGHTH = 8n;
/** Dice below which what is missing of a deposit is seen to. */
const TOPPED_UP = 30;
export const TIMEOUT = 1_800n;
const judges = names.filter((name) => name.startsWith("judge") && name !== "judge4");
/** Dice below which the number of arbitrators is published, in the stories where it is. */
const PUBLISHED = 4;
/** Dice below which the pool is made where there is none. */
const POOL_MADE = 20;
/** What a fee configuration begins with. Source: protocol 03 D.7. */
const setUp = (adListingFee: bigint) =>
  build.initializeFeeConfig(at, addressOf("admin"), treasuryWallets, {
    adListingFee,
    disputeFilingFee: 10_000_000n,
    settlementFeeBps: 85,
    shareBps: [4_000, 3_000, 2_000, 1_000],
    timeoutSecs: TIMEOUT,
  });
/** Dice below which an awaited payment is disputed, approved, cancelled. */
const [DISPUTED, APPROVED, CANCELLED] = [66, 84, 93];

export function termsOf(reservation: bigint): Terms & { readonly ref: TradeRef; readonly reservation: bigint } {
  const found = terms[Number((reservation - 1n) % BigInt(terms.length))] ?? (terms[0] as Terms);
  return { ...found, reservation, ref: { ...found.mint, reservation, merchant: addressOf(found.seller) } };
}

export function readAs<T>(look: Look, kind: AccountLayout<T>, address: string): T | undefined {
  const account = look.account(address);
  const read = account === undefined ? undefined : decodeAccount(kind, simulatedProfile, account);
  return read?.ok === true ? read.value : undefined;
}

export function escrowOf(look: Look, reservation: bigint): TradeEscrow | undefined {
  return readAs(look, tradeEscrow, at.tradeEscrow(reservation).address);
}

export function caseOf(look: Look, reservation: bigint): DisputeCase | undefined {
  return readAs(look, disputeCase, at.disputeCase(reservation).address);
}

export function vaultOf(look: Look, seller: Name, mint: Mint): LiquidityVault | undefined {
  return readAs(look, liquidityVault, at.liquidityVault(addressOf(seller), mint.mint).address);
}

/** The first trade of this kind that is not over. */
export function openTrade(look: Look, kind: number): bigint {
  let reservation = BigInt(1 + (kind % TRADES));
  while (isTerminal(look, reservation)) reservation += BigInt(TRADES);
  return reservation;
}

function isTerminal(look: Look, reservation: bigint): boolean {
  const escrow = escrowOf(look, reservation);
  if (escrow === undefined || [RESERVED, AWAITING, FROZEN].includes(escrow.state)) return false;
  const found = caseOf(look, reservation);
  return found === undefined || unclaimed(found).length === 0;
}

/** The next honest step of a trade. */
export function nextStep(look: Look, reservation: bigint): Step {
  const trade = termsOf(reservation);
  if (look.luck % 3 === 0 && look.dice < PUBLISHED) return published(look);
  if (look.account(at.feeConfig().address) === undefined)
    return { by: "admin", instruction: setUp(look.dice % 2 === 0 ? 1_000_000n : 0n) };
  if (look.account(at.arbitrationPool().address) === undefined && look.dice < POOL_MADE)
    return { by: "admin", instruction: build.initializeArbitrationPool(at, addressOf("admin")) };
  const escrow = escrowOf(look, reservation);
  if (escrow === undefined) return towardsEscrow(look, trade);
  switch (escrow.state) {
    case RESERVED:
      return look.dice < 90
        ? { by: trade.seller, instruction: build.fundTradeEscrow(at, trade.ref) }
        : unwound(look, escrow);
    case AWAITING:
      return afterFunding(look, escrow);
    case FROZEN:
      return towardsVerdict(look, reservation);
    default:
      return claimed(look, reservation);
  }
}

/** The admin says how many arbitrators there are: few, or enough. */
function published({ luck, dice }: Look): Step {
  const eligible = [3, 4, 17][luck % 3] ?? 0;
  const instruction = build.publishArbitratorPoolSize(at, addressOf("admin"), dice === 0 ? 0 : eligible);
  return { by: "admin", instruction };
}

function towardsEscrow(look: Look, { seller, buyer, mint, amount, ref }: ReturnType<typeof termsOf>): Step {
  const vault = vaultOf(look, seller, mint);
  const merchant = addressOf(seller);
  const by = seller;
  if (vault === undefined) return { by, instruction: build.createLiquidityVault(at, merchant, mint) };
  if (vault.reserved >= amount)
    return { by, instruction: build.createTradeEscrow(at, ref, addressOf(buyer), amount, TIMEOUT) };
  if (vault.available >= amount) return { by, instruction: build.reserveLiquidity(at, merchant, mint.mint, amount) };
  return { by, instruction: build.depositLiquidity(at, merchant, mint, tokensOf(seller, mint), 3n * amount) };
}

function afterFunding(look: Look, escrow: TradeEscrow): Step {
  const { reservation_id: reservation, approved } = escrow;
  const { seller, buyer, mint, ref } = termsOf(reservation);
  const party = look.dice % 3 === 0 ? seller : buyer;
  if (look.dice < DISPUTED) return disputed(reservation, party);
  if (approved) {
    const instruction = build.releaseEscrow(at, ref, tokensOf(buyer, mint), treasuriesFor(at, mint));
    return { by: "stranger", instruction };
  }
  if (look.dice < APPROVED)
    return { by: seller, instruction: build.approveSettlement(at, addressOf(seller), reservation) };
  return unwound(look, escrow);
}

export function disputed(reservation: bigint, by: Name, commitSecs = WINDOW, revealSecs = WINDOW): Step {
  const trade = { reservation, merchant: addressOf(termsOf(reservation).seller) };
  const windows = { commitSecs, revealSecs };
  return { by, instruction: build.openDisputeCase(at, trade, addressOf(by), addressOf(by), windows) };
}

function unwound(look: Look, { reservation_id, timeout_at }: TradeEscrow): Step {
  const { seller, buyer, ref } = termsOf(reservation_id);
  const by = look.dice % 2 === 0 ? seller : buyer;
  if (look.dice < CANCELLED) return { by, instruction: build.cancelReservation(at, ref, addressOf(by)) };
  return { by: "stranger", instruction: build.expireReservation(at, ref), wait: until(look, timeout_at + 1n) };
}

/** Seconds from now to an instant, none when it has passed. */
export function until({ now }: Look, time: bigint): bigint {
  return time > now ? time - now : 0n;
}

/** A number below 256 of a story's own for whatever the words name. */
function drawn({ luck }: Look, ...parts: readonly (string | number | bigint)[]): number {
  return crypto.sha256(utf8(`${luck} ${parts.join(" ")}`))[0] ?? 0;
}

/** How many seats a round gets: mostly enough to decide, sometimes all of them. */
function seatsWanted(look: Look, { reservation_id, round }: DisputeCase): number {
  return [3, 4, 3, 7, 2, 5, 3, 0][drawn(look, "seats", reservation_id, round) % 8] ?? 3;
}

/** The vote of an arbitrator: mostly that of its round; some rounds are divided. */
export function voteOf(look: Look, { reservation_id, round }: DisputeCase, judge: Name): number {
  const usual = [0, 0, 1, 0, 2, 0, 3][drawn(look, "outcome", reservation_id, round) % 9];
  if (usual === undefined) return names.indexOf(judge) % 4;
  const own = drawn(look, "vote", reservation_id, round, judge);
  return own % 10 < 7 ? usual : own % 4;
}

/** One in eight stays silent; in some rounds everybody does. */
function staysSilent(look: Look, { reservation_id, round }: DisputeCase, judge: Name): boolean {
  const whole = drawn(look, "silence", reservation_id, round) % 8 === 0;
  return whole || drawn(look, "silent", reservation_id, round, judge) % 8 === 0;
}

/** Commits while there are seats to take, then reveals, then executes. */
function towardsVerdict(look: Look, reservation: bigint): Step {
  const found = caseOf(look, reservation);
  if (found === undefined) return executed(reservation);
  if (found.deposit_shortfall > 0n && look.dice < TOPPED_UP) return toppedUp(look, found);
  const free = judges.filter((judge) => mayStillSit(found, judge));
  const wanted = found.arbitrators.length < seatsWanted(look, found) || look.dice % 8 < found.arbitrators.length / 2;
  if (look.now < found.commit_deadline && wanted && free.length > 0) {
    const judge = free[look.dice % free.length] as Name;
    return { ...committed(look, found, judge), wait: look.dice % 4 === 0 ? DRAW_EIGHTH : 0n };
  }
  const [judge] = judges.filter((each) => {
    const seat = found.arbitrators.indexOf(addressOf(each));
    return found.revealed_outcomes[seat] === null && !staysSilent(look, found, each);
  });
  if (judge === undefined || look.now >= found.reveal_deadline)
    return { ...executed(reservation), wait: until(look, found.reveal_deadline) };
  return { ...revealed(look, found, judge), wait: until(look, found.commit_deadline) };
}

/** A merchant who had no OPEN vault makes one and pays what it can; what its stake yields is credited. */
function toppedUp(look: Look, { reservation_id: reservation }: DisputeCase): Step {
  const { seller: by } = termsOf(reservation);
  const open = openMint(at);
  const merchant = addressOf(by);
  const vault = vaultOf(look, by, open);
  if (vault === undefined) return { by, instruction: build.createLiquidityVault(at, merchant, open) };
  const claim = readAs(look, stakeRecoveryClaim, at.stakeRecoveryClaim(merchant, open.mint).address);
  if (claim !== undefined && look.dice % 3 === 0) return recovered(look, by, vault, claim);
  if (vault.available > 0n)
    return { by: "stranger", instruction: build.topUpArbitrationDeposit(at, reservation, merchant) };
  return { by, instruction: build.depositLiquidity(at, merchant, open, tokensOf(by, open), 4_000_000n) };
}

/** The tokens that a stake yielded have arrived, or the receipt says so. */
function recovered(
  { dice }: Look,
  seller: Name,
  { available, reserved }: LiquidityVault,
  { credited_total }: StakeRecoveryClaim,
): Step {
  const instruction = build.absorbStakeRecovery(at, addressOf(seller));
  const arrived = openTokensOf(seller, available + reserved + 1_001n);
  const put = dice % 2 === 0 ? receiptOf(seller, credited_total + 1_001n) : arrived;
  return { by: "stranger", instruction, put };
}

function mayStillSit({ arbitrators, barred }: DisputeCase, judge: Name): boolean {
  return !arbitrators.includes(addressOf(judge)) && !barred.includes(addressOf(judge));
}

export function committed(look: Look, found: DisputeCase, by: Name): Step {
  const { reservation_id: reservation } = found;
  const commitment = commitmentOf(reservation, by, voteOf(look, found, by), SALT);
  return { by, instruction: build.commitDisputeVote(at, reservation, addressOf(by), commitment) };
}

export function revealed(
  look: Look,
  found: DisputeCase,
  by: Name,
  outcome = voteOf(look, found, by),
  salt = SALT,
): Step {
  const { reservation_id: reservation } = found;
  const bytes = new Uint8Array(32).fill(salt);
  return { by, instruction: build.revealDisputeVote(at, reservation, addressOf(by), outcome, bytes) };
}

export function executed(reservation: bigint): Step {
  const { ref, buyer, mint } = termsOf(reservation);
  const [to, treasuries] = [tokensOf(buyer, mint), treasuriesFor(at, mint)];
  return { by: "stranger", instruction: build.executeDisputeOutcome(at, ref, to, treasuries) };
}

/** Seats that won and have not claimed. */
function unclaimed({ arbitrators, outcome, revealed_outcomes, reward_claimed, weights }: DisputeCase): readonly Name[] {
  return names.filter((name) => {
    const seat = arbitrators.indexOf(addressOf(name));
    const won = outcome === 0 && seat >= 0 && revealed_outcomes[seat] === 0 && (weights[seat] ?? 0n) > 0n;
    return won && reward_claimed[seat] === false;
  });
}

function claimed(look: Look, reservation: bigint): Step {
  const found = caseOf(look, reservation);
  const [winner] = found === undefined || look.dice % 4 === 0 ? [] : unclaimed(found);
  return rewarded(reservation, winner ?? (judges[look.dice % judges.length] as Name));
}

export function rewarded(reservation: bigint, by: Name): Step {
  const instruction = build.claimArbitrationReward(at, reservation, addressOf(by), tokensOf(by, openMint(at)));
  return { by, instruction };
}
