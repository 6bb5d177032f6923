/**
 * Goal: a client of Anchor talks to the programs by their published IDLs and nothing else, in an ordinary session.
 * Method: the real @coral-xyz/anchor on loopback, on each executor: airdrop, calls of both programs, accounts fetched,
 * events observed and simulated, a refusal by its name.
 */
import { readFileSync } from "node:fs";
import type { Idl } from "@coral-xyz/anchor";
import anchor, { AnchorProvider, Program, ProgramError, parseIdlErrors } from "@coral-xyz/anchor";
import type { SendTransactionError, Transaction, VersionedTransaction } from "@solana/web3.js";
import { Keypair, PublicKey } from "@solana/web3.js";
import { describe, expect, test } from "vitest";
import { stakeRoles } from "../../../../core/solana/addresses.ts";
import type { OpenExecutor } from "../../../../sim/chain/executor.ts";
import { openBankrun } from "../../../../sim/chain/executors/bankrun.ts";
import { openLitesvm } from "../../../../sim/chain/executors/litesvm.ts";
import { modelExecutors } from "../../../../sim/chain/executors/model.ts";
import { until } from "../../../until.ts";
import type { Name } from "../chain-world.ts";
import { addressOf, at, crypto, tokensOf, usdc, wallets } from "../chain-world.ts";
import type { ServedTestChain } from "./served-test-chain.ts";
import { openServedTestChain, whileMoving } from "./served-test-chain.ts";

/** What Node.js does not find among the names that a CommonJS module exports. */
const { BN } = anchor;

const idlOf = (path: string) => JSON.parse(readFileSync(`adapters/chain/${path}.idl.json`, "utf8")) as Idl;
const [escrowIdl, stakingIdl] = [idlOf("program/escrow"), idlOf("staking-program/staking")];
const merchant = addressOf("merchant");
const vault = at.liquidityVault(merchant, usdc.mint).address;
const stakeAccount = at.stakeAccount(addressOf("stranger"), stakeRoles.Arbitrator).address;

const executors: readonly (readonly [name: string, open: OpenExecutor])[] = [
  ["bankrun", openBankrun],
  ["litesvm", openLitesvm],
  ["model", modelExecutors(crypto)],
];

/** What Anchor asks of who signs. */
function signerOf(payer: Keypair) {
  const sign = <T extends Transaction | VersionedTransaction>(transaction: T): T => {
    if ("version" in transaction) transaction.sign([payer]);
    else transaction.partialSign(payer);
    return transaction;
  };
  return {
    ...{ payer, publicKey: payer.publicKey },
    signTransaction: async <T extends Transaction | VersionedTransaction>(one: T) => sign(one),
    signAllTransactions: async <T extends Transaction | VersionedTransaction>(all: T[]) => all.map(sign),
  };
}

/** Vaults of the first day. */
const OPEN_VAULTS = 1;

/** The accounts of one kind, as a client of an untyped IDL reads them. */
function accountsOf({ account }: Program, name: string) {
  const found = (account as Readonly<Record<string, unknown>>)[name];
  return found as {
    fetch(address: string): Promise<Readonly<Record<string, { toString(): string }>>>;
    all(): Promise<readonly unknown[]>;
  };
}

/** What Anchor throws at who tries, or sends, what a program refuses. */
type Failure = SendTransactionError | { readonly simulationResponse: { readonly logs: readonly string[] } };

const failureOf = (awaited: Promise<unknown>) => awaited.then(undefined, (error: Failure) => error) as Promise<Failure>;

/**
 * A refusal by its name. Anchor looks for one number in a text: web3.js repeats it in the whole message, so the last
 * line of the log it is.
 */
function refusalOf(error: Failure, { idl }: Program): ProgramError | null {
  const logs = "simulationResponse" in error ? error.simulationResponse.logs : (error.logs ?? []);
  return ProgramError.parse(new Error(logs.at(-1)), parseIdlErrors(idl));
}

const keys = (all: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(all).map(([name, address]) => [name, new PublicKey(address)]));

/** Both programs as somebody speaks to them. */
function speaking(served: ServedTestChain, name: Name) {
  const signer = signerOf(Keypair.fromSeed(wallets[name].secretKey));
  const provider = new AnchorProvider(served.connection, signer, { commitment: "confirmed" });
  const [escrow, staking] = [new Program(escrowIdl, provider), new Program(stakingIdl, provider)];
  const call = ({ methods }: Program, method: string, args: readonly unknown[], accounts: Record<string, string>) => {
    const made = methods[method]?.(...args);
    if (made === undefined) throw new Error(`the IDL has no ${method}`);
    return made.accountsPartial(keys(accounts));
  };
  return { provider, escrow, staking, call };
}

const ofVault = {
  ...{ merchant, mint: usdc.mint, tokenProgram: usdc.tokenProgram, liquidityVault: vault },
  liquidityVaultTokens: at.liquidityVaultTokens(merchant, usdc.mint).address,
};

describe.each(executors)("on %s", (_, open) => {
  test("lamports, calls of both programs, their accounts, and a refusal by its name", async () => {
    const served = await openServedTestChain(open);
    const moving = <T>(awaited: Promise<T>) => whileMoving(served.chain, awaited);
    const { escrow, call, provider } = speaking(served, "merchant");
    const before = await served.connection.getBalance(new PublicKey(merchant));
    const airdrop = await served.connection.requestAirdrop(new PublicKey(merchant), 7_000);
    await moving(served.connection.confirmTransaction(airdrop, "confirmed"));
    expect(await served.connection.getBalance(new PublicKey(merchant))).toBe(before + 7_000);

    const pools = { feeConfig: at.feeConfig().address, arbitrationPool: at.arbitrationPool().address };
    await moving(call(escrow, "createLiquidityVault", [], { ...ofVault, ...pools }).rpc());
    const from = tokensOf("merchant", usdc);
    const banRecord = at.banRecord(merchant).address;
    await moving(call(escrow, "depositLiquidity", [new BN(900)], { ...ofVault, banRecord, from }).rpc());
    const held = await accountsOf(escrow, "liquidityVault").fetch(vault);
    expect([held.merchant?.toString(), held.available?.toString()]).toEqual([merchant, "900"]);
    expect(await accountsOf(escrow, "liquidityVault").all()).toHaveLength(1 + OPEN_VAULTS);

    const tooMuch = () => call(escrow, "withdrawLiquidity", [new BN(901)], { ...ofVault, to: from });
    const named = { code: 6005, msg: "Insufficient available liquidity" };
    expect(refusalOf(await failureOf(tooMuch().simulate()), escrow)).toMatchObject(named);
    expect(refusalOf(await failureOf(moving(tooMuch().rpc())), escrow)).toMatchObject(named);
    expect(provider.connection.rpcEndpoint).toBe(served.server.url);

    const stranger = speaking(served, "stranger");
    const owner = addressOf("stranger");
    const ofStake = { owner, stakingConfig: at.stakingConfig().address, stakeAccount };
    const made = stranger.call(stranger.staking, "initializeStakeAccount", [stakeRoles.Arbitrator], ofStake);
    await moving(made.rpc());
    const fresh = await accountsOf(stranger.staking, "stakeAccount").fetch(stakeAccount);
    expect([fresh.owner?.toString(), fresh.amount?.toString()]).toEqual([owner, "0"]);
    const early = stranger.call(stranger.staking, "requestUnstake", [new BN(1)], ofStake);
    const why = refusalOf(await failureOf(early.simulate()), stranger.staking);
    expect(why).toMatchObject({ code: 6101, msg: "Insufficient stake" });
  });

  test("an event is told before it happens, and observed when it does", async () => {
    const served = await openServedTestChain(open);
    const { escrow, call } = speaking(served, "admin");
    const observed: { readonly eligible: number; readonly slot: number; readonly signature: string }[] = [];
    const listener = escrow.addEventListener("arbitratorPoolSizePublished", (event, slot, signature) => {
      observed.push({ eligible: (event as { readonly eligible: number }).eligible, slot, signature });
    });
    await until(() => served.server.listeners() > 0);
    const ofPolicy = {
      ...{ admin: addressOf("admin"), feeConfig: at.feeConfig().address },
      arbitrationPolicy: at.arbitrationPolicy().address,
    };
    const publish = () => call(escrow, "publishArbitratorPoolSize", [12], ofPolicy);
    const tried = await publish().simulate();
    expect(tried.events.map(({ name, data }) => [name, data.eligible])).toEqual([["arbitratorPoolSizePublished", 12]]);
    const signature = await whileMoving(served.chain, publish().rpc());
    await until(async () => {
      await served.chain.advance(1);
      return observed.length > 0;
    });
    expect(observed).toMatchObject([{ eligible: 12, signature }]);
    await escrow.removeEventListener(listener);
    const policy = await accountsOf(escrow, "arbitrationPolicy").fetch(at.arbitrationPolicy().address);
    expect(policy.eligibleArbitrators).toBe(12);
  });
});
