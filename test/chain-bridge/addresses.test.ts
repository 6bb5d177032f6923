/**
 * Goal: addresses are those of the deployed programs (protocol 03 D.1, D.2, H.10) and a reservation number binds
 * exactly the ids of A.10.3 R1. Method: published addresses and bumps, byte for byte; both cryptographies.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { openPortableCrypto } from "../../adapters/crypto/portable.ts";
import { chainAddresses, deriveAddress, devnetProfile, reservationNumber } from "../../core/solana/addresses.ts";
import { forAll } from "../property/for-all.ts";
import { arbitrators, disputeCaseAddress, seller, sellerOpenVault, tradeEscrowAddress } from "./published-bytes.ts";

const at = chainAddresses(openNativeCrypto(), devnetProfile);
const open = devnetProfile.openMint;

const derives = (seeds: readonly Uint8Array[]) => deriveAddress(openNativeCrypto(), devnetProfile.escrowProgram, seeds);

describe("derived addresses", () => {
  test.each([
    ["fee config", at.feeConfig(), "6fMtd28uHoJKDUStCDBCQm7G2SRNV5LrhjbRd1gCji3p", 253],
    ["arbitration pool", at.arbitrationPool(), "8q9e87RC3Z2zBSCmfZPTrgFz2FuMA55Fa9k4ro8iTuau", 248],
    ["arbitration policy", at.arbitrationPolicy(), "5tJ6hNSxmGT7EW91BbKFhzVMstAVKLwRuoMhVH29XrJv", 255],
    ["staking config", at.stakingConfig(), "13USnBJUTbx2X4LETdDof7wisSYL9psfDoZkDDtiZpsU", 255],
    ["trade escrow", at.tradeEscrow(42n), tradeEscrowAddress, 255],
    ["trade escrow tokens", at.tradeEscrowTokens(42n), "FWqz81R2YUwk78C4sXut56C9rKA4dFsPdYQ8MJym7Hnf", 254],
    ["dispute case", at.disputeCase(42n), disputeCaseAddress, 255],
    ["seller's OPEN vault", at.liquidityVault(seller, open), sellerOpenVault, 252],
    ["recovery claim", at.stakeRecoveryClaim(seller, open), "9AEXWTzN5zwzymsQ4gtvGa7S8UP9t1nk71vBC8caMpih", 253],
    ["stake account", at.stakeAccount(arbitrators[0], 1), "Gse2XtMpifZQGTdURhX3sgkY4SuEuyQ8xzfuJyGZAVF5", 254],
    ["ban record", at.banRecord(arbitrators[0]), "B4cdnRfVbEzHdYAiZzz2gqZMxWDJdgQKT6hXUWvAYkfA", 252],
  ])("%s", (_, derived, address, bump) => {
    expect(derived).toEqual({ address, bump });
  });

  test("portable cryptography derives the same addresses", () => {
    const portable = openPortableCrypto();
    const native = openNativeCrypto();
    const holds = (seeds: readonly Uint8Array[]) => {
      const program = devnetProfile.escrowProgram;
      expect(deriveAddress(portable, program, seeds)).toEqual(deriveAddress(native, program, seeds));
    };
    forAll([fc.array(fc.uint8Array({ maxLength: 32 }), { maxLength: 4 })], holds, {
      runs: 50,
      classes: (seeds) => [`${seeds.length} seeds`, ...(derives(seeds).bump < 255 ? ["not the first bump"] : [])],
      shares: { "0 seeds": 0.1, "4 seeds": 0.1, "not the first bump": 0.3 },
    });
  });
});

describe("reservation numbers", () => {
  test.each([
    ["42", 42n],
    ["0", 0n],
    ["18446744073709551615", 18_446_744_073_709_551_615n],
    ["00000000000000000042", 42n],
  ])("%s is on chain", (id, number) => {
    expect(reservationNumber(id)).toBe(number);
  });

  test.each([
    [""],
    ["18446744073709551616"],
    ["000000000000000000042"],
    ["-1"],
    ["+1"],
    ["1.0"],
    ["1e3"],
    [" 1"],
    ["1\n"],
    ["٤٢"],
    ["f47ac10b-58cc-4372-a567-0e02b2c3d479"],
  ])("%j is not", (id) => {
    expect(reservationNumber(id)).toBeUndefined();
  });
});
