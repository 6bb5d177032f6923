/**
 * Goal: a node reads decisions exactly as published, and nothing else as a decision (protocol 03 A.10.2, H.10).
 * Method: published bytes; every negative case of H.10; truncation everywhere; encode and decode are inverse.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { toHex } from "../../core/kernel/bytes.ts";
import { fromBase64, toBase58, utf8 } from "../../core/kernel/text.ts";
import type { DisputeCase } from "../../core/solana/accounts.ts";
import {
  arbitrationPolicy,
  banRecord,
  decodeAccount,
  disputeCase,
  encodeAccount,
  feeConfig,
  liquidityVault,
  readCase,
  stakeAccount,
  stakeRecoveryClaim,
  stakeRecoveryReceipt,
  stakingConfig,
  tradeEscrow,
} from "../../core/solana/accounts.ts";
import { devnetProfile } from "../../core/solana/addresses.ts";
import { forAll } from "../property/for-all.ts";
import {
  arbitrators,
  caseSeedHex,
  decidedCaseBase64,
  sellerOpenVault,
  terminalSplitBase64,
  tradeEscrowAddress,
} from "./published-bytes.ts";

const crypto = openNativeCrypto();
const owner = devnetProfile.escrowProgram;
const decided = fromBase64(decidedCaseBase64) ?? new Uint8Array(0);
const split = fromBase64(terminalSplitBase64) ?? new Uint8Array(0);

describe("published cases", () => {
  test("have the published lengths and hashes", () => {
    expect([decided.length, split.length]).toEqual([492, 405]);
    expect(toHex(crypto.sha256(decided))).toBe("618476ab403522cbdb0d91a7c2300f029953ca9f64d3897a6d2a022700a69e4e");
    expect(toHex(crypto.sha256(split))).toBe("6ace2de95d5cbebda28c50c78a749df7d2ca099f6ef8e47f4b5dba8db757bcde");
  });

  test("the decided case says BuyerWins", () => {
    expect(readCase(devnetProfile, { owner, data: decided })).toEqual({
      ok: true,
      value: {
        reservationId: 42n,
        tradeEscrow: tradeEscrowAddress,
        resolved: true,
        outcome: "BuyerWins",
        round: 0,
        terminalReason: null,
      },
    });
  });

  test("the terminal split says why, and no verdict", () => {
    expect(readCase(devnetProfile, { owner, data: split })).toEqual({
      ok: true,
      value: {
        reservationId: 42n,
        tradeEscrow: tradeEscrowAddress,
        resolved: true,
        outcome: null,
        round: 2,
        terminalReason: "RoundUnstaffed",
      },
    });
  });

  test("every field of the decided case", () => {
    const read = decodeAccount(disputeCase, devnetProfile, { owner, data: decided });
    expect(
      read.ok && { ...read.value, case_seed: toHex(read.value.case_seed), commitments: read.value.commitments.length },
    ).toEqual({
      reservation_id: 42n,
      trade_escrow: tradeEscrowAddress,
      opened_at: 1_700_000_000n,
      commit_deadline: 1_700_000_060n,
      reveal_deadline: 1_700_000_120n,
      resolved: true,
      round: 0,
      commit_window_secs: 60n,
      reveal_window_secs: 60n,
      case_seed: caseSeedHex,
      round_opened_at: 1_700_000_000n,
      arbitrators,
      commitments: 3,
      revealed_outcomes: [0, 0, 1],
      weights: [50_000_000_000n, 40_000_000_000n, 60_000_000_000n],
      reward_claimed: [false, false, false],
      barred: [],
      deposit_vault: sellerOpenVault,
      deposit_mint: devnetProfile.openMint,
      deposit: 10_000_000n,
      deposit_shortfall: 0n,
      outcome: 0,
      winning_weight: 90_000_000_000n,
      reward_pool: 10_000_000n,
      reward_remaining: 10_000_000n,
      deposit_settled: true,
      bump: 254,
      seats_taken_total: 3,
      terminal_reason: null,
    });
  });

  test("written again they give the published bytes, then zeros up to the allocated length", () => {
    for (const data of [decided, split]) {
      const read = decodeAccount(disputeCase, devnetProfile, { owner, data });
      const written = read.ok ? encodeAccount(disputeCase, read.value) : new Uint8Array(0);
      expect(written.length).toBe(1241);
      expect(written.slice(0, data.length)).toEqual(data);
      expect(written.slice(data.length).every((byte) => byte === 0)).toBe(true);
    }
  });

  test("leftovers of an earlier, longer value change nothing", () => {
    const stale = new Uint8Array(1241).fill(0xee);
    stale.set(decided);
    expect(readCase(devnetProfile, { owner, data: stale })).toEqual(readCase(devnetProfile, { owner, data: decided }));
  });
});

describe("what is no case", () => {
  test("another owner", () => {
    const account = { owner: devnetProfile.stakingProgram, data: decided };
    expect(readCase(devnetProfile, account)).toEqual({ ok: false, error: "WRONG_OWNER" });
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7])("discriminator byte %i changed", (index) => {
    expect(readCase(devnetProfile, { owner, data: changed(decided, index, 0xff) })).toEqual({
      ok: false,
      error: "WRONG_DISCRIMINATOR",
    });
  });

  test("cut anywhere, 0, 8, 122 and length − 1 included", () => {
    for (const whole of [decided, split]) {
      for (let length = 0; length < whole.length; length += 1) {
        const reading = readCase(devnetProfile, { owner, data: whole.slice(0, length) });
        expect(reading).toEqual({ ok: false, error: length < 8 ? "WRONG_DISCRIMINATOR" : "MALFORMED" });
      }
    }
  });

  test("a vector length of 2^32 − 1, in any of the six vectors", () => {
    for (const at of vectorOffsets(decided)) {
      const data = decided.slice();
      data.set([0xff, 0xff, 0xff, 0xff], at);
      expect(readCase(devnetProfile, { owner, data })).toEqual({ ok: false, error: "MALFORMED" });
    }
  });

  test.each([
    [459, 2],
    [460, 4],
    [72, 2],
  ])("byte %i set to %i: a presence, an outcome or a flag of no table", (at, value) => {
    expect(readCase(devnetProfile, { owner, data: changed(decided, at, value) })).toEqual({
      ok: false,
      error: "MALFORMED",
    });
  });

  test("a list longer than the places it has: 8 seats, 15 barred", () => {
    const read = decodeAccount(disputeCase, devnetProfile, { owner, data: decided });
    if (!read.ok) throw new Error("published case is readable");
    const [seat = "", vote = 0] = [read.value.arbitrators[0], read.value.revealed_outcomes[0]];
    for (const changedCase of [
      { ...read.value, arbitrators: Array.from({ length: 8 }, () => seat) },
      { ...read.value, revealed_outcomes: Array.from({ length: 8 }, () => vote) },
      { ...read.value, barred: Array.from({ length: 15 }, () => seat) },
    ]) {
      const data = encodeAccount(disputeCase, changedCase);
      expect(readCase(devnetProfile, { owner, data })).toEqual({ ok: false, error: "MALFORMED" });
    }
  });

  test("a barred list filled with ones is skipped, never read as a verdict", () => {
    const read = decodeAccount(disputeCase, devnetProfile, { owner, data: split });
    const barred = [toBase58(new Uint8Array(32).fill(1)), toBase58(new Uint8Array(32).fill(1))];
    const data = read.ok ? encodeAccount(disputeCase, { ...read.value, barred }) : new Uint8Array(0);
    expect(readCase(devnetProfile, { owner, data })).toMatchObject({ ok: true, value: { outcome: null } });
  });
});

describe("layouts", () => {
  const kinds = {
    LiquidityVault: liquidityVault,
    TradeEscrowVault: tradeEscrow,
    FeeConfig: feeConfig,
    ArbitrationPolicy: arbitrationPolicy,
    DisputeCase: disputeCase,
    StakeRecoveryClaim: stakeRecoveryClaim,
    StakeAccount: stakeAccount,
    StakingConfig: stakingConfig,
    StakeRecoveryReceipt: stakeRecoveryReceipt,
    BanRecord: banRecord,
  };

  test.each(Object.entries(kinds))("%s begins with the hash of its name and fills its size", (name, kind) => {
    expect(toHex(kind.discriminator)).toBe(toHex(crypto.sha256(utf8(`account:${name}`)).slice(0, 8)));
    if (name !== "DisputeCase") expect(kind.fields.bytesMin + 8).toBe(kind.bytesAllocated);
  });

  test.each([
    [liquidityVault, "token_bump", 113],
    [tradeEscrow, "approved", 121],
    [feeConfig, "settlement_mint_count", 725],
    [stakeAccount, "first_staked_at", 82],
    [stakingConfig, "slash_bps", 184],
    [feeConfig, "arbitrator_sortition_bps", 211],
  ] as const)("a field stands where the table says", (kind, field, offset) => {
    const data = new Uint8Array(kind.bytesAllocated);
    data.set(kind.discriminator);
    data[offset] = 1;
    const read = decodeAccount<object>(kind, devnetProfile, { owner: devnetProfile[kind.owner], data });
    expect(read.ok && Number((read.value as Record<string, unknown>)[field])).toBe(1);
  });

  test("decoding what was encoded gives it back", () => {
    const arbKey = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toBase58);
    const most = (1n << 64n) - 1n;
    const arbU64 = fc.oneof(fc.bigInt({ min: 0n, max: most }), fc.constantFrom(0n, 1n << 63n, most));
    const arbSeats = fc.array(fc.tuple(arbKey, arbU64, fc.option(fc.nat(255)), fc.boolean()), { maxLength: 7 });
    forAll(
      [arbSeats, fc.array(arbKey, { maxLength: 14 }), fc.option(fc.nat(255)), arbU64],
      (seats, barred, outcome, amount) => {
        const base = decodeAccount(disputeCase, devnetProfile, { owner, data: decided });
        if (!base.ok) throw new Error("published case is readable");
        const value: DisputeCase = {
          ...base.value,
          barred,
          outcome,
          deposit: amount,
          arbitrators: seats.map(([key]) => key),
          weights: seats.map(([, weight]) => weight),
          revealed_outcomes: seats.map(([, , vote]) => vote),
          reward_claimed: seats.map(([, , , claimed]) => claimed),
        };
        const data = encodeAccount(disputeCase, value);
        expect(decodeAccount(disputeCase, devnetProfile, { owner, data })).toEqual({ ok: true, value });
      },
      {
        runs: 200,
        classes: (seats, barred, outcome, amount) => [
          seats.length === 7 ? "every seat" : seats.length === 0 ? "no seat" : "some seats",
          barred.length === 14 ? "barred full" : "barred not full",
          outcome === null ? "no outcome" : "an outcome",
          ...(amount === most ? ["the largest amount"] : []),
        ],
        shares: {
          "every seat": 0.08,
          "no seat": 0.05,
          "barred full": 0.03,
          "no outcome": 0.05,
          "an outcome": 0.6,
          "the largest amount": 0.05,
        },
      },
    );
  });
});

function changed(bytes: Uint8Array, at: number, value: number): Uint8Array {
  const copy = bytes.slice();
  copy[at] = value === 0xff ? (copy[at] ?? 0) ^ 0xff : value;
  return copy;
}

/** Where the six counts stand in the decided case: three seats, nobody barred. */
function vectorOffsets(data: Uint8Array): readonly number[] {
  const sizes = [3 * 32, 3 * 32, 3 * 2, 3 * 8, 3, 0];
  let at = 130;
  return sizes.map((size) => {
    const offset = at;
    at += 4 + size;
    expect(data[offset]).toBe(size === 0 ? 0 : 3);
    return offset;
  });
}
