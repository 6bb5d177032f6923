/**
 * What is in escrow is neither made nor lost: the books of a vault add up, its tokens and those of its trades' escrows
 * are what the books say, the tokens of a mint are as many as they were, and lamports never become more. Nor does it go
 * to anybody but the parties of trades, their vaults and escrows, and the treasuries. Looked at on the chain itself,
 * whatever endpoints and nodes say of it.
 * Source: protocol 03 D.3, D.4, D.7; DESIGN section 5 "Checks".
 */
import type { LiquidityVault } from "../../core/testing.ts";
import { decodeAccount, liquidityVault, simulatedProfile, tradeEscrow } from "../../core/testing.ts";
import type { ChainView } from "../chain/chain-view.ts";
import type { ChainAccount } from "../chain/executor.ts";
import { treasuryWallets } from "../chain/genesis.ts";
import { treasuryList } from "../chain/instruction-parts.ts";
import { NATIVE_MINT, readTokenAccount } from "../chain/token.ts";
import type { CheckContext, Checker } from "../checker.ts";
import { looksAtChain } from "./chain-looks.ts";

/** What a look at the chain counts together. */
interface Holdings {
  /** Tokens by mint. */
  readonly tokens: ReadonlyMap<string, bigint>;
  /** Tokens by who may move them and mint. */
  readonly held: ReadonlyMap<string, bigint>;
  readonly lamports: bigint;
}

/** The first look that was final since somebody wrote accounts past every program; that slot, and the last one's. */
interface Looked {
  first: Holdings | undefined;
  written: bigint;
  slot: bigint;
}

/** Escrowed tokens and lamports are conserved. */
export function escrowConserved({ violate, chain, keep }: CheckContext): Checker {
  const held = keep<Looked>(() => ({ first: undefined, written: 0n, slot: 0n }));
  const look = (view: ChainView) => {
    const accounts = view.accounts("processed");
    const now = holdingsOf(accounts);
    if (view.written() !== held.written) [held.first, held.written] = [undefined, view.written()];
    // What is final is never taken back: a fork may bring back lamports that were paid as fees.
    if (view.slot("finalized") >= held.written) held.first ??= holdingsOf(view.accounts("finalized"));
    const { first } = held;
    const changes = first === undefined ? [] : [...changesSince(first, now), ...strangersIn(accounts, first, now)];
    for (const problem of [...booksOf(accounts, now), ...changes]) violate(problem);
  };
  return { name: "escrow-conserved", ...looksAtChain(chain, held, look) };
}

function holdingsOf(accounts: ReadonlyMap<string, ChainAccount>): Holdings {
  const [tokens, held] = [new Map<string, bigint>(), new Map<string, bigint>()];
  let lamports = 0n;
  const add = (to: Map<string, bigint>, key: string, amount: bigint) => to.set(key, (to.get(key) ?? 0n) + amount);
  for (const account of accounts.values()) {
    lamports += account.lamports;
    const token = readTokenAccount(account.data);
    if (token === undefined) continue;
    add(held, `${token.authority}/${token.mint}`, token.amount);
    // Wrapped lamports come and go with lamports.
    if (token.mint !== NATIVE_MINT) add(tokens, token.mint, token.amount);
  }
  return { tokens, held, lamports };
}

/** Vaults whose books do not add up, or are not what their tokens are. */
function* booksOf(accounts: ReadonlyMap<string, ChainAccount>, { held }: Holdings): Generator<string> {
  const funded = new Map<string, bigint>();
  for (const [address, account] of accounts) {
    const read = decodeAccount(tradeEscrow, simulatedProfile, account);
    if (!read.ok) continue;
    const escrow = read.value;
    const tokens = held.get(`${address}/${escrow.mint}`) ?? 0n;
    if (tokens !== 0n && tokens !== escrow.amount) {
      yield `the escrow of ${escrow.reservation_id} holds ${tokens} of ${escrow.amount}`;
    }
    const key = `${escrow.seller}/${escrow.mint}`;
    funded.set(key, (funded.get(key) ?? 0n) + tokens);
  }
  for (const [address, account] of accounts) {
    const read = decodeAccount(liquidityVault, simulatedProfile, account);
    if (!read.ok) continue;
    const vault = read.value;
    const inTrades = funded.get(`${vault.merchant}/${vault.mint}`) ?? 0n;
    const problem = problemOf(vault, held.get(`${address}/${vault.mint}`) ?? 0n, inTrades);
    if (problem !== undefined) yield `the vault of ${vault.merchant} for ${vault.mint}: ${problem}`;
  }
}

function problemOf(vault: LiquidityVault, tokens: bigint, inTrades: bigint): string | undefined {
  const { total, reserved, available, settled, pending_settlement: pending } = vault;
  if (total !== reserved + available + settled + pending) {
    const parts = `${reserved} reserved, ${available} available, ${settled} settled, ${pending} pending`;
    return `a total of ${total}, and ${parts}`;
  }
  if (tokens !== reserved + available) return `${tokens} tokens, and ${reserved + available} in its books`;
  return inTrades === pending ? undefined : `${inTrades} in escrows, and ${pending} pending in its books`;
}

function* changesSince(first: Holdings, now: Holdings): Generator<string> {
  for (const [mint, tokens] of first.tokens) {
    const left = now.tokens.get(mint) ?? 0n;
    if (left !== tokens) yield `there were ${tokens} tokens of ${mint}, and are ${left}`;
  }
  if (now.lamports > first.lamports) yield `there were ${first.lamports} lamports, and are ${now.lamports}`;
}

/** Whoever has more of what trades are about, and has no part in one: nothing but a trade moves tokens here. */
function* strangersIn(accounts: ReadonlyMap<string, ChainAccount>, first: Holdings, now: Holdings): Generator<string> {
  const [mints, owed] = [new Set<string>(), new Set(treasuryList(treasuryWallets))];
  for (const [address, account] of accounts) {
    const escrow = decodeAccount(tradeEscrow, simulatedProfile, account);
    const vault = decodeAccount(liquidityVault, simulatedProfile, account);
    if (escrow.ok) {
      mints.add(escrow.value.mint);
      for (const each of [address, escrow.value.buyer, escrow.value.seller]) owed.add(each);
    }
    if (vault.ok) for (const each of [address, vault.value.merchant]) owed.add(each);
  }
  for (const [key, amount] of now.held) {
    const [holder = "", mint = ""] = key.split("/");
    if (!mints.has(mint) || mint === NATIVE_MINT || owed.has(holder)) continue;
    const gained = amount - (first.held.get(key) ?? 0n);
    if (gained > 0n) yield `${holder} has ${gained} of ${mint} more, and has no part in a trade`;
  }
}
