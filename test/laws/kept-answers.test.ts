/**
 * Goal: a kept answer equals a fresh one, after any step and at any instant. Source: DESIGN §3 "Kept answers".
 * Method: nodes of random stories are asked every read again and again while they are told what they were told; a node
 * beside each keeps nothing. Then with what an answer rests on left out, one part at a time.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { marketplace, tables } from "../../core/domains.ts";
import { openKeptAnswers } from "../../core/engine/kept-answers.ts";
import { questionOf } from "../../core/engine/question.ts";
import { answerBody } from "../../core/engine/rpc.ts";
import { openSources } from "../../core/engine/sources.ts";
import { stepContextOf } from "../../core/engine/step-context.ts";
import type * as CoreIndex from "../../core/index.ts";
import type { Change, Input } from "../../core/index.ts";
import { devnetNetwork } from "../../core/index.ts";
import { createIdentityTree, NO_IDENTITIES } from "../../core/kernel/identity-tree.ts";
import { openStore } from "../../core/kernel/state.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { forAll, forAllAsync } from "../property/for-all.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { crypto, gossipOnly, loneNode, person } from "../rpc/lone-node.ts";
import { signedSends } from "../rpc/signed-sends.ts";
import type { Visit } from "./kept-answers.ts";
import { comparedAnswers } from "./kept-answers.ts";
import { bases, record } from "./recorded.ts";

const arbVisits = fc.array(
  fc.record({
    at: fc.integer({ min: 5, max: 999 }),
    questions: fc.array(fc.nat(2_000), { minLength: 20, maxLength: 40 }),
  }),
  { minLength: 20, maxLength: 30 },
);
const arbStory = fc.record({
  base: fc.constantFrom(...bases),
  seed: fc.bigInt({ min: 0n, max: 1n << 32n }),
  node: fc.nat(2),
  grain: fc.constantFrom(1n, 1_000n, 20_000n),
  visits: arbVisits,
});

test("whatever a node of a random story is asked again, it answers as one that keeps nothing", async () => {
  await forAllAsync(
    [arbStory],
    async ({ base, seed, node, grain, visits }) => {
      const recorded = (await record(base, seed))[node];
      if (recorded === undefined) throw new Error("bug: a story has three nodes");
      const { wrong, labels } = comparedAnswers(recorded, visits, grain);
      expect(wrong).toEqual([]);
      return labels;
    },
    {
      ...{ runs: 1, nightly: 60, sample: 1, endOnFailure: true },
      shares: { "the same again": 1, "another answer": 1 },
    },
  );
});

const KEPT = "core/engine/kept-answers.ts";
const SOURCES = "core/engine/sources.ts";
const bugs = [
  ["the table that was read last", SOURCES, "tables: () => [...tables],", "tables: () => [...tables].slice(0, -1),"],
  ["the instant", KEPT, "const at = sources.askedInstant() ? now : undefined;", "const at = undefined;"],
  ["what is never twice the same", KEPT, "sources.askedElse() ? undefined : restOf", "restOf"],
] as const;

describe("an answer that is kept without one of what it rests on is found", () => {
  /** Everything is asked at each of a few pauses. */
  const questions = Array.from({ length: 300 }, (_, n) => n);
  const visits: readonly Visit[] = Array.from({ length: 20 }, (_, n) => ({ at: 40 + 48 * n, questions }));
  const recorded = record(bases[0], 5n);

  test.each(bugs)("%s", async (_, file, find, replace) => {
    const [node] = await recorded;
    if (node === undefined) throw new Error("bug: nobody was recorded");
    const { wrong } = await withPlantedBug({ file, find, replace }, async (load) =>
      comparedAnswers(node, visits, 1_000n, await load<typeof CoreIndex>("core/index.ts")),
    );
    expect(wrong).not.toEqual([]);
  });
});

describe("whether an answer holds for one instant alone", () => {
  const T = 1_786_000_000_000n as EpochMillis;

  function asksInstant(node: LoneNode): boolean {
    const sources = openSources();
    const told = {
      ...{ now: T, number: 1, bootSeed: new Uint8Array(32), identities: createIdentityTree(crypto, NO_IDENTITIES) },
      ...{ crypto, configuration: gossipOnly(devnetNetwork), registry: marketplace },
    };
    const body = '{"jsonrpc":"2.0","id":1,"method":"getAdvertisement","params":{"id":"ad-1"}}';
    expect(answerBody(stepContextOf(node.view, told, sources), marketplace.methods, body)).toContain('"result":{');
    return sources.askedInstant();
  }

  test("an advertisement reads the same at every instant until somebody asks for some of it", () => {
    const node = loneNode(T);
    const { create, reserve } = signedSends(node);
    create();
    expect(asksInstant(node)).toBe(false);
    reserve();
    expect(asksInstant(node)).toBe(true);
  });
});

const arbId = fc.oneof(fc.nat(), fc.string({ maxLength: 8 }));
const arbCall = fc.tuple(
  arbId,
  fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
);

test("calls that ask one question differ in nothing but their id", () => {
  forAll(
    [arbCall, arbId, fc.boolean()],
    ([id, params], other, last) => {
      const call = { jsonrpc: "2.0", method: "getPeers", params };
      const [one, two] = [id, other].map((each) =>
        JSON.stringify(last ? { ...call, id: each } : { id: each, ...call }),
      );
      const [asked, again] = [one, two].map((body) => questionOf(body ?? ""));
      if (asked === undefined || again === undefined) return ["not looked at"];
      expect(asked.id).toBe(JSON.stringify(id));
      expect(again.question).toBe(asked.question);
      const different = questionOf((one ?? "").replace("getPeers", "getTrades"));
      expect(different?.question).not.toBe(asked.question);
      return [last ? "last" : "first"];
    },
    { runs: 200, shares: { last: 0.2, first: 0.2 } },
  );
});

test.each([
  '{"jsonrpc":"2.0","params":{"id":1},"method":"getTrade"}',
  '[{"jsonrpc":"2.0","id":1,"method":"getTrades"}]',
  '{"jsonrpc":"2.0","method":"getTrade","params":{"a":0,"id":1}}',
  '{"jsonrpc":"2.0","id":1.5,"method":"getTrades"}',
  '{"jsonrpc":"2.0","id":"\\u0061","method":"getTrades"}',
  '{"jsonrpc":"2.0","id":null,"method":"getTrades"}',
])("%s is not looked at", (body) => {
  expect(questionOf(body)).toBeUndefined();
});

test("nothing that was kept of a memory is told once another has begun", () => {
  const { peer: merchant } = person(1);
  const id = `${merchant}:0123456789abcdef`;
  const nodeWith = (changes: readonly Change[]) => {
    const store = openStore(crypto, tables);
    store.commit(changes);
    const configuration = gossipOnly(devnetNetwork);
    return { store, crypto, configuration, bootSeed: new Uint8Array(32), network: marketplace };
  };
  const method = { id, merchant, name: "Post", category: "Cash", usable: true };
  const [lost, anew] = [nodeWith([{ table: "payment_methods", key: id, record: method }]), nodeWith([])];
  const body = `{"jsonrpc":"2.0","id":1,"method":"getPaymentMethods","params":{"country":null,"wallet":"${merchant}"}}`;
  const call = { type: "rpc.called", replyTo: "1", body, now: 1n, number: 1 } as unknown as Input;
  const answers = openKeptAnswers();
  const answerOf = (node: typeof lost) => JSON.stringify(answers.stepOf(node, call).effects);
  expect(answerOf(lost)).toContain("Post");
  expect(answerOf(anew)).toContain("Post");
  answers.forget();
  expect(answerOf(anew)).not.toContain("Post");
});
