/**
 * Goal: the lists are those that were published, to the byte: their revision says so (protocol 02 I.4, Q).
 */
import { expect, test } from "vitest";
import { catalog } from "../../core/domains/payment-methods/catalog.ts";
import { countries } from "../../core/domains/payment-methods/countries.ts";
import { currencies } from "../../core/domains/payment-methods/currencies.ts";
import { PaymentMethodId } from "../../core/domains/payment-methods/schema.ts";
import type { Decoder } from "../../core/kernel/schema.ts";
import { compareText } from "../../core/kernel/text.ts";
import { loneNode, parityNode } from "../rpc/lone-node.ts";
import { buyer, merchant, signedSends } from "../rpc/signed-sends.ts";

const NOW = 1_786_000_000_000n;

test.each([loneNode(NOW), parityNode(NOW)])("the revision of all lists", (node) => {
  const data = node.call("getReferenceData") as Readonly<Record<string, readonly unknown[]>>;
  expect(data["revision"]).toBe("581b5944fdeb59cf");
  const counts = ["currencies", "countries", "payment_methods", "mints"].map((name) => data[name]?.length);
  expect(counts).toEqual([159, 253, 153, 4]);
});

test("every id of the catalog is one, and no two are equal", () => {
  const decoder: Decoder = {
    fail: (reason) => expect.fail(reason),
    failed: () => false,
    taint: () => undefined,
    depart: (reason) => expect.fail(reason),
    empty: () => undefined,
  };
  for (const { id } of catalog) expect(PaymentMethodId.decode(id, decoder)).toBe(id);
  expect(new Set(catalog.map(({ id }) => id)).size).toBe(catalog.length);
});

test("countries name currencies of the list, and the catalog names countries of the list", () => {
  const codes = new Set(currencies.map(({ code }) => code));
  for (const { currency, alt_currencies } of countries) {
    for (const code of [currency, ...alt_currencies]) expect(codes, code).toContain(code);
  }
  const known = new Set(countries.map(({ code }) => code));
  for (const code of catalog.flatMap((method) => method.countries ?? [])) expect(known, code).toContain(code);
});

test("methods of a country come first, the others after them, both in the order of the catalog", () => {
  const node = loneNode(NOW);
  const read = (params: unknown) => node.call("getPaymentMethods", params) as Record<string, { id: string }[]>;
  const kenya = read({ country: "KE" });
  const ids = (methods: readonly { id: string }[] | undefined) => methods?.map(({ id }) => id) ?? [];
  expect(ids(kenya["suggested"])).toEqual(
    catalog.filter((method) => method.countries?.includes("KE")).map((method) => method.id),
  );
  expect(ids(kenya["suggested"]).length + ids(kenya["others"]).length).toBe(catalog.length);
  expect(kenya["country"]).toBe("KE");
  for (const country of ["ke", "XX", ""]) expect(read({ country })["suggested"]).toEqual([]);
  expect(read({})).toMatchObject({ country: null, suggested: [], merchant: [] });
  expect(node.call("getPaymentMethods", { wallet: "nobody" })).toBe(-32602);
});

test("a merchant's own methods stand beside, in order of id", () => {
  const node = loneNode(NOW);
  const sends = signedSends(node);
  for (const name of ["Chipper Cash", "Nairobi Cash", "Corner Shop"])
    expect(sends.define({ name })).toContain(merchant.peer);
  for (const wallet of [merchant.peer, merchant.key]) {
    const { merchant: own } = node.call("getPaymentMethods", { wallet }) as { merchant: { id: string }[] };
    expect(own.length).toBe(3);
    expect(own.map(({ id }) => id)).toEqual(own.map(({ id }) => id).sort(compareText));
  }
  expect(node.call("getPaymentMethods", { wallet: buyer.peer })).toMatchObject({ merchant: [] });
  expect(node.call("getPaymentMethod", { id: "builtin:pix" })).toMatchObject({ name: "PIX", countries: ["BR"] });
  expect(node.call("getPaymentMethod", { id: "builtin:nothing" })).toBe(null);
  expect(node.call("getPaymentMethod", { id: "M-Pesa" })).toBe(null);
  expect(node.call("getPaymentMethod", { id: "" })).toBe(-32602);
});
