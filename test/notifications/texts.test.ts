/**
 * Goal: what a person is told gives nothing away (protocol 04 §6.6, "Text rule"). Method: the words of every trigger
 * against everything that could tell a trade, a person, an amount or a record; the bodies of a whole trade's orders
 * against every value in it.
 */
import { expect, test } from "vitest";
import { Trigger } from "../../core/domains/notifications/schema.ts";
import { notices } from "../../core/domains/notifications/texts.ts";
import { loneNode } from "../rpc/lone-node.ts";
import { acts, buyer, gateway, merchant, ordersOf, paidTrade, posted, register, subscribe, T } from "./stage.ts";

const names = Trigger.shape.type === "enumeration" ? Trigger.shape.names : [];

test("every trigger has words, and there are no others", () => {
  expect(Object.keys(notices)).toEqual(names);
  expect(names.length).toBe(16);
});

test.each(Object.entries(notices))("%s names the class of event alone", (trigger, { subject, body }) => {
  expect(subject.replaceAll(" ", "").toLowerCase()).toBe(trigger.toLowerCase());
  expect(body).toMatch(/ Open your client to [a-z ]+\.$/);
  for (const text of [subject, body]) {
    // Letters, spaces and full stops: no digit, currency sign, address or placeholder has a place in it.
    expect(text).toMatch(/^[A-Z][A-Za-z .]*$/);
    expect(text).not.toMatch(/\p{Nd}|\p{Sc}|\p{Nl}|\p{No}/u);
    expect(text).not.toMatch(/\b(USD|KES|EUR|USDC|USDT|SOL|buyer|seller|merchant|taker|wallet)\b/i);
    for (const word of text.split(/[ .]+/)) expect(word.length).toBeLessThan(16);
  }
});

test("the orders of a whole trade say nothing of it", () => {
  const node = loneNode(T);
  register(node);
  for (const party of [merchant, buyer]) subscribe(node, party);
  paidTrade(node);
  acts.approve(node);
  acts.dispute(node);
  acts.setStatus(node, "Disabled");
  expect(ordersOf(node).length).toBe(8);
  for (const order of ordersOf(node)) {
    const { recipient_wallet, subject, body } = posted(order);
    const other = recipient_wallet === buyer.peer ? merchant : buyer;
    const whole = new TextDecoder().decode(order.body);
    for (const secret of [other.peer, other.key, "set-1", "ad-1", "d-1", "KES", "unpaid"]) {
      expect(whole).not.toContain(secret);
    }
    for (const text of [subject, body]) {
      for (const shown of ["42", recipient_wallet, gateway.peer, "gw-8"]) expect(text).not.toContain(shown);
    }
  }
});
