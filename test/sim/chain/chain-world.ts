/**
 * A small marketplace on the simulated chain for the tests of this folder: named wallets, their genesis, and random
 * commands over few trades, so that most sequences meet in the same accounts.
 */
import fc from "fast-check";
import { openNativeCrypto } from "../../../adapters/crypto/native.ts";
import { banRecord, encodeAccount, stakeAccount, stakeRecoveryReceipt } from "../../../core/chain-bridge/accounts.ts";
import {
  chainAddresses,
  simulatedProfile,
  stakeRoles,
  systemProgram,
  token2022Program,
} from "../../../core/chain-bridge/addresses.ts";
import { concat } from "../../../core/kernel/bytes.ts";
import { toBase58, utf8 } from "../../../core/kernel/text.ts";
import type { ExecutionContext, Keypair } from "../../../sim/chain/executor.ts";
import type { GenesisAccount, GenesisOptions, Mint } from "../../../sim/chain/genesis.ts";
import {
  ARBITRATOR_STAKE_MIN,
  genesis,
  openMint,
  settlementMints,
  treasuriesFor,
  treasuryWallets,
} from "../../../sim/chain/genesis.ts";
import * as build from "../../../sim/chain/instructions.ts";
import { commitmentPreimage } from "../../../sim/chain/model/votes.ts";
import { rememberedAddresses } from "../../../sim/chain/remembered-addresses.ts";
import { rentExempt } from "../../../sim/chain/rent.ts";
import { tokenAccountBytes } from "../../../sim/chain/token.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import { signTransaction } from "../../../sim/chain/transaction.ts";

export const crypto = openNativeCrypto();
export const at = rememberedAddresses(chainAddresses(crypto, simulatedProfile));

export const names = [
  "merchant",
  "rival",
  "buyer",
  "other",
  "judge1",
  "judge2",
  "judge3",
  "judge4",
  "stranger",
  "admin",
] as const;
export type Name = (typeof names)[number];

/** Keys that are a function of the name. */
export const wallets = Object.fromEntries(
  names.map((name) => {
    const secretKey = crypto.sha256(utf8(`wallet ${name}`));
    return [name, { secretKey, publicKey: crypto.publicKey(secretKey) }];
  }),
) as unknown as Readonly<Record<Name, Keypair>>;

export const keyring: readonly Keypair[] = Object.values(wallets);

export function addressOf(name: Name): string {
  return toBase58(wallets[name].publicKey);
}

export const START_UNIX = 1_700_000_000n;

/** The first day: one merchant with an OPEN vault, one without, four arbitrators of different weight. */
export function firstDay(terms: GenesisOptions["feeTerms"] = {}): readonly GenesisAccount[] {
  const stakes: Partial<Record<Name, bigint>> = {
    judge1: ARBITRATOR_STAKE_MIN,
    judge2: ARBITRATOR_STAKE_MIN * 2n,
    judge3: ARBITRATOR_STAKE_MIN,
    judge4: ARBITRATOR_STAKE_MIN - 1n,
    buyer: ARBITRATOR_STAKE_MIN,
    merchant: ARBITRATOR_STAKE_MIN,
  };
  return genesis(at, {
    admin: addressOf("admin"),
    stakedSince: START_UNIX - 1000n,
    feeTerms: terms,
    wallets: names
      .filter((name) => name !== "admin")
      .map((name) => ({
        address: addressOf(name),
        merchant: name === "merchant",
        arbitratorStake: stakes[name] ?? 0n,
      })),
  });
}

/** First days to start from: usual; with a draw and a stake age; before the programs were set up. */
export const arbFirstDay: fc.Arbitrary<readonly GenesisAccount[]> = fc.constantFrom(
  firstDay(),
  firstDay(),
  firstDay({ arbitrator_sortition_bps: 600, min_arbitrator_stake_age_secs: 510n }),
  firstDay().filter(({ address }) => address !== at.arbitrationPool().address),
  firstDay().filter(({ address }) => address !== at.feeConfig().address),
);

/** What the chain shows at a time: one slot hash a slot. */
export function contextAt(unixTimestamp: bigint): ExecutionContext {
  const slot = ((unixTimestamp - START_UNIX) * 5n) / 2n + 1000n;
  const hash = crypto.sha256(utf8(`slot ${slot}`));
  return { slot, unixTimestamp, slotHashes: [{ slot: slot - 1n, hash }] };
}

/** Signs with everybody the message asks for. */
export function wireOf(payer: Name, instructions: readonly Instruction[], nonce: number): Uint8Array {
  const blockhash = toBase58(crypto.sha256(utf8(`blockhash ${nonce}`)));
  return signTransaction({ payer: addressOf(payer), instructions, blockhash }, keyring, crypto);
}

/** The four mints of the marketplace and OPEN. */
export const mints: readonly Mint[] = [...settlementMints, openMint(at)];
export const usdc = mints[1] as Mint;

/** A wallet's usual token account. */
export function tokensOf(name: Name, mint: Mint): string {
  return at.tokenAccount(addressOf(name), mint.mint, mint.tokenProgram).address;
}

/** The commitment of W-14 to an outcome with a salt of equal bytes. */
export function commitmentOf(reservation: bigint, arbitrator: Name, outcome: number, salt: number): Uint8Array {
  const { address } = at.disputeCase(reservation);
  return crypto.sha256(commitmentPreimage(outcome, new Uint8Array(32).fill(salt), address, addressOf(arbitrator)));
}

export interface Command {
  readonly payer: Name;
  readonly instructions: readonly Instruction[];
  /** Seconds that pass before it. */
  readonly wait: bigint;
  /** Written over the chain before it: a slash, a ban, a wallet grown poor. */
  readonly put?: GenesisAccount;
  /** The chain shows no slot hash. */
  readonly blind?: boolean;
}

const arbMint = fc.constantFrom(usdc, usdc, usdc, mints[0] as Mint, mints[3] as Mint, mints[4] as Mint);
const arbMerchant: fc.Arbitrary<Name> = fc.constantFrom("merchant", "merchant", "merchant", "rival", "stranger");
const arbBuyer: fc.Arbitrary<Name> = fc.constantFrom("buyer", "buyer", "buyer", "other", "merchant");
const arbJudge: fc.Arbitrary<Name> = fc.constantFrom(
  "judge1",
  "judge2",
  "judge3",
  "judge1",
  "judge2",
  "judge3",
  "judge4",
  "buyer",
  "merchant",
  "stranger",
);
const arbAnyone: fc.Arbitrary<Name> = fc.constantFrom(...names);
const arbReservation = fc.constantFrom(1n, 1n, 1n, 2n, 3n);
const arbAmount = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(1n, 3n, 1_000n, 999_999n, 1_000_000n) },
  { weight: 1, arbitrary: fc.constantFrom(0n, 10n ** 13n, (1n << 64n) - 1n) },
);
const arbOutcome = fc.constantFrom(0, 0, 0, 1, 2, 3);
const arbWait = fc.oneof(
  { weight: 8, arbitrary: fc.constant(0n) },
  { weight: 3, arbitrary: fc.constantFrom(1n, 30n, 59n, 60n, 61n, 120n) },
  { weight: 1, arbitrary: fc.constantFrom(1_801n, 604_800n) },
);
const arbWindow = fc.oneof(
  { weight: 8, arbitrary: fc.constant(60n) },
  { weight: 1, arbitrary: fc.constantFrom(59n, 61n, 604_800n, 604_801n, -1n, (1n << 63n) - 1n) },
);

/** One trade's fixed terms, so that commands about a reservation mostly agree. */
function trade(reservation: bigint, seller: Name, mint: Mint): build.TradeRef {
  return { ...mint, reservation, merchant: addressOf(seller) };
}

const arbTrade = fc.record({
  reservation: arbReservation,
  seller: fc.constantFrom<Name>("merchant", "merchant", "merchant", "merchant", "merchant", "rival"),
  mint: fc.oneof({ weight: 8, arbitrary: fc.constant(usdc) }, { weight: 1, arbitrary: arbMint }),
});

interface Signed {
  readonly by: Name;
  readonly instruction: Instruction;
}

/** Single instructions about trades, valid or not. */
const arbTradeInstruction: fc.Arbitrary<Signed> = fc.oneof(
  fc
    .tuple(arbMerchant, arbMint)
    .map(([by, mint]) => ({ by, instruction: build.createLiquidityVault(at, addressOf(by), mint) })),
  fc.tuple(arbMerchant, arbMint, arbAmount).map(([by, mint, amount]) => ({
    by,
    instruction: build.depositLiquidity(at, addressOf(by), mint, tokensOf(by, mint), amount),
  })),
  fc.tuple(arbMerchant, arbMint, arbAmount).map(([by, mint, amount]) => ({
    by,
    instruction: build.reserveLiquidity(at, addressOf(by), mint.mint, amount),
  })),
  fc.tuple(arbMerchant, arbMint, arbAmount).map(([by, mint, amount]) => ({
    by,
    instruction: build.withdrawLiquidity(at, addressOf(by), mint, tokensOf(by, mint), amount),
  })),
  fc
    .tuple(arbTrade, arbBuyer, arbAmount, fc.constantFrom(1_800n, 60n, 0n, -5n, (1n << 63n) - 1n))
    .map(([{ reservation, seller, mint }, buyer, amount, timeout]) => ({
      by: seller,
      instruction: build.createTradeEscrow(at, trade(reservation, seller, mint), addressOf(buyer), amount, timeout),
    })),
  arbTrade.map(({ reservation, seller, mint }) => ({
    by: seller,
    instruction: build.fundTradeEscrow(at, trade(reservation, seller, mint)),
  })),
  fc.tuple(arbReservation, arbMerchant).map(([reservation, by]) => ({
    by,
    instruction: build.approveSettlement(at, addressOf(by), reservation),
  })),
  fc.tuple(arbTrade, arbBuyer).map(([{ reservation, seller, mint }, buyer]) => ({
    by: "stranger" as Name,
    instruction: build.releaseEscrow(
      at,
      trade(reservation, seller, mint),
      tokensOf(buyer, mint),
      treasuriesFor(at, mint),
    ),
  })),
  fc.tuple(arbTrade, arbAnyone).map(([{ reservation, seller, mint }, by]) => ({
    by,
    instruction: build.cancelReservation(at, trade(reservation, seller, mint), addressOf(by)),
  })),
  arbTrade.map(({ reservation, seller, mint }) => ({
    by: "stranger" as Name,
    instruction: build.expireReservation(at, trade(reservation, seller, mint)),
  })),
  fc.tuple(arbTrade, arbBuyer, arbWindow, arbWindow).map(([{ reservation, seller }, by, commitSecs, revealSecs]) => ({
    by,
    instruction: build.openDisputeCase(at, { reservation, merchant: addressOf(seller) }, addressOf(by), addressOf(by), {
      commitSecs,
      revealSecs,
    }),
  })),
  fc.tuple(arbReservation, arbJudge, arbOutcome).map(([reservation, by, outcome]) => ({
    by,
    instruction: build.commitDisputeVote(at, reservation, addressOf(by), commitmentOf(reservation, by, outcome, 11)),
  })),
  fc
    .tuple(arbReservation, arbJudge, fc.constantFrom(0, 1, 2, 3, 4), fc.constantFrom(11, 11, 11, 12))
    .map(([reservation, by, outcome, salt]) => ({
      by,
      instruction: build.revealDisputeVote(at, reservation, addressOf(by), outcome, new Uint8Array(32).fill(salt)),
    })),
  fc.tuple(arbTrade, arbBuyer, fc.nat(5)).map(([{ reservation, seller, mint }, buyer, policy]) => ({
    by: "stranger" as Name,
    instruction: build.executeDisputeOutcome(
      at,
      trade(reservation, seller, mint),
      tokensOf(buyer, mint),
      treasuriesFor(at, mint),
      policy === 0,
    ),
  })),
  fc.tuple(arbReservation, arbJudge).map(([reservation, by]) => ({
    by,
    instruction: build.claimArbitrationReward(at, reservation, addressOf(by), tokensOf(by, openMint(at))),
  })),
  fc
    .tuple(fc.constantFrom<Name>("admin", "admin", "stranger"), fc.constantFrom(0, 3, 16, 17, 100))
    .map(([by, eligible]) => ({
      by,
      instruction: build.publishArbitratorPoolSize(at, addressOf(by), eligible),
    })),
);

/** The merchant's OPEN vault pays and is paid outside trades. */
const arbVaultInstruction: fc.Arbitrary<Signed> = fc.oneof(
  fc.tuple(arbReservation, arbMerchant).map(([reservation, by]) => ({
    by,
    instruction: build.topUpArbitrationDeposit(at, reservation, addressOf(by)),
  })),
  arbMerchant.map((by) => ({
    by,
    instruction: build.chargeAdListingFee(
      at,
      addressOf(by),
      new Uint8Array(32).fill(5),
      treasuriesFor(at, openMint(at)),
    ),
  })),
  arbMerchant.map((by) => ({ by: "stranger" as Name, instruction: build.absorbStakeRecovery(at, addressOf(by)) })),
);

const arbTerms: fc.Arbitrary<build.FeeTerms> = fc.record({
  adListingFee: fc.constantFrom(0n, 1n, 1_000_000n),
  disputeFilingFee: fc.constantFrom(0n, 10_000_000n, 10n ** 12n),
  settlementFeeBps: fc.constantFrom(0, 85, 85, 10_000, 10_001),
  shareBps: fc.constantFrom(
    [4_000, 3_000, 2_000, 1_000],
    [0, 0, 0, 10_000],
    [1, 2, 3, 4],
    [3_333, 3_333, 3_333, 1],
  ) as fc.Arbitrary<readonly [number, number, number, number]>,
  timeoutSecs: fc.constantFrom(1_800n, 1n, 0n, -1n),
});

const arbMintList = fc.oneof(
  fc.constantFrom(
    [usdc.mint],
    settlementMints.map((mint) => mint.mint),
    settlementMints.map((mint) => mint.mint),
  ),
  fc.array(fc.constantFrom(...mints.map((mint) => mint.mint), systemProgram), { maxLength: 18 }),
);

const arbAdmin = fc.constantFrom<Name>("admin", "admin", "admin", "stranger");

/** The programs' administration. */
const arbAdminInstruction: fc.Arbitrary<Signed> = fc.oneof(
  fc.tuple(arbAdmin, arbTerms).map(([by, terms]) => ({
    by,
    instruction: build.initializeFeeConfig(at, addressOf(by), treasuryWallets, terms),
  })),
  fc
    .tuple(
      arbAdmin,
      arbTerms,
      fc.constantFrom(0n, 600n, -1n),
      fc.constantFrom(0, 100, 10_000, 10_001),
      arbMintList,
      arbMint,
    )
    .map(([by, terms, stakeAgeSecs, sortitionBps, list, mint]) => ({
      by,
      instruction: build.updateFeeConfig(at, addressOf(by), mint.mint, treasuriesFor(at, mint), terms, {
        stakeAgeSecs,
        sortitionBps,
        mints: list,
      }),
    })),
  arbAdmin.map((by) => ({ by, instruction: build.initializeArbitrationPool(at, addressOf(by)) })),
  arbAdmin.map((by) => ({ by, instruction: build.migrateFeeConfig(at, addressOf(by)) })),
);

export const arbInstruction: fc.Arbitrary<Signed> = fc.oneof(
  { weight: 16, arbitrary: arbTradeInstruction },
  { weight: 3, arbitrary: arbVaultInstruction },
  { weight: 2, arbitrary: arbAdminInstruction },
);

interface Story {
  readonly reservation: bigint;
  readonly mint: Mint;
  readonly amount: bigint;
  readonly seller: Name;
  readonly ending: "none" | "release" | "cancel" | "expire" | "dispute";
  readonly rounds: readonly Round[];
  readonly withPolicy: boolean;
}

/** Per arbitrator: null stays away, otherwise the outcome and whether the vote is opened. */
type Round = readonly (readonly [number, boolean] | null)[];

const panel: readonly Name[] = ["judge1", "judge2", "judge3"];
const arbVote = fc.oneof(
  { weight: 9, arbitrary: fc.tuple(arbOutcome, fc.constantFrom(true, true, true, true, true, false)) },
  { weight: 1, arbitrary: fc.constant(null) },
);

/** A whole trade up to a chosen point, so that rare states are met often. */
export const arbStory: fc.Arbitrary<readonly Command[]> = fc
  .record({
    reservation: arbReservation,
    mint: fc.constantFrom(usdc, usdc, mints[0] as Mint, mints[3] as Mint),
    amount: fc.constantFrom(1n, 3n, 1_001n, 999_999n, 1_000_003n),
    seller: fc.constantFrom<Name>("merchant", "merchant", "merchant", "rival"),
    ending: fc.constantFrom<Story["ending"]>(
      "none",
      "release",
      "cancel",
      "expire",
      "dispute",
      "dispute",
      "dispute",
      "dispute",
    ),
    rounds: fc.array(fc.tuple(arbVote, arbVote, arbVote), { minLength: 1, maxLength: 3 }),
    withPolicy: fc.boolean(),
    depth: fc.oneof({ weight: 3, arbitrary: fc.constant(99) }, { weight: 1, arbitrary: fc.nat(14) }),
  })
  .map((story) => commandsOf(story).slice(0, story.depth));

function commandsOf(story: Story): readonly Command[] {
  const { reservation, mint, amount, seller, ending } = story;
  const ref = trade(reservation, seller, mint);
  const merchant = addressOf(seller);
  return [
    one(seller, build.createLiquidityVault(at, merchant, mint)),
    one(seller, build.depositLiquidity(at, merchant, mint, tokensOf(seller, mint), 5n * amount)),
    one(seller, build.reserveLiquidity(at, merchant, mint.mint, 2n * amount)),
    one(seller, build.createTradeEscrow(at, ref, addressOf("buyer"), amount, 1_800n)),
    ...(ending === "none" ? [] : [one(seller, build.fundTradeEscrow(at, ref))]),
    ...endingOf(story, ref),
  ];
}

function endingOf(story: Story, ref: build.TradeRef): readonly Command[] {
  const { reservation, mint, seller } = story;
  const release = build.releaseEscrow(at, ref, tokensOf("buyer", mint), treasuriesFor(at, mint));
  switch (story.ending) {
    case "release":
      return [one(seller, build.approveSettlement(at, addressOf(seller), reservation)), one("stranger", release)];
    case "cancel":
      return [one("buyer", build.cancelReservation(at, ref, addressOf("buyer")))];
    case "expire":
      return [one("stranger", build.expireReservation(at, ref), 1_801n)];
    case "dispute":
      return [
        one(
          "buyer",
          build.openDisputeCase(at, ref, addressOf("buyer"), addressOf("buyer"), { commitSecs: 60n, revealSecs: 60n }),
        ),
        ...(story.seller === "rival" ? shortfallCommands(story) : []),
        ...story.rounds.flatMap((round) => roundCommands(story, ref, round)),
        ...panel.map((judge) =>
          one(judge, build.claimArbitrationReward(at, reservation, addressOf(judge), tokensOf(judge, openMint(at)))),
        ),
      ];
    default:
      return [];
  }
}

/** A merchant who had no OPEN vault makes one, pays what it can, and is credited what its stake yielded. */
function shortfallCommands({ reservation, seller, amount }: Story): readonly Command[] {
  const open = openMint(at);
  const merchant = addressOf(seller);
  const paid = amount * 10n;
  return [
    one(seller, build.createLiquidityVault(at, merchant, open)),
    one(seller, build.depositLiquidity(at, merchant, open, tokensOf(seller, open), paid)),
    one("stranger", build.topUpArbitrationDeposit(at, reservation, merchant)),
    { ...one("stranger", build.absorbStakeRecovery(at, merchant)), put: receiptOf(seller, 4_000_000n) },
    { ...one("stranger", build.absorbStakeRecovery(at, merchant)), put: openTokensOf(seller, 4_000_000n + paid) },
  ];
}

/** One round as its arbitrators play it, and the execution at its end. */
function roundCommands(
  { reservation, mint, withPolicy }: Story,
  ref: build.TradeRef,
  round: Round,
): readonly Command[] {
  const seats = panel.flatMap((judge, place) => {
    const vote = round[place] ?? null;
    return vote === null ? [] : [{ judge, outcome: vote[0], opens: vote[1] }];
  });
  const execute = build.executeDisputeOutcome(at, ref, tokensOf("buyer", mint), treasuriesFor(at, mint), withPolicy);
  return [
    ...seats.map(({ judge, outcome }) =>
      one(
        judge,
        build.commitDisputeVote(at, reservation, addressOf(judge), commitmentOf(reservation, judge, outcome, 11)),
      ),
    ),
    one("stranger", build.approveSettlement(at, addressOf("stranger"), reservation), 60n), // refused; time passes
    ...seats
      .filter(({ opens }) => opens)
      .map(({ judge, outcome }) =>
        one(judge, build.revealDisputeVote(at, reservation, addressOf(judge), outcome, new Uint8Array(32).fill(11))),
      ),
    one("stranger", execute, 60n),
  ];
}

function one(payer: Name, instruction: Instruction, wait = 0n): Command {
  return { payer, instructions: [instruction], wait };
}

/** A command with something broken: rights, accounts, data. */
function broken(instruction: Instruction, kind: number, where: number): Instruction {
  const place = instruction.accounts.length === 0 ? 0 : where % instruction.accounts.length;
  const change = (meta: Instruction["accounts"][number], index: number) => {
    if (index !== place) return meta;
    if (kind === 0) return { ...meta, signer: false };
    if (kind === 1) return { ...meta, writable: false };
    if (kind === 2) return { ...meta, address: addressOf("other") };
    return {
      ...meta,
      address: instruction.accounts[(where * 7) % instruction.accounts.length]?.address ?? meta.address,
    };
  };
  if (kind === 4) return { ...instruction, accounts: instruction.accounts.slice(0, place) };
  if (kind === 5) return { ...instruction, data: instruction.data.slice(0, where % (instruction.data.length + 1)) };
  if (kind === 6) return { ...instruction, data: concat(instruction.data, Uint8Array.of(where)) };
  return { ...instruction, accounts: instruction.accounts.map(change) };
}

const arbSingle: fc.Arbitrary<Command> = fc.tuple(arbInstruction, arbWait).map(([{ by, instruction }, wait]) => {
  return { payer: by, instructions: [instruction], wait };
});
const arbBroken: fc.Arbitrary<Command> = fc
  .tuple(arbInstruction, fc.nat(6), fc.nat(40))
  .map(([{ by, instruction }, kind, where]) => {
    return { payer: by, instructions: [broken(instruction, kind, where)], wait: 0n };
  });
const arbPair: fc.Arbitrary<Command> = fc.tuple(arbInstruction, arbInstruction).map(([a, b]) => {
  return { payer: a.by, instructions: [a.instruction, b.instruction], wait: 0n };
});

const arbPut: fc.Arbitrary<GenesisAccount> = fc.oneof(
  fc
    .tuple(fc.constantFrom<Name>("merchant", "rival"), fc.constantFrom(0n, 1n, 5_000_000n, 10n ** 9n))
    .map(([name, recovered]) => receiptOf(name, recovered)),
  fc.constantFrom(0n, 10n ** 10n).map((amount) => openTokensOf("merchant", amount)),
  fc
    .tuple(
      fc.constantFrom(...panel),
      fc.constantFrom(0n, 1n, ARBITRATOR_STAKE_MIN - 1n, ARBITRATOR_STAKE_MIN, (1n << 63n) + 5n),
    )
    .map(([judge, amount]) => stakeAccountOf(judge, amount)),
  fc.tuple(fc.constantFrom(...names), fc.boolean()).map(([name, real]) => banOf(name, real)),
  fc
    .tuple(fc.constantFrom(...names), fc.constantFrom(5_000n, 890_880n, 895_880n, 2_000_000n, 4_000_000n))
    .map(([name, lamports]) => ({
      address: addressOf(name),
      account: { lamports, owner: systemProgram, data: new Uint8Array(0), executable: false },
    })),
  fc
    .tuple(arbReservation, fc.constantFrom(1n, 10_000_000n))
    .map(([reservation, lamports]) => ({
      address: at.disputeCase(reservation).address,
      account: { lamports, owner: systemProgram, data: new Uint8Array(0), executable: false },
    }))
    .map((account) =>
      account.account.lamports < 890_880n
        ? { ...account, account: { ...account.account, lamports: 890_880n } }
        : account,
    ),
);

const arbDisturbed: fc.Arbitrary<Command> = fc
  .tuple(arbSingle, fc.option(arbPut), fc.boolean())
  .map(([command, put, blind]) => {
    return put === null ? { ...command, blind } : { ...command, put };
  });

/** Sequences in which stories, single instructions, broken ones, pairs and disturbances follow each other. */
export const arbCommands: fc.Arbitrary<readonly Command[]> = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: arbStory },
      { weight: 6, arbitrary: arbSingle.map((command) => [command]) },
      { weight: 3, arbitrary: arbBroken.map((command) => [command]) },
      { weight: 1, arbitrary: arbPair.map((command) => [command]) },
      { weight: 2, arbitrary: arbDisturbed.map((command) => [command]) },
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.flat());

/** A stake account of an arbitrator with this amount. */
export function stakeAccountOf(name: Name, amount: bigint): GenesisAccount {
  const { address, bump } = at.stakeAccount(addressOf(name), stakeRoles.Arbitrator);
  const data = encodeAccount(stakeAccount, {
    owner: addressOf(name),
    role: stakeRoles.Arbitrator,
    amount,
    unbonding_amount: 0n,
    unbonding_release_at: 0n,
    slashed_total: 0n,
    pending_rewards: 0n,
    bump,
    first_staked_at: START_UNIX - 500n,
  });
  return {
    address,
    account: { lamports: rentExempt(data.length), owner: at.profile.stakingProgram, data, executable: false },
  };
}

/** A ban record, or only lamports at its address, which ban nobody. */
export function banOf(name: Name, real: boolean): GenesisAccount {
  const { address, bump } = at.banRecord(addressOf(name));
  const record = encodeAccount(banRecord, {
    wallet: addressOf(name),
    reason: 1,
    evidence_hash: new Uint8Array(32),
    listed_at: START_UNIX,
    authorizing_proposal: addressOf("admin"),
    bump,
  });
  const data = real ? record : new Uint8Array(0);
  const owner = real ? at.profile.governanceProgram : systemProgram;
  return { address, account: { lamports: rentExempt(data.length), owner, data, executable: false } };
}

/** What the staking program says it recovered from a merchant's stake. */
function receiptOf(name: Name, recovered: bigint): GenesisAccount {
  const { address, bump } = at.stakeRecoveryReceipt(addressOf(name));
  const data = encodeAccount(stakeRecoveryReceipt, {
    merchant: addressOf(name),
    recovered_total: recovered,
    recovery_count: 1,
    bump,
  });
  return {
    address,
    account: { lamports: rentExempt(data.length), owner: at.profile.stakingProgram, data, executable: false },
  };
}

/** The tokens of a merchant's OPEN vault, as another program may have changed them. */
function openTokensOf(name: Name, amount: bigint): GenesisAccount {
  const { openMint: mint } = at.profile;
  const authority = at.liquidityVault(addressOf(name), mint).address;
  const data = tokenAccountBytes({ mint, authority, amount, nativeReserve: null });
  return {
    address: at.liquidityVaultTokens(addressOf(name), mint).address,
    account: { lamports: rentExempt(data.length), owner: token2022Program, data, executable: false },
  };
}
