/**
 * Goal: nobody hides a decision. However it was executed, and whatever strangers and a minority of endpoints do, a node
 * ends with the chain's decision within POLLS_MAX polls of ten seconds, and with the roots of a node that nobody
 * troubled; a node without an honest majority stays pending, and says so (protocol 03 A.10.3 R3, R4, R8, R11).
 * Method: random executions (memos, another program's call, lookup tables), failing copies around them, endpoints that
 * tell in part, and one that lies for ever, beside others that lie for a while; the production adapter over served RPC.
 */
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { POLL_MS } from "../../adapters/chain/rpc.ts";
import { behindMemos, forwarded } from "../../sim/chain/disguises.ts";
import type { ServerConditions } from "../../sim/chain/server/conditions.ts";
import type { JsonValue } from "../../sim/chain/server/json-text.ts";
import { signTransaction } from "../../sim/chain/transaction.ts";
import { shown } from "../chain-bridge/case-node.ts";
import { forAllAsync } from "../property/for-all.ts";
import { addressOf, crypto, keyring } from "../sim/chain/chain-world.ts";
import { closingTable, execution, vote } from "../sim/chain/trade-story.ts";
import type { RpcCase } from "./rpc-chain-case.ts";
import { openRpcCase } from "./rpc-chain-case.ts";
import type { Members } from "./rpc-chain-world.ts";
import { told } from "./rpc-chain-world.ts";

/** Polls of the adapter within which a decision is told: an hour and a half at the pace of production. */
const POLLS_MAX = 5_400_000 / POLL_MS;
const ENDPOINTS = 3;

type Conditions = Partial<ServerConditions>;
const ofTransaction = (change: (meta: Members, told: Members) => JsonValue): Conditions => ({
  lie: (method, _, result) => {
    if (method !== "getTransaction" || result === null) return result;
    const whole = result as Members;
    return change(whole.meta as Members, whole);
  },
});
const withMeta = (change: (meta: Members) => Members): Conditions =>
  ofTransaction((meta, whole) => ({ ...whole, meta: change(meta) }));

/** What an endpoint may leave untold without a lie. */
const partial: Readonly<Record<string, Conditions>> = {
  everything: {},
  "no metadata": withMeta((meta) => ({ ...meta, innerInstructions: null, loadedAddresses: null, logMessages: null })),
  "no loaded addresses": withMeta((meta) => ({ ...meta, loadedAddresses: null })),
  "no inner instructions": withMeta((meta) => ({ ...meta, innerInstructions: null })),
  "no lists": { conduct: "fails", methods: ["getSignaturesForAddress"] },
};

/** What an endpoint may do against a decision. */
const hostile: Readonly<Record<string, Conditions>> = {
  fails: { conduct: "fails" },
  "denies transactions": ofTransaction(() => null),
  "cuts logs": withMeta((meta) => ({ ...meta, logMessages: (meta.logMessages as JsonValue[]).slice(0, 1) })),
  "calls it failed": withMeta((meta) => ({ ...meta, err: "AccountInUse" })),
  "lists nothing": { lie: (method, _, result) => (method === "getSignaturesForAddress" ? [] : result) },
  "shows no accounts": {
    lie: (method, [asked], result) => {
      if (method !== "getMultipleAccounts" && method !== "getAccountInfo") return result;
      const value = method === "getAccountInfo" ? null : (asked as readonly string[]).map(() => null);
      return { ...(result as Members), value };
    },
  },
};

interface Story {
  readonly memos: number;
  readonly called: boolean;
  readonly lookedUp: boolean;
  /** Executions that fail, before and after the one that does not. */
  readonly copies: readonly [number, number];
  readonly honest: readonly string[];
  readonly liar: string;
  /** Whether a second endpoint lies too, until it is found out. */
  readonly another: string | null;
}

const arbStory: fc.Arbitrary<Story> = fc.record({
  memos: fc.constantFrom(0, 1, 45),
  called: fc.boolean(),
  lookedUp: fc.boolean(),
  copies: fc.tuple(fc.nat(3), fc.nat(3)),
  honest: fc.array(fc.constantFrom(...Object.keys(partial)), { minLength: ENDPOINTS, maxLength: ENDPOINTS }),
  liar: fc.constantFrom(...Object.keys(hostile)),
  another: fc.option(fc.constantFrom(...Object.keys(hostile))),
});

let open: RpcCase[] = [];
afterEach(() => closeAll());
async function closeAll(): Promise<void> {
  for (const each of open) await each.end();
  open = [];
}

async function voted(endpoints: number): Promise<RpcCase> {
  const one = await openRpcCase(endpoints);
  open.push(one);
  await vote(one);
  return one;
}

/** Executions that fail: nobody may execute a case twice, nor with another's accounts. */
function spam({ world: { chain, blockhash } }: RpcCase, count: number, mark: number): void {
  const [first, ...rest] = execution.accounts;
  const wrong = { ...execution, accounts: [...rest, ...(first === undefined ? [] : [first])] };
  for (let n = 0; n < count; n += 1) {
    const instructions = behindMemos(wrong, mark + n);
    chain.submit(
      signTransaction({ payer: addressOf("stranger"), instructions, blockhash: blockhash() }, keyring, crypto),
    );
  }
}

async function execute(one: RpcCase, { memos, called, lookedUp, copies }: Story): Promise<void> {
  spam(one, copies[0], 1);
  await one.world.pass(1);
  await one.send(behindMemos(called ? forwarded(execution) : execution, memos), lookedUp ? [closingTable] : []);
  spam(one, copies[1], 10);
  await one.world.pass(40);
}

const polls = ({ world }: RpcCase) => world.servers[0]?.asked.get("getLatestBlockhash") ?? 0;
const decided = ({ node }: RpcCase) => shown(node).resolution;

/** Lets the node look for as long as it may take. */
async function look(one: RpcCase): Promise<void> {
  const last = polls(one) + POLLS_MAX;
  await one.until(() => decided(one) !== null || polls(one) > last);
}

test("with an honest majority, every node ends with the decision and the roots of one that nobody troubled", async () => {
  const plain = await voted(1);
  await plain.send([execution]);
  await look(plain);
  const expected = plain.node.roots();
  const classes = ({ memos, called, lookedUp, honest, another }: Story) => [
    ...(memos === 45 ? ["log cut"] : []),
    ...(called ? ["called"] : []),
    ...(lookedUp ? ["looked up"] : []),
    ...(honest.some((kind) => kind !== "everything") ? ["told in part"] : []),
    ...(another === null ? [] : ["two liars for a while"]),
  ];
  await forAllAsync(
    [arbStory],
    async (story) => {
      const one = await voted(ENDPOINTS);
      const { servers } = one.world;
      for (const [place, kind] of story.honest.entries()) servers[place]?.setConditions(partial[kind] ?? {});
      servers[0]?.setConditions(hostile[story.liar] ?? {});
      if (story.another !== null) servers[1]?.setConditions(hostile[story.another] ?? {});
      await execute(one, story);
      await one.world.rest();
      servers[1]?.setConditions(partial[story.honest[1] ?? ""] ?? {});
      await look(one);
      expect(decided(one)).toBe("BuyerWins");
      expect(one.node.roots()).toEqual(expected);
      await closeAll();
    },
    {
      runs: 4,
      nightly: 400,
      classes: (story) => classes(story),
      shares: { "log cut": 0.2, called: 0.3, "looked up": 0.3, "told in part": 0.6, "two liars for a while": 0.3 },
      endOnFailure: true,
    },
  );
});

test.each(["denies transactions", "calls it failed"])(
  "of two endpoints one %s and shows old accounts: the node stays pending, and an alarm names it",
  async (kind) => {
    const one = await voted(2);
    const [liar] = one.world.servers;
    const [old, denies] = [hostile["shows no accounts"]?.lie, hostile[kind]?.lie];
    liar?.setConditions({
      lie(method, params, result) {
        const lie = method === "getTransaction" ? denies : old;
        return lie === undefined ? result : lie(method, params, result);
      },
    });
    await one.send([execution]);
    const alarms = () => told(one.world, "disagreement").filter(({ about }) => about === "transaction");
    const last = polls(one) + POLLS_MAX;
    await one.until(() => alarms().length > 0 || polls(one) > last);
    expect(alarms()).not.toEqual([]);
    await one.world.rest();
    expect(decided(one)).toBeNull();
  },
);
