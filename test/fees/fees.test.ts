/**
 * Goal: a fee converts as published, a quote is tagged and never a number without a rate, and a signed settlement is
 * refused for the first reason that holds (protocol 05 §2.4, §2.5).
 * Method: the published rows; each tag once; the settlement of §15.6, spoiled one member at a time.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { billedFor, isBillable, totalsOf, WALLET_BILLED_EVERY_MS } from "../../core/domains/fees/earnings.ts";
import type { MidRate } from "../../core/domains/fees/fees.ts";
import { converted, convertedExactly, FeeQuote, feeQuote, feeSettlementError } from "../../core/domains/fees/fees.ts";
import { FeeSettlement } from "../../core/domains/providers/schema.ts";
import { devnetNetwork } from "../../core/index.ts";
import { ANSWER } from "../../core/kernel/schema.ts";
import { tagged, transcript } from "../../core/kernel/signed.ts";
import { toBase58 } from "../../core/kernel/text.ts";
import type { EpochMillis, Signature } from "../../core/kernel/values.ts";
import { verify } from "../../core/kernel/verification.ts";
import { forAll } from "../property/for-all.ts";
import { crypto, person } from "../rpc/lone-node.ts";

const T = 1_753_800_000_000n as EpochMillis;
const USDC = "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU";
const OPEN = "GwieDVo2mWeWpqAErbH9TQ94Pd2GusrfWQscJeJ4p532";
const WSOL = "So11111111111111111111111111111111111111112";
const mints = [...devnetNetwork.mints, ...(devnetNetwork.pricedOnly ?? [])];
const amount = (base_units: bigint, decimals = 6) => ({ base_units, decimals });
const pricing = { token_mint: USDC, amount: amount(2_500_000n), unit: "Request" as const };
const at = (ms: bigint) => (T + ms) as EpochMillis;
const current = (rate: number, lifetime = 30_000n): MidRate => ({ status: "current", rate, expiresAt: at(lifetime) });
const quote = (mid: MidRate, into = OPEN, price: typeof pricing | null = pricing) =>
  feeQuote(price, into, { mints, rateOf: () => mid }, T);

test.each([
  [2_500_000n, 4, 6, 10_000_000n],
  [2_500_000n, 4, 9, 10_000_000_000n],
  [2_500_000n, 0.005, 9, 12_500_000n],
  [1n, 1, 6, 1n],
  [1n, 1.1, 6, 2n],
  [1n, 1.5, 6, 2n],
  [7n, 129.52, 9, 906_641n],
  [999n, 0.00037, 9, 370n],
  [2_500_000n, 4.123456789, 9, 10_308_641_973n],
])("%s at 6 decimals and rate %s to %s decimals is %s", (units, rate, decimals, published) => {
  expect(converted(amount(units), rate, decimals)).toBe(published);
});

test("doubles overshoot what exact arithmetic gives by one unit at most where amounts are small", () => {
  expect(convertedExactly(amount(7n), 129.52, 9)).toBe(906_640n);
  // A product that is a whole number is the one that a double can miss from below.
  const arbUnits = fc.oneof(
    fc.bigInt(1n, 1_000_000_000n),
    fc.bigInt(1n, 40_000_000n).map((n) => n * 25n),
  );
  const gapOf = (units: bigint, cents: number) =>
    (converted(amount(units), cents / 100, 6) ?? 0n) - convertedExactly(amount(units), cents / 100, 6);
  forAll(
    [arbUnits, fc.integer({ min: 1, max: 99_999 })],
    (units, cents) => {
      expect([0n, 1n]).toContain(gapOf(units, cents));
    },
    {
      runs: 500,
      classes: (units, cents) => [`${gapOf(units, cents)} too many`, cents < 100 ? "below one" : "one or more"],
      shares: { "0 too many": 0.5, "1 too many": 0.01, "below one": 0.02, "one or more": 0.5 },
    },
  );
});

describe("a quote", () => {
  test("of protocol 05 §15.6", () => {
    expect(FeeQuote.write(quote(current(4)), ANSWER)).toBe(
      '{"expiresAt":1753800030000,"fee":{"base_units":2500000,"decimals":6},"feeMint":"2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU","quotedAt":1753800000000,"rate":4.0,"settlementAmount":{"base_units":10000000,"decimals":6},"settlementMint":"GwieDVo2mWeWpqAErbH9TQ94Pd2GusrfWQscJeJ4p532","status":"settleable"}',
    );
  });

  test("asks for the pair of the two symbols", () => {
    const asked: string[][] = [];
    const rateOf = (...pair: string[]): MidRate => {
      asked.push(pair);
      return { status: "noData" };
    };
    feeQuote(pricing, WSOL, { mints, rateOf }, T);
    expect(asked).toEqual([["USDC", "wSOL"]]);
  });

  test.each([
    ["free", quote(current(4), OPEN, null), { status: "free" }],
    ["native, whatever the oracle says", quote({ status: "stale" }, USDC), { status: "native", fee: pricing.amount }],
    ["an unknown token", quote(current(4), "x"), { status: "unsettleable", reason: "UnknownSettlementToken" }],
    [
      "an unknown fee token",
      quote(current(4), OPEN, { ...pricing, token_mint: "x" }),
      { status: "unsettleable", reason: "NoOracleData" },
    ],
    ["no data", quote({ status: "noData" }), { status: "unsettleable", reason: "NoOracleData" }],
    ["stale", quote({ status: "stale" }), { status: "unsettleable", reason: "StaleOracleData" }],
    ["a lapsed answer", quote(current(4, 0n)), { status: "unsettleable", reason: "StaleOracleData" }],
    ["no rate", quote(current(0)), { status: "unsettleable", reason: "RateOutOfRange" }],
    ["an endless rate", quote(current(Number.POSITIVE_INFINITY)), { status: "unsettleable", reason: "RateOutOfRange" }],
    ["too much", quote(current(1e300)), { status: "unsettleable", reason: "AmountOutOfRange" }],
  ])("%s", (_, found, expected) => {
    expect(found).toEqual(expected);
  });

  test("holds two minutes at most", () => {
    expect(quote(current(4, 500_000n))).toMatchObject({ expiresAt: at(120_000n) });
  });
});

describe("a signed settlement", () => {
  const payer = person(2);
  const settlement: FeeSettlement = {
    service_id: "svc-1",
    payer: payer.peer,
    payer_public_key: payer.key,
    fee: amount(2_500_000n),
    fee_mint: USDC,
    settlement_mint: OPEN,
    settlement_amount: amount(10_000_000n),
    rate: 4,
    quoted_at: T,
    expires_at: at(30_000n),
    reference: "delivery-1",
  };
  const validationError = (
    more: Partial<FeeSettlement>,
    now = T,
    price: typeof pricing | null = pricing,
    signer = payer,
  ) => {
    const payload = { ...settlement, ...more };
    const preimage = tagged(FeeSettlement as never, transcript(FeeSettlement, payload));
    const signature = toBase58(crypto.sign(signer.secret, preimage)) as Signature;
    return feeSettlementError(payload, verify(crypto, FeeSettlement, payload, signature), price, now);
  };

  test("stands while its quote does; the boundary is over", () => {
    expect(validationError({})).toBeUndefined();
    expect(validationError({}, at(29_999n))).toBeUndefined();
    expect(validationError({}, at(30_000n))).toBe("REQUEST_EXPIRED");
  });

  test.each([
    ["another's signature", () => validationError({}, T, pricing, person(3)), "INVALID_SIGNATURE"],
    ["another's key", () => validationError({ payer_public_key: person(3).key }), "INVALID_IDENTITY_CLAIM"],
    ["no price", () => validationError({}, T, null), "INVALID_REQUEST"],
    ["another fee", () => validationError({ fee: amount(2_500_001n) }), "INVALID_REQUEST"],
    ["other decimals", () => validationError({ fee: amount(2_500_000n, 5) }), "INVALID_REQUEST"],
    ["another fee token", () => validationError({ fee_mint: WSOL }), "INVALID_REQUEST"],
    ["an end before its beginning", () => validationError({ expires_at: at(-1n) }), "INVALID_REQUEST"],
    ["a window too long", () => validationError({ expires_at: at(120_001n) }), "INVALID_REQUEST"],
    ["a clock too far ahead", () => validationError({}, at(-150_001n)), "INVALID_REQUEST"],
    [
      "an amount that the rate does not give",
      () => validationError({ settlement_amount: amount(9_999_999n) }),
      "INVALID_REQUEST",
    ],
    ["no rate", () => validationError({ rate: 0, settlement_amount: amount(0n) }), "INVALID_REQUEST"],
  ] as const)("%s", (_, found, code) => {
    expect(found()).toBe(code);
  });

  test("a clock that is just as far ahead as it may be", () => {
    expect(validationError({}, at(-150_000n))).toBeUndefined();
  });
});

describe("billing", () => {
  test("consumers pay for deliveries and slots; rates and snapshots are free", () => {
    expect(billedFor("Telegram")).toBe("delivery");
    expect(billedFor("RiskIntelligenceProvider")).toBe("slot");
    expect(billedFor("FxOracle")).toBe("nothing");
    expect(billedFor("SnapshotProvider")).toBe("nothing");
  });

  test("a wallet is billed once in forty-eight hours", () => {
    expect(isBillable(undefined, T)).toBe(true);
    expect(isBillable(T, at(BigInt(WALLET_BILLED_EVERY_MS) - 1n))).toBe(false);
    expect(isBillable(T, at(BigInt(WALLET_BILLED_EVERY_MS)))).toBe(true);
  });

  test("totals come for each mint in the order of entries, other decimals left out", () => {
    const entry = (token_mint: string, base_units: bigint, decimals = 6) => ({
      token_mint,
      amount: amount(base_units, decimals),
      reference: "r",
      credited_at: T,
    });
    const totals = totalsOf([entry(OPEN, 1n), entry(USDC, 2n), entry(OPEN, 3n), entry(USDC, 5n, 9)]);
    expect([...totals]).toEqual([
      [OPEN, amount(4n)],
      [USDC, amount(2n)],
    ]);
  });
});
