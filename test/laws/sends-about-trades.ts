/**
 * Sends of every kind about one trade, for laws of what is answered first: random payloads that name the trade, or
 * nothing that is known, of any age, naming anybody as their signer and signed by anybody.
 */
import fc from "fast-check";
import { AttachmentPublish } from "../../core/domains/content/attachments/schema.ts";
import { ReviewPublish } from "../../core/domains/reviews/schema.ts";
import { TradeChannelEntryPost } from "../../core/domains/trade-channel/schema.ts";
import { methods } from "../../core/domains.ts";
import type { SignedType } from "../../core/kernel/signed.ts";
import { arbitraryOf } from "../../sim/arbitraries/index.ts";
import { staged as stagedCase, stages as stagesOfCase } from "../disputes/stages.ts";
import { reviewed } from "../identity/fixtures.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { loneNode, person, signedData } from "../rpc/lone-node.ts";
import { attachment } from "../rpc/node-with-settlement.ts";
import { arbitrators, buyer, merchant, signedSends, third } from "../rpc/signed-sends.ts";
import { NOW, staged, stages } from "../settlements/stages.ts";
import { entry } from "../trade-channel/channel.ts";

/** Sends whose payload carries no key, so that the order of their checks decides what a stranger reads. */
export const KEYLESS = [
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
export const WITH_KEY = [
  "sendReservationRequest",
  "sendSettlementInitiate",
  "sendDisputeOpen",
  "sendArbitratorJoin",
  "sendAttachmentPublish",
  "sendReviewPublish",
  "sendDeliveryReport",
];

/** Those who trade, those who judge, and a stranger. */
export const everybody = [buyer, merchant, third, arbitrators[0], arbitrators[3], person(0x66)] as const;

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

/** A payload that is to name its signer. */
export interface Attempt {
  readonly method: string;
  /** The name of the payload's type: a failure prints the case. */
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Which of the names it bears. */
  readonly names: number;
  readonly ageMs: bigint;
}

/** Every type that a method takes. */
export const takenTypes = Object.entries(methods).flatMap(([method, { mutation }]) =>
  (mutation?.signed ?? []).map((type) => ({ method, type })),
);

/** Attempts of some of the types, those about trades four times as often as others. */
export function arbAttempt(types: typeof takenTypes, ...ages: readonly bigint[]): fc.Arbitrary<Attempt> {
  const often = types.filter(({ method }) => [...KEYLESS, ...WITH_KEY].includes(method));
  return fc.constantFrom(...types, ...often, ...often, ...often).chain(({ method, type }) =>
    fc.record({
      method: fc.constant(method),
      type: fc.constant(type.name),
      payload: arbitraryOf(type.payload) as fc.Arbitrary<Attempt["payload"]>,
      names: fc.nat(),
      ageMs: fc.constantFrom(...ages),
    }),
  );
}

/** What an attempt is answered that names somebody, with a key, signed by whoever signs. */
export function answerTo(
  node: LoneNode,
  { method, type, payload, names, ageMs }: Attempt,
  { named, key = named, by = named }: { readonly named: Person; readonly key?: Person; readonly by?: Person },
): string {
  const signed = typeNamed(type);
  const { signer, key: keyMember, time } = signed.members;
  const chosen = Object.entries(NAMES).flatMap(([member, choices]) =>
    member in payload ? [[member, choices[names % choices.length]]] : [],
  );
  const whole = {
    ...payload,
    ...Object.fromEntries(chosen),
    ...(time === undefined ? {} : { [time]: node.now - ageMs }),
    ...(keyMember === undefined ? {} : { [keyMember]: key.key }),
    [signer]: named.peer,
  };
  const data = signedData(signed, whole as never, by);
  return node.body(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { data } })) ?? "";
}

/** The method and what it answered, as labels. */
export function labelsOf({ method }: Attempt, answer: string): readonly string[] {
  const { error } = JSON.parse(answer) as { error?: { message: string } };
  return [method, error?.message ?? "taken"];
}

/** Nodes at every stage of a trade, with what else people say about it. */
export function openWorlds(): Readonly<Record<string, LoneNode>> {
  return Object.fromEntries(Object.entries(worlds).map(([stage, open]) => [stage, world(open)]));
}

const worlds: Readonly<Record<string, () => LoneNode>> = {
  reserved,
  ...Object.fromEntries(stages.map((stage) => [`settlement ${stage}`, () => staged(stage, "default")])),
  ...Object.fromEntries(stagesOfCase.map((stage) => [`case ${stage}`, () => stagedCase(stage, "default")])),
};

/** The names of those nodes. */
export const worldNames = Object.keys(worlds);

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

function typeNamed(name: string): SignedType {
  const found = takenTypes.find(({ type }) => type.name === name);
  if (found === undefined) throw new Error(`no type is called ${name}`);
  return found.type;
}
