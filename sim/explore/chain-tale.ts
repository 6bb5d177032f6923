/**
 * What the chain of a scope may come to: a tree of stages, each what a cluster showed at a moment. The simulated
 * cluster itself makes them, once for each way that its history may take; ways that begin alike share their stages.
 * A walk chooses which stage comes next, and how far behind it each node's endpoint is.
 * Source: DESIGN sections 4, 5.1; protocol 03 A.10.3.
 */
import type { ChainAccountBytes, Commitment } from "../../core/index.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import { chainAddresses, simulatedProfile } from "../../core/testing.ts";
import type { ChainView } from "../chain/chain-view.ts";
import type { Cluster } from "../chain/cluster.ts";
import { openCluster } from "../chain/cluster.ts";
import type { ConfirmedTransaction } from "../chain/confirmed-transaction.ts";
import { modelExecutors } from "../chain/executors/model.ts";
import { genesis, settlementMints, treasuriesFor } from "../chain/genesis.ts";
import * as build from "../chain/instructions.ts";
import type { Instruction } from "../chain/transaction.ts";
import type { Wallet } from "../wallet.ts";
import { WORLD_START } from "../world.ts";

/** What happens on the chain to the escrow of a scope's trade, which is funded and final before. */
export type ChainEvent =
  /** Its merchant approves and releases it; the block is confirmed, and not final. */
  | "released"
  /** A fork wins that never heard of that. */
  | "dropped"
  /** The dropped transaction stands in a later block. */
  | "landed-again"
  /** Its merchant says the same in another transaction. */
  | "released-anew"
  /** All that was confirmed is final. */
  | "final";

/** A way that the chain's history may take, event by event. */
export type ChainWay = readonly ChainEvent[];

/** The chain at a moment. */
export interface ChainStage {
  /** The stage before it; none for the first. */
  readonly after: number | undefined;
  readonly event: ChainEvent | "funded";
  /** The newest slot of each level. */
  readonly slots: Readonly<Record<Commitment, bigint>>;
  readonly blockhash: string;
  /** Confirmed ones, by address, oldest first. */
  readonly transactions: ReadonlyMap<string, readonly ConfirmedTransaction[]>;
  readonly accounts: Readonly<Record<Commitment, ReadonlyMap<string, ChainAccountBytes>>>;
}

/** Stages; the first is where the tale begins, and none comes before the one that it follows. */
export type ChainTale = readonly ChainStage[];

/** The trade whose escrow it is, on chain. */
export interface EscrowTrade {
  readonly merchant: Wallet;
  readonly buyer: Wallet;
  readonly reservation: bigint;
  readonly mint: string;
  /** In base units. */
  readonly amount: bigint;
}

/** Until an escrow may be taken back, in seconds. Source: DESIGN "Simulated world". */
const ESCROW_SECS = 1_800n;
/** Slots after which what landed is confirmed; and after which it is final, whatever was held up before. */
const [TO_CONFIRM, TO_FINALIZE] = [3n, 80n];
/** The slot in which a tale begins: a minute after the cluster did. */
const BEGINS_AT = 150n;
const STAKED_SINCE = WORLD_START / 1_000n - 31_536_000n;

/** Makes every stage of the given ways. */
export async function tellChain(crypto: CryptoPort, trade: EscrowTrade, ways: readonly ChainWay[]): Promise<ChainTale> {
  const tale: ChainStage[] = [];
  const stages = new Map<string, number>();
  for (const way of ways) {
    const chain = await openFunded(crypto, trade);
    let after: number | undefined;
    for (const [place, event] of (["funded", ...way] as const).entries()) {
      if (event !== "funded") await happens(chain, event);
      const name = [...way.slice(0, place)].join();
      const stage: number = stages.get(name) ?? tale.push(stageOf(chain.cluster, after, event)) - 1;
      stages.set(name, stage);
      after = stage;
    }
    await chain.cluster.close();
  }
  return tale;
}

/** Stages that may come next. */
export function stagesAfter(tale: ChainTale, stage: number): readonly number[] {
  return tale.flatMap(({ after }, place) => (after === stage ? [place] : []));
}

/** The stage next to one on the way to a later one. */
export function nextStage(tale: ChainTale, from: number, to: number): number {
  let here = to;
  for (let before = tale[here]?.after; before !== from; before = tale[here]?.after) {
    if (before === undefined) throw new RangeError(`stage ${from} does not lead to ${to}`);
    here = before;
  }
  return here;
}

interface FundedChain {
  readonly cluster: Cluster;
  readonly land: (instructions: readonly Instruction[]) => Promise<void>;
  readonly release: readonly Instruction[];
  /** The wire of the last release, and the slot before it. */
  last: { readonly wire: Uint8Array; readonly before: bigint } | undefined;
}

async function openFunded(crypto: CryptoPort, trade: EscrowTrade): Promise<FundedChain> {
  const { merchant, buyer, reservation, amount } = trade;
  const at = chainAddresses(crypto, simulatedProfile);
  const mint = settlementMints.find((each) => each.mint === trade.mint);
  if (mint === undefined) throw new RangeError(`no trade settles in ${trade.mint}`);
  const { address } = merchant;
  const cluster = await openCluster({
    ...{ crypto, open: modelExecutors(crypto), seed: new Uint8Array(32), startMs: WORLD_START },
    genesis: genesis(at, {
      wallets: [{ address, merchant: true }, { address: buyer.address }],
      ...{ admin: buyer.address, stakedSince: STAKED_SINCE, eligibleArbitrators: 0 },
    }),
    signers: [merchant.keypair, buyer.keypair],
  });
  const ref = { ...mint, reservation, merchant: address };
  const tokens = (owner: string) => at.tokenAccount(owner, mint.mint, mint.tokenProgram).address;
  const chain: FundedChain = {
    cluster,
    async land(instructions) {
      const before = cluster.currentSlot();
      const { blockhash } = cluster.latestBlockhash("confirmed");
      const wire = merchant.transaction({ instructions, blockhash });
      chain.last = { wire, before };
      await submitted(cluster, wire);
    },
    release: [
      build.approveSettlement(at, address, reservation),
      build.releaseEscrow(at, ref, tokens(buyer.address), treasuriesFor(at, mint)),
    ],
    last: undefined,
  };
  await chain.land([
    build.createLiquidityVault(at, address, mint),
    build.depositLiquidity(at, address, mint, tokens(address), amount),
    build.reserveLiquidity(at, address, mint.mint, amount),
  ]);
  await chain.land([
    build.createTradeEscrow(at, ref, buyer.address, amount, ESCROW_SECS),
    build.fundTradeEscrow(at, ref),
  ]);
  await cluster.advance(BEGINS_AT);
  return chain;
}

/** Lands a transaction, which must succeed. */
async function submitted(cluster: Cluster, wire: Uint8Array): Promise<void> {
  const taken = cluster.submit(wire);
  if (!taken.ok) throw new Error(`a tale's transaction is refused: ${taken.error}`);
  await cluster.advance(cluster.currentSlot() + TO_CONFIRM);
  const status = cluster.signatureStatus(taken.value);
  if (status?.err !== null) throw new Error(`a tale's transaction fails: ${JSON.stringify(status?.err)}`);
}

async function happens(chain: FundedChain, event: ChainEvent): Promise<void> {
  const { cluster, last, release } = chain;
  switch (event) {
    case "released":
      return chain.land(release);
    case "released-anew":
      // Another blockhash makes it another transaction.
      await cluster.advance(cluster.currentSlot() + TO_CONFIRM);
      return chain.land(release);
    case "dropped":
      await cluster.reorganize(last?.before ?? 0n, () => "lost");
      return cluster.advance(cluster.currentSlot() + TO_CONFIRM);
    case "landed-again":
      if (last === undefined) throw new RangeError("nothing was released that could land again");
      return submitted(cluster, last.wire);
    case "final":
      return cluster.advance(cluster.currentSlot() + TO_FINALIZE);
  }
}

function stageOf(view: ChainView, after: number | undefined, event: ChainStage["event"]): ChainStage {
  const accounts = { confirmed: accountsAt(view, "confirmed"), finalized: accountsAt(view, "finalized") };
  const transactions = new Map<string, readonly ConfirmedTransaction[]>();
  for (const address of accounts.confirmed.keys()) {
    const found = view.signaturesForAddress(address, { commitment: "confirmed" });
    if (found.length > 0) transactions.set(address, found.toReversed());
  }
  const slots = { confirmed: view.slot("confirmed"), finalized: view.slot("finalized") };
  return { ...{ after, event, slots, transactions, accounts }, blockhash: view.latestBlockhash("finalized").blockhash };
}

/** Copies: a cluster goes on. */
function accountsAt(view: ChainView, level: Commitment): ReadonlyMap<string, ChainAccountBytes> {
  return new Map(
    [...view.accounts(level)].map(([address, { owner, lamports, data }]) => [address, { owner, lamports, data }]),
  );
}
