// Goal: a nonce carries an HMAC-SHA-256 over its ledger, subject, expiry and salt, and what it issued it knows again.
// Method: Node's own HMAC as oracle for random seeds and subjects; each part of a nonce changed in turn.
import { createHash, createHmac } from "node:crypto";
import fc from "fast-check";
import { assert, test } from "vitest";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import type { Issue } from "../../core/domains/wallet-proofs/nonce.ts";
import { expiryOfNonce, issueNonce } from "../../core/domains/wallet-proofs/nonce.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { forAll } from "../property/for-all.ts";

const crypto = openNativeCrypto();
const arbIssue: fc.Arbitrary<Issue> = fc.record({
  ledger: fc.constantFrom("wallet" as const, "earnings" as const),
  subject: fc.uint8Array({ minLength: 1, maxLength: 200 }),
});
const arbSeed = fc.uint8Array({ minLength: 32, maxLength: 32 });
const arbExpiry = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }) as fc.Arbitrary<EpochMillis>;

test("the digest of a nonce is what Node's HMAC says, and its expiry is read again", () => {
  forAll(
    [arbIssue, arbSeed, arbExpiry, fc.nat(), fc.nat()],
    (issue, seed, expiry, number, at) => {
      const nonce = issueNonce(crypto, seed, number, issue, expiry);
      const bytes = Buffer.from(nonce, "hex");
      const secret = createHash("sha256").update("challenge secret").update(seed).digest();
      const parts = [issue.ledger, "\0", issue.subject, "\0", bytes.subarray(0, 16)];
      const digest = parts.reduce((mac, part) => mac.update(part), createHmac("sha256", secret)).digest();
      assert.equal(bytes.subarray(16).toString("hex"), digest.subarray(0, 16).toString("hex"));
      assert.equal(expiryOfNonce(crypto, seed, nonce, issue), expiry);
      const changed = Buffer.from(bytes);
      changed[at % 32] = (changed[at % 32] ?? 0) ^ 1;
      assert.isUndefined(expiryOfNonce(crypto, seed, changed.toString("hex"), issue));
    },
    {
      runs: 100,
      classes: (issue) => [issue.ledger, issue.subject.length > 64 ? "longer than a block" : "within a block"],
      shares: { wallet: 0.3, earnings: 0.3, "longer than a block": 0.1, "within a block": 0.2 },
    },
  );
});
