/**
 * Goal: where our rules depart from the reference's and no worked example shows it, both hold: ours by default, the
 * reference's under `--parity reference` (DESIGN §7 #12).
 * Method: one row a departure; the same words to a node of each profile, and what each answers.
 */
import { expect, test } from "vitest";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, parityNode, person } from "../rpc/lone-node.ts";
import { arbitrators, buyer, commitmentTo, merchant, resultOf, signedSends, third, usdc } from "../rpc/signed-sends.ts";

const NOW = 1_786_000_000_000n;
const DAY = 86_400_000n;
const [one, two, three, four] = arbitrators;

interface Departure {
  readonly rule: string;
  /** The answer of the last thing said. */
  readonly ask: (node: LoneNode) => unknown;
  readonly parity: unknown;
  readonly ours: unknown;
}

const told =
  (...names: readonly ("create" | "reserve" | "initiate" | "pay" | "open")[]) =>
  (node: LoneNode) => {
    const sends = signedSends(node);
    for (const word of names) sends[word]();
    return sends;
  };
const trading = told("create", "reserve", "initiate");
const disputed = told("create", "reserve", "initiate", "open");

/** A case with its three seats taken. */
function locked(node: LoneNode) {
  const sends = disputed(node);
  for (const by of [one, two, three]) sends.panel(by).join();
  return sends;
}

const departures: readonly Departure[] = [
  {
    rule: "protocol 02 N.3: a list when nothing is asked",
    ask: (node) => Array.isArray(node.call("getAdvertisements", {})),
    parity: false,
    ours: true,
  },
  {
    rule: "protocol 01 §11: missing parameters of a row whose every member is optional",
    ask: (node) => node.call("getAdvertisements"),
    parity: -32602,
    ours: [],
  },
  {
    rule: "protocol 01 §11: the same of payment methods",
    ask: (node) => typeof node.call("getPaymentMethods", null),
    parity: "number",
    ours: "object",
  },
  {
    rule: "protocol 01 §2.5: equal members of parameters",
    ask: (node) =>
      resultOf(node.body('{"jsonrpc":"2.0","id":1,"method":"getDispute","params":{"id":"a","id":"b"}}') ?? ""),
    parity: null,
    ours: -32602,
  },
  {
    rule: "protocol 01 §10.2: an id token for token",
    ask: (node) => node.body('{"jsonrpc":"2.0","id":1e2,"method":"getHealth"}'),
    parity: '{"jsonrpc":"2.0","id":100.0,"result":"ok"}',
    ours: '{"jsonrpc":"2.0","id":1e2,"result":"ok"}',
  },
  {
    rule: "protocol 02 O.27: dates more than a day behind",
    ask: (node) => resultOf(signedSends(node).create({ timestamp: NOW - DAY - 1n })),
    parity: "ad-1",
    ours: 3,
  },
  {
    rule: "protocol 02 O.24: ids above 128 bytes",
    ask: (node) => resultOf(signedSends(node).create({ id: "x".repeat(129) })),
    parity: "x".repeat(129),
    ours: 3,
  },
  {
    rule: "protocol 02 O.14: liquidity of other decimals than the limits",
    ask: (node) => resultOf(signedSends(node).create({ initial_liquidity: usdc(1_000, 9) })),
    parity: "ad-1",
    ours: 3003,
  },
  {
    rule: "protocol 02 O.16: nothing to sell",
    ask: (node) => {
      signedSends(node).create({ initial_liquidity: usdc(0) });
      return (node.call("getAdvertisement", { id: "ad-1" }) as { status: string }).status;
    },
    parity: "Active",
    ours: "Disabled",
  },
  {
    rule: "protocol 02 B.6: an edit that names another merchant and is signed by the stored one",
    ask: (node) => resultOf(told("create")(node).price({ merchant: third.peer }, merchant)),
    parity: 2001,
    ours: 1003,
  },
  {
    rule: "protocol 02 O.5: an initiate of no known reservation",
    ask: (node) => resultOf(signedSends(node).initiate()),
    parity: "set-1",
    ours: 4000,
  },
  {
    rule: "protocol 02 O.5: an initiate above what was reserved",
    ask: (node) => resultOf(told("create", "reserve")(node).initiate({ amount: usdc(20_000_001) })),
    parity: "set-1",
    ours: 2,
  },
  {
    rule: "protocol 02 O.6: a second settlement of one reservation",
    ask: (node) => resultOf(trading(node).initiate({ id: "set-0" })),
    parity: "set-0",
    ours: 4006,
  },
  {
    rule: "CONVERGENCE: a payment over the seller's cancel",
    ask(node) {
      const sends = trading(node);
      sends.cancel({ canceller: merchant.peer }, merchant);
      return resultOf(sends.pay());
    },
    parity: 5009,
    ours: null,
  },
  {
    rule: "CONVERGENCE: an approve after the payment was taken back",
    ask(node) {
      const sends = trading(node);
      sends.pay();
      sends.reverse({ timestamp: NOW + 1n });
      return resultOf(sends.approve());
    },
    parity: 5009,
    ours: null,
  },
  {
    rule: "protocol 02 O.7: the settlement that a trade joins",
    ask(node) {
      const sends = told("create", "reserve")(node);
      sends.initiate({ id: "set-0" });
      sends.cancel({ settlement_id: "set-0" });
      sends.initiate({ id: "set-1" });
      return (node.call("getTrade", { id: "1" }) as { settlement: { id: string } }).settlement.id;
    },
    parity: "set-0",
    ours: "set-1",
  },
  {
    rule: "CONVERGENCE: an open of a cancelled settlement",
    ask(node) {
      const sends = trading(node);
      sends.cancel();
      return resultOf(sends.open());
    },
    parity: 6005,
    ours: "d-1",
  },
  {
    rule: "CONVERGENCE: the other party's open of the same settlement",
    ask: (node) =>
      resultOf(disputed(node).open({ id: "d-2", opener: merchant.peer, opener_public_key: merchant.key }, merchant)),
    parity: 6005,
    ours: "d-2",
  },
  {
    rule: "protocol 03 W-7: a long reason",
    ask: (node) => resultOf(trading(node).open({ reason: "x".repeat(4_097) })),
    parity: "d-1",
    ours: 3,
  },
  {
    rule: "protocol 03 W-7: a payload above 16 KiB",
    ask: (node) => resultOf(trading(node).open({ reason: "x".repeat(16_384) })),
    parity: "d-1",
    ours: 3,
  },
  {
    rule: "CONVERGENCE: a fourth joiner",
    ask: (node) => resultOf(locked(node).panel(four).join()),
    parity: 6005,
    ours: null,
  },
  {
    rule: "protocol 03 W-5: a party that joins",
    ask: (node) => resultOf(disputed(node).panel(buyer).join()),
    parity: null,
    ours: 2001,
  },
  {
    rule: "CONVERGENCE: a commit before the third join",
    ask(node) {
      const panel = disputed(node).panel(one);
      panel.join();
      return resultOf(panel.commit());
    },
    parity: 6005,
    ours: null,
  },
  {
    rule: "protocol 03 W-15: a second, different commitment",
    ask(node) {
      const panel = locked(node).panel(one);
      panel.commit();
      return resultOf(panel.commit({ commitment: commitmentTo("Invalid") }));
    },
    parity: null,
    ours: 6005,
  },
  {
    rule: "CONVERGENCE: a reveal before the third commit",
    ask(node) {
      const panel = locked(node).panel(one);
      panel.commit();
      return resultOf(panel.reveal());
    },
    parity: 6005,
    ours: null,
  },
  {
    rule: "protocol 03 D-2, W-3: members that are ours",
    ask(node) {
      disputed(node);
      const members = Object.keys(node.call("getDispute", { id: "d-1" }) as object);
      return ["revealed_votes", "terminal_split"].filter((member) => members.includes(member));
    },
    parity: [],
    ours: ["revealed_votes", "terminal_split"],
  },
  {
    rule: "protocol 03 D-3: a wallet in base58",
    ask: (node) => (node.call("getWalletChallenge", { wallet: person(1).key }) as { subject?: string }).subject,
    // To the reference 44 letters of base58 are base64 of 33 bytes, and come back as they were.
    parity: person(1).key,
    ours: person(1).peer,
  },
  {
    rule: "protocol 03 C.3: bytes after a transaction",
    ask: (node) =>
      node.call("sendTransaction", { data: Buffer.concat([transaction, Buffer.of(0)]).toString("base64") }),
    parity: { queued: true },
    ours: 1012,
  },
  {
    rule: "protocol 03 W-10: a gossip-only node relays what it took",
    ask(node) {
      node.accept({ type: "peer.connected", peer: third.peer, address: null });
      const before = node.effects.length;
      node.call("sendTransaction", { data: transaction.toString("base64") });
      return node.effects.slice(before).some((effect) => effect.type === "message.send");
    },
    parity: false,
    ours: true,
  },
];

/** The transaction of protocol 03 H.9. */
const transaction = Buffer.from(
  "AbeyKEXgRzhjx0o9Qyj0Gym5L7KfbpqAbKEz6fxR+eGUhoSl8Zp/H+orehmnhcwgmPqhH0gwT/JyufljUcE+HgEBAAABiojj3XQJ8ZX9UtstPLpd" +
    "cspnCb8dlBIb83SIAbQPb1wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
  "base64",
);

test.each(departures)("$rule", ({ ask, parity, ours }) => {
  expect(ask(parityNode(NOW))).toEqual(parity);
  expect(ask(loneNode(NOW))).toEqual(ours);
});
