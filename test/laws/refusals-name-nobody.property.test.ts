/**
 * Goal: a refusal names nobody: whoever sends what another should have signed learns nothing from the answer about who
 * is a party of a trade (DESIGN L4).
 * Method: one trade at every stage of its reservation, settlement and case, with reviews, an attachment and a channel;
 * random payloads of every send about it, each naming everybody in turn and signed by somebody else: all get one
 * answer, word for word. A send whose answer does differ is about records that somebody published about himself.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { AttachmentPublish } from "../../core/domains/content/attachments/schema.ts";
import { ReviewPublish } from "../../core/domains/reviews/schema.ts";
import { TradeChannelEntryPost } from "../../core/domains/trade-channel/schema.ts";
import { methods } from "../../core/domains.ts";
import type { SignedType } from "../../core/kernel/signed.ts";
import { arbitraryOf } from "../../sim/arbitraries/index.ts";
import { staged as stagedCase, stages as stagesOfCase } from "../disputes/stages.ts";
import { reviewed } from "../identity/fixtures.ts";
import { forAll } from "../property/for-all.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { loneNode, person, signedData } from "../rpc/lone-node.ts";
import { attachment } from "../rpc/node-with-settlement.ts";
import { arbitrators, buyer, merchant, signedSends, third } from "../rpc/signed-sends.ts";
import { NOW, staged, stages } from "../settlements/stages.ts";
import { entry } from "../trade-channel/channel.ts";

/** Sends about an advertisement, whose merchant everybody reads. */
const ABOUT_THE_PUBLISHED = ["PriceUpdate", "TermsUpdate", "StatusSet", "Disable"].map(
  (edit) => `sendAdvertisement${edit}`,
);
/** Sends whose payload carries no key, so that the order of their checks decides what a stranger reads. */
const KEYLESS = [
  "sendReservationCancel",
  "sendPaymentSubmitted",
  "sendPaymentReversed",
  "sendSettlementApproved",
  "sendSettlementRejected",
  "sendSettlementCancelled",
  "sendVoteCommit",
  "sendVoteReveal",
  "sendMutualSettlementAgree",
  "sendTradeChannelKeyGrant",
  "sendTradeChannelEntry",
];
const WITH_KEY = [
  "sendReservationRequest",
  "sendSettlementInitiate",
  "sendDisputeOpen",
  "sendArbitratorJoin",
  "sendAttachmentPublish",
  "sendReviewPublish",
  "sendDeliveryReport",
];

const sends = Object.entries(methods).flatMap(([method, { mutation }]) =>
  (mutation?.signed ?? []).map((type) => ({ method, type })),
);
const compared = sends.filter(({ method }) => !ABOUT_THE_PUBLISHED.includes(method));

const everybody = [buyer, merchant, third, arbitrators[0], arbitrators[3], person(0x66)];
const forgers = [person(0x77), buyer, merchant];

/** What payloads name, where they have such a member: the trade, its parts, or nothing that is known. */
const NAMES: Readonly<Record<string, readonly unknown[]>> = {
  id: ["1", "1", "1", "set-1", "d-1", "unknown"],
  reservation_id: ["1", "unknown"],
  settlement_id: ["set-1", "set-1", "set-1", "unknown"],
  settlement: ["set-1", "set-1", "set-1", "unknown"],
  dispute_id: ["d-1", "d-1", "d-1", "unknown"],
  subject: [{ Settlement: "set-1" }, { Settlement: "unknown" }],
  recipient: everybody.map(({ peer }) => peer),
  seller: everybody.map(({ peer }) => peer),
};

interface Forgery {
  readonly method: string;
  /** The name of the payload's type: a failure prints the case. */
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly names: number;
  readonly by: Person;
  /** Whose key the payload carries, where it carries one. */
  readonly key: "own" | "forger";
  readonly ageMs: bigint;
}

const aboutTrades = compared.filter(({ method }) => [...KEYLESS, ...WITH_KEY].includes(method));
const mostlyAboutTrades = [...compared, ...aboutTrades, ...aboutTrades, ...aboutTrades];

const arbForgery: fc.Arbitrary<Forgery> = fc.constantFrom(...mostlyAboutTrades).chain(({ method, type }) =>
  fc.record({
    method: fc.constant(method),
    type: fc.constant(type.name),
    payload: arbitraryOf(type.payload) as fc.Arbitrary<Forgery["payload"]>,
    names: fc.nat(),
    by: fc.constantFrom(...forgers),
    key: fc.constantFrom("own" as const, "own" as const, "forger" as const),
    ageMs: fc.constantFrom(0n, 0n, 86_400_001n, -300_001n),
  }),
);

/** A node at a stage, with what else people say about a trade. */
function world(open: () => LoneNode): LoneNode {
  const node = open();
  const dated = { timestamp: node.now as never };
  const posted = [
    ["sendAttachmentPublish", signedData(AttachmentPublish, attachment(buyer, { created_at: dated.timestamp }), buyer)],
    ["sendReviewPublish", signedData(ReviewPublish, reviewed(buyer, dated.timestamp, { settlement: "set-1" }), buyer)],
    ["sendTradeChannelEntry", signedData(TradeChannelEntryPost, entry(merchant, dated), merchant)],
  ];
  for (const [method = "", data] of posted) node.call(method, { data });
  return node;
}

function reserved(): LoneNode {
  const node = loneNode(NOW);
  signedSends(node).create();
  signedSends(node).reserve();
  return node;
}

/** What a forgery is answered that names somebody. */
function answered(node: LoneNode, { method, type, payload, names, by, key, ageMs }: Forgery, named: Person): string {
  const signed = typeNamed(type);
  const { signer, key: keyMember, time } = signed.members;
  const chosen = Object.entries(NAMES).flatMap(([member, choices]) =>
    member in payload ? [[member, choices[names % choices.length]]] : [],
  );
  const posted = {
    ...payload,
    ...Object.fromEntries(chosen),
    ...(time === undefined ? {} : { [time]: node.now - ageMs }),
    ...(keyMember === undefined ? {} : { [keyMember]: (key === "own" ? named : by).key }),
    [signer]: named.peer,
  };
  const data = signedData(signed, posted as never, by);
  return node.body(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { data } })) ?? "";
}

function typeNamed(name: string): SignedType {
  const found = compared.find(({ type }) => type.name === name);
  if (found === undefined) throw new Error(`no type is called ${name}`);
  return found.type;
}

function labelsOf({ method }: Forgery, answer: string): readonly string[] {
  const { error } = JSON.parse(answer) as { error?: { message: string } };
  return [method, error?.message ?? "taken"];
}

/** What has to be in one case of the sample at least. */
const SOMEWHERE = 0.001;

const worlds: Readonly<Record<string, () => LoneNode>> = {
  reserved,
  ...Object.fromEntries(stages.map((stage) => [`settlement ${stage}`, () => staged(stage, "default")])),
  ...Object.fromEntries(stagesOfCase.map((stage) => [`case ${stage}`, () => stagedCase(stage, "default")])),
};

const wanted = [...KEYLESS, ...WITH_KEY, ...Object.keys(worlds)].map((label) => [label, SOMEWHERE] as const);

test("every send about a trade is among those that are compared", () => {
  const known = new Set(compared.map(({ method }) => method));
  expect([...KEYLESS, ...WITH_KEY].filter((method) => !known.has(method))).toEqual([]);
});

test("what another should have signed gets one answer, whoever is named", () => {
  const open = Object.fromEntries(Object.entries(worlds).map(([stage, make]) => [stage, world(make)]));
  const roots = Object.fromEntries(Object.entries(open).map(([stage, node]) => [stage, node.roots()]));
  forAll(
    [fc.constantFrom(...Object.keys(worlds)), arbForgery],
    (stage, forgery) => {
      const node = open[stage] as LoneNode;
      const named = everybody.filter((each) => each !== forgery.by);
      const answers = named.map((each) => answered(node, forgery, each));
      expect(new Set(answers).size, [...new Set(answers)].join("\n")).toBe(1);
      expect(node.roots()).toEqual(roots[stage]);
      return [stage, ...labelsOf(forgery, answers[0] ?? "")];
    },
    { runs: 100, sample: 400, shares: { ...Object.fromEntries(wanted), INVALID_SIGNATURE: 0.3 } },
  );
});
