/**
 * Goal: a client that reads nothing but `/openrpc.json` trades, disputes, runs a service and proves its wallets; every
 * rendering that the document names is taken, and near misses of it are refused with a reason (DESIGN §7 #20, #23).
 * Method: `client-from-document.ts` against one node in memory; what it sends and is answered is held to the document.
 */
import { describe, expect, test } from "vitest";
import { methods, openRpcDocument } from "../../core/index.ts";
import { loneNode } from "../rpc/lone-node.ts";
import type { Answer, Document } from "./client-from-document.ts";
import { clientFrom, keyOf, sha256 } from "./client-from-document.ts";

const NOW = 1_786_000_000_000;
const document = JSON.parse(
  openRpcDocument(methods, "0.1.0", { name: "this node", url: "/rpc" }, { keys: [], calls: [] }),
) as Document;
const [merchant, buyer, provider, ...panel] = [0x11, 0x22, 0x66, 0x41, 0x42, 0x43].map((byte) =>
  keyOf(new Uint8Array(32).fill(byte)),
) as [Key, Key, Key, Key, Key, Key];
type Key = ReturnType<typeof keyOf>;

const usdc = (base_units: number, decimals = 6) => ({ base_units, decimals });
const offer = {
  ...{ id: "ad-1", merchant: merchant.peer, merchant_public_key: merchant.key },
  ...{ asset_mint: "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU", direction: "Sell", fiat_currency: "KES" },
  ...{ min_trade: usdc(5_000_000), max_trade: usdc(100_000_000), initial_liquidity: usdc(250_000_000) },
  ...{ pricing: { Fixed: { price: usdc(13_000, 2) } }, payment_methods: ["builtin:mpesa-kenya"], timestamp: NOW },
};
const request = {
  ...{ id: "1", advertisement_id: "ad-1", requester: buyer.peer, requester_public_key: buyer.key },
  ...{ amount: usdc(20_000_000), agreed_price: usdc(13_000, 2), agreed_mid: null, timestamp: NOW },
};
const initiate = {
  ...{ id: "set-1", reservation_id: "1", buyer: buyer.peer, buyer_public_key: buyer.key },
  ...{ seller: merchant.peer, seller_public_key: merchant.key, amount: usdc(20_000_000), timestamp: NOW },
};
const service = {
  ...{ service_id: "svc-1", service_type: { Infrastructure: "PublicApiNode" }, provider: provider.peer },
  ...{ provider_public_key: provider.key, endpoints: [], supported_ofs: [1500], region: null, capabilities: [] },
  ...{ branding: null, pricing: null, payout_wallet: null, timestamp: NOW },
};

function opened() {
  const node = loneNode(BigInt(NOW));
  return clientFrom(document, (body) => node.body(body) ?? "");
}
const refused = ({ error }: Answer) => [error?.message, error?.data?.["reason"]];

/** A client whose people have started a trade. */
function trading() {
  const client = opened();
  expect(client.send("sendAdvertisementCreate", offer, merchant).result).toBe("ad-1");
  expect(client.send("sendReservationRequest", request, buyer).result).toBe("1");
  expect(client.send("sendSettlementInitiate", initiate, buyer).result).toBe("set-1");
  return client;
}

test("a whole trade, read back by everybody and by its parties", () => {
  const client = trading();
  const paid = { settlement_id: "set-1", buyer: buyer.peer, payment_reference: "QX12", timestamp: NOW };
  expect(client.send("sendPaymentSubmitted", paid, buyer).result).toBeNull();
  const approved = { settlement_id: "set-1", seller: merchant.peer, timestamp: NOW };
  expect(client.send("sendSettlementApproved", approved, merchant).result).toBeNull();
  expect(client.call("getSettlement", { id: "set-1" }).result).toMatchObject({ state: "Approved" });
  const review = {
    ...{ settlement: "set-1", author: buyer.peer, author_public_key: buyer.key },
    ...{ rating: 5, comment: "fast", created_at: NOW },
  };
  expect(client.send("sendReviewPublish", review, buyer).error).toBeUndefined();
  expect(client.prove("getMyReviews", buyer, buyer.peer).result).toHaveLength(1);
  expect(client.call("getTrades").result).toHaveLength(1);
  for (const method of ["getMySettlements", "getMyReservations", "getMyTrades", "getCounterparties"])
    expect(client.prove(method, buyer, buyer.peer).result, method).toHaveLength(1);
  const wallet = Buffer.concat([Buffer.from("002408011220", "hex"), merchant.publicKey]).toString("base64");
  expect(client.prove("getMyTrades", merchant, wallet).result).toHaveLength(1);
  expect(refused(client.prove("getMyTrades", merchant, buyer.peer))).toEqual([
    "INVALID_IDENTITY_CLAIM",
    "key-of-another",
  ]);
});

/** A trade with a case about it, whose panel is seated. */
function quarrelling() {
  const client = trading();
  const opener = { opener: buyer.peer, opener_public_key: buyer.key };
  const open = { id: "d-1", settlement_id: "set-1", ...opener, reason: "no answer", timestamp: NOW };
  expect(client.send("sendDisputeOpen", open, buyer).result).toBe("d-1");
  for (const by of panel) {
    const join = { dispute_id: "d-1", arbitrator: by.peer, arbitrator_public_key: by.key, timestamp: NOW };
    expect(client.send("sendArbitratorJoin", join, by).result).toBeNull();
  }
  return client;
}

test("a dispute until the chain is to decide it: every vote hidden, then shown", () => {
  const client = quarrelling();
  const statusIs = (status: string, more: object) =>
    expect(client.call("getDispute", { id: "d-1" }).result).toMatchObject({ status, arbitrators_seated: 3, ...more });
  statusIs("CaseLocked", { commitments: 0 });
  const votes = ["BuyerWins", "MerchantWins", "Invalid"];
  // As the document describes a commitment: the vote as a byte, then the secret.
  const secretOf = (at: number) => new Array<number>(32).fill(at + 1);
  for (const [at, by] of panel.entries()) {
    const commitment = [...sha256(Uint8Array.from([at, ...secretOf(at)]))];
    const commit = { dispute_id: "d-1", arbitrator: by.peer, commitment, timestamp: NOW };
    expect(client.send("sendVoteCommit", commit, by).result).toBeNull();
  }
  statusIs("RevealPhase", { commitments: 3, reveals: 0 });
  for (const [at, by] of panel.entries()) {
    const reveal = { dispute_id: "d-1", arbitrator: by.peer, vote: votes[at], secret: secretOf(at), timestamp: NOW };
    const other = { ...reveal, vote: votes[(at + 1) % 3] };
    expect(client.send("sendVoteReveal", other, by).error?.message).toBe("INVALID_EVIDENCE");
    expect(client.send("sendVoteReveal", reveal, by).result).toBeNull();
  }
  statusIs("AwaitingChainExecution", { reveals: 3, resolution: null });
  const shown = client.call("getDispute", { id: "d-1" }).result as { readonly revealed_votes: readonly string[] };
  expect(new Set(shown.revealed_votes)).toEqual(new Set(votes));
  expect(client.call("getSettlement", { id: "set-1" }).result).toMatchObject({ state: "Disputed" });
});

test("a dispute that its parties settle, in the one form that such a statement has", () => {
  const client = quarrelling();
  for (const by of [buyer, merchant]) {
    const agree = { dispute_id: "d-1", party: by.peer, timestamp: NOW };
    expect(refused(client.send("sendMutualSettlementAgree", agree, by, { form: "bare" }))).toEqual([
      "INVALID_SIGNATURE",
      "other-bytes",
    ]);
    expect(client.send("sendMutualSettlementAgree", agree, by).result).toBeNull();
  }
  expect(client.call("getDispute", { id: "d-1" }).result).toMatchObject({ status: "AwaitingChainExecution" });
});

test("proofs of every kind: each method that the document gives an x-proof", () => {
  const client = quarrelling();
  expect(client.send("sendProviderRegister", service, provider).result).toBe("svc-1");
  const mine = document.methods.filter((method) => method["x-proof"] !== undefined);
  const answered = mine.map(({ name, "x-proof": proof, params }) => {
    const isService = proof?.subject.from.endsWith("service_id") === true;
    const [by, subject] = isService ? [provider, "svc-1"] : [buyer, buyer.peer];
    const wantsTrade = !isService && params.some((param) => param.name === "id" && param.required);
    return [name, client.prove(name, by, subject, wantsTrade ? { id: "set-1" } : {}).error] as const;
  });
  expect(answered.filter(([, error]) => error !== undefined)).toEqual([]);
  expect(mine.length).toBeGreaterThan(8);
  // Each proof is of one kind, by one wallet, once.
  for (const { name } of mine.filter(({ params }) => !params.some((param) => param.name === "id"))) {
    const answer = client.prove(name, merchant, buyer.peer);
    expect(answer.error?.message, name).toMatch(/^INVALID_(IDENTITY_CLAIM|SIGNATURE)$/);
  }
});

test("a provider's life", () => {
  const client = opened();
  const mint = offer.asset_mint;
  const pricing = { token_mint: mint, amount: usdc(1_000), unit: "Request" };
  const priced = { ...service, pricing, payout_wallet: provider.key };
  expect(client.send("sendProviderRegister", priced, provider).result).toBe("svc-1");
  expect(client.call("getProviderFeeQuote", { id: "svc-1", settlement_mint: mint }).error).toBeUndefined();
  const again = { ...priced, endpoints: ["https://a.example.org"], timestamp: NOW + 1 };
  expect(client.send("sendProviderRegister", again, provider).result).toBe("svc-1");
  expect(refused(client.send("sendProviderRegister", { ...priced, region: "eu" }, provider))).toEqual([
    "INVALID_REQUEST",
    "outdated",
  ]);
  const update = { service_id: "svc-1", provider: provider.peer, state: "Maintenance", timestamp: NOW + 1 };
  expect(client.send("sendProviderHealthUpdate", update, provider).error).toBeUndefined();
  expect(client.call("getProvider", { id: "svc-1" }).result).toMatchObject({ health: "Maintenance" });
  expect(client.prove("getProviderEarnings", provider, "svc-1").result).toMatchObject({ entries: [] });
  expect(refused(client.prove("getProviderEarnings", buyer, "svc-1"))).toEqual(["INVALID_SIGNATURE", "other-bytes"]);
  const over = { service_id: "svc-1", provider: provider.peer, timestamp: NOW + 2 };
  expect(client.send("sendProviderWithdraw", over, provider).error).toBeUndefined();
  expect(client.call("getProviders").result).toEqual([]);
});

describe("every accepted rendering", () => {
  test.each(["tagged", "bare"] as const)("%s, with explicit nulls and without them", (form) => {
    expect(opened().send("sendProviderRegister", service, provider, { form }).result).toBe("svc-1");
    expect(opened().send("sendProviderRegister", service, provider, { form, dropNulls: true }).result).toBe("svc-1");
  });

  test.each(["protocol", "ecmascript"] as const)("floats as %s writes them", (floats) => {
    const client = opened();
    client.send("sendAdvertisementCreate", offer, merchant);
    // The advertisement has a fixed price: that the mid is one too many is said only once the signature holds.
    expect(refused(client.send("sendReservationRequest", { ...request, agreed_mid: 129 }, buyer, { floats }))).toEqual([
      "PRICE_DISAGREEMENT",
      "price-differs",
    ]);
  });

  const misses: readonly (readonly [string, (text: string) => string])[] = [
    ["white space", (text) => text.replace(":", ": ")],
    ["a member twice", (text) => text.replace("{", '{"service_id":"svc-1",')],
    ["a member that the schema does not have", (text) => text.replace("{", '{"extra":1,')],
    ["another order", (text) => text.replace(/"service_id":"svc-1",(.*)\}$/, '$1,"service_id":"svc-1"}')],
    ["a null left out that the text has", (text) => text.replace('"region":null,', "")],
    ["an escaped slash", (text) => text.replace("svc-1", "svc\\u002d1")],
  ];
  test.each(misses)("a near miss is refused: %s", (_, signed) => {
    for (const form of ["tagged", "bare"] as const)
      expect(refused(opened().send("sendProviderRegister", service, provider, { form, signed }))).toEqual([
        "INVALID_SIGNATURE",
        "other-bytes",
      ]);
  });
});
