/**
 * Random transactions that care for no rule: calls of the programs with other accounts, rights and bytes than theirs,
 * calls of the chain's own programs and of addresses that are none, programs and sysvars in writable places, lamports
 * sent ahead of accounts, through lookup tables and another program or directly. What is drawn are addresses and bytes,
 * never what the model knows. Source: DESIGN section 4 (equality of the executors).
 */
import fc from "fast-check";
import { concat } from "../../../core/kernel/bytes.ts";
import { toBase58, utf8 } from "../../../core/kernel/text.ts";
import { struct, systemProgram, token2022Program, tokenProgram, u8, u32, u64 } from "../../../core/testing.ts";
import { computeBudgetProgram } from "../../../sim/chain/compute-budget.ts";
import { forwarded, forwarderProgram } from "../../../sim/chain/disguises.ts";
import { openModel } from "../../../sim/chain/executors/model.ts";
import type { GenesisAccount } from "../../../sim/chain/genesis.ts";
import { treasuriesFor } from "../../../sim/chain/genesis.ts";
import * as build from "../../../sim/chain/instructions.ts";
import type { LookupTable } from "../../../sim/chain/lookup-tables.ts";
import { lookupTableAccount, lookupTableProgram } from "../../../sim/chain/lookup-tables.ts";
import { rentExempt } from "../../../sim/chain/rent.ts";
import { NATIVE_MINT, TOKEN_ACCOUNT_BYTES } from "../../../sim/chain/token.ts";
import type { AccountMeta, Instruction } from "../../../sim/chain/transaction.ts";
import { memoProgram } from "../../../sim/chain/transaction-log.ts";
import type { Signed } from "./arbitrary-instructions.ts";
import { arbInstruction } from "./arbitrary-instructions.ts";
import type { Name } from "./chain-world.ts";
import {
  addressOf,
  at,
  contextAt,
  crypto,
  firstDay,
  mints,
  names,
  START_UNIX,
  tokensOf,
  usdc,
  wireOf,
} from "./chain-world.ts";
import { approve, execution, release } from "./trade-story.ts";

/** A transaction of anybody. */
export interface Attack {
  readonly payer: Name;
  readonly instructions: readonly Instruction[];
  readonly tables: readonly LookupTable[];
}

/** Accounts that the validator writes itself. Source: Solana's sysvars. */
const sysvars = [
  "SysvarC1ock11111111111111111111111111111111",
  "SysvarRent111111111111111111111111111111111",
  "SysvarS1otHashes111111111111111111111111111",
  "Sysvar1nstructions1111111111111111111111111",
  "SysvarRecentB1ockHashes11111111111111111111",
  "SysvarEpochSchedu1e111111111111111111111111",
  "SysvarStakeHistory1111111111111111111111111",
];
const ownPrograms = [at.profile.escrowProgram, at.profile.stakingProgram, forwarderProgram];
const chainPrograms = [systemProgram, tokenProgram, token2022Program, memoProgram, computeBudgetProgram];
/** Programs that are no part of the validator. */
export const builtPrograms: readonly string[] = [...ownPrograms, tokenProgram, token2022Program, memoProgram];
/** Programs of the validator that nobody here calls. */
const otherPrograms = [
  "Vote111111111111111111111111111111111111111",
  "BPFLoader2111111111111111111111111111111111",
  lookupTableProgram,
];
const nowhere = ["nowhere", "elsewhere"].map((name) => toBase58(crypto.sha256(utf8(name))));
const people: readonly Name[] = ["merchant", "buyer", "judge1", "stranger", "admin"];
const wsol = mints[0] ?? usdc;

const vaults = mints.flatMap(({ mint }) => [
  at.liquidityVault(addressOf("merchant"), mint).address,
  at.liquidityVaultTokens(addressOf("merchant"), mint).address,
]);
const escrows = [1n, 2n].flatMap((reservation) => [
  at.tradeEscrow(reservation).address,
  at.tradeEscrowTokens(reservation).address,
  at.disputeCase(reservation).address,
]);
const tokens = people.flatMap((name) => mints.map((mint) => tokensOf(name, mint)));

/** Every kind of address, each kind as often as any other. */
const arbAddress: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...names.map((name) => addressOf(name))),
  fc.constantFrom(...tokens),
  fc.constantFrom(...tokens),
  fc.constantFrom(...mints.map(({ mint }) => mint)),
  fc.constantFrom(...vaults),
  fc.constantFrom(...escrows),
  fc.constantFrom(...sysvars),
  fc.constantFrom(...ownPrograms, ...chainPrograms, ...otherPrograms),
  fc.constantFrom(...nowhere),
);

const isName = new Set(names.map((name) => addressOf(name)));

/** Only wallets can sign. */
const arbMeta: fc.Arbitrary<AccountMeta> = fc
  .record({ address: arbAddress, signer: fc.boolean(), writable: fc.boolean() })
  .map((meta) => ({ ...meta, signer: meta.signer && isName.has(meta.address) }));

/** From here on no first byte is an instruction of any program of the chain. */
const UNKNOWN = 100;

const lamportsOf = struct({ kind: u32, lamports: u64 });
const tokensArgs = struct({ kind: u8, amount: u64 });
const U64_MAX = (1n << 64n) - 1n;
const arbLamports = fc.constantFrom(
  0n,
  1n,
  890_879n,
  890_880n,
  rentExempt(TOKEN_ACCOUNT_BYTES),
  1_000_000_000n,
  10n ** 12n,
  U64_MAX,
);

const writable = (address: string, signer = false): AccountMeta => ({ address, signer, writable: true });
const readable = (address: string, signer = false): AccountMeta => ({ address, signer, writable: false });

/** Lamports to anything, also where nothing may be written or nothing is yet. */
const arbLamportTransfer: fc.Arbitrary<Instruction> = fc
  .tuple(fc.constantFrom(...people), arbAddress, arbLamports, fc.boolean())
  .map(([from, to, lamports, isWritable]) => ({
    program: systemProgram,
    accounts: [writable(addressOf(from), true), isWritable ? writable(to) : readable(to)],
    data: lamportsOf.write({ kind: 2, lamports }),
  }));

/** Tokens between accounts of either program and things that are no token accounts. */
const arbTokenTransfer: fc.Arbitrary<Instruction> = fc
  .record({
    program: fc.constantFrom(tokenProgram, token2022Program, token2022Program),
    from: fc.constantFrom(...people),
    to: fc.oneof(fc.constantFrom(...tokens), arbAddress),
    mint: fc.constantFrom(...mints, wsol),
    amount: fc.constantFrom(0n, 1n, 1_000n, 10n ** 12n, U64_MAX),
    signed: fc.nat(5),
    more: fc.array(arbMeta, { maxLength: 2 }),
  })
  .map(({ program, from, to, mint, amount, signed, more }) => ({
    program,
    accounts: [writable(tokensOf(from, mint)), writable(to), readable(addressOf(from), signed > 0), ...more],
    data: tokensArgs.write({ kind: 3, amount }),
  }));

/** Lamports sent ahead to an account of wrapped SOL or to where one will be made, and then what makes or moves it. */
const arbPrefunded: fc.Arbitrary<Instruction> = fc
  .tuple(
    fc.constantFrom(
      at.liquidityVault(addressOf("merchant"), NATIVE_MINT).address,
      at.liquidityVaultTokens(addressOf("merchant"), NATIVE_MINT).address,
      at.liquidityVaultTokens(addressOf("merchant"), NATIVE_MINT).address,
      at.tradeEscrowTokens(1n).address,
      at.tradeEscrow(1n).address,
      tokensOf("merchant", wsol),
    ),
    fc.constantFrom(1n, 1_000_000n, rentExempt(TOKEN_ACCOUNT_BYTES), 1_000_000_000n, 1_000_000_000n),
  )
  .map(([to, lamports]) => ({
    program: systemProgram,
    accounts: [writable(addressOf("stranger"), true), writable(to)],
    data: lamportsOf.write({ kind: 2, lamports }),
  }));

/** ASCII without quotes, now and then no text at all: versions of the memo program log the rest differently. */
const arbTextByte = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 0x28, max: 0x7e }) },
  { weight: 1, arbitrary: fc.constant(0xff) },
);

const arbMemo: fc.Arbitrary<Instruction> = fc
  .tuple(
    fc.array(arbMeta, { maxLength: 3 }),
    fc.array(arbTextByte, { maxLength: 6 }).map((bytes) => Uint8Array.from(bytes)),
  )
  .map(([accounts, data]) => ({ program: memoProgram, accounts, data }));

const arbBudget: fc.Arbitrary<Instruction> = fc
  .tuple(fc.constantFrom(0, 3, 5, 200), fc.constantFrom(0n, 1n), fc.array(arbMeta, { maxLength: 1 }))
  .map(([kind, value, accounts]) => ({
    program: computeBudgetProgram,
    accounts,
    data: struct({ kind: u8, value: u64 }).write({ kind, value }),
  }));

/** A call of anything with anything. */
const arbAnything: fc.Arbitrary<Instruction> = fc
  .record({
    program: fc.oneof(
      fc.constantFrom(...ownPrograms, ...chainPrograms),
      arbAddress.filter((address) => !otherPrograms.includes(address)),
    ),
    accounts: fc.array(arbMeta, { maxLength: 6 }),
    data: fc
      .uint8Array({ min: 0x28, max: 0x7e, maxLength: 12 })
      .map((bytes) => (bytes.length === 0 ? bytes : bytes.with(0, UNKNOWN))),
  })
  .filter(
    ({ program, accounts }) => program !== forwarderProgram || !otherPrograms.includes(accounts[0]?.address ?? ""),
  );

/** What may be wrong with a list of accounts or with the bytes. */
const arbChange = fc.record({
  kind: fc.constantFrom(
    "none",
    "none",
    "none",
    "none",
    "none",
    "none",
    "address",
    "address",
    "rights",
    "swap",
    "drop",
    "twice",
    "more",
    "cut",
    "longer",
  ),
  place: fc.nat(30),
  other: fc.nat(30),
  meta: arbMeta,
});
type Change = typeof arbChange extends fc.Arbitrary<infer T> ? T : never;

function changed({ program, accounts, data }: Instruction, { kind, place, other, meta }: Change): Instruction {
  const [here, there] = [place % Math.max(1, accounts.length), other % Math.max(1, accounts.length)];
  const one = accounts[here];
  if (one === undefined || kind === "none") return { program, accounts, data };
  const set = (next: AccountMeta, at = here) => accounts.with(at, next);
  if (kind === "address")
    return {
      program,
      accounts: set({ ...one, address: meta.address, signer: one.signer && isName.has(meta.address) }),
      data,
    };
  if (kind === "rights")
    return {
      program,
      accounts: set({ ...meta, address: one.address, signer: meta.signer && isName.has(one.address) }),
      data,
    };
  if (kind === "swap") return { program, accounts: set(accounts[there] ?? one).with(there, one), data };
  if (kind === "drop") return { program, accounts: accounts.toSpliced(here, 1), data };
  if (kind === "twice") return { program, accounts: accounts.toSpliced(there, 0, one), data };
  if (kind === "more") return { program, accounts: [...accounts, meta], data };
  if (kind === "cut") return { program, accounts, data: data.slice(0, other % (data.length + 1)) };
  return { program, accounts, data: concat(data, Uint8Array.of(UNKNOWN + other)) };
}

const seller = addressOf("merchant");
const trade = { ...wsol, reservation: 1n, merchant: seller };
/** A whole trade in wrapped SOL, step by step. */
const honest: readonly (readonly [Name, Instruction])[] = [
  ["merchant", build.createLiquidityVault(at, seller, wsol)],
  ["merchant", build.depositLiquidity(at, seller, wsol, tokensOf("merchant", wsol), 2_000n)],
  ["merchant", build.reserveLiquidity(at, seller, wsol.mint, 1_000n)],
  ["merchant", build.createTradeEscrow(at, trade, addressOf("buyer"), 1_000n, 1_800n)],
  ["merchant", build.fundTradeEscrow(at, trade)],
  ["merchant", build.approveSettlement(at, seller, 1n)],
  ["stranger", build.releaseEscrow(at, trade, tokensOf("buyer", wsol), treasuriesFor(at, wsol))],
  ["merchant", build.withdrawLiquidity(at, seller, wsol, tokensOf("merchant", wsol), 1_000n)],
];

/** What an attack begins as: `null` is the next step of the trade. */
const arbBase: fc.Arbitrary<Signed | null> = fc.oneof(
  { weight: 5, arbitrary: fc.constant(null) },
  { weight: 4, arbitrary: arbInstruction },
  { weight: 2, arbitrary: fc.constantFrom(release, execution).map(byStranger) },
  { weight: 3, arbitrary: arbLamportTransfer.map(byStranger) },
  { weight: 4, arbitrary: arbTokenTransfer.map(byStranger) },
  { weight: 2, arbitrary: arbPrefunded.map(byStranger) },
  { weight: 1, arbitrary: arbMemo.map(byStranger) },
  { weight: 1, arbitrary: arbBudget.map(byStranger) },
  { weight: 2, arbitrary: arbAnything.map(byStranger) },
);

/** Lamports for the program of an instruction. */
function paid({ program }: Instruction): Instruction {
  const data = lamportsOf.write({ kind: 2, lamports: 1n });
  return { program: systemProgram, accounts: [writable(addressOf("stranger"), true), writable(program)], data };
}

function byStranger(instruction: Instruction): Signed {
  return { by: "stranger", instruction };
}

/** All that the pool names, so that most accounts of a message can stand in a table. */
const table: LookupTable = {
  address: toBase58(crypto.sha256(utf8("table of the attacks"))),
  addresses: [
    ...new Set([
      ...vaults,
      ...escrows,
      ...tokens,
      ...mints.map(({ mint }) => mint),
      ...sysvars,
      ...ownPrograms,
      ...chainPrograms,
      ...nowhere,
    ]),
  ],
};

const arbShape = fc.record({
  forwarded: fc.nat(5),
  looksUp: fc.nat(4),
  /** Lamports for a program that the same message calls. */
  paysCalled: fc.nat(7),
  payer: fc.option(fc.constantFrom(...people), { freq: 3 }),
});

const arbPart = fc.tuple(arbBase, arbChange);

const arbStep = fc.record({
  parts: fc.oneof(
    { weight: 3, arbitrary: fc.tuple(arbPart).map((part) => part) },
    { weight: 1, arbitrary: fc.array(arbPart, { minLength: 2, maxLength: 3 }) },
  ),
  shape: arbShape,
});

/** Transactions one after another on one chain. */
export const arbAttacks: fc.Arbitrary<readonly Attack[]> = fc
  .tuple(fc.array(arbStep, { minLength: 8, maxLength: 24 }), fc.option(arbPrefunded, { freq: 1 }))
  .map(([steps, ahead]) => {
    let walked = 0;
    const begun: readonly Attack[] = ahead === null ? [] : [{ payer: "stranger", instructions: [ahead], tables: [] }];
    const attacks = steps.map(({ parts, shape }) => {
      const signed = parts.map(([base, change]) => {
        const step = honest[walked % honest.length];
        if (base === null) walked += 1;
        const { by, instruction } = base ?? { by: step?.[0] ?? "stranger", instruction: step?.[1] ?? release };
        const isUntouched = base === null && change.other % 3 > 0;
        const made = isUntouched ? instruction : changed(instruction, change);
        return { by, instruction: shape.forwarded === 0 ? forwarded(made) : made };
      });
      const made = signed.map(({ instruction }) => instruction);
      return {
        payer: shape.payer ?? signed[0]?.by ?? "stranger",
        instructions: [...made, ...(shape.paysCalled === 0 ? made.slice(0, 1).map(paid) : [])],
        tables: shape.looksUp === 0 ? [table] : [],
      };
    });
    return [...begun, ...attacks];
  });

/** The chain the attacks begin on: a trade stands there whose escrow anybody may release. */
export async function attackDay(): Promise<readonly GenesisAccount[]> {
  const model = openModel(at, crypto, [
    ...firstDay(),
    { address: table.address, account: lookupTableAccount(table.addresses) },
  ]);
  let sent = 0;
  await approve({
    land: async (payer, instruction) => {
      sent += 1;
      return model.executeNow(wireOf(payer, [instruction], sent), contextAt(START_UNIX));
    },
    pass: async () => {},
  });
  return [...model.accounts()].map(([address, account]) => ({ address, account }));
}

/** What is unusual about a transaction. */
export function traitsOf({ instructions, tables }: Attack): readonly string[] {
  const metas = instructions.flatMap(({ accounts }) => accounts);
  const own = new Set([...sysvars, ...otherPrograms, systemProgram, computeBudgetProgram]);
  return [
    ...(tables.length > 0 ? ["looks up"] : []),
    ...(instructions.some(({ program }) => program === forwarderProgram) ? ["by another program"] : []),
    ...(metas.some(({ address, writable }) => writable && own.has(address)) ? ["writes to the validator's own"] : []),
    ...(instructions.some(isAhead) ? ["lamports ahead"] : []),
  ];
}

/** Lamports to where tokens are, or will be. */
function isAhead({ program, accounts }: Instruction): boolean {
  return program === systemProgram && [...vaults, ...escrows, ...tokens].includes(accounts[1]?.address ?? "");
}
