/**
 * Goal: exactly the transactions that could land are accepted (protocol 03 C.3, H.9).
 * Method: the published transaction; one mutation per rule; arbitrary bytes; what sim/chain compiles.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { concat, fromHex } from "../../core/kernel/bytes.ts";
import { fromBase64, toBase58 } from "../../core/kernel/text.ts";
import { systemProgram, tokenProgram } from "../../core/solana/addresses.ts";
import {
  acceptTransaction,
  compactU16,
  executeDisputeOutcome,
  findInstruction,
  isSigner,
  isWritable,
  parseTransaction,
} from "../../core/solana/transaction.ts";
import type { Instruction } from "../../sim/chain/transaction.ts";
import { serializeTransaction, signTransaction } from "../../sim/chain/transaction.ts";
import { forAll } from "../property/for-all.ts";
import { acceptedTransactionBase64, buyer } from "./published-bytes.ts";

const crypto = openNativeCrypto();
const published = fromBase64(acceptedTransactionBase64) ?? new Uint8Array(0);
const seed = new Uint8Array(32).fill(1);
const wallet = { publicKey: crypto.publicKey(seed), secretKey: seed };
const zeroHash = toBase58(new Uint8Array(32));

describe("the published transaction", () => {
  test("is accepted, with its signature as published", () => {
    const accepted = acceptTransaction(published, crypto);
    expect(published.length).toBe(134);
    expect(accepted.ok && accepted.value.signatures.map(toBase58)).toEqual([
      "4g1ryp9VADmGPujKrq48cnVZ8NThuLRLq8g73xyeXLpAGZCbFFXpQitqKWsBSMWpz5hHFR6bXMJFPpQssWnGoWVN",
    ]);
    expect(accepted.ok && accepted.value.message).toMatchObject({
      version: "legacy",
      accounts: [buyer],
      blockhash: zeroHash,
      instructions: [],
    });
  });

  test("is what a wallet of the simulation signs", () => {
    const wire = signTransaction({ payer: buyer, instructions: [], blockhash: zeroHash }, [wallet], crypto);
    expect(wire).toEqual(published);
  });

  test("with any bit of it changed is refused", () => {
    for (let index = 0; index < published.length; index++) {
      for (let bit = 0; bit < 8; bit++) {
        const wire = published.slice();
        wire[index] = (wire[index] ?? 0) ^ (1 << bit);
        expect(acceptTransaction(wire, crypto).ok).toBe(false);
      }
    }
  });
});

describe("refused structure", () => {
  const key = new Uint8Array(32).fill(7);
  const hash = new Uint8Array(32);
  const signature = new Uint8Array(64);
  const wire = (header: readonly number[], accounts: readonly Uint8Array[], instructions: readonly number[]) =>
    concat(
      Uint8Array.of(1),
      signature,
      Uint8Array.from(header),
      compactU16(accounts.length),
      ...accounts,
      hash,
      Uint8Array.from(instructions),
    );
  const other = new Uint8Array(32).fill(8);

  test.each([
    ["three bytes", Uint8Array.of(1, 2, 3), "TRUNCATED"],
    ["nothing", new Uint8Array(0), "TRUNCATED"],
    ["a trailing byte", concat(published, Uint8Array.of(0)), "TRAILING_BYTES"],
    ["1,233 bytes", new Uint8Array(1233), "TOO_LARGE"],
    ["no signature", concat(Uint8Array.of(0), wire([0, 0, 0], [key], [0]).slice(65)), "SIGNATURE_COUNT"],
    ["fewer signatures than required", wire([2, 0, 0], [key, other], [0]), "SIGNATURE_COUNT"],
    ["more signers than accounts", wire([1, 0, 1], [key], [0]), "ACCOUNT_COUNT"],
    ["a payer that may not pay", wire([1, 1, 0], [key], [0]), "ACCOUNT_COUNT"],
    ["one account twice", wire([1, 0, 0], [key, key], [0]), "DUPLICATE_ACCOUNT"],
    ["a program index out of range", wire([1, 0, 1], [key, other], [1, 2, 0, 0]), "INDEX_OUT_OF_RANGE"],
    ["the payer as program", wire([1, 0, 1], [key, other], [1, 0, 0, 0]), "INDEX_OUT_OF_RANGE"],
    ["an account index out of range", wire([1, 0, 1], [key, other], [1, 1, 1, 2, 0]), "INDEX_OUT_OF_RANGE"],
    ["an instruction count in two bytes", wire([1, 0, 0], [key], [0x80, 0]), "NOT_SHORTEST_FORM"],
    ["a count beyond 16 bits", wire([1, 0, 0], [key], [0xff, 0xff, 0x07]), "NOT_SHORTEST_FORM"],
    ["version 1", wire([0x81, 1, 0, 0], [key], [0, 0]), "UNKNOWN_VERSION"],
  ])("%s", (_, bytes, validationError) => {
    expect(parseTransaction(bytes)).toEqual({ ok: false, error: validationError });
  });

  test("version 0 with an address table is read", () => {
    const bytes = concat(
      Uint8Array.of(1),
      signature,
      Uint8Array.of(0x80, 1, 0, 1, 2),
      key,
      other,
      hash,
      Uint8Array.of(1, 1, 2, 0, 3, 1, 0xaa),
      Uint8Array.of(1),
      new Uint8Array(32).fill(9),
      Uint8Array.of(1, 5, 1, 6),
    );
    const parsed = parseTransaction(bytes);
    expect(parsed.ok && parsed.value.message).toMatchObject({
      version: 0,
      lookups: [{ writable: [5], readonly: [6] }],
      instructions: [{ programIndex: 1, accounts: [0, 3] }],
    });
  });

  test("arbitrary bytes never throw", () => {
    const spliced = fc
      .tuple(fc.nat(published.length), fc.nat(published.length), fc.uint8Array({ maxLength: 1_166 }))
      .map(([from, until, bytes]) => concat(published.slice(0, from), bytes, published.slice(until)));
    const lengths = fc.constantFrom(0, 65, 66, 67, 68, published.length - 1);
    const damaged = fc
      .array(fc.tuple(fc.oneof(lengths, fc.nat(published.length - 1)), fc.nat(4)), { minLength: 1, maxLength: 4 })
      .map((changes) => {
        const wire = published.slice();
        for (const [at, byte] of changes) wire[at] = byte;
        return wire;
      });
    forAll(
      [fc.oneof(fc.uint8Array({ maxLength: 1_300 }), spliced, damaged)],
      (bytes) => void acceptTransaction(bytes, crypto),
      {
        runs: 500,
        classes: (bytes) => {
          const parsed = parseTransaction(bytes);
          return [parsed.ok ? "parsed" : parsed.error, bytes.length > 1_000 ? "long" : "short"];
        },
        shares: {
          TRUNCATED: 0.2,
          TOO_LARGE: 0.01,
          SIGNATURE_COUNT: 0.03,
          ACCOUNT_COUNT: 0.03,
          TRAILING_BYTES: 0.01,
          parsed: 0.01,
          NOT_SHORTEST_FORM: 0.01,
          long: 0.1,
          short: 0.4,
        },
      },
    );
  });

  test("compact-u16 has the published forms", () => {
    const forms = [
      [0, "00"],
      [127, "7f"],
      [128, "8001"],
      [16383, "ff7f"],
      [16384, "808001"],
      [65535, "ffff03"],
    ] as const;
    for (const [value, text] of forms) expect(compactU16(value)).toEqual(fromHex(text));
  });
});

test("what is compiled is read back: rights, order, data", () => {
  const arbKey = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toBase58);
  const arbMeta = fc.record({ address: arbKey, signer: fc.constant(false), writable: fc.boolean() });
  const arbInstruction: fc.Arbitrary<Instruction> = fc.record({
    program: fc.constantFrom(systemProgram, tokenProgram),
    accounts: fc.array(arbMeta, { maxLength: 5 }),
    data: fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ minLength: 128, maxLength: 200 })),
  });
  forAll(
    [fc.array(arbInstruction, { maxLength: 3 })],
    (instructions) => {
      const wire = signTransaction({ payer: buyer, instructions, blockhash: zeroHash }, [wallet], crypto);
      const accepted = acceptTransaction(wire, crypto);
      if (!accepted.ok) throw new Error(accepted.error);
      const { message } = accepted.value;
      expect(message.accounts[0]).toBe(buyer);
      for (const [position, instruction] of instructions.entries()) {
        const compiled = message.instructions[position];
        expect(compiled?.data).toEqual(instruction.data);
        expect(message.accounts[compiled?.programIndex ?? -1]).toBe(instruction.program);
        for (const [place, meta] of instruction.accounts.entries()) {
          const index = compiled?.accounts[place] ?? -1;
          expect(message.accounts[index]).toBe(meta.address);
          expect(isWritable(message, index)).toBe(meta.writable);
          expect(isSigner(message, index)).toBe(meta.address === buyer);
        }
      }
    },
    {
      runs: 100,
      classes: (instructions) => [
        `${instructions.length} instructions`,
        ...(instructions.some(({ data }) => data.length > 127) ? ["a length of two bytes"] : []),
        ...(instructions.some(({ accounts }) => accounts.some(({ writable }) => !writable)) ? ["read only"] : []),
        ...(instructions.some(({ accounts }) => accounts.some(({ writable }) => writable)) ? ["writable"] : []),
      ],
      shares: {
        "0 instructions": 0.05,
        "3 instructions": 0.1,
        "a length of two bytes": 0.3,
        "read only": 0.5,
        writable: 0.5,
      },
    },
  );
});

test("an instruction is found by program, discriminator and accounts in their places", () => {
  const [dispute, trade] = [toBase58(new Uint8Array(32).fill(3)), toBase58(new Uint8Array(32).fill(4))];
  const accounts = [buyer, dispute, trade].map((address) => ({ address, signer: false, writable: false }));
  const instructions = [{ program: tokenProgram, accounts, data: concat(executeDisputeOutcome, Uint8Array.of(9)) }];
  const wire = signTransaction({ payer: buyer, instructions, blockhash: zeroHash }, [wallet], crypto);
  const parsed = parseTransaction(wire);
  if (!parsed.ok) throw new Error(parsed.error);
  const { message } = parsed.value;
  expect(findInstruction(message, tokenProgram, executeDisputeOutcome, { 1: dispute, 2: trade })).toBeDefined();
  expect(findInstruction(message, tokenProgram, executeDisputeOutcome, { 1: trade, 2: dispute })).toBeUndefined();
  expect(findInstruction(message, tokenProgram, executeDisputeOutcome, { 7: trade })).toBeUndefined();
  expect(findInstruction(message, systemProgram, executeDisputeOutcome, { 1: dispute })).toBeUndefined();
  expect(findInstruction(message, tokenProgram, Uint8Array.of(1), {})).toBeUndefined();
});

test("serialising signatures and message gives the wire form back", () => {
  const parsed = parseTransaction(published);
  expect(parsed.ok && serializeTransaction(parsed.value.signatures, parsed.value.messageBytes)).toEqual(published);
});
