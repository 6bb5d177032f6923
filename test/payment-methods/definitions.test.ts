/**
 * Goal: which of a merchant's definitions are shown is a function of their set, whatever the order and whoever else
 * defines; beyond the bounds ingresses refuse and nothing grows (protocol 02 I.3 row 6; DESIGN L2, L10).
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { definitionId } from "../../core/domains/payment-methods/fold.ts";
import { PaymentMethodDefine } from "../../core/domains/payment-methods/schema.ts";
import { METHODS_KEPT_MAX, METHODS_SHOWN_MAX, PaymentMethods } from "../../core/domains/payment-methods/tables.ts";
import { forAll } from "../property/for-all.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { crypto, loneNode, person } from "../rpc/lone-node.ts";
import { merchant, resultOf, signedSends } from "../rpc/signed-sends.ts";

const NOW = 1_786_000_000_000n;

/** A definition that a peer brings; names that may not be used are among them. */
function gossip(node: LoneNode, by: Person, name: string): void {
  const definition = { merchant: by.peer, merchant_public_key: by.key, name, category: "Cash" as const };
  node.gossip(PaymentMethodDefine, definition, by);
}

function shown(node: LoneNode, by: Person): readonly string[] {
  const { merchant: own } = node.call("getPaymentMethods", { wallet: by.peer }) as { merchant: { name: string }[] };
  return own.map(({ name }) => name);
}

const idOf = (name: string) =>
  definitionId((bytes) => crypto.sha256(bytes), {
    ...{ merchant: merchant.peer, merchant_public_key: merchant.key },
    ...{ name, category: "Cash" },
  });

describe("definitions", () => {
  test("every order of the same definitions gives equal roots and shows the same", () => {
    const people = [merchant, person(0x51)];
    const names = [...Array.from({ length: 40 }, (_, n) => `Method ${n}`), "PayPal", " spaced", "hidden\u200b"];
    const all = people.flatMap((by) => names.map((name) => ({ by, name })));
    const told = (order: readonly (typeof all)[number][]) => {
      const node = loneNode(NOW);
      for (const { by, name } of order) gossip(node, by, name);
      return { roots: node.roots(), shown: people.map((by) => shown(node, by)) };
    };
    const first = told(all);
    for (const own of first.shown) expect(own.length).toBe(METHODS_SHOWN_MAX);
    forAll(
      [fc.shuffledSubarray(all, { minLength: all.length })],
      (order) => {
        expect(told(order)).toEqual(first);
      },
      {
        runs: 15,
        classes: (order) => {
          const [last] = order.slice(-1);
          const isShown = last !== undefined && first.shown[people.indexOf(last.by)]?.includes(last.name);
          return [isShown ? "one that is shown comes last" : "one that is not shown comes last"];
        },
        shares: { "one that is shown comes last": 0.3, "one that is not shown comes last": 0.1 },
      },
    );
  });

  test("of two definitions of one id, which are found, the smaller words are its in either order", () => {
    const by = person(0x31);
    const names = ["fbhjmmkacakmhcoh", "pnfhocmcehdiiklb"];
    const told = [names, names.toReversed()].map((order) => {
      const node = loneNode(NOW);
      for (const name of order) gossip(node, by, name);
      return node;
    });
    expect(told.map((node) => node.view.size(PaymentMethods))).toEqual([1, 1]);
    expect(told.map((node) => shown(node, by))).toEqual([["fbhjmmkacakmhcoh"], ["fbhjmmkacakmhcoh"]]);
    expect(told[0]?.roots()).toEqual(told[1]?.roots());
  });

  test("names that may not be used are kept, and never shown", () => {
    const node = loneNode(NOW);
    for (const name of ["PayPal", "", "two  spaces"]) gossip(node, merchant, name);
    expect(node.view.size(PaymentMethods)).toBe(3);
    expect(shown(node, merchant)).toEqual([]);
    expect(node.call("getPaymentMethod", { id: idOf("PayPal") })).toBe(null);
  });

  test("the same words again are a success with the same id, and change nothing", () => {
    const node = loneNode(NOW);
    const sends = signedSends(node);
    const id = resultOf(sends.define());
    const before = node.roots();
    node.now += 100n * 86_400_000n;
    expect(resultOf(sends.define())).toBe(id);
    expect(node.roots()).toEqual(before);
  });

  test("beyond 32 only a smaller id is taken, and the largest is shown no longer", () => {
    const node = loneNode(NOW);
    const { define } = signedSends(node);
    const names = Array.from({ length: 34 }, (_, n) => `Method ${n}`).sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
    const [smallest, ...rest] = names;
    const largest = rest.pop();
    for (const name of rest) expect(resultOf(define({ name, category: "Cash" }))).toBe(idOf(name));
    expect(resultOf(define({ name: largest, category: "Cash" }))).toBe(3006);
    expect(resultOf(define({ name: smallest, category: "Cash" }))).toBe(idOf(smallest ?? ""));
    expect(shown(node, merchant)).toEqual([smallest, ...rest.slice(0, -1)]);
    expect(node.call("getPaymentMethod", { id: idOf(rest.at(-1) ?? "") })).toBe(null);
  });

  test("a flood of one merchant ends at the bound, and touches nobody else", () => {
    const node = loneNode(NOW);
    for (let n = 0; n < METHODS_KEPT_MAX + 20; n++) gossip(node, merchant, `Method ${n}`);
    expect(node.view.size(PaymentMethods)).toBe(METHODS_KEPT_MAX);
    gossip(node, person(0x51), "Corner Shop");
    expect(shown(node, person(0x51))).toEqual(["Corner Shop"]);
    expect(node.restart().roots()).toEqual(node.roots());
  });
});
