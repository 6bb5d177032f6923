/**
 * Goal: the published IDLs say of the programs what the programs are: what Anchor makes of them is, byte for byte and
 * account for account, what our builders send and our codecs read, and every entry point, event and refusal is there.
 * Source: protocol 03 D.3 to D.6.
 * Method: Anchor's own coders over the IDLs, each instruction, account and event beside ours; numbers as the C has
 * them.
 */
import { readFileSync } from "node:fs";
import type { Idl } from "@coral-xyz/anchor";
import anchor, { Program } from "@coral-xyz/anchor";
import type { IdlType, IdlTypeDefTyStruct } from "@coral-xyz/anchor/dist/cjs/idl.js";
import { Connection, PublicKey } from "@solana/web3.js";
import { describe, expect, test } from "vitest";
import * as layouts from "../../../core/solana/accounts.ts";
import { stakeRoles } from "../../../core/solana/addresses.ts";
import type { ChainEventType } from "../../../core/solana/events.ts";
import { encodeEventLine } from "../../../core/solana/events.ts";
import { treasuriesFor } from "../../../sim/chain/genesis.ts";
import type { InstructionName } from "../../../sim/chain/instruction-parts.ts";
import { instructionDiscriminators, treasuryList } from "../../../sim/chain/instruction-parts.ts";
import * as build from "../../../sim/chain/instructions.ts";
import { refusals } from "../../../sim/chain/model/call.ts";
import * as staking from "../../../sim/chain/staking-instructions.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import { addressOf, at, tokensOf, usdc } from "./chain-world.ts";

/** What Node.js does not find among the names that a CommonJS module exports. */
const { BN } = anchor;

const FOLDERS = { escrow: "adapters/chain/program", staking: "adapters/chain/staking-program" } as const;
type ProgramName = keyof typeof FOLDERS;
const idlOf = (name: ProgramName) => JSON.parse(readFileSync(`${FOLDERS[name]}/${name}.idl.json`, "utf8")) as Idl;
const idls = { escrow: idlOf("escrow"), staking: idlOf("staking") } as const;
const connection = new Connection("http://127.0.0.1:1");
const programs = {
  escrow: new Program(idls.escrow, { connection }),
  staking: new Program(idls.staking, { connection }),
} as const;

const merchant = addressOf("merchant");
const [buyer, judge, admin, payer] = [addressOf("buyer"), addressOf("judge1"), addressOf("admin"), addressOf("other")];
const trade = { ...usdc, reservation: 42n, merchant };
const { openMint } = at.profile;
const treasuries = treasuriesFor(at, usdc);
const [dev = "", ecosystem = "", infra = "", emergency = ""] = treasuryList(treasuries);
const paidTo = tokensOf("buyer", usdc);
const stakeOf = { owner: judge, role: stakeRoles.Arbitrator };
const salt = new Uint8Array(32).fill(7);
const windows = { commitSecs: 61n, revealSecs: 62n };
const terms = {
  ...{ adListingFee: 1n, disputeFilingFee: 2n, settlementFeeBps: 3, timeoutSecs: 8n },
  shareBps: [4, 5, 6, 7] as const,
};
const termsArgs = [1n, 2n, 3] as const;

/** The address that each name of an IDL means, unless a case says another. */
const meant: Readonly<Record<string, string>> = {
  ...{ admin, merchant, buyer, payer, party: buyer, arbitrator: judge, owner: judge },
  ...{ mint: usdc.mint, tokenProgram: usdc.tokenProgram, openMint, from: paidTo, to: paidTo, buyerTokens: paidTo },
  ...{ devTreasury: dev, ecosystemTreasury: ecosystem, infraTreasury: infra, emergencyTreasury: emergency },
  feeConfig: at.feeConfig().address,
  arbitrationPool: at.arbitrationPool().address,
  arbitrationPolicy: at.arbitrationPolicy().address,
  banRecord: at.banRecord(merchant).address,
  liquidityVault: at.liquidityVault(merchant, usdc.mint).address,
  liquidityVaultTokens: at.liquidityVaultTokens(merchant, usdc.mint).address,
  openVault: at.liquidityVault(merchant, openMint).address,
  openVaultTokens: at.liquidityVaultTokens(merchant, openMint).address,
  tradeEscrow: at.tradeEscrow(42n).address,
  tradeEscrowTokens: at.tradeEscrowTokens(42n).address,
  disputeCase: at.disputeCase(42n).address,
  stakeRecoveryClaim: at.stakeRecoveryClaim(merchant, openMint).address,
  stakeRecoveryReceipt: at.stakeRecoveryReceipt(merchant).address,
  stakingConfig: at.stakingConfig().address,
  stakeAccount: at.stakeAccount(judge, stakeRoles.Arbitrator).address,
  stakeVault: at.stakeVault().address,
  slashingAuthority: at.slashingAuthority().address,
  slashDestination: paidTo,
};

interface Sent {
  readonly built: Instruction;
  readonly args?: readonly unknown[];
  /** Where a name means another address than elsewhere. */
  readonly but?: Readonly<Record<string, string>>;
}

const sent: Readonly<Record<InstructionName, Sent>> = {
  initialize_fee_config: {
    built: build.initializeFeeConfig(at, admin, treasuries, terms),
    args: [...termsArgs, treasuryList(treasuries).map((each) => new PublicKey(each)), terms.shareBps, 8n],
  },
  update_fee_config: {
    built: build.updateFeeConfig(at, admin, usdc.mint, treasuries, terms, {
      ...{ stakeAgeSecs: 9n, sortitionBps: 10, mints: [usdc.mint] },
    }),
    args: [...termsArgs, terms.shareBps, 8n, 9n, 10, [new PublicKey(usdc.mint)]],
  },
  initialize_arbitration_pool: { built: build.initializeArbitrationPool(at, admin) },
  publish_arbitrator_pool_size: { built: build.publishArbitratorPoolSize(at, admin, 12), args: [12] },
  create_liquidity_vault: { built: build.createLiquidityVault(at, merchant, usdc) },
  deposit_liquidity: { built: build.depositLiquidity(at, merchant, usdc, paidTo, 5n), args: [5n] },
  reserve_liquidity: { built: build.reserveLiquidity(at, merchant, usdc.mint, 5n), args: [5n] },
  withdraw_liquidity: { built: build.withdrawLiquidity(at, merchant, usdc, paidTo, 5n), args: [5n] },
  create_trade_escrow: { built: build.createTradeEscrow(at, trade, buyer, 5n, 6n), args: [42n, 5n, 6n] },
  fund_trade_escrow: { built: build.fundTradeEscrow(at, trade) },
  approve_settlement: { built: build.approveSettlement(at, merchant, 42n) },
  release_escrow: { built: build.releaseEscrow(at, trade, paidTo, treasuries) },
  cancel_reservation: { built: build.cancelReservation(at, trade, buyer) },
  expire_reservation: { built: build.expireReservation(at, trade) },
  open_dispute_case: {
    built: build.openDisputeCase(at, trade, buyer, payer, windows),
    args: [61n, 62n],
    but: { banRecord: at.banRecord(buyer).address },
  },
  commit_dispute_vote: { built: build.commitDisputeVote(at, 42n, judge, salt), args: [[...salt]] },
  reveal_dispute_vote: { built: build.revealDisputeVote(at, 42n, judge, 1, salt), args: [1, [...salt]] },
  execute_dispute_outcome: { built: build.executeDisputeOutcome(at, trade, paidTo, treasuries) },
  claim_arbitration_reward: { built: build.claimArbitrationReward(at, 42n, judge, paidTo) },
  slash_dissenting_arbitrator: { built: staking.slashDissentingArbitrator(at, 42n, judge, paidTo) },
  top_up_arbitration_deposit: { built: build.topUpArbitrationDeposit(at, 42n, merchant) },
  absorb_stake_recovery: { built: build.absorbStakeRecovery(at, merchant) },
  charge_ad_listing_fee: { built: build.chargeAdListingFee(at, merchant, salt, treasuries), args: [[...salt]] },
  migrate_fee_config: { built: build.migrateFeeConfig(at, payer) },
  initialize_stake_account: { built: staking.initializeStakeAccount(at, stakeOf), args: [stakeOf.role] },
  stake: {
    built: staking.stake(at, stakeOf, paidTo, 5n),
    args: [5n],
    but: { banRecord: at.banRecord(judge).address },
  },
  request_unstake: { built: staking.requestUnstake(at, stakeOf, 5n), args: [5n] },
  withdraw_unstaked: { built: staking.withdrawUnstaked(at, stakeOf, paidTo) },
  slash: {
    built: staking.slash(at, { ...stakeOf, authority: admin, destination: paidTo }, staking.LOSING_VOTE),
    args: [staking.LOSING_VOTE],
    but: { slashingAuthority: admin },
  },
};

const camel = (name: string) => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
const bn = (value: unknown) => (typeof value === "bigint" ? new BN(value.toString()) : value);

/** An instruction as Anchor makes it of the IDL. */
async function madeBy(name: ProgramName, instruction: string, { args = [], but = {} }: Sent): Promise<Instruction> {
  const program = programs[name];
  const method = camel(instruction);
  const listed = program.idl.instructions.find((each) => each.name === method)?.accounts ?? [];
  const accounts = listed.map(({ name: account, ...more }) => {
    const fixed = "address" in more ? more.address : undefined;
    return [account, new PublicKey(but[account] ?? meant[account] ?? fixed ?? "")] as const;
  });
  const { programId, keys, data } = await (program.methods[method] as NonNullable<(typeof program.methods)[string]>)(
    ...args.map(bn),
  )
    .accountsStrict(Object.fromEntries(accounts))
    .instruction();
  return {
    program: programId.toBase58(),
    accounts: keys.map(({ pubkey, isSigner, isWritable }) => {
      return { address: pubkey.toBase58(), signer: isSigner, writable: isWritable };
    }),
    data: Uint8Array.from(data),
  };
}

const listed = (Object.keys(FOLDERS) as ProgramName[]).flatMap((program) =>
  idls[program].instructions.map(({ name }) => [program, name as InstructionName] as const),
);

test.each(listed)("%s: %s is what our builder sends", async (program, name) => {
  expect(await madeBy(program, name, sent[name])).toEqual(sent[name].built);
});

test("every instruction stands in one IDL, under the number that the C answers to", () => {
  expect(new Set(listed.map(([, name]) => name))).toEqual(new Set(Object.keys(instructionDiscriminators)));
  for (const [program, { instructions }] of Object.entries(idls) as [ProgramName, Idl][]) {
    const source = readFileSync(`${FOLDERS[program]}/entrypoint.c`, "utf8");
    const served = new Set([...source.matchAll(/NAMED\(0x([0-9a-f]{16})\)/g)].map(([, hex]) => hex));
    const told = instructions.map(({ name, discriminator }) => [name, Buffer.from(discriminator).toString("hex")]);
    expect(new Set(told.map(([, hex]) => hex))).toEqual(served);
    for (const [name = "", hex] of told) expect(hex).toBe(instructionDiscriminators[name as InstructionName]);
  }
});

/** A value of an IDL type, another one for each number. */
function sample(type: IdlType, n: number): unknown {
  if (typeof type === "string") {
    if (type === "pubkey") return new PublicKey(new Uint8Array(32).fill(n + 1)).toBase58();
    if (type === "bool") return n % 2 === 1;
    return type === "u64" || type === "i64" ? BigInt(n) * 1_000_003n : n;
  }
  if ("option" in type) return n % 2 === 1 ? sample(type.option, n) : null;
  if ("vec" in type) return [sample(type.vec, n), sample(type.vec, n + 1)];
  if (!("array" in type)) throw new Error(`no sample of ${JSON.stringify(type)}`);
  const [item, count] = type.array;
  const all = Array.from({ length: Number(count) }, (_, place) => sample(item, n + place));
  return item === "u8" ? Uint8Array.from(all as number[]) : all;
}

/** What Anchor read, as we write it. */
function plain(value: unknown): unknown {
  if (BN.isBN(value)) return BigInt(`${value}`);
  if (value instanceof PublicKey) return value.toBase58();
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Uint8Array) return [...value];
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [camel(name), plain(each)]));
}

function sampleOf(idl: Idl, name: string): Readonly<Record<string, unknown>> {
  const found = idl.types?.find((type) => type.name === name)?.type as IdlTypeDefTyStruct | undefined;
  const fields = (found?.fields ?? []) as readonly { readonly name: string; readonly type: IdlType }[];
  return Object.fromEntries(fields.map(({ name: field, type }, n) => [field, sample(type, n + 1)]));
}

const own = { escrow: "escrowProgram", staking: "stakingProgram" } as const;

describe.each(Object.keys(FOLDERS) as ProgramName[])("of the %s program", (program) => {
  const idl = idls[program];

  test("accounts are read as our codec writes them, and none is left out", () => {
    const ours = Object.entries(layouts).filter(
      ([, layout]) => typeof layout === "object" && "owner" in layout && layout.owner === own[program],
    );
    const named = ours.map(([name]) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`);
    expect(new Set(idl.accounts?.map(({ name }) => name))).toEqual(new Set(named));
    for (const [name, layout] of ours) {
      const value = sampleOf(idl, `${name.charAt(0).toUpperCase()}${name.slice(1)}`);
      const bytes = layouts.encodeAccount(layout as layouts.AccountLayout<unknown>, value);
      expect(plain(programs[program].coder.accounts.decode(name, Buffer.from(bytes))), name).toEqual(plain(value));
    }
  });

  test("events are read as the program writes them", () => {
    for (const { name } of idl.events ?? []) {
      const value = sampleOf(idl, name);
      const line = encodeEventLine(name as ChainEventType, value as never);
      const read = programs[program].coder.events.decode(line.slice("Program data: ".length));
      expect(plain(read?.data), name).toEqual(plain(value));
    }
  });

  test("refusals bear the names and numbers of the rules", () => {
    const source = readFileSync(`${FOLDERS[program]}/errors.c`, "utf8");
    const inC = new Set([...source.matchAll(/\b(6\d{3})\b/g)].map(([, code]) => Number(code)));
    const told = new Map(idl.errors?.map(({ code, name }) => [code, name]));
    const all = new Map(Object.entries(refusals).map(([name, code]) => [code as number, name]));
    for (const [code, name] of told) expect(name).toBe(all.get(code));
    for (const code of inC) expect(told.has(code), `${code}`).toBe(true);
  });
});

test("every event stands in one IDL", () => {
  const source = readFileSync("core/solana/events.ts", "utf8");
  const ours = [...source.matchAll(/^ {2}(\w+): entry\(/gm)].map(([, name]) => name ?? "");
  const told = Object.values(idls).flatMap(({ events = [] }) => events.map(({ name }) => name));
  expect(told).toHaveLength(ours.length);
  expect(new Set(told)).toEqual(new Set(ours));
});
