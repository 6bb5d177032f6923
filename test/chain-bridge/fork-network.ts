/**
 * Several nodes that know one disputed trade, each over an endpoint of its own, and the chain on which that trade is
 * released or decided while the chain forks, stalls and is looked at through endpoints that lag, fail or lie.
 * Virtual time; nothing here but the seed is random.
 */
import type { Hash } from "node:crypto";
import { createHash } from "node:crypto";
import type { ChainObservation, Effect } from "../../core/inputs.ts";
import { toBase58 } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { ChainPort } from "../../core/ports/chain.ts";
import { chainAddresses, simulatedProfile } from "../../core/solana/addresses.ts";
import { ARBITRATOR_STAKE_MIN, treasuriesFor } from "../../sim/chain/genesis.ts";
import * as build from "../../sim/chain/instructions.ts";
import { commitmentPreimage } from "../../sim/chain/model/votes.ts";
import type { Instruction } from "../../sim/chain/transaction.ts";
import { signTransaction } from "../../sim/chain/transaction.ts";
import { openChainSupply } from "../../sim/chain-supply.ts";
import { createLoop } from "../../sim/clock.ts";
import { createFaultLedger } from "../../sim/faults.ts";
import type { Wallet } from "../../sim/wallet.ts";
import { openWallet, walletOfSecret } from "../../sim/wallet.ts";
import { WORLD_START } from "../../sim/world.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { crypto } from "../rpc/lone-node.ts";
import type { Core } from "./case-node.ts";
import { AMOUNT, caseNode, mint, people } from "./case-node.ts";

const at = chainAddresses(crypto, simulatedProfile);
const RESERVATION = 42n;
const ref = {
  reservation: RESERVATION,
  mint: mint.mint,
  tokenProgram: mint.tokenProgram,
  merchant: people.merchant.key,
};

/** How a node takes its facts. */
export type Commitment = "finalized" | "confirmed";

/** A node, its endpoint and what it showed so far. */
export interface Member {
  readonly index: number;
  readonly commitment: Commitment;
  node: LoneNode;
  port: ChainPort;
  obeyed: number;
  readonly timers: Map<string, number>;
  /** What a stranger read there, whenever something was observed. */
  readonly shows: Set<string>;
  undone: number;
  /** Hash over everything it observed. */
  readonly digest: Hash;
}

export type ForkNetwork = Awaited<ReturnType<typeof openForkNetwork>>;

/** Opens the network, with the trade's escrow funded and final. */
export async function openForkNetwork(seed: bigint, commitments: readonly Commitment[], core?: Core) {
  const loop = createLoop(WORLD_START as EpochMillis);
  const faults = createFaultLedger(loop);
  const judges = ["a", "b", "c", "d"].map((name) => openWallet(crypto, 1n, `judge ${name}`));
  const supply = await openChainSupply(crypto, {
    ...{ choice: "model", seed, loop, faults, profile: { ...simulatedProfile, name: "s", parity: false, mints: [] } },
    participants: [
      { name: "merchant", merchant: true, wallet: walletOf(people.merchant) },
      { name: "taker", wallet: walletOf(people.taker) },
      ...judges.map((wallet, place) => {
        return { name: `judge ${place}`, arbitratorStake: ARBITRATOR_STAKE_MIN * BigInt(1 + place * 2), wallet };
      }),
    ],
    nodes: commitments.map((_, index) => openWallet(crypto, 1n, `node/${index}`)),
  });
  const network = { loop, faults, supply, judges, members: [] as Member[] };
  for (const [index, commitment] of commitments.entries()) {
    const told = { chainCommitment: commitment };
    const node = caseNode({ ...(core && { core }), told, start: WORLD_START });
    const digest = createHash("sha256");
    const memory = { digest, obeyed: 0, timers: new Map<string, number>(), shows: new Set<string>(), undone: 0 };
    const member: Member = { index, commitment, node, port: undefined as never, ...memory };
    network.members.push(member);
    join(network, member);
  }
  await loop.runUntil(500);
  await fund(network);
  return network;
}

type Basis = Pick<ForkNetwork, "loop" | "supply" | "members">;

/** Gives a process of a node its endpoint, and obeys what it ordered so far. */
function join({ loop, supply }: Basis, member: Member): void {
  const observe = (observation: ChainObservation) => {
    member.digest.update(JSON.stringify([loop.now(), observation], (_, value) => plain(value)));
    does(loop, member, () => member.node.accept({ type: "chain.observed", observation }));
  };
  member.port = supply.open(member.index, observe) as ChainPort;
  does(loop, member, () => undefined);
}

function does(loop: Basis["loop"], member: Member, act: () => void): void {
  const { node } = member;
  node.now = loop.epoch();
  act();
  for (; member.obeyed < node.effects.length; member.obeyed += 1) {
    obey(loop, member, node.effects[member.obeyed] as Effect);
  }
  member.shows.add(settlementStateOf(node));
}

function obey(loop: Basis["loop"], member: Member, effect: Effect): void {
  const { port, node, timers } = member;
  if (effect.type === "chain.watch") port.watch(effect.address, effect.commitment);
  if (effect.type === "chain.unwatch") port.unwatch(effect.address);
  if (effect.type === "chain.read") port.read(effect.address, effect.slot, effect.commitment);
  if (effect.type === "chain.check") port.check(effect.signature);
  if (effect.type === "chain.submit") port.submit(effect.signature, effect.bytes);
  if (effect.type === "log" && effect.event === "chain fact undone") member.undone += 1;
  if (effect.type !== "timer.set" || effect.timer !== "chain-retry") return;
  const set = (timers.get(effect.timer) ?? 0) + 1;
  timers.set(effect.timer, set);
  const fire = () => does(loop, member, () => node.accept({ type: "timer.fired", timer: "chain-retry" }));
  const due = Number(effect.at - WORLD_START);
  loop.at(due, () => (member.node === node && timers.get(effect.timer) === set ? fire() : undefined));
}

/** The process ends and starts again with what its store holds. */
export function restart(network: Basis, index: number): void {
  const member = network.members[index];
  if (member === undefined) return;
  member.port.close(() => undefined);
  member.node = member.node.restart();
  member.obeyed = 0;
  member.timers.clear();
  join(network, member);
}

function plain(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value;
}

/** What a stranger reads of the dispute and its settlement. */
export function settlementStateOf(node: LoneNode): string {
  const dispute = node.call("getDispute", { id: "d-1" }) as { readonly status: string; readonly resolution: string };
  const settlement = node.call("getSettlement", { id: "s-1" }) as { readonly state: string };
  return `${dispute.status} ${dispute.resolution}, ${settlement.state}`;
}

/** What the final chain says it should be. */
export function truthOf({ supply }: Basis): string {
  const { cluster } = supply;
  const trade = cluster.account(at.tradeEscrow(RESERVATION).address)?.data ?? new Uint8Array(0);
  const found = cluster.account(at.disputeCase(RESERVATION).address)?.data;
  const [released, cancelled] = [trade[120] === 3, trade[120] === 4];
  if (found === undefined || found[72] !== 1) return `Open null, ${released ? "Completed" : "Disputed"}`;
  if (cancelled) return `Resolved ${outcomeIn(supply)}, Cancelled`;
  return `Resolved ${outcomeIn(supply)}, Completed`;
}

/** The verdict as its log line says it. */
function outcomeIn({ cluster }: Basis["supply"]): string {
  for (const { logs, err } of cluster.signaturesForAddress(at.disputeCase(RESERVATION).address)) {
    for (const line of err === null ? logs : []) {
      const bytes = Buffer.from(line.replace("Program data: ", ""), "base64");
      if (bytes.subarray(0, 8).toString("hex") !== "7940f9998b80ecbb") continue;
      return bytes[80] === 1
        ? (["BuyerWins", "MerchantWins", "MutualSettlement", "Invalid"][bytes[81] ?? 9] ?? "?")
        : "null";
    }
  }
  return "undecided";
}

/** What people do with the trade on chain. */
export const deeds = {
  approve: () => by(people.merchant, build.approveSettlement(at, people.merchant.key, RESERVATION)),
  release: () => by(people.merchant, build.releaseEscrow(at, ref, takerTokens(), treasuriesFor(at, mint))),
  open: () => {
    const taker = people.taker.key;
    return by(people.taker, build.openDisputeCase(at, ref, taker, taker, { commitSecs: 60n, revealSecs: 60n }));
  },
  execute: () => by(people.taker, build.executeDisputeOutcome(at, ref, takerTokens(), treasuriesFor(at, mint))),
} as const;

export function commit(judge: Wallet, outcome: number) {
  const { address: caseAddress } = at.disputeCase(RESERVATION);
  const commitment = crypto.sha256(commitmentPreimage(outcome, SALT, caseAddress, judge.address));
  return { keypair: judge.keypair, instruction: build.commitDisputeVote(at, RESERVATION, judge.address, commitment) };
}

export function reveal(judge: Wallet, outcome: number) {
  return {
    keypair: judge.keypair,
    instruction: build.revealDisputeVote(at, RESERVATION, judge.address, outcome, SALT),
  };
}

const SALT = new Uint8Array(32).fill(7);

interface Deed {
  readonly keypair: Wallet["keypair"];
  readonly instruction: Instruction;
}

/** Sends a transaction by way of a node, on a blockhash of the level asked for. */
export function send(network: Basis, via: number, deed: Deed, level: "finalized" | "processed"): void {
  const member = network.members[via];
  if (member === undefined) return;
  const { blockhash } = network.supply.cluster.latestBlockhash(level);
  const payer = toBase58(deed.keypair.publicKey);
  const wire = signTransaction({ payer, instructions: [deed.instruction], blockhash }, [deed.keypair], crypto);
  const data = Buffer.from(wire).toString("base64");
  does(network.loop, member, () => void member.node.call("sendTransaction", { data, correlation: "dispute:d-1" }));
}

async function fund(network: Basis): Promise<void> {
  const merchant = people.merchant.key;
  const from = at.tokenAccount(merchant, mint.mint, mint.tokenProgram).address;
  const steps = [
    build.createLiquidityVault(at, merchant, mint),
    build.depositLiquidity(at, merchant, mint, from, AMOUNT),
    build.reserveLiquidity(at, merchant, mint.mint, AMOUNT),
    build.createTradeEscrow(at, ref, people.taker.key, AMOUNT, 1_800n),
    build.fundTradeEscrow(at, ref),
  ];
  for (const instruction of steps) {
    send(network, 0, by(people.merchant, instruction), "finalized");
    await network.loop.runUntil(network.loop.now() + 2_000);
  }
  await network.loop.runUntil(network.loop.now() + 20_000);
}

function by(who: Person, instruction: Instruction): Deed {
  return { keypair: walletOf(who).keypair, instruction };
}

function takerTokens(): string {
  return at.tokenAccount(people.taker.key, mint.mint, mint.tokenProgram).address;
}

/** A person as the chain's first day knows him. */
function walletOf({ secret }: Person): Wallet {
  return walletOfSecret(crypto, "party", secret);
}
