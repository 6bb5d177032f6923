// Goal: the published messages, signatures and answers of protocol 03 H.8 and 01 §16.8.
// Method: the published signatures made again; the published calls with the nonce that this node issued in the place of
// the published one, under both profiles, since base58 is accepted beside base64 everywhere.
import { describe, expect, test } from "vitest";
import type { ChainFact } from "../../core/domains/trade/settlements/schema.ts";
import { Counterparty, counterpartiesOf } from "../../core/domains/trade/trades/counterparties.ts";
import { ANSWER } from "../../core/kernel/schema.ts";
import { list } from "../../core/kernel/schema-composites.ts";
import { toBase58, toBase64 } from "../../core/kernel/text.ts";
import { at } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import { received, replicaOf, seen } from "../convergence/replica.ts";
import { loneNode, parityNode, person } from "../rpc/lone-node.ts";
import { signText, walletOf } from "./caller.ts";

const T = 1_700_000_000_000n;
const [buyer, seller] = [person(1), person(99)];
const BASE64 = "ACQIARIgiojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w=";
const BASE58 = "12D3KooWK99VoVxNE7XzyBwXEzW7xhK7Gpv85r9F3V3fyKSUKPH5";
const KEY64 = "iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w=";
const KEY58 = "AKnL4NNf3DGWZJS6cPknBuEGnVsV4A4m5tgebLHaRSZ9";
const NONCE = "0f1e2d3c4b5a69788796a5b4c3d2e1f0".repeat(2);
const ZEROS = "0".repeat(64);
const SERVICE = "node-CJfRUQxyonG6B5mnztsNUqxknbFT89DJdrdrzV9F96mU";

test.each([
  [
    "openfiat-my-disputes",
    buyer,
    BASE64,
    NONCE,
    "KAhp9QydJZ39uehYJ+RuVv13W5rxQzbQ7KOrGjV2HdBBousz6yvbFU2w8FofRLjpfphcOJNgqyHq5UWqdehfBA==",
  ],
  [
    "openfiat-my-settlements",
    buyer,
    BASE64,
    NONCE,
    "sMzAlw2syvfq1wEu3Rb9Or/HcemnVxcvXeBow3GIasmXCqCD9mFvypBH0s/LmB9UR/MyllZNxY9IVNpcSaAUDw==",
  ],
  [
    "openfiat-my-reservations",
    buyer,
    BASE64,
    NONCE,
    "l6pHKn/PQkFFW3XzmPqpD2e1r1fJlLv5RwUGl6ikhKJYVgTcrz1qEbiHNusXM/AvdfNrAx9vqWqBcvyUhs/EBA==",
  ],
  [
    "openfiat-my-trades",
    buyer,
    BASE64,
    NONCE,
    "oDQnUyyX89UsbRcPnR9L3ZF1JggkcwDqHOO4JW/mIW4SzSWxG7BEsaXrqUV3RqiwqnFqT0Yj4tQtxXFmx86ICA==",
  ],
  [
    "openfiat-counterparties",
    buyer,
    BASE64,
    NONCE,
    "y4zj9De+Oxgw0eXua7gxFARW6UKnA2Qb6ofkQYUEj4XRqaj8AQuUe1hLp9TUDh5Yp5TQX9f5sYeFlOekSI/YBQ==",
  ],
  [
    "openfiat-earnings",
    seller,
    SERVICE,
    NONCE,
    "VEod7JotVL1J23ERphoRbHCLkEMMnbTDWqweCBxLO2XtE+MDpWp9YDAFX4XaGVL6HrALXGM3jS8AF8WP1ADjAQ==",
  ],
  [
    "openfiat-my-settlements",
    buyer,
    BASE64,
    ZEROS,
    "Uf/ma9/FI/Jfp1ioTQlwzzijAw7P+u9QP9Ya8ureJVW/j6NCAW582KMvTY2l6JLbAnE+CboxC0sP7RkNT6ooDg==",
  ],
  [
    "openfiat-my-settlements",
    buyer,
    BASE58,
    ZEROS,
    "DT/YvvC+cjWvfGarS8yXfPsYxpbszcnm1A3GVWs35gZ8SLQ8d9d9PuVhcZoF81WDD1vBHH/SL9ZyE8KQpAiUCA==",
  ],
] as const)("%s signed over %#", (domain, by, subject, nonce, signature) => {
  expect(toBase64(signText(by, domain, subject, nonce))).toBe(signature);
});

test("the published signatures in base58", () => {
  expect(toBase58(signText(buyer, "openfiat-my-disputes", BASE58, NONCE))).toBe(
    "3Kzp6gTKzmjserCCGayBejAFHghNbhpBBXH8RDvEAydcyLrK5meiBN4jT18TUyFTfgFP2zxnN4z6czuWqMfCFGFg",
  );
  expect(toBase58(signText(buyer, "openfiat-my-settlements", BASE58, ZEROS))).toBe(
    "GN7mkQ4rTszeRNV23fnRkMUcNW6xtB8rQRkkPbiyPmort7yJumzRhR8AjHkC3eVM2JV5eQs19zF2npxdfgvprCX",
  );
  expect(walletOf(buyer)).toBe(BASE64);
});

const replayed = (open: typeof loneNode | typeof parityNode) =>
  '{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"RESOURCE_NOT_FOUND","data":{"ofsErrorCode":6,' +
  `"ofsErrorName":"RESOURCE_NOT_FOUND","ofsRetryable":false${
    open === parityNode ? "" : ',"reason":"challenge-unknown"'
  }}}}`;

describe.each([
  ["parity, base64", parityNode, BASE64, KEY64, toBase64],
  ["default, base64", loneNode, BASE64, KEY64, toBase64],
  ["default, base58", loneNode, BASE58, KEY58, toBase58],
] as const)("challenge, proof and replay: %s", (_, open, wallet, key, spell) => {
  test.each([
    ["getWalletChallenge", "getMyDisputes", "openfiat-my-disputes"],
    ["getWalletChallenge", "getMyTrades", "openfiat-my-trades"],
    ["getCounterpartiesChallenge", "getCounterparties", "openfiat-counterparties"],
  ])("%s, %s", (challenge, method, domain) => {
    const node = open(T);
    const issued = node.body(`{"jsonrpc":"2.0","id":5,"method":"${challenge}","params":{"wallet":"${wallet}"}}`) ?? "";
    const nonce = /"nonce":"([0-9a-f]{64})"/.exec(issued)?.[1] ?? "";
    expect(issued).toBe(
      `{"jsonrpc":"2.0","id":5,"result":{"expires_at":1700000300000,"nonce":"${nonce}","subject":"${wallet}"}}`,
    );
    const signature = spell(signText(buyer, domain, wallet, nonce));
    const proof = (id: number) =>
      `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{"wallet":"${wallet}","public_key":"${key}",` +
      `"nonce":"${nonce}","signature":"${signature}"}}`;
    expect(node.body(proof(6))).toBe('{"jsonrpc":"2.0","id":6,"result":[]}');
    expect(node.body(proof(7))).toBe(replayed(open));
  });
});

test("the published counterparties: one trade, disputed, which the chain decided for the buyer", () => {
  const [b, s] = [
    { ...buyer, name: "buyer" },
    { ...seller, name: "seller" },
  ];
  const fact: ChainFact = {
    kind: "decided",
    reservation: 42n,
    buyer: buyer.key,
    seller: seller.key,
    mint: fixtures.MINTS[0],
    amount: 10n,
    resolution: "BuyerWins",
    terminal_split: null,
    transaction: "decision",
    timestamp: at(0),
  };
  const trade = received(
    fixtures.advertisement(s, at(-9)),
    fixtures.request(b, at(-8)),
    fixtures.initiate(b, s, at(-7)),
    fixtures.payment(b, at(-6)),
    fixtures.open(b, at(-5)),
  );
  const summaries = counterpartiesOf(replicaOf([...trade, seen(fact)]).store(), buyer.peer);
  expect(list(Counterparty).write(summaries, ANSWER)).toBe(
    '[{"abandoned":0,"counterparty":"12D3KooWM82bDYYgzgXaayHDdVciFe3bGvJ69qHnbSztNUJ933VQ","disputed":1,' +
      '"in_progress":0,"last_traded_at":1700000000000,"trades":1}]',
  );
});
