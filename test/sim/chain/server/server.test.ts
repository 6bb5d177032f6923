/**
 * Goal: the served chain answers in Solana's shapes, with Solana's numbers, and misbehaves as it is told to.
 * Method: raw bodies over HTTP and WebSocket; the model executes, as the program does not matter here.
 */
import { connect } from "node:net";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { toBase58, toBase64 } from "../../../../core/kernel/text.ts";
import { modelExecutors } from "../../../../sim/chain/executors/model.ts";
import { WALLET_LAMPORTS } from "../../../../sim/chain/genesis.ts";
import { createLiquidityVault } from "../../../../sim/chain/instructions.ts";
import { signTransaction } from "../../../../sim/chain/transaction.ts";
import { until } from "../../../until.ts";
import { addressOf, at, crypto, tokensOf, usdc, wallets } from "../chain-world.ts";
import type { ServedTestChain } from "./served-test-chain.ts";
import { openServedTestChain } from "./served-test-chain.ts";

const merchant = addressOf("merchant");
const nobody = toBase58(new Uint8Array(32).fill(9));
const nothing = toBase58(new Uint8Array(64).fill(9));

let served: ServedTestChain;

beforeEach(async () => {
  served = await openServedTestChain(modelExecutors(crypto));
});

async function post(body: string): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(served.server.url, { method: "POST", headers, body });
  return { status: answer.status, text: await answer.text() };
}

/** The `result` or `error` of a call. */
async function ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
  const { text } = await post(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
  const { result, error } = JSON.parse(text) as { readonly result?: unknown; readonly error?: unknown };
  return error ?? result;
}

function wireFor(blockhash: string): Uint8Array {
  const instructions = [createLiquidityVault(at, merchant, usdc)];
  return signTransaction({ payer: merchant, instructions, blockhash }, [wallets.merchant], crypto);
}

function freshWire(): Uint8Array {
  return wireFor(served.chain.cluster.latestBlockhash("processed").blockhash);
}

/** A WebSocket client and what it was told. */
async function listen() {
  const socket = new WebSocket(served.server.url.replace("http", "ws"));
  const messages: unknown[] = [];
  socket.on("message", (data) => void messages.push(JSON.parse(String(data))));
  onTestFinished(() => socket.terminate());
  await new Promise((open) => socket.once("open", open));
  return {
    messages,
    text: (text: string) => socket.send(text),
    arrived: (count: number) => until(() => messages.length >= count),
  };
}

describe("bodies", () => {
  test.each([
    ["{", '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}'],
    ["{}", '{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request"},"id":null}'],
    ["[]", '{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request"},"id":null}'],
    [
      '{"jsonrpc":"2.0","id":"a","method":"getNothing"}',
      '{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":"a"}',
    ],
    ['{"jsonrpc":"2.0","id":7,"method":"getHealth"}', '{"jsonrpc":"2.0","result":"ok","id":7}'],
    [
      '[{"jsonrpc":"2.0","id":1,"method":"getSlot"},{"jsonrpc":"2.0","method":"getSlot"},{"jsonrpc":"2.0","id":2,"method":"getHealth"}]',
      '[{"jsonrpc":"2.0","result":8,"id":1},{"jsonrpc":"2.0","result":"ok","id":2}]',
    ],
  ])("%s", async (body, answer) => {
    expect(await post(body)).toEqual({ status: 200, text: answer });
  });

  test("what is no JSON-RPC over HTTP is refused by its status", async () => {
    const { url } = served.server;
    expect((await fetch(url)).status).toBe(405);
    expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(415);
    expect((await post("x".repeat(60_000))).status).toBe(413);
    expect(await (await fetch(`${url}/health`)).text()).toBe("ok");
    expect((await fetch(url, { method: "OPTIONS" })).headers.get("access-control-allow-origin")).toBe("*");
  });
});

describe("answers", () => {
  test.each([
    ["getBalance", [merchant], { context: { apiVersion: "2.2.0", slot: 8 }, value: Number(WALLET_LAMPORTS) }],
    ["getBalance", [merchant, { commitment: "processed" }], expect.objectContaining({ value: expect.any(Number) })],
    ["getBalance", ["x"], { code: -32602, message: "Invalid param: WrongSize" }],
    ["getBalance", ["0OIl"], { code: -32602, message: "Invalid param: Invalid" }],
    ["getBalance", [], { code: -32602, message: "Invalid params: invalid type: expected a string." }],
    [
      "getBalance",
      [merchant, { commitment: "sure" }],
      { code: -32602, message: "Invalid params: unknown variant `sure`" },
    ],
    ["getAccountInfo", [nobody], { context: { apiVersion: "2.2.0", slot: 8 }, value: null }],
    [
      "getAccountInfo",
      [usdc.mint, { encoding: "base64", dataSlice: { offset: 44, length: 2 } }],
      {
        context: { apiVersion: "2.2.0", slot: 8 },
        value: {
          data: ["BgE=", "base64"],
          executable: false,
          lamports: 1461600,
          owner: usdc.tokenProgram,
          rentEpoch: 2 ** 64, // 2^64 - 1, as JavaScript reads it
          space: 82,
        },
      },
    ],
    [
      "getAccountInfo",
      [tokensOf("merchant", usdc), { encoding: "base58" }],
      expect.objectContaining({ code: -32600, message: expect.stringContaining("less than 128 bytes") }),
    ],
    ["getTokenAccountBalance", [nobody], { code: -32602, message: "Invalid param: could not find account" }],
    ["getTokenAccountBalance", [merchant], { code: -32602, message: "Invalid param: not a Token account" }],
    [
      "getTokenAccountBalance",
      [tokensOf("merchant", usdc)],
      expect.objectContaining({
        value: { amount: "1000000000000", decimals: 6, uiAmount: 1000000, uiAmountString: "1000000" },
      }),
    ],
    [
      "getSignaturesForAddress",
      [merchant, { commitment: "processed" }],
      { code: -32602, message: "Method does not support commitment below `confirmed`" },
    ],
    ["getSignaturesForAddress", [merchant, { limit: 1001 }], { code: -32602, message: "Invalid limit; max 1000" }],
    ["getSignaturesForAddress", [merchant, { before: nothing }], []],
    ["getTransaction", [nothing], null],
    ["getSignatureStatuses", [[nothing]], { context: { apiVersion: "2.2.0", slot: 40 }, value: [null] }],
    [
      "getSlot",
      [{ commitment: "processed", minContextSlot: 41 }],
      { code: -32016, message: "Minimum context slot has not been reached", data: { contextSlot: 40 } },
    ],
    ["getMinimumBalanceForRentExemption", [165], 2039280],
    ["getVersion", [], { "feature-set": 0, "solana-core": "2.2.0" }],
    ["getNothing", [""], { code: -32601, message: "Method not found" }],
  ])("%s %j", async (method, params, answer) => {
    expect(await ask(method, ...params)).toEqual(answer);
  });

  test("a transaction is read in every encoding, before and after", async () => {
    const wire = freshWire();
    const signature = await ask("sendTransaction", toBase64(wire), { encoding: "base64" });
    await served.chain.advance(33);
    const [asBase64, asJson] = (await Promise.all([
      ask("getTransaction", signature, { encoding: "base64" }),
      ask("getTransaction", signature),
    ])) as { readonly transaction: unknown; readonly version?: unknown; readonly meta: Record<string, unknown> }[];
    expect(asBase64?.transaction).toEqual([toBase64(wire), "base64"]);
    expect(asJson?.version).toBeUndefined();
    expect(asJson).toMatchObject({
      slot: 41,
      blockTime: 1_700_000_016,
      meta: {
        err: null,
        fee: 5_000,
        status: { Ok: null },
        rewards: [],
        loadedAddresses: { readonly: [], writable: [] },
      },
      transaction: { signatures: [signature], message: { header: { numRequiredSignatures: 1 } } },
    });
    expect(await ask("getTransaction", signature, { maxSupportedTransactionVersion: 0 })).toMatchObject({
      version: "legacy",
    });
    expect(await ask("getSignatureStatuses", [signature])).toMatchObject({
      value: [{ confirmationStatus: "finalized", confirmations: null, err: null, slot: 41, status: { Ok: null } }],
    });
  });
});

describe("sending", () => {
  test("what cannot land is refused with Solana's number", async () => {
    const send = (wire: Uint8Array, more = {}) =>
      ask("sendTransaction", toBase64(wire), { encoding: "base64", ...more });
    const stale = wireFor(nobody);
    expect(await send(stale)).toMatchObject({
      code: -32002,
      message: "Transaction simulation failed: Blockhash not found",
      data: { err: "BlockhashNotFound" },
    });
    expect(await send(stale, { skipPreflight: true })).toEqual(expect.any(String));
    const forged = freshWire();
    forged[5] = (forged[5] ?? 0) ^ 1;
    expect(await send(forged)).toMatchObject({ code: -32003 });
    expect(await send(Uint8Array.of(1, 2, 3))).toMatchObject({ code: -32602 });
    expect(await ask("sendTransaction", "?", { encoding: "base64" })).toMatchObject({ code: -32602 });
    const wire = freshWire();
    const signature = await send(wire);
    expect(await send(wire)).toBe(signature);
    await served.chain.advance(1);
    expect(await send(wire)).toMatchObject({ code: -32002, data: { err: "AlreadyProcessed" } });
  });
});

describe("subscriptions", () => {
  test("open, tell, end; unknown ones are refused", async () => {
    const socket = new WebSocket(served.server.url.replace("http", "ws"));
    const messages: unknown[] = [];
    socket.on("message", (data) => void messages.push(JSON.parse(String(data))));
    const arrived = (count: number) => until(() => messages.length === count);
    await new Promise((open) => socket.once("open", open));
    const send = (method: string, ...params: readonly unknown[]) =>
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
    send("slotSubscribe");
    send("logsSubscribe", { mentions: [merchant, nobody] });
    send("getSlot");
    send("slotUnsubscribe", 5);
    await arrived(4);
    await served.chain.advance(1);
    await arrived(5);
    expect(messages).toEqual([
      { jsonrpc: "2.0", result: 0, id: 1 },
      { jsonrpc: "2.0", error: { code: -32602, message: "Invalid Request: Only 1 address supported" }, id: 1 },
      { jsonrpc: "2.0", error: { code: -32601, message: "Method not found" }, id: 1 },
      { jsonrpc: "2.0", error: { code: -32602, message: "Invalid subscription id." }, id: 1 },
      {
        jsonrpc: "2.0",
        method: "slotNotification",
        params: { result: { parent: 40, root: 9, slot: 41 }, subscription: 0 },
      },
    ]);
    socket.terminate();
  });

  test("a notification is done and not answered", async () => {
    const { messages, text, arrived } = await listen();
    text('{"jsonrpc":"2.0","method":"slotSubscribe"}');
    text('{"jsonrpc":"2.0","id":7,"method":"getNothing"}');
    await arrived(1);
    expect(messages).toEqual([{ jsonrpc: "2.0", error: { code: -32601, message: "Method not found" }, id: 7 }]);
  });

  test("a server that does not serve keeps still while the chain moves, and tells again once it serves", async () => {
    const { messages, text, arrived } = await listen();
    text('{"jsonrpc":"2.0","id":1,"method":"slotSubscribe"}');
    await arrived(1);
    served.server.setConditions({ conduct: "hangs" });
    await served.chain.advance(1);
    served.server.setConditions({ conduct: "serves" });
    await served.chain.advance(1);
    const told = () =>
      messages.slice(1).map((one) => (one as { params: { result: { slot: number } } }).params.result.slot);
    await until(() => told().includes(42));
    expect(told()).toEqual([42]);
  });
});

describe("conditions", () => {
  test("a server that lags neither lists nor shows what came later", async () => {
    const listed = () => ask("getSignaturesForAddress", merchant, { commitment: "confirmed" });
    const before = (await listed()) as readonly unknown[];
    const signature = await ask("sendTransaction", toBase64(freshWire()), { encoding: "base64" });
    await served.chain.advance(33);
    expect(await listed()).toHaveLength(before.length + 1);
    expect(await ask("getTransaction", signature)).toMatchObject({ slot: 41 });
    served.server.setConditions({ lagSlots: 33n });
    expect(await listed()).toEqual(before);
    expect(await ask("getTransaction", signature)).toBeNull();
  });

  test("a server that lags shows what was, and says that it is behind", async () => {
    await served.chain.advance(260);
    const before = (await ask("getLatestBlockhash")) as { readonly context: { readonly slot: number } };
    served.server.setConditions({ lagSlots: 200n });
    const late = (await ask("getLatestBlockhash")) as typeof before;
    expect(late.context.slot).toBe(before.context.slot - 200);
    expect(await ask("getHealth")).toMatchObject({ code: -32005, data: { numSlotsBehind: 200 } });
  });

  test("a server fails, limits, babbles or lies, for all methods or for some", async () => {
    const { server } = served;
    const body = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';
    server.setConditions({ conduct: "fails" });
    expect((await post(body)).status).toBe(503);
    server.setConditions({ conduct: "limits", retryAfterSecs: 3, methods: ["getSlot"] });
    const headers = { "content-type": "application/json" };
    const limited = await fetch(server.url, { method: "POST", headers, body });
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "3"]);
    expect(await ask("getHealth")).toBe("ok");
    server.setConditions({ conduct: "babbles" });
    expect((await post(body)).text).toContain("<html>");
    server.setConditions({ lie: (method, _, result) => (method === "getSlot" ? 99 : result) });
    expect(await ask("getSlot")).toBe(99);
    expect(server.asked.get("getSlot")).toBe(4);
  });

  test("a server hangs or cuts the line, and closing ends every line", async () => {
    served.server.setConditions({ conduct: "cuts" });
    await expect(post("{}")).rejects.toThrow();
    served.server.setConditions({ conduct: "hangs" });
    const asked = post("{}").then(
      () => "answered",
      () => "cut",
    );
    const idle = connect(served.server.port, "127.0.0.1");
    idle.on("error", () => undefined);
    await new Promise((open) => idle.once("connect", open));
    const ended = new Promise((close) => idle.once("close", close));
    await served.server.close();
    expect(await asked).toBe("cut");
    await ended;
  });
});
