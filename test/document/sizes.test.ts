/**
 * Goal: the document prints how large a member may be, and by which pattern a text is read; test/limits holds the node
 * to the same constants, at each ingress.
 * Method: every size that a signed payload's schema states, found in what is printed; a text at its bound, and beyond.
 */
import { isDeepStrictEqual } from "node:util";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { PaymentMethodId } from "../../core/domains/payment-methods/schema.ts";
import { schemaOf } from "../../core/engine/json-schema.ts";
import { methods, openRpcDocument } from "../../core/index.ts";
import { Cid } from "../../core/kernel/cid.ts";
import type { Schema, Size } from "../../core/kernel/schema.ts";
import { sized } from "../../core/kernel/schema.ts";
import { list } from "../../core/kernel/schema-composites.ts";
import { hasControl } from "../../core/kernel/text.ts";
import { MintAddress, PublicKey, Text } from "../../core/kernel/values.ts";

interface Printed {
  readonly methods: readonly { readonly "x-signed"?: readonly { readonly payload: { readonly $ref: string } }[] }[];
  readonly components: {
    readonly schemas: Readonly<
      Record<string, { readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>> }>
    >;
  };
}
type Seen = Pick<Schema<unknown>, "shape">;

/** Every size below a schema, by the path of members that leads there. */
function sizesOf({ shape }: Seen, path: string): readonly (readonly [string, Size])[] {
  const own = "size" in shape && shape.size !== undefined ? [[path, shape.size] as const] : [];
  const below = (of: Seen, more = "") => sizesOf(of, path + more);
  switch (shape.type) {
    case "option":
      return below(shape.of);
    case "list":
      return [...own, ...below(shape.of, "[]")];
    case "either":
      return shape.of.flatMap((each) => below(each));
    case "variants":
    case "kinds":
      return Object.entries(shape.of).flatMap(([name, of]) => below(of, `.${name}`));
    case "struct":
      return Object.entries(shape.fields).flatMap(([name, of]) => below(of, `.${name}`));
    default:
      return own;
  }
}

test("what signed payloads state, and the limits that the node is held to", () => {
  const types = Object.values(methods).flatMap(({ mutation }) => mutation?.signed ?? []);
  const found = new Map(types.flatMap(({ name, payload }) => sizesOf(payload, name)));
  expect(Object.fromEntries(found)).toEqual({
    "AdvertisementCreate.payment_methods": { items: 64 },
    "AdvertisementTermsUpdate.payment_methods": { items: 64 },
    "AttachmentPublish.caption": { points: 200 },
    "ClaimPublish.claim_type.Custom": { bytes: 64 },
    "ClaimPublish.value": { bytes: 1_024 },
    "DisputeOpen.reason": { bytes: 4_096 },
    "PaymentMethodDefine.name": { points: 64 },
    "ProposalCreate.summary": { bytes: 16_384 },
    "ProposalCreate.title": { bytes: 256 },
    "Registration.branding.description": { points: 280 },
    "Registration.branding.name": { points: 64 },
    "Registration.branding.website": { points: 256 },
    "Registration.capabilities": { items: 32 },
    "Registration.capabilities[]": { bytes: 128 },
    "Registration.endpoints": { items: 16 },
    "Registration.endpoints[]": { bytes: 512 },
    "Registration.region": { bytes: 64 },
    "Registration.supported_ofs": { items: 64 },
    "ReviewPublish.comment": { points: 500 },
    "RiskPublish.evidence": { items: 16 },
    "RiskPublish.evidence[]": { bytes: 256 },
    "RiskPublish.reason": { bytes: 1_024 },
    "SessionCreate.client": { bytes: 128 },
    "SessionCreate.permissions": { items: 32 },
    "SessionCreate.permissions[]": { bytes: 64 },
    "SnapshotAnnounce.locations": { items: 8 },
    "SubscriptionUpdate.destinations": { items: 16 },
    "SubscriptionUpdate.destinations[].sealed.ciphertext": { items: 1_024 },
    "SubscriptionUpdate.enabled_categories": { items: 5 },
    "TradeChannelEntryPost.payload.ciphertext": { items: 4_368 },
    "TradeChannelKeyGrant.sealed_key.ciphertext": { items: 1_024 },
  });
});

test("every id in a payload has the bound that it is held to over RPC", () => {
  const { methods: rows, components } = JSON.parse(
    openRpcDocument(methods, "0.1.0", { name: "this node", url: "/rpc" }, { keys: [], calls: [] }),
  ) as Printed;
  const names = rows.flatMap(({ "x-signed": types = [] }) => types.map(({ payload }) => payload.$ref.split("/")[3]));
  const ids = [...new Set(names)].flatMap((name) =>
    Object.entries(components.schemas[name ?? ""]?.properties ?? {}).filter(
      ([member, { type }]) => /(^|_)id$/.test(member) && type === "string",
    ),
  );
  const review = components.schemas["ReviewPublish"]?.properties["settlement"] ?? {};
  const subject = components.schemas["AttachmentPublish"]?.properties["subject"] ?? {};
  const kinds = subject["oneOf"] as readonly { readonly properties: { readonly Settlement: object } }[];
  const elsewhere = [review, ...kinds.map(({ properties }) => properties.Settlement)] as (typeof review)[];
  expect(elsewhere.length).toBe(2);
  const bounded = [...ids, ...elsewhere.map((each) => ["settlement", each] as const)];
  expect(bounded.filter(([, each]) => each["x-maxBytes"] !== 128 || each["maxLength"] !== 128)).toEqual([]);
  expect(ids.length).toBeGreaterThan(30);
  // The form that the node holds them to: neither empty nor with a control character.
  const takes = bounded.map(([, { pattern }]) => new Ajv({ strict: false }).compile({ pattern }));
  const forms = ["", "a\nb", "\u0000", "a\u007f", "ad-1", "é\u0085😀", "é\u00a0😀"];
  const taken = forms.map((form) => form !== "" && !hasControl(form));
  expect(
    takes.filter(
      (take) =>
        !isDeepStrictEqual(
          forms.map((form) => take(form)),
          taken,
        ),
    ),
  ).toEqual([]);
  // What is read may be older than the bound: peers bring ids of up to 1 KiB.
  const read = components.schemas["AdvertisementView"]?.properties["id"];
  expect([read?.["maxLength"], read?.["pattern"]]).toEqual([undefined, undefined]);
});

const key = "F25s3DdjXdCxYBhh2z8FBusVEMT4b9bGNFVKJi3wFoF4";
const cid = "bafkreibdmq27skp3wnycoyoqcei47etyaulerpsegivlkfvyhjkw7ufjva";
const rows: readonly (readonly [string, Seen, unknown, unknown])[] = [
  ["bytes", sized(Text, { bytes: 4 }), "éé", "ééééé"],
  ["code points", sized(Text, { points: 2 }), "😀😀", "😀😀😀"],
  ["items", sized(list(Text), { items: 1 }), [""], ["", ""]],
  ["a key", PublicKey, key, `${key}l`],
  ["a mint", MintAddress, key, key.slice(20)],
  ["a payment method", PaymentMethodId, "Lipa na M-Pesa", "a\nb"],
  ["a content id", Cid, cid, cid.toUpperCase()],
];

test.each(rows)("what is printed takes %s within the bound and not beyond", (_, schema, within, beyond) => {
  const takes = new Ajv({ strict: false, validateFormats: false }).compile(schemaOf(schema, { sizes: true }));
  expect([takes(within), takes(beyond)]).toEqual([true, false]);
});
