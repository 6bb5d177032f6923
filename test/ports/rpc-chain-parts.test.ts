// Goal: every part of the chain port believes, names and asks again exactly where it says, at each of its bounds.
// Method: endpoints that answer by script, and a clock that stands still; each row says who answers what.
import { describe, expect, test } from "vitest";
import type { Failure } from "../../adapters/chain/failures.ts";
import { FRESH_MS, openHead, SPREAD_SLOTS_MAX } from "../../adapters/chain/head.ts";
import { openHistory } from "../../adapters/chain/history.ts";
import { endpointError } from "../../adapters/chain/probe.ts";
import { openSubmissions } from "../../adapters/chain/submissions.ts";
import { openTasks } from "../../adapters/chain/tasks.ts";
import { openTransactionStatuses } from "../../adapters/chain/transaction-statuses.ts";
import { tellTail } from "../../adapters/chain/unfinalized.ts";
import type { ChainObservation, Commitment } from "../../core/index.ts";
import { at, crypto } from "../sim/chain/chain-world.ts";
import type { Landed, ScriptedEndpoint } from "./scripted-endpoint.ts";
import { failing, landed, scriptedEndpoint, settled } from "./scripted-endpoint.ts";

const vault = at.tradeEscrow(1n).address;
const SILENT: Failure = { type: "silent" };

/** A part's surroundings: what it tells and of whom it says that they disagree. */
function surroundings(endpoints: readonly ScriptedEndpoint[]) {
  const seen: ChainObservation[] = [];
  const alarms: string[] = [];
  const clock = { now: 0 };
  return {
    ...{ endpoints, seen, alarms, clock, crypto, tasks: openTasks(), retryMs: 1, now: () => clock.now },
    tell: (observation: ChainObservation) => void seen.push(observation),
    alarm: (about: string, endpoint: string) => void alarms.push(`${about} ${endpoint}`),
  };
}

describe("the head", () => {
  /** Endpoints at slots; `knows` says whose blockhash one knows, and at which slot it says so. */
  function at(slot: number, knows: Readonly<Record<string, boolean>> = {}, answer = slot) {
    const blockhash = `hash ${slot}`;
    return scriptedEndpoint(`at ${slot}`, {
      getLatestBlockhashAndContext: () => ({ context: { slot }, value: { blockhash } }),
      isBlockhashValid: (asked) => ({ context: { slot: answer }, value: knows[String(asked)] ?? true }),
    });
  }

  test("a slot that was told is told again once it is no longer fresh, a higher one at once", async () => {
    const [endpoint, around] = [at(10), surroundings([])];
    const head = openHead({ ...around, endpoints: [endpoint] });
    const slots = async (now: number) => {
      around.clock.now = now;
      await head();
      return around.seen.map((each) => (each.type === "slot" ? each.slot : each.type));
    };
    expect(await slots(0)).toEqual([10n]);
    expect(await slots(FRESH_MS - 1)).toEqual([10n]);
    expect(await slots(FRESH_MS)).toEqual([10n, 10n]);
    endpoint.script = at(11).script;
    expect(await slots(FRESH_MS)).toEqual([10n, 10n, 11n]);
    endpoint.script = at(9).script;
    expect(await slots(FRESH_MS + 1)).toEqual([10n, 10n, 11n]);
    expect(await slots(2 * FRESH_MS)).toEqual([10n, 10n, 11n, 9n]);
  });

  test("of slots that are odd the first is meant", async () => {
    const around = surroundings([at(-1), at(0.5)]);
    await openHead(around)();
    expect(around.seen).toEqual([{ type: "slot", slot: 0n, blockhash: "hash 0.5" }]);
  });

  const spread = Number(SPREAD_SLOTS_MAX);
  test.each([
    ["no further than it may be", [1000, 1000, 1000 + spread], []],
    ["one slot further ahead", [1000, 1000, 1001 + spread], [`slot at ${1001 + spread}`]],
    ["one slot further behind", [1000, 1000, 999 - spread], [`slot at ${999 - spread}`]],
  ])("an endpoint that is apart, %s, is named: %j", async (_, slots, named) => {
    const around = surroundings(slots.map((slot) => at(slot)));
    await openHead(around)();
    expect(around.alarms).toEqual(named);
  });

  test.each([
    // What the others say of the blockhash at slot 20, and at which slot they say so.
    ["nobody else spoke of it", false, 19, 20n],
    ["one that is exactly there does not know it", false, 20, 19n],
    ["one that may still know it does not", false, 20 + 149, 19n],
    ["one that is too far on to know", false, 20 + 150, 20n],
    ["one that knows it", true, 20, 20n],
  ])("a blockhash, when %s", async (_, known, answer, slot) => {
    const others = [at(20, {}, 20), at(19, { "hash 20": known }, answer), at(19, { "hash 20": known }, answer)];
    const around = surroundings([at(21), others[0]!, others[1]!, others[2]!]);
    await openHead(around)();
    expect(around.seen.map((each) => (each.type === "slot" ? each.slot : each))).toEqual([slot]);
    expect(around.alarms).toEqual(slot === 20n ? [] : ["blockhash at 20"]);
  });

  test("nobody answers, and why", async () => {
    const down = scriptedEndpoint("down", { getLatestBlockhashAndContext: failing({ type: "failed", status: 503 }) });
    const around = surroundings([scriptedEndpoint("mute"), down]);
    await openHead(around)();
    expect(around.seen).toEqual([{ type: "unavailable", reason: "no answer in time, HTTP 503" }]);
  });

  test("two that know nothing of each other's blockhash", async () => {
    const around = surroundings([at(20, { "hash 19": false }), at(19, { "hash 20": false })]);
    around.endpoints[0]!.script = {
      ...at(20).script,
      isBlockhashValid: () => ({ context: { slot: 20 }, value: false }),
    };
    await openHead(around)();
    const reason = "the endpoints disagree about the newest blockhash";
    expect(around.seen).toEqual([{ type: "unavailable", reason }]);
  });
});

/** An endpoint that lists and holds transactions; of what is in `unlogged` it kept no logs. */
function holding(name: string, txs: readonly Landed[], slot = 100): ScriptedEndpoint {
  const endpoint = scriptedEndpoint(name, {
    getSignaturesForAddress: (_, query) => {
      const { until } = query as { readonly until?: string };
      const newest = txs.toReversed().map(({ signature, slot }) => ({ signature, slot }));
      const end = newest.findIndex(({ signature }) => signature === until);
      return end < 0 ? newest : newest.slice(0, end);
    },
    getTransaction: (signature) => txs.find((tx) => tx.signature === signature)?.told ?? null,
    getFirstAvailableBlock: () => 0,
    getSlot: (level) => (level === "finalized" ? slot : slot + 32),
  });
  endpoint.slot = BigInt(slot);
  return endpoint;
}

const unlogged = (tx: Landed): Landed => ({ ...tx, told: { ...tx.told, meta: { logMessages: null } } });

describe("history", () => {
  const [first, second, third] = [landed(1, 10), landed(2, 20), landed(3, 30)];

  async function history(endpoints: readonly ScriptedEndpoint[], visits = 1, commitment: Commitment = "finalized") {
    const around = surroundings(endpoints);
    const opened = openHistory(around);
    opened.watch(vault, commitment);
    await settled();
    for (let visit = 1; visit < visits; visit += 1) {
      opened.sweep();
      await settled();
    }
    const told = around.seen.map((each) => (each.type === "transaction" ? [each.signature, each.slot] : each));
    return { ...around, opened, told };
  }

  test("is told in order, whichever endpoint listed which", async () => {
    const all = [first, second, third];
    const lists = (txs: readonly Landed[]) => ({ ...holding("a", all).script, ...only(holding("b", txs)) });
    const endpoints = [holding("a", all), holding("b", all)];
    endpoints[0]!.script = lists([third, first]);
    endpoints[1]!.script = lists([second]);
    const { told, alarms } = await history(endpoints);
    expect(told).toEqual(all.map(({ signature, slot }) => [signature, BigInt(slot)]));
    expect(alarms).toEqual([]);
  });

  function only({ script }: ScriptedEndpoint) {
    return { getSignaturesForAddress: script.getSignaturesForAddress! };
  }

  test.each([
    ["kept no logs of it", holding("b", [unlogged(first)])],
    ["failed for long", Object.assign(scriptedEndpoint("b"), { out: true })],
    ["keeps nothing that old", Object.assign(holding("b", []), { script: old() })],
  ])("one endpoint is enough where the other %s", async (_, other) => {
    const { told, alarms } = await history([holding("a", [first]), other]);
    expect(told).toEqual([[first.signature, 10n]]);
    expect(alarms).toEqual([]);
  });

  function old() {
    return { ...holding("b", []).script, getFirstAvailableBlock: () => 11 };
  }

  test.each([
    ["has not answered yet", scriptedEndpoint("b")],
    ["has not come so far", holding("b", [], 9)],
    ["listed it and does not hold it", Object.assign(holding("b", [first]), { script: hides() })],
    ["does not say what it keeps", Object.assign(holding("b", []), { script: silentAbout("getFirstAvailableBlock") })],
  ])("nothing is told while the other endpoint %s", async (_, other) => {
    const { told, alarms } = await history([holding("a", [first]), other], 3);
    expect(told).toEqual([]);
    expect(alarms).toEqual([]);
  });

  function hides() {
    return { ...holding("b", [first]).script, getTransaction: () => null };
  }

  function silentAbout(method: string) {
    return { ...holding("b", []).script, [method]: failing(SILENT) };
  }

  test("of two, one says that it is not there, and keeps what is that old: both are named", async () => {
    const edge = { ...holding("b", []).script, getFirstAvailableBlock: () => 10 };
    const { told, alarms } = await history([holding("a", [first]), Object.assign(holding("b", []), { script: edge })]);
    expect(told).toEqual([]);
    expect(alarms.toSorted()).toEqual(["transaction a", "transaction b"]);
  });

  test("of three, the one that made it up is named, and the rest is told", async () => {
    const { told, alarms } = await history([
      holding("a", [first, second]),
      holding("b", [second]),
      holding("c", [second]),
    ]);
    expect(told).toEqual([[second.signature, 20n]]);
    expect(alarms).toEqual(["transaction a"]);
  });

  test("a transaction that nobody tells alike holds up later ones for a while and not for ever", async () => {
    const late = { ...holding("b", [second]).script };
    const endpoints = () => [
      holding("a", [first, second]),
      Object.assign(holding("b", [second], 15), { script: late }),
    ];
    const waits = endpoints();
    waits[1]!.script = { ...late, getFirstAvailableBlock: failing(SILENT) };
    expect((await history(waits, 5)).told).toEqual([]);
    expect((await history(waits, 6)).told).toEqual([[second.signature, 20n]]);
  });

  test("nothing is told of an address that is no longer watched, at either level", async () => {
    const endpoint = holding("a", [first]);
    const around = surroundings([endpoint]);
    const opened = openHistory(around);
    for (const commitment of ["finalized", "confirmed"] as const) {
      opened.watch(vault, commitment);
      const { getTransaction } = endpoint.script;
      const leave = (level: Commitment) => (signature: unknown, asked: unknown) => {
        if ((asked as { commitment: Commitment }).commitment === level) opened.unwatch(vault);
        return getTransaction!(signature, asked);
      };
      endpoint.script = { ...holding("a", [first]).script, getTransaction: leave(commitment) };
      if (commitment === "confirmed") endpoint.script = { ...endpoint.script, getSignaturesForAddress: tail };
      await settled();
    }
    expect(around.seen).toEqual([]);
  });

  /** Nothing is final yet, and one transaction is confirmed. */
  function tail(_: unknown, __: unknown, level: unknown) {
    return level === "confirmed" ? [{ signature: first.signature, slot: 10 }] : [];
  }
});

describe("what is confirmed", () => {
  const [tx, moved] = [landed(1, 10), landed(1, 12)];

  async function tellingTwice(before: readonly ScriptedEndpoint[], after = before) {
    const around = surroundings(before);
    const tail = { address: vault, toldSlots: new Map<string, bigint>(), newestFinal: () => undefined };
    await tellTail(around, { ...tail, isFinal: () => false });
    await tellTail({ ...around, endpoints: after }, { ...tail, isFinal: () => false });
    return around.seen.map((each) => (each.type === "transaction" ? [each.slot, each.commitment] : each));
  }

  test("is told once where it stands, and again where a fork moved it", async () => {
    expect(await tellingTwice([holding("a", [tx])])).toEqual([[10n, "confirmed"]]);
    const both = [10n, 12n].map((slot) => [slot, "confirmed"]);
    expect(await tellingTwice([holding("a", [tx])], [holding("a", [moved])])).toEqual(both);
    // The list is a slot behind what the transaction says of itself.
    const behind = { ...holding("a", [moved]).script, getSignaturesForAddress: () => [{ ...tx, told: undefined }] };
    expect(await tellingTwice([Object.assign(holding("a", []), { script: behind })])).toEqual([[12n, "confirmed"]]);
  });

  test.each([
    ["kept no logs", [holding("a", [tx]), holding("b", [unlogged(tx)])], 1],
    ["failed for long", [holding("a", [tx]), Object.assign(scriptedEndpoint("b"), { out: true })], 1],
    ["has not answered", [holding("a", [tx]), scriptedEndpoint("b")], 0],
    ["does not hold it", [holding("a", [tx]), holding("b", [])], 0],
    ["is on another fork", [holding("a", [tx]), holding("b", [moved])], 0],
  ])("of two endpoints where one %s", async (_, endpoints, count) => {
    expect(await tellingTwice(endpoints)).toHaveLength(count);
  });

  test.each([1.5, -1, 1e300])("is told though one endpoint lists it at the slot %d", async (slot) => {
    const odd = { ...holding("c", [tx]).script, getSignaturesForAddress: () => [{ signature: tx.signature, slot }] };
    const endpoints = [holding("a", [tx]), holding("b", [tx]), Object.assign(holding("c", []), { script: odd })];
    expect(await tellingTwice(endpoints)).toEqual([[10n, "confirmed"]]);
  });

  test("is not told when it is final meanwhile", async () => {
    const around = surroundings([holding("a", [tx])]);
    const answers = [false, true];
    const tail = { address: vault, toldSlots: new Map<string, bigint>(), newestFinal: () => undefined };
    await tellTail(around, { ...tail, isFinal: () => answers.shift() ?? true });
    expect(around.seen).toEqual([]);
  });
});

describe("looking a transaction up", () => {
  const tx = landed(1, 10);

  async function lookedUp(endpoints: readonly ScriptedEndpoint[], times = 1) {
    const around = surroundings(endpoints);
    const statuses = openTransactionStatuses(around);
    statuses.check(tx.signature);
    for (let again = 1; again < times; again += 1) {
      await settled();
      statuses.again();
    }
    await settled();
    return around.seen;
  }

  const changed = (endpoint: ScriptedEndpoint, script: ScriptedEndpoint["script"]) =>
    Object.assign(endpoint, { script: { ...endpoint.script, ...script } });
  const final = (held: Landed | null) => ({
    getTransaction: (_: unknown, asked: unknown) =>
      (asked as { commitment: Commitment }).commitment === "finalized" ? null : (held?.told ?? null),
  });

  test.each([
    ["final", [holding("a", [tx])], { type: "transaction", commitment: "finalized", address: null }],
    ["confirmed", [changed(holding("a", []), final(tx))], { type: "transaction", commitment: "confirmed" }],
    ["absent", [holding("a", [], 7)], { type: "absent", confirmed: 39n, finalized: 7n }],
    ["absent as of the least slots", [holding("a", [], 9), holding("b", [], 7)], { type: "absent", finalized: 7n }],
    ["told by one, the other kept no logs", [holding("a", [tx]), holding("b", [unlogged(tx)])], { slot: 10n }],
    [
      "told by one, the other is out",
      [holding("a", [tx]), Object.assign(scriptedEndpoint("b"), { out: true })],
      { slot: 10n },
    ],
  ])("%s", async (_, endpoints, expected) => {
    const seen = await lookedUp(endpoints);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject(expected);
  });

  const silent: Readonly<Record<string, ScriptedEndpoint>> = {
    "one has not answered": scriptedEndpoint("b"),
    "one does not tell its confirmed slot": changed(holding("b", [tx]), slotless("confirmed")),
    "one does not tell its final slot": changed(holding("b", [tx]), slotless("finalized")),
    "one cannot tell the transaction": changed(holding("b", [tx]), { getTransaction: failing(SILENT) }),
    "they tell it differently": holding("b", [landed(1, 11)]),
  };

  function slotless(silent: Commitment) {
    return { getSlot: (level: unknown) => (level === silent ? failing(SILENT)() : 100) };
  }

  test.each(Object.entries(silent))("%s: asked again, and given up after twelve times", async (_, other) => {
    expect(await lookedUp([holding("a", [tx]), other], 11)).toEqual([]);
    const reason = "a transaction could not be looked up";
    expect(await lookedUp([holding("a", [tx]), other], 12)).toEqual([{ type: "unavailable", reason }]);
  });
});

describe("handing a transaction over", () => {
  const refusal = (message: string, code?: number): Failure => ({ type: "refused", code, message });

  test.each([
    [refusal("Transaction simulation failed: This transaction has already been processed"), "submitted"],
    [refusal("Blockhash not found"), "BLOCKHASH_NOT_FOUND"],
    [refusal("Transaction signature verification failure"), "SIGNATURE_INVALID"],
    [refusal("Attempt to debit an account but found no record of a prior credit."), "INSUFFICIENT_FUNDS"],
    [refusal("insufficient lamports 1, need 2"), "INSUFFICIENT_FUNDS"],
    [refusal("custom program error: 0x1771"), "custom program error 0x1771"],
    [refusal("anything else", -32002), "REFUSED"],
  ])("%j: %s", async (failure, expected) => {
    const around = surroundings([scriptedEndpoint("a", { sendRawTransaction: failing(failure) })]);
    openSubmissions(around)("signature", new Uint8Array(1));
    await settled();
    expect(around.seen).toEqual([
      expected === "submitted"
        ? { type: "submitted", signature: "signature" }
        : { type: "refused", signature: "signature", reason: expected },
    ]);
  });

  test("of several refusals the first endpoint's counts; without any endpoint there is none", async () => {
    const refusing = (name: string, message: string) =>
      scriptedEndpoint(name, { sendRawTransaction: failing(refusal(message)) });
    const around = surroundings([refusing("a", "insufficient funds"), refusing("b", "blockhash not found")]);
    openSubmissions(around)("both", new Uint8Array(1));
    openSubmissions({ ...around, endpoints: [] })("none", new Uint8Array(1));
    await settled();
    expect(around.seen.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))).toEqual([
      { type: "refused", signature: "both", reason: "INSUFFICIENT_FUNDS" },
      { type: "refused", signature: "none", reason: "no endpoint" },
    ]);
  });
});

test("endpoints that differ are none named twice; beyond eight are too many", () => {
  const ports = Array.from({ length: 9 }, (_, n) => `http://127.0.0.1:${n + 1}`);
  expect(endpointError(ports.slice(0, 2))).toBeUndefined();
  expect(endpointError(ports.slice(0, 8))).toBeUndefined();
  expect(endpointError(ports)).toBe("at most 8 endpoints");
});
