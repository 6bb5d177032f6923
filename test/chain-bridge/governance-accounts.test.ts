/**
 * Goal: governance accounts stand at the published addresses and have the published layouts (protocol 04 §3.10).
 * Method: published vectors, offsets byte by byte, truncation everywhere; encode and decode are inverse.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concat, toHex } from "../../core/kernel/bytes.ts";
import { toBase58, utf8 } from "../../core/kernel/text.ts";
import { decodeAccount, encodeAccount, stakeAccount } from "../../core/solana/accounts.ts";
import { chainAddresses, devnetProfile, stakeRoles } from "../../core/solana/addresses.ts";
import {
  chainProposal,
  emergencyAuthority,
  governanceConfig,
  proposalAction,
  proposalStates,
  readProposal,
  readStake,
  voteRecord,
} from "../../core/solana/governance-accounts.ts";
import { forAll } from "../property/for-all.ts";
import { crypto, person } from "../rpc/lone-node.ts";

const at = chainAddresses(crypto, devnetProfile);
const owner = devnetProfile.governanceProgram;
const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => toBase58(bytes));
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const LONG_MAX = (1n << 64n) - 1n;
const [SIGNED_MIN, SIGNED_MAX] = [-(1n << 63n), (1n << 63n) - 1n];
const long = fc.oneof({ weight: 4, arbitrary: fc.bigInt(0n, LONG_MAX) }, fc.constantFrom(0n, LONG_MAX));
const signedLong = fc.oneof(
  { weight: 4, arbitrary: fc.bigInt(SIGNED_MIN, SIGNED_MAX) },
  fc.constantFrom(SIGNED_MIN, -1n, SIGNED_MAX),
);
const byte = fc.integer({ min: 0, max: 255 });
const word = fc.integer({ min: 0, max: 65_535 });

const arbProposal = fc.record({
  id: long,
  category: byte,
  proposer: key,
  title_hash: bytes32,
  summary_hash: bytes32,
  stake_deposit: long,
  votes_for: long,
  votes_against: long,
  quorum_snapshot: long,
  threshold_snapshot: word,
  created_at: signedLong,
  voting_ends_at: signedLong,
  state: fc.integer({ min: 0, max: 3 }),
  quorum_met: fc.boolean(),
  deposit_settled: fc.boolean(),
  executed: fc.boolean(),
  bump: byte,
  offchain_id_hash: bytes32,
});
const arbVote = fc.record({
  proposal: key,
  voter: key,
  weight: long,
  in_favor: fc.boolean(),
  locked_until: signedLong,
  bump: byte,
});
const arbAction = fc.record({
  proposal: key,
  action: fc.oneof(
    fc.constant({ type: "none" } as const),
    fc.record({ type: fc.constant("list-wallet" as const), wallet: key, reason: byte, evidence_hash: bytes32 }),
    fc.record({ type: fc.constant("delist-wallet" as const), wallet: key }),
  ),
  bump: byte,
});
const arbConfig = fc.record({
  admin: key,
  mint: key,
  total_open_supply: long,
  quorum_bps: word,
  threshold_simple_bps: word,
  threshold_treasury_bps: word,
  threshold_upgrade_bps: word,
  quorum_upgrade_bps: word,
  deposit_amount: long,
  forfeit_destination: key,
  vote_lock_secs: signedLong,
  bump: byte,
  deposit_vault_bump: byte,
});
const arbAuthority = fc.record({
  primary_holder: key,
  secondary_holder: key,
  initialized_at: signedLong,
  expires_at: signedLong,
  bump: byte,
});

const kinds = [
  ["Proposal", chainProposal, arbProposal, 200],
  ["VoteRecord", voteRecord, arbVote, 90],
  ["ProposalAction", proposalAction, arbAction, 107],
  ["GovernanceConfig", governanceConfig, arbConfig, 140],
  ["EmergencyAuthority", emergencyAuthority, arbAuthority, 89],
] as const;

test("published addresses", () => {
  expect([0n, 1n, 7n, 70_000n].map((id) => at.proposal(id).address)).toEqual([
    "47nrzhhcFwg6BfdWFw1hDQeGAWjS9kSSc5c9eB1dqtcj",
    "3HemzTNJN65CTzLFxt8jsk8SkcntqUTXRsmvXfTzDXxs",
    "4ZMTNoMJiFTwR8kNSbXMEkbwzjdDwx9K6mTxRbRBF5xm",
    "G7XdKTtG6k9DFuzfWxYF4vf97FcjtYkuvEvmR74gmEPK",
  ]);
  expect(at.governanceConfig().address).toBe("GGLnPdf6gWMbVvmrvHFuwmfVe3JQKNC37tGNYHUB7T7E");
  expect(at.depositVault().address).toBe("F8GHmCJtS2HYE7eHBb36xzex6BAeo16v7cLzMyi3XKB1");
  expect(at.emergencyAuthority().address).toBe("133BpsSKWaqbh8pgSiNP3xyrquqcXiBbcyiv5EqASGWq");
  expect(at.stakeAccount(person(7).key, stakeRoles.NodeOperator)).toEqual({
    address: "GbNv1RKWy8nwaeWtnaELFRvSfVyraWs8S9ydwzURUQTS",
    bump: 254,
  });
  // Their derivations have no vector: they depend on every input, and on nothing else.
  const proposal = at.proposal(1n).address;
  const [ada, bob] = [person(1).key, person(2).key];
  expect(at.voteRecord(proposal, ada)).toEqual(at.voteRecord(proposal, ada));
  const derived = [at.voteRecord(proposal, ada), at.voteRecord(proposal, bob), at.proposalAction(proposal)];
  expect(new Set(derived.map(({ address }) => address)).size).toBe(3);
});

/** What the numbers of an account are an example of. */
function classesOf(value: object): readonly string[] {
  const numbers = Object.values(value);
  const has = (bound: bigint) => numbers.includes(bound);
  const { action } = value as { readonly action?: { readonly type: string } };
  return [
    ...(has(LONG_MAX) ? ["the largest number"] : []),
    ...(has(SIGNED_MIN) || has(SIGNED_MAX) || has(-1n) ? ["a signed number at its bound"] : []),
    ...(action === undefined ? [] : [action.type]),
  ];
}

const extremes = { "the largest number": 0.08, "a signed number at its bound": 0.1 };

describe.each(kinds)("%s", (name, layout, values, size) => {
  const shares =
    name === "ProposalAction"
      ? { none: 0.2, "list-wallet": 0.2, "delist-wallet": 0.2 }
      : name === "EmergencyAuthority"
        ? { "a signed number at its bound": 0.1 }
        : extremes;
  const kind = layout as typeof chainProposal;
  const arb = values as typeof arbProposal;

  test("has the published discriminator and size", () => {
    expect(toHex(kind.discriminator)).toBe(toHex(crypto.sha256(utf8(`account:${name}`)).slice(0, 8)));
    expect(kind.bytesAllocated).toBe(size);
    // An action takes what its tag calls for; every other account is filled to the last byte.
    const least = name === "ProposalAction" ? 32 + 1 + 1 : size - 8;
    const holds = (value: object) => {
      const written = kind.fields.write(value as never).length;
      expect(written).toBeGreaterThanOrEqual(least);
      expect(written).toBeLessThanOrEqual(size - 8);
    };
    forAll([arb as fc.Arbitrary<object>], holds, { runs: 100, classes: classesOf, shares });
  });

  test("reads back what was written, and nothing shorter, foreign or of another kind", () => {
    forAll(
      [arb, fc.nat()],
      (value, at) => {
        const data = encodeAccount(kind, value);
        expect(decodeAccount(kind, devnetProfile, { owner, data })).toEqual({ ok: true, value });
        const used = 8 + kind.fields.write(value).length;
        const short = decodeAccount(kind, devnetProfile, { owner, data: data.slice(0, at % used) });
        expect(short.ok).toBe(false);
        const foreign = decodeAccount(kind, devnetProfile, { owner: devnetProfile.stakingProgram, data });
        expect(foreign).toEqual({ ok: false, error: "WRONG_OWNER" });
      },
      { runs: 100, classes: (value) => classesOf(value), shares },
    );
  });
});

test("a proposal's fields stand at the published offsets", () => {
  forAll(
    [arbProposal],
    (value) => {
      const data = encodeAccount(chainProposal, value);
      const view = new DataView(data.buffer, data.byteOffset);
      expect(view.getBigUint64(8, true)).toBe(value.id);
      expect([data[16], data[163], data[164], data[165], data[166], data[167]]).toEqual([
        value.category,
        value.state,
        Number(value.quorum_met),
        Number(value.deposit_settled),
        Number(value.executed),
        value.bump,
      ]);
      expect(toBase58(data.slice(17, 49))).toBe(value.proposer);
      expect(view.getBigUint64(121, true)).toBe(value.votes_for);
      expect(view.getUint16(145, true)).toBe(value.threshold_snapshot);
      expect(view.getBigInt64(155, true)).toBe(value.voting_ends_at);
      expect(data.slice(168)).toEqual(value.offchain_id_hash);
      const read = readProposal(devnetProfile, { owner, data });
      expect(read).toMatchObject({ ok: true, value: { state: proposalStates[value.state], id: value.id } });
    },
    {
      runs: 100,
      classes: (value) => [
        ...classesOf(value),
        proposalStates[value.state] ?? "",
        ...(value.quorum_met === value.executed ? [] : ["flags differ"]),
      ],
      shares: { ...extremes, Draft: 0.15, Voting: 0.15, Accepted: 0.15, Rejected: 0.15, "flags differ": 0.3 },
    },
  );
});

test("an action whose tag is none is malformed", () => {
  const data = concat(proposalAction.discriminator, new Uint8Array(32), Uint8Array.of(3), new Uint8Array(66));
  expect(decodeAccount(proposalAction, devnetProfile, { owner, data })).toEqual({ ok: false, error: "MALFORMED" });
});

test("the head of a stake account is what the whole account says", () => {
  forAll(
    [key, byte, long],
    (whose, role, amount) => {
      const data = encodeAccount(stakeAccount, {
        owner: whose,
        role,
        amount,
        unbonding_amount: 0n,
        unbonding_release_at: 0n,
        slashed_total: 0n,
        pending_rewards: 0n,
        bump: 1,
        first_staked_at: 0n,
      });
      const account = { owner: devnetProfile.stakingProgram, data: data.slice(0, 49) };
      expect(readStake(devnetProfile, account)).toEqual({ ok: true, value: { owner: whose, role, amount } });
      expect(readStake(devnetProfile, { ...account, data: data.slice(0, 48) }).ok).toBe(false);
    },
    {
      runs: 100,
      classes: (_, role, amount) => [
        ...(amount === LONG_MAX ? ["the largest number"] : []),
        role < 5 ? "role" : "no role",
      ],
      shares: { "the largest number": 0.05, role: 0.02, "no role": 0.5 },
    },
  );
});
