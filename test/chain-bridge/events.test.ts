/**
 * Goal: events are read byte for byte, and only from the program that may speak (protocol 03 D.5, A.10.3 R4).
 * Method: the published event; hashes of the names; forged logs of other programs and nested calls.
 */
import { describe, expect, test } from "vitest";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { toHex } from "../../core/kernel/bytes.ts";
import { fromBase64, utf8 } from "../../core/kernel/text.ts";
import { devnetProfile, tokenProgram } from "../../core/solana/addresses.ts";
import { decodeEvent, decodeEventLine, encodeEventLine, programEvents } from "../../core/solana/events.ts";
import { buyer, disputeResolvedBase64, seller } from "./published-bytes.ts";

const escrow = devnetProfile.escrowProgram;
const line = `Program data: ${disputeResolvedBase64}`;
const fields = {
  reservation_id: 42n,
  buyer,
  seller,
  outcome: 0,
  round: 0,
  winning_weight: 90_000_000_000n,
  arbitrator_count: 3,
  reward_pool: 10_000_000n,
  deposit_refunded: 0n,
  timestamp: 1_700_000_125n,
} as const;

describe("the published DisputeResolved", () => {
  test("is read in full", () => {
    const bytes = fromBase64(disputeResolvedBase64) ?? new Uint8Array(0);
    expect(bytes.length).toBe(116);
    expect([bytes[80], bytes[81]]).toEqual([1, 0]);
    expect(decodeEventLine(line)).toEqual({ type: "DisputeResolved", fields, bytes });
  });

  test("is written byte for byte", () => {
    expect(encodeEventLine("DisputeResolved", fields)).toBe(line);
  });

  test("is nothing when cut, prolonged or misspelt", () => {
    const bytes = fromBase64(disputeResolvedBase64) ?? new Uint8Array(0);
    for (let length = 0; length < bytes.length; length += 1)
      expect(decodeEvent(bytes.slice(0, length))).toBeUndefined();
    expect(decodeEvent(Uint8Array.from([...bytes, 0]))).toBeUndefined();
    expect(decodeEventLine(`Program log: ${disputeResolvedBase64}`)).toBeUndefined();
    expect(decodeEventLine(`${line} `)).toBeUndefined();
    const presence = bytes.slice();
    presence[80] = 2;
    expect(decodeEvent(presence)).toBeUndefined();
  });
});

test.each([
  ["DisputeResolved", "7940f9998b80ecbb"],
  ["DisputeTerminalSplit", "c6b11e35a0f5984f"],
  ["EscrowReleased", "83078a68a6be7170"],
  ["ArbitrationDepositTaken", "8994e6dcc8a87d87"],
  ["StakeRecoveryClaimRecorded", "6f04709b938b2230"],
  ["StakeRecoveryAbsorbed", "1c1c2209f0bbb624"],
  ["ArbitrationDepositToppedUp", "50d029ecb76c2c6c"],
  ["ArbitrationRewardClaimed", "5992998b5818be04"],
  ["ArbitratorPoolSizePublished", "9468053091e6b186"],
  ["AdListingFeeCharged", "8c1ecf8ba2aa00d7"],
  ["SlashApplied", "cf14a4b3ea3950ee"],
])("the discriminator of %s is the hash of its name", (name, discriminator) => {
  expect(
    toHex(
      openNativeCrypto()
        .sha256(utf8(`event:${name}`))
        .slice(0, 8),
    ),
  ).toBe(discriminator);
});

describe("who may speak", () => {
  test("a line inside the program's own invocation counts", () => {
    expect(programEvents(inside(escrow, [line]), escrow)).toHaveLength(1);
  });

  test("the same line from another program, or outside any, does not", () => {
    expect(programEvents(inside(tokenProgram, [line]), escrow)).toEqual([]);
    expect(programEvents([line], escrow)).toEqual([]);
    expect(programEvents([...inside(escrow, []), line], escrow)).toEqual([]);
  });

  test("a program called by the escrow cannot speak for it; after its return the escrow can again", () => {
    const logs = [
      `Program ${escrow} invoke [1]`,
      `Program ${tokenProgram} invoke [2]`,
      line,
      `Program ${tokenProgram} success`,
      line,
      `Program ${escrow} success`,
    ];
    expect(programEvents(logs, escrow)).toHaveLength(1);
  });

  test("the escrow speaks for itself when another program calls it", () => {
    const logs = [
      `Program ${tokenProgram} invoke [1]`,
      line,
      `Program ${escrow} invoke [2]`,
      line,
      `Program ${escrow} success`,
      line,
      `Program ${tokenProgram} success`,
    ];
    expect(programEvents(logs, escrow)).toHaveLength(1);
  });

  test("a program cannot forge an invocation with a log line of its own", () => {
    const forged = [`Program log: Program ${escrow} invoke [1]`, line, `Program log: Program ${escrow} success`];
    expect(programEvents(inside(tokenProgram, forged), escrow)).toEqual([]);
  });
});

function inside(program: string, lines: readonly string[]): readonly string[] {
  return [`Program ${program} invoke [1]`, ...lines, `Program ${program} success`];
}
