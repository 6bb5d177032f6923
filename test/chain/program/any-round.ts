/**
 * Dispute cases whose last round came to anything: seats, votes, weights, barred wallets, the published pool and the
 * deposit at their limits. Each is executed, and when it is decided every arbitrator claims, some of them twice.
 */
import fc from "fast-check";
import type { DisputeCase } from "../../../core/solana/accounts.ts";
import {
  arbitrationPolicy,
  BARRED_MAX,
  decodeAccount,
  disputeCase,
  encodeAccount,
  SEATS_MAX,
  terminalReasons,
} from "../../../core/solana/accounts.ts";
import { simulatedProfile } from "../../../core/solana/addresses.ts";
import { decodeEventLine } from "../../../core/solana/events.ts";
import type { ChainAccount, ChainExecutor } from "../../../sim/chain/executor.ts";
import type { ModelExecutor } from "../../../sim/chain/executors/model.ts";
import { claimArbitrationReward } from "../../../sim/chain/instructions.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import type { Setting } from "./probes.ts";
import { compared, probed, restored } from "./probing.ts";
import { rewritten } from "./rewritten.ts";
import { at, OPEN, tokensOf, wallet } from "./world.ts";

const STAKE = 100_000_000_000n;
const WEIGHT_MAX = (1n << 64n) - 1n;

interface Seat {
  readonly outcome: number | null;
  readonly weight: bigint;
}

const arbSeat: fc.Arbitrary<Seat> = fc.record({
  outcome: fc.constantFrom(null, 0, 0, 0, 0, 1, 2, 3),
  weight: fc.constantFrom(0n, 1n, STAKE, STAKE, STAKE, STAKE, STAKE + 1n, 1n << 63n, WEIGHT_MAX),
});

/** So many seats: of any kind, all of one outcome, evenly divided, or silent. */
const arbSeats: fc.Arbitrary<readonly Seat[]> = fc.oneof(
  fc.array(arbSeat, { maxLength: SEATS_MAX }),
  fc.array(arbSeat, { minLength: SEATS_MAX, maxLength: SEATS_MAX }),
  fc.tuple(fc.nat(3), fc.array(arbSeat, { minLength: 3, maxLength: SEATS_MAX })).map(([outcome, seats]) => {
    return seats.map((seat) => ({ ...seat, outcome }));
  }),
  fc
    .tuple(fc.nat(3), fc.nat(3), fc.constantFrom(1n, STAKE, WEIGHT_MAX), fc.constantFrom(2, 3))
    .map(([one, other, weight, pairs]) => {
      return Array.from({ length: 2 * pairs }, (_, seat) => ({ outcome: seat % 2 === 0 ? one : other, weight }));
    }),
  fc.array(fc.constant({ outcome: null, weight: 0n }), { maxLength: SEATS_MAX }),
);

/** What a case and its surroundings hold when it is executed. */
export const arbRound = fc.record({
  round: fc.constantFrom(0, 1, 2, 2),
  seats: arbSeats,
  barred: fc.oneof(fc.nat(BARRED_MAX), fc.constantFrom(0, BARRED_MAX - 1, BARRED_MAX)),
  published: fc.constantFrom(null, 0, 3, 4, 16, 17, 18, 2 ** 32 - 1),
  seatsTaken: fc.constantFrom(0, 3, 16, 17, 21, 2 ** 32 - 1),
  deposit: fc.constantFrom(0n, 1n, 7n, 10_000_000n),
  /** Flags that no undecided case has; a verdict for the buyer sets its own. */
  flags: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.array(fc.boolean(), { maxLength: SEATS_MAX })),
  claims: fc.array(fc.nat(SEATS_MAX), { maxLength: 12 }),
});
type Round = typeof arbRound extends fc.Arbitrary<infer T> ? T : never;

/** Executes the case on both; answers what it came to. */
export async function playedOn(
  machine: ChainExecutor,
  settings: readonly Setting[],
  round: Round,
): Promise<readonly string[]> {
  const setting = settings.find(({ attempt }) => attempt.way === "outcome 0");
  if (setting === undefined) throw new Error("no case to execute");
  const fork = setting.model.fork();
  const address = setting.instruction.accounts[1]?.address ?? "";
  const puts = { [address]: caseAccount(setting.model, address, round), ...policyAccount(round) };
  const touched = new Set(Object.keys(puts));
  const labels = [...surroundings(round)];
  try {
    for (const [place, account] of Object.entries(puts)) {
      await fork.putAccount(place, account);
      await machine.putAccount(place, account);
    }
    const executed = await compared(machine, fork, { ...setting, model: fork }, touched);
    labels.push(...(executed.ok ? outcomeOf(executed.logs) : ["refused"]));
    for (const seat of round.claims) {
      const claimed = { ...setting, signer: nameOf(seat), instruction: claim(fork, address, seat), model: fork };
      const { ok } = await compared(machine, fork, claimed, touched);
      labels.push(ok ? "claim paid" : "claim refused");
    }
    return labels;
  } finally {
    await restored(machine, setting.model, touched);
  }
}

const arbValue = fc.oneof(
  fc.bigInt(0n, WEIGHT_MAX),
  fc.constantFrom(0n, 1n, 3n, (1n << 32n) - 1n, 1n << 32n, (1n << 63n) + 1n, WEIGHT_MAX),
);

/** A decided case with a reward of any size: the pool's part of each seat, and what is left of it. */
export const arbReward = fc.record({
  weights: fc.array(arbValue, { minLength: 1, maxLength: SEATS_MAX }),
  winningWeight: fc.oneof(fc.constant(null), arbValue),
  pool: arbValue,
  remaining: fc.oneof(fc.constant(null), arbValue),
  claimed: fc.array(fc.boolean(), { minLength: SEATS_MAX, maxLength: SEATS_MAX }),
  seat: fc.nat(SEATS_MAX - 1),
});
type Reward = typeof arbReward extends fc.Arbitrary<infer T> ? T : never;

/** Lets one seat claim on both; answers what it came to. */
export async function claimedOn(
  machine: ChainExecutor,
  settings: readonly Setting[],
  reward: Reward,
): Promise<readonly string[]> {
  const setting = settings.find(({ attempt }) => attempt.instruction === "claim_arbitration_reward");
  if (setting === undefined) throw new Error("no reward to claim");
  const [address, pool] = [setting.instruction.accounts[1]?.address ?? "", at.arbitrationPool().address];
  const { model } = setting;
  const count = reward.weights.length;
  const sum = reward.weights.reduce((total, weight) => total + weight, 0n);
  const account = known(model, address);
  const found = rewritten(disputeCase, account, {
    ...readCase(model, address),
    arbitrators: reward.weights.map((_, seat) => wallet(nameOf(seat))),
    commitments: reward.weights.map(() => new Uint8Array(32)),
    revealed_outcomes: reward.weights.map(() => 0),
    weights: reward.weights,
    reward_claimed: reward.claimed.slice(0, count),
    winning_weight: reward.winningWeight ?? (sum > WEIGHT_MAX ? WEIGHT_MAX : sum),
    reward_pool: reward.pool,
    reward_remaining: reward.remaining ?? reward.pool,
  });
  const rich = known(model, pool);
  const data = rich.data.slice();
  data.set(new Uint8Array(8).fill(255), 64);
  const puts = { [address]: found, [pool]: { ...rich, data } };
  const name = nameOf(reward.seat % count);
  const instruction = claimArbitrationReward(
    at,
    readCase(model, address).reservation_id,
    wallet(name),
    tokensOf(name, OPEN),
  );
  const claimant = { ...setting, attempt: { ...setting.attempt }, signer: name, instruction };
  const result = await probed(machine, claimant, { name: "a reward", put: puts });
  const shared = reward.claimed.slice(0, count).filter((done) => !done).length > 1;
  return [result?.ok === true ? (shared ? "a share" : "all that remains") : "refused"];
}

function known(model: ModelExecutor, address: string): ChainAccount {
  const account = model.accountNow(address);
  if (account === undefined) throw new Error(`${address}: no account`);
  return account;
}

function nameOf(seat: number): string {
  return `arbitrator ${seat}`;
}

function claim(fork: ModelExecutor, address: string, seat: number): Instruction {
  const found = readCase(fork, address);
  const name = nameOf(seat);
  return claimArbitrationReward(at, found.reservation_id, wallet(name), tokensOf(name, OPEN));
}

function readCase(model: ModelExecutor, address: string): DisputeCase {
  const account = model.accountNow(address);
  const read = account === undefined ? undefined : decodeAccount(disputeCase, simulatedProfile, account);
  if (read?.ok !== true) throw new Error(`${address} is no case`);
  return read.value;
}

function caseAccount(model: ModelExecutor, address: string, round: Round): ChainAccount {
  const account = known(model, address);
  const { seats, barred, deposit } = round;
  return rewritten(disputeCase, account, {
    ...readCase(model, address),
    round: round.round,
    arbitrators: seats.map((_, seat) => wallet(nameOf(seat))),
    commitments: seats.map(() => new Uint8Array(32).fill(7)),
    revealed_outcomes: seats.map(({ outcome }) => outcome),
    weights: seats.map(({ outcome, weight }) => (outcome === null ? 0n : weight)),
    barred: Array.from({ length: barred }, (_, index) => wallet(`barred ${index}`)),
    seats_taken_total: round.seatsTaken,
    reward_claimed: round.flags,
    deposit,
  });
}

/** The policy that publishes the figure; none when it was never published. */
function policyAccount({ published }: Round): Record<string, ChainAccount> {
  if (published === null) return {};
  const { address, bump } = at.arbitrationPolicy();
  const policy = { admin: wallet("admin"), eligible_arbitrators: published, updated_at: 0n, bump };
  const data = encodeAccount(arbitrationPolicy, policy);
  return { [address]: { lamports: 10_000_000n, owner: simulatedProfile.escrowProgram, data, executable: false } };
}

function surroundings({ seats, barred }: Round): readonly string[] {
  const weights = seats.map(({ outcome, weight }) => (outcome === null ? 0n : weight));
  const sums = [0, 1, 2, 3].map((outcome) => {
    return weights.reduce((sum, weight, seat) => (seats[seat]?.outcome === outcome ? sum + weight : sum), 0n);
  });
  const highest = sums.reduce((most, sum) => (sum > most ? sum : most), 0n);
  const counted = weights.filter((weight) => weight > 0n).length;
  return [
    ...(seats.length === SEATS_MAX ? ["seven seats"] : []),
    ...(barred === BARRED_MAX ? ["fourteen barred"] : []),
    ...(highest > WEIGHT_MAX ? ["sum above 64 bits"] : []),
    ...(counted < 3 ? ["too few"] : []),
    ...(counted >= 3 && sums.filter((sum) => sum === highest).length > 1 ? ["tie"] : []),
  ];
}

function outcomeOf(logs: readonly string[]): readonly string[] {
  const logged = logs.flatMap((line) => {
    const event = decodeEventLine(line);
    if (event?.type === "DisputeTerminalSplit") return [`split ${terminalReasons[event.fields.reason]}`];
    return event?.type === "DisputeResolved" ? [`decided ${event.fields.outcome ?? "nothing"}`] : [];
  });
  return logged.length === 0 ? ["another round"] : logged;
}
