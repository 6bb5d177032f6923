// Goal: long texts of an endpoint are judged before they are read, and everything that a chain can hold is read.
// Method: bodies with a long text at each place where base58 stands, real servers that lie; bs58 as the oracle of
// bytes.
import { PublicKey } from "@solana/web3.js";
import bs58 from "bs58";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import {
  hasReadableTexts,
  INVOKED_DATA_CHARACTERS_MAX,
  isAddress,
  KEY_CHARACTERS_MAX,
  readBase58,
  SIGNATURE_CHARACTERS_MAX,
} from "../../adapters/chain/answer-texts.ts";
import { openEndpoint } from "../../adapters/chain/endpoint.ts";
import { askTransaction } from "../../adapters/chain/seen-transaction.ts";
import type { JsonValue } from "../../sim/chain/server/json-text.ts";
import { forAll } from "../property/for-all.ts";
import { crypto } from "../sim/chain/chain-world.ts";
import type { Members, RpcChainWorld } from "./rpc-chain-world.ts";
import { happen, openRpcChainWorld, vault } from "./rpc-chain-world.ts";

let world: RpcChainWorld | undefined;
afterEach(async () => {
  await world?.end();
  world = undefined;
});

/** The value with another text at a place; null stands for the first member of a list. */
function put(value: JsonValue, [at, ...rest]: readonly (string | null)[], text: JsonValue): JsonValue {
  if (at === undefined) return text;
  if (at === null) {
    const [first = {}, ...others] = Array.isArray(value) ? (value as readonly JsonValue[]) : [];
    return [put(first, rest, text), ...others];
  }
  const members = (value ?? {}) as Members;
  return { ...members, [at]: put(members[at] ?? null, rest, text) };
}

const message = ["transaction", "message"];
const inner = ["meta", "innerInstructions", null, "instructions", null];
const places: readonly (readonly [string, readonly (string | null)[], number])[] = [
  ["getTransaction", ["transaction", "signatures", null], SIGNATURE_CHARACTERS_MAX],
  ["getTransaction", [...message, "accountKeys", null], KEY_CHARACTERS_MAX],
  ["getTransaction", [...message, "recentBlockhash"], KEY_CHARACTERS_MAX],
  ["getTransaction", [...message, "instructions", null, "data"], 2_464],
  ["getTransaction", [...message, "addressTableLookups", null, "accountKey"], KEY_CHARACTERS_MAX],
  ["getTransaction", ["meta", "loadedAddresses", "writable", null], KEY_CHARACTERS_MAX],
  ["getTransaction", ["meta", "loadedAddresses", "readonly", null], KEY_CHARACTERS_MAX],
  ["getTransaction", [...inner, "data"], INVOKED_DATA_CHARACTERS_MAX],
  ["getAccountInfo", ["value", "owner"], KEY_CHARACTERS_MAX],
  ["getMultipleAccounts", ["value", null, "owner"], KEY_CHARACTERS_MAX],
  ["getSignaturesForAddress", [null, "signature"], SIGNATURE_CHARACTERS_MAX],
  ["getLatestBlockhash", ["value", "blockhash"], KEY_CHARACTERS_MAX],
];

test.each(places)("of %s at %j, a text of more than %d characters is no answer", (method, path, most) => {
  const bodyOf = (characters: number) =>
    JSON.stringify({ jsonrpc: "2.0", id: method, result: put(null, path, "z".repeat(characters)) });
  expect(hasReadableTexts(bodyOf(most + 1))).toBe(false);
  expect(hasReadableTexts(bodyOf(20_000))).toBe(false);
  // A signature and a blockhash are told as they came, and have to be whole besides.
  if (!["signature", "blockhash"].includes(path.at(-1) ?? "")) expect(hasReadableTexts(bodyOf(most))).toBe(true);
});

test.each([
  ["no JSON", "{"],
  ["no object", "7"],
  ["nothing", "null"],
  ["data in base64", JSON.stringify({ result: { value: { data: ["A".repeat(500_000), "base64"] } } })],
  ["long logs", JSON.stringify({ result: { meta: { logMessages: ["z".repeat(10_000)] } } })],
  ["lists in lists", `{"result":${"[".repeat(200_000)}${"]".repeat(200_000)}}`],
])("%s is left to whoever reads it", (_, body) => {
  expect(hasReadableTexts(body)).toBe(true);
});

test("a transaction whose many texts are short and together too long is none", async () => {
  world = await openRpcChainWorld(1);
  const signature = await happen(world);
  const ask = async (more: number) => {
    const instruction = { accounts: [], programIdIndex: 0, data: "z".repeat(44) };
    const lie = (method: string, _: readonly unknown[], result: JsonValue) =>
      method === "getTransaction" ? put(result, [...message, "instructions"], Array(more).fill(instruction)) : result;
    world?.servers[0]?.setConditions({ lie });
    const endpoint = openEndpoint(world?.servers[0]?.url ?? "", "a", { backOffMs: 0 });
    const answered = await askTransaction(endpoint, crypto, signature, "finalized");
    endpoint.close();
    return answered.ok ? answered.value : answered.error;
  };
  expect(await ask(500)).toEqual({ type: "nonsense" });
});

test("what programs hand to each other is read up to the most that they can", async () => {
  world = await openRpcChainWorld(1);
  const signature = await happen(world);
  const data = new Uint8Array(10_240).fill(255);
  const instructions = [{ accounts: [], programIdIndex: 0, stackHeight: 2, data: bs58.encode(data) }];
  const lie = (method: string, _: readonly unknown[], result: JsonValue) =>
    method === "getTransaction" ? put(result, ["meta", "innerInstructions"], [{ index: 0, instructions }]) : result;
  world.servers[0]?.setConditions({ lie });
  const endpoint = openEndpoint(world.servers[0]?.url ?? "", "a");
  const answered = await askTransaction(endpoint, crypto, signature, "finalized");
  endpoint.close();
  expect(answered.ok && answered.value?.invoked?.inner.map((each) => each.data)).toEqual([data]);
});

test.each([
  ["too long", "5".repeat(89)],
  ["too short", "2".repeat(80)],
  ["not in base58", `${"5".repeat(86)}0`],
])("a listed signature that is %s is no answer: it would be asked for in vain", async (_, signature) => {
  const invented = { signature, slot: 1, err: null, memo: null, blockTime: null };
  const lie = (method: string, __: readonly unknown[], result: JsonValue) =>
    method === "getSignaturesForAddress" ? [...(result as JsonValue[]), invented] : result;
  world = await openRpcChainWorld(1, {}, { 0: { lie } });
  const endpoint = openEndpoint(world.servers[0]?.url ?? "", "a");
  const answered = await endpoint.ask((connection) => connection.getSignaturesForAddress(new PublicKey(vault)));
  endpoint.close();
  expect(answered).toEqual({ ok: false, error: { type: "nonsense" } });
});

test("every text in base58 is read as bs58 reads it", () => {
  const arbBytes = fc
    .tuple(fc.nat(3), fc.uint8Array({ maxLength: 700 }))
    .map(([zeros, bytes]) => Uint8Array.from([...new Uint8Array(zeros), ...bytes]));
  forAll(
    [arbBytes],
    (bytes) => {
      const text = bs58.encode(bytes);
      expect([...readBase58(text, text.length)]).toEqual([...bytes]);
      expect(isAddress(text)).toBe(bytes.length === 32);
      return [bytes.length > 100 ? "in parts" : "in one", bytes[0] === 0 ? "zeros first" : "no zero first"];
    },
    { runs: 200, shares: { "in parts": 0.3, "in one": 0.1, "zeros first": 0.3, "no zero first": 0.1 } },
  );
  for (const text of ["0", "lI", `${"z".repeat(200)}0`]) expect(() => readBase58(text, 1_000)).toThrow("nonsense");
  expect(() => readBase58("zz", 1)).toThrow("nonsense");
});
