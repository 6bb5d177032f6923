/**
 * Goal: a send that was read and verified before its step does what it does without. Source: DESIGN section 3 "Sends".
 * Method: two nodes are told the same calls, good and bad; for one each is read before and verified on threads. Then
 * with a bug planted where the two ways meet.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { openVerifiedAhead } from "../../adapters/crypto/verified-ahead.ts";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import type * as CoreIndex from "../../core/index.ts";
import { createDriver, devnetNetwork, methods, readAhead } from "../../core/index.ts";
import { utf8 } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import { mutants } from "../bench/mutants.ts";
import { advertisement } from "../gossip/advertisements.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { forAllAsync } from "../property/for-all.ts";
import { gossipOnly, mapStore, person, signedData } from "../rpc/lone-node.ts";

const T = 1_786_000_000_000n as EpochMillis;
const native = openNativeCrypto();

type Core = Pick<typeof CoreIndex, "createDriver" | "methods" | "readAhead">;
const product: Core = { createDriver, methods, readAhead };

function nodeOf(crypto: CryptoPort, core = product) {
  const [effects, replies]: [unknown[], string[]] = [[], []];
  const driver = core.createDriver({
    ...{ crypto, store: mapStore(new Map()), bootSeed: new Uint8Array(32), now: () => T },
    ...{ configuration: gossipOnly(devnetNetwork) },
    perform(effect) {
      effects.push(effect);
      if (effect.type === "rpc.reply") replies.push(effect.body ?? "");
    },
  });
  return { driver, effects, replies };
}

function bodyOf(data: string, method = "sendAdvertisementCreate"): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { data } });
}

function sendOf(id: string, by: number, form: "bare" | "tagged"): string {
  return signedData(AdvertisementCreate, advertisement(id, T), person(by), form);
}

const arbSend = fc.record({
  id: fc.constantFrom("ad-1", "ad-2", "ad-3"),
  by: fc.constantFrom(0x11, 0x11, 0x22),
  form: fc.constantFrom("bare" as const, "tagged" as const),
  how: fc.constantFrom("as it is", "as it is", "other text", "other payload", "other method", "in a batch", "a read"),
  draws: fc.nat(50),
});

type Send = typeof arbSend extends fc.Arbitrary<infer S> ? S : never;

function callOf({ id, by, form, how, draws }: Send): string {
  const data = sendOf(id, by, form);
  const mutant = (text: string) => {
    const next = mutants(text);
    for (let n = 0; n < draws; n += 1) next();
    return next();
  };
  if (how === "other text") return mutant(bodyOf(data));
  if (how === "other payload")
    return bodyOf(Buffer.from(mutant(Buffer.from(data, "base64").toString())).toString("base64"));
  if (how === "other method") return bodyOf(data, "sendReservationRequest");
  if (how === "in a batch") return `[${bodyOf(data)}]`;
  return how === "a read" ? JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getAdvertisements" }) : bodyOf(data);
}

test("whatever clients send, a node that is told verdicts before does what another does", async () => {
  await forAllAsync(
    [fc.array(arbSend, { minLength: 1, maxLength: 12 })],
    async (sends) => {
      const verified = openVerifiedAhead(native);
      const [plain, ahead] = [nodeOf(native), nodeOf(verified.crypto)];
      const labels = new Set<string>();
      for (const body of sends.map(callOf)) {
        plain.driver.accept({ type: "rpc.called", replyTo: "1", body });
        const read = readAhead(methods, body);
        if (read !== undefined) await new Promise<void>((resolve) => verified.verify(read.signings, resolve));
        ahead.driver.accept({ type: "rpc.called", replyTo: "1", body }, read);
        const isTaken = plain.replies.at(-1)?.includes('"result"') === true;
        labels.add(read === undefined ? "not a send" : isTaken ? "taken" : "refused");
      }
      expect(ahead.effects).toEqual(plain.effects);
      expect(ahead.driver.roots()).toEqual(plain.driver.roots());
      return [...labels];
    },
    { runs: 15, nightly: 400, shares: { taken: 0.3, refused: 0.3, "not a send": 0.3 } },
  );
});

test.each(["tagged", "bare"] as const)(
  "a step asks nothing of a send signed %s that was verified before",
  async (form) => {
    let asked = 0;
    const verify = () => {
      asked += 1;
      return false;
    };
    const base = { ...native, verify };
    const verified = openVerifiedAhead(base);
    const { driver, replies } = nodeOf(verified.crypto);
    const body = bodyOf(sendOf("ad-1", 0x11, form));
    const read = readAhead(methods, body);
    expect(read?.signings.map((signing) => signing.form)).toEqual(["tagged", "bare"]);
    await new Promise<void>((resolve) => verified.verify(read?.signings ?? [], resolve));
    expect(verified.size()).toBe(form === "tagged" ? 1 : 2);
    driver.accept({ type: "rpc.called", replyTo: "1", body }, read);
    expect(replies[0]).toContain("result");
    expect([asked, verified.size()]).toEqual([0, 0]);
  },
);

describe("what was read of another call is no help", () => {
  const [mine, other] = [bodyOf(sendOf("ad-1", 0x22, "tagged")), bodyOf(sendOf("ad-2", 0x11, "tagged"))];

  /** Whether a forged call is refused though a good one was read before it. */
  function isRefused(core = product): boolean {
    const { driver, replies } = nodeOf(native, core);
    driver.accept({ type: "rpc.called", replyTo: "1", body: mine }, core.readAhead(core.methods, other));
    return replies[0]?.includes("INVALID_SIGNATURE") === true;
  }

  test("it is refused", () => expect(isRefused()).toBe(true));

  test.each([
    ["core/engine/rpc.ts", "ahead?.body === body ?", "ahead !== undefined ?"],
    ["core/engine/admission/rpc.ts", " && ahead.data === data;", ";"],
  ])("a node that takes it for its own is found: %s", async (file, find, replace) => {
    await withPlantedBug({ file, find, replace }, async (load) =>
      expect(isRefused(await load<typeof CoreIndex>("core/index.ts"))).toBe(false),
    );
  });
});

describe("verdicts that are kept", () => {
  const { secret } = person(0x11);
  const key = native.publicKey(secret);
  const [message, another] = [utf8("one thing"), utf8("two thing")];
  const signature = native.sign(secret, message);

  type Memory = { readonly openVerifiedAhead: typeof openVerifiedAhead };
  async function answered({ openVerifiedAhead: open }: Memory): Promise<readonly boolean[]> {
    const { crypto, verify } = open(native);
    const keep = () => new Promise<void>((resolve) => verify([{ key, message, signature }], resolve));
    await keep();
    const ofAnother = crypto.verify(key, another, signature);
    const ofAnotherKey = crypto.verify(native.publicKey(new Uint8Array(32)), message, signature);
    return [ofAnother, ofAnotherKey, crypto.verify(key, message, signature)];
  }

  test("are of this key, this message and this signature", async () => {
    expect(await answered({ openVerifiedAhead })).toEqual([false, false, true]);
  });

  test.each([
    ["of any message", " || !same(known.message, message)", "", [true, false, true]],
    ["of any key", " || !same(known.key, publicKey)", "", [false, true, true]],
  ])("%s are found", async (_, find, replace, wrong) => {
    const bug = { file: "adapters/crypto/verified-ahead.ts", find, replace };
    await withPlantedBug(bug, async (load) =>
      expect(await answered(await load<Memory>("adapters/crypto/verified-ahead.ts"))).toEqual(wrong),
    );
  });
});
