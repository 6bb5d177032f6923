/**
 * Limits of the ingresses: dates, ids, sizes of payloads and of batches, and what one driver lets wait.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRecording } from "../../../adapters/recording/reader.ts";
import { openRecorder } from "../../../adapters/recording/recorder.ts";
import {
  AdvertisementCreate,
  AdvertisementPriceUpdate,
  AdvertisementTermsUpdate,
} from "../../../core/domains/trade/advertisements/schema.ts";
import { DisputeOpen } from "../../../core/domains/trade/disputes/schema.ts";
import { PaymentSubmitted } from "../../../core/domains/trade/settlements/schema.ts";
import { ingresses } from "../../../core/engine/admission/ingress.ts";
import { noParams, query } from "../../../core/engine/method.ts";
import { answerBody } from "../../../core/engine/rpc.ts";
import { foldOf } from "../../../core/engine/step-context.ts";
import { createDriver, devnetNetwork, err, ok } from "../../../core/index.ts";
import { known } from "../../../core/kernel/assert.ts";
import { decodeCompact } from "../../../core/kernel/schema.ts";
import { list } from "../../../core/kernel/schema-composites.ts";
import { Text } from "../../../core/kernel/values.ts";
import { Frame, GossipEvent } from "../../../core/network/gossip/envelope.ts";
import { receiveEvents } from "../../../core/network/gossip/receive.ts";
import type { StorePort } from "../../../core/ports/store.ts";
import { crypto, gossipOnly, pushFrame, signedData } from "../../rpc/lone-node.ts";
import { advertisement, at, buyer, merchant, T } from "../../rpc/node-with-settlement.ts";
import { answeredIn, askedAmong, askedIn } from "../asked-again.ts";
import type { CrowdedNode } from "../crowded-node.ts";
import { crowdedNode } from "../crowded-node.ts";
import type { Limit } from "../limit.ts";
import { most, OK_OR_PARAMETER, TAKEN_OR_LEFT } from "../limit.ts";
import { ofSize, settling, statementsIn, taken } from "../situations.ts";

type Create = typeof advertisement;

/** Published over RPC. */
function published(change: Partial<Create>): string {
  return crowdedNode(T).send(AdvertisementCreate, { ...advertisement, ...change }, merchant);
}

/** Pushed by a peer. */
function pushed(change: Partial<Create>): string {
  return taken(crowdedNode(T), AdvertisementCreate, { ...advertisement, ...change }, merchant);
}

/** Brought by a comparison of sets. */
function recovered(change: Partial<Create>): string {
  const node = crowdedNode(T);
  const frame = decodeCompact(Frame, pushFrame(AdvertisementCreate, { ...advertisement, ...change }, merchant, T));
  const event = known(frame && decodeCompact(GossipEvent, frame.payload), "an event");
  node.withContext((context) => receiveEvents(context, foldOf(context), [event], buyer.peer, ingresses.recovery));
  return statementsIn(node) > 0 ? "taken" : "left";
}

/** New terms of an advertisement that a node has. */
function termsOf(change: Partial<Create>): { readonly node: CrowdedNode; readonly terms: AdvertisementTermsUpdate } {
  const node = crowdedNode(T);
  node.send(AdvertisementCreate, advertisement, merchant);
  const { id, merchant: by, min_trade, max_trade, payment_methods, timestamp } = { ...advertisement, ...change };
  return { node, terms: { id, merchant: by, min_trade, max_trade, payment_methods, timestamp } };
}

/** Said over RPC. */
function retermed(change: Partial<Create>): string {
  const { node, terms } = termsOf(change);
  return node.send(AdvertisementTermsUpdate, terms, merchant);
}

/** Pushed by a peer. */
function retermedByGossip(change: Partial<Create>): string {
  const { node, terms } = termsOf(change);
  return taken(node, AdvertisementTermsUpdate, terms, merchant);
}

const paidBy = (methods: number): Partial<Create> => ({
  payment_methods: Array.from({ length: methods }, (_, n) => `builtin:bank-${n}` as Create["payment_methods"][number]),
});
const byOracle = (bytes: number) => ({
  pricing: { Floating: { oracle_provider: "x".repeat(bytes), premium_bps: 0, price_decimals: 2 } },
});
const pricedBy = (bytes: number) => byOracle(bytes) as unknown as Partial<Create>;

/** A price said over RPC, and one that a peer pushes, by an oracle whose name has so many bytes. */
function repriced(bytes: number): string {
  const { node, terms } = termsOf({});
  const { id, merchant: by, timestamp } = terms;
  return node.send(AdvertisementPriceUpdate, { id, merchant: by, ...byOracle(bytes), timestamp }, merchant);
}

function repricedByGossip(bytes: number): string {
  const { node, terms } = termsOf({});
  const { id, merchant: by, timestamp } = terms;
  return taken(node, AdvertisementPriceUpdate, { id, merchant: by, ...byOracle(bytes), timestamp }, merchant);
}

const aged = (ms: number): Partial<Create> => ({ timestamp: (T - BigInt(ms)) as typeof T });
const named = (bytes: number): Partial<Create> => ({ id: "é".repeat(bytes / 2) + "x".repeat(bytes % 2) });

/** A payment whose payload and signature have so many bytes. */
const payment = (bytes: number): PaymentSubmitted =>
  ofSize(PaymentSubmitted, bytes, (payment_reference) => ({
    ...{ settlement_id: "set-1", buyer: buyer.peer, payment_reference },
    timestamp: at(350_000),
  }));

function paidByGossip(bytes: number): string {
  const node = settling();
  node.gossip(PaymentSubmitted, payment(bytes), buyer);
  return stateOf(node) === "PaymentSubmitted" ? "taken" : "left";
}

function stateOf(node: CrowdedNode): string {
  return (node.read("getSettlement", { id: "set-1" }) as { readonly state: string }).state;
}

function opened(bytes: number): string {
  const node = settling();
  const open = {
    ...{ id: "d-1", settlement_id: "set-1", opener: buyer.peer, opener_public_key: buyer.key },
    ...{ reason: "x".repeat(bytes), timestamp: node.now },
  };
  return node.send(DisputeOpen, open, buyer);
}

/** The last member's answer of a batch of so many. */
function batched(members: number): string {
  const node = crowdedNode(T);
  const member = (id: number) => ({ jsonrpc: "2.0", id, method: "getHealth" });
  const body = JSON.stringify(Array.from({ length: members }, (_, id) => member(id)));
  const answer = JSON.parse(node.body(body) ?? "") as { length?: number; error?: { message: string } };
  return answer.error?.message ?? `${answer.length === members ? "all" : "not all"} answered`;
}

/** The second member of a batch whose first answer leaves room for so many units before the bound is reached. */
function afterAnswer(units: number): string {
  const id = "x".repeat(units - 1 - '{"jsonrpc":"2.0","id":"","result":"ok"}'.length);
  const body = JSON.stringify([id, "second"].map((each) => ({ jsonrpc: "2.0", id: each, method: "getHealth" })));
  const text = crowdedNode(T).body(body) ?? "";
  return text.includes("RATE_LIMIT_EXCEEDED") ? "RATE_LIMIT_EXCEEDED" : text.slice(-12);
}

const BIG = "x".repeat(1_048_576);

/** What a read is answered whose result is a list of texts, so many units in all. */
function listed(units: number): string {
  const whole = Math.floor(units / (BIG.length + 3));
  const rest = "x".repeat(units - 1 - whole * (BIG.length + 3) - 3);
  const texts = [...Array.from({ length: whole }, () => BIG), rest];
  const read = query({ params: noParams, need: "none", result: list(Text), source: "", doc: "", read: () => texts });
  const ask = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "read" });
  const answer = crowdedNode(T).withContext((context) => answerBody(context, { read }, ask));
  return answer?.endsWith(`${rest.slice(-1)}"]}`) ? "whole" : (/[A-Z]+_[A-Z]+_[A-Z]+/.exec(answer ?? "")?.[0] ?? "cut");
}

/** What becomes of the nth call to a node whose store does not load yet. */
function calledBeforeReady(n: number): string {
  const silent: StorePort = { commit: () => undefined, load: () => undefined, close: (done) => done() };
  const answers: string[] = [];
  const driver = createDriver({
    ...{ crypto, store: silent, bootSeed: new Uint8Array(32), now: () => T, configuration: gossipOnly(devnetNetwork) },
    perform: (effect) => void (effect.type === "rpc.reply" && answers.push(effect.body ?? "")),
  });
  for (let call = 0; call < n; call++) driver.accept({ type: "rpc.called", replyTo: `${call}`, body: "{}" });
  return answers.length === 0 ? "waits" : (/[A-Z]+_[A-Z]+/.exec(answers[0] ?? "")?.[0] ?? "answered");
}

/** What comes of the last of so many facts while the store refuses writes. */
function toldWhileRefused(n: number): string {
  const conditions = { full: true };
  const store: StorePort = {
    commit: (_, done) => done(conditions.full ? err({ code: "full" }) : ok(null)),
    load: (give) => give(ok({ rows: [], last: true })),
    close: (done) => done(),
  };
  let told = 0;
  const driver = createDriver({
    ...{ crypto, store, bootSeed: new Uint8Array(32), now: () => T, configuration: gossipOnly(devnetNetwork) },
    perform: () => undefined,
    observe: ({ type }) => void (type === "message.failed" && told++),
  });
  const data = signedData(AdvertisementCreate, { ...advertisement, timestamp: T }, merchant);
  const send = { jsonrpc: "2.0", id: 1, method: "sendAdvertisementCreate", params: { data } };
  driver.accept({ type: "rpc.called", replyTo: "send", body: JSON.stringify(send) });
  for (let request = 0; request < n; request++)
    driver.accept({ type: "message.failed", to: gossipOnly(devnetNetwork).peerId, request, reason: "gone" });
  conditions.full = false;
  driver.accept({ type: "timer.fired", timer: "store-retry" });
  return told === n ? "waits" : "dropped";
}

/** What a node that fills one part with each input has of so many. */
function inRecording(n: number): string {
  const folder = mkdtempSync(join(tmpdir(), "recording-"));
  const path = join(folder, "record");
  const configuration = gossipOnly(devnetNetwork);
  const roots = () => ({ statements: "", facts: "", state: "", archive: "" });
  const recorder = openRecorder({ path, configuration, redacted: false, ended: () => undefined, partBytes: 1 });
  for (let number = 0; number < n; number++) {
    const fact = { type: "rpc.called", replyTo: "", body: "x".repeat(70_000) } as const;
    recorder.observe({ ...fact, now: T, number }, [], [], roots);
  }
  recorder.close();
  const opened = openRecording(path);
  const inputs = opened.ok ? [...opened.value.inputs].length : 0;
  rmSync(folder, { recursive: true });
  return inputs === n ? "recorded" : "ended";
}

export const limits: readonly Limit[] = [
  most("core/engine/admission/ingress.ts RPC_AGE_MS_MAX", 86_400_000, (ms) => published(aged(ms)), OK_OR_PARAMETER),
  most("core/engine/admission/ingress.ts CLOCK_SKEW_MS_MAX", 300_000, (ms) => published(aged(-ms)), {
    where: "over RPC",
    ...OK_OR_PARAMETER,
  }),
  most("core/engine/admission/ingress.ts CLOCK_SKEW_MS_MAX", 300_000, (ms) => pushed(aged(-ms)), {
    where: "by gossip",
    ...TAKEN_OR_LEFT,
  }),
  most("core/engine/admission/ingress.ts STATEMENT_AGE_MS_MAX", 604_800_000, (ms) => pushed(aged(ms)), TAKEN_OR_LEFT),
  most("core/engine/admission/ingress.ts RECOVERY_AGE_MS_MAX", 1_209_600_000, (ms) => recovered(aged(ms)), {
    where: "by recovery",
    ...TAKEN_OR_LEFT,
  }),
  most("core/engine/admission/ingress.ts ID_BYTES_MAX", 128, (bytes) => published(named(bytes)), OK_OR_PARAMETER),
  most("core/engine/admission/ingress.ts GOSSIP_ID_BYTES_MAX", 1_024, (bytes) => pushed(named(bytes)), TAKEN_OR_LEFT),
  ...[
    { where: "of a create over RPC", comesOf: published },
    { where: "of terms over RPC", comesOf: retermed },
  ].map(({ where, comesOf }) =>
    most("core/domains/trade/advertisements/schema.ts METHODS_MAX", 64, (methods) => comesOf(paidBy(methods)), {
      where,
      ...OK_OR_PARAMETER,
    }),
  ),
  ...[
    { where: "of a create that a peer pushes", comesOf: pushed },
    { where: "of a create that a comparison brings", comesOf: recovered },
    { where: "of terms that a peer pushes", comesOf: retermedByGossip },
  ].map(({ where, comesOf }) =>
    most("core/domains/trade/advertisements/schema.ts GOSSIP_METHODS_MAX", 1_024, (n) => comesOf(paidBy(n)), {
      where,
      ...TAKEN_OR_LEFT,
    }),
  ),
  most("core/engine/admission/ingress.ts ID_BYTES_MAX", 128, (bytes) => published(pricedBy(bytes)), {
    where: "of the oracle of a price, in a create over RPC",
    ...OK_OR_PARAMETER,
  }),
  most("core/engine/admission/ingress.ts ID_BYTES_MAX", 128, repriced, {
    where: "of the oracle of a price, in a later price over RPC",
    ...OK_OR_PARAMETER,
  }),
  most("core/engine/admission/ingress.ts GOSSIP_ID_BYTES_MAX", 1_024, (bytes) => pushed(pricedBy(bytes)), {
    where: "of the oracle of a price, in a create by gossip",
    ...TAKEN_OR_LEFT,
  }),
  most("core/engine/admission/ingress.ts GOSSIP_ID_BYTES_MAX", 1_024, repricedByGossip, {
    where: "of the oracle of a price, in a later price by gossip",
    ...TAKEN_OR_LEFT,
  }),
  most(
    "core/engine/admission/ingress.ts STATEMENT_BYTES_MAX",
    782_336,
    (bytes) => settling().send(PaymentSubmitted, payment(bytes), buyer),
    {
      where: "over RPC",
      ...OK_OR_PARAMETER,
    },
  ),
  most("core/engine/admission/ingress.ts STATEMENT_BYTES_MAX", 782_336, paidByGossip, {
    where: "by gossip",
    ...TAKEN_OR_LEFT,
  }),
  most("core/engine/admission/validation-order.ts REASON_BYTES_MAX", 4_096, opened, OK_OR_PARAMETER),
  most("core/engine/rpc.ts BATCH_MEMBERS_MAX", 100, batched, {
    within: "all answered",
    beyond: "more than 100 requests",
  }),
  most("core/engine/rpc.ts BATCH_ANSWERS_LENGTH_MAX", 33_554_432, afterAnswer, {
    within: ',"result":"ok"}]'.slice(-12),
    beyond: "RATE_LIMIT_EXCEEDED",
  }),
  most("core/kernel/schema.ts ANSWER_LENGTH_MAX", 67_108_864, listed, {
    within: "whole",
    beyond: "RATE_LIMIT_EXCEEDED",
  }),
  most("core/engine/driver.ts WAITING_MAX", 65_536, calledBeforeReady, { within: "waits", beyond: "DATABASE_ERROR" }),
  most("core/engine/question.ts QUESTION_LENGTH_MAX", 512, askedIn, { within: "kept", beyond: "read again" }),
  most("core/engine/kept-answers.ts KEPT_ANSWERS_MAX", 512, askedAmong, { within: "kept", beyond: "read again" }),
  most("core/engine/kept-answers.ts KEPT_ANSWERS_LENGTH_MAX", 1_048_576, answeredIn, {
    ...{ within: "kept", beyond: "read again" },
  }),
  most("adapters/recording/recorder.ts PARTS_MAX", 16, inRecording, { within: "recorded", beyond: "ended" }),
  most("core/engine/driver.ts REFUSED_WAITING_MAX", 4_096, toldWhileRefused, { within: "waits", beyond: "dropped" }),
];
