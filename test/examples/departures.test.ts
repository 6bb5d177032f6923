/**
 * Goal: where our rules depart from the reference's and no worked example shows it, both hold: ours by default, the
 * reference's under `--parity reference` (DESIGN §7 #12).
 * Method: one row a departure; the same words to a node of each profile, and what each answers.
 */
import { expect, test } from "vitest";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, parityNode, person } from "../rpc/lone-node.ts";
import { arbitrators, buyer, commitmentTo, merchant, saidBy, speech, third, usdc } from "../rpc/signed-sends.ts";

const NOW = 1_786_000_000_000n;
const DAY = 86_400_000n;
const [one, two, three, four] = arbitrators;

interface Departure {
  readonly rule: string;
  /** The answer of the last thing said. */
  readonly say: (node: LoneNode) => unknown;
  readonly parity: unknown;
  readonly ours: unknown;
}

const told =
  (...words: readonly ("create" | "reserve" | "initiate" | "pay" | "open")[]) =>
  (node: LoneNode) => {
    const said = speech(node);
    for (const word of words) said[word]();
    return said;
  };
const trading = told("create", "reserve", "initiate");
const disputed = told("create", "reserve", "initiate", "open");

/** A case with its three seats taken. */
function locked(node: LoneNode) {
  const said = disputed(node);
  for (const by of [one, two, three]) said.panel(by).join();
  return said;
}

const departures: readonly Departure[] = [
  {
    rule: "protocol 02 N.3: a list when nothing is asked",
    say: (node) => Array.isArray(node.call("getAdvertisements", {})),
    parity: false,
    ours: true,
  },
  {
    rule: "protocol 01 §11: missing parameters of a row whose every member is optional",
    say: (node) => node.call("getAdvertisements"),
    parity: -32602,
    ours: [],
  },
  {
    rule: "protocol 01 §11: the same of payment methods",
    say: (node) => typeof node.call("getPaymentMethods", null),
    parity: "number",
    ours: "object",
  },
  {
    rule: "protocol 01 §2.5: equal members of parameters",
    say: (node) =>
      saidBy(node.body('{"jsonrpc":"2.0","id":1,"method":"getDispute","params":{"id":"a","id":"b"}}') ?? ""),
    parity: null,
    ours: -32602,
  },
  {
    rule: "protocol 01 §10.2: an id token for token",
    say: (node) => node.body('{"jsonrpc":"2.0","id":1e2,"method":"getHealth"}'),
    parity: '{"jsonrpc":"2.0","id":100.0,"result":"ok"}',
    ours: '{"jsonrpc":"2.0","id":1e2,"result":"ok"}',
  },
  {
    rule: "protocol 02 O.27: dates more than a day behind",
    say: (node) => saidBy(speech(node).create({ timestamp: NOW - DAY - 1n })),
    parity: "ad-1",
    ours: 3,
  },
  {
    rule: "protocol 02 O.24: ids above 128 bytes",
    say: (node) => saidBy(speech(node).create({ id: "x".repeat(129) })),
    parity: "x".repeat(129),
    ours: 3,
  },
  {
    rule: "protocol 02 O.14: liquidity of other decimals than the limits",
    say: (node) => saidBy(speech(node).create({ initial_liquidity: usdc(1_000, 9) })),
    parity: "ad-1",
    ours: 3003,
  },
  {
    rule: "protocol 02 O.16: nothing to sell",
    say: (node) => {
      speech(node).create({ initial_liquidity: usdc(0) });
      return (node.call("getAdvertisement", { id: "ad-1" }) as { status: string }).status;
    },
    parity: "Active",
    ours: "Disabled",
  },
  {
    rule: "protocol 02 B.6: an edit that names another merchant and is signed by the stored one",
    say: (node) => saidBy(told("create")(node).price({ merchant: third.peer }, merchant)),
    parity: 2001,
    ours: 1003,
  },
  {
    rule: "protocol 02 O.5: an initiate of no known reservation",
    say: (node) => saidBy(speech(node).initiate()),
    parity: "set-1",
    ours: 4000,
  },
  {
    rule: "protocol 02 O.5: an initiate above what was reserved",
    say: (node) => saidBy(told("create", "reserve")(node).initiate({ amount: usdc(20_000_001) })),
    parity: "set-1",
    ours: 2,
  },
  {
    rule: "protocol 02 O.6: a second settlement of one reservation",
    say: (node) => saidBy(trading(node).initiate({ id: "set-0" })),
    parity: "set-0",
    ours: 4006,
  },
  {
    rule: "CONVERGENCE: a payment over the seller's cancel",
    say(node) {
      const said = trading(node);
      said.cancel({ canceller: merchant.peer }, merchant);
      return saidBy(said.pay());
    },
    parity: 5009,
    ours: null,
  },
  {
    rule: "CONVERGENCE: an approve after the payment was taken back",
    say(node) {
      const said = trading(node);
      said.pay();
      said.reverse({ timestamp: NOW + 1n });
      return saidBy(said.approve());
    },
    parity: 5009,
    ours: null,
  },
  {
    rule: "protocol 02 O.7: the settlement that a trade joins",
    say(node) {
      const said = told("create", "reserve")(node);
      said.initiate({ id: "set-0" });
      said.cancel({ settlement_id: "set-0" });
      said.initiate({ id: "set-1" });
      return (node.call("getTrade", { id: "1" }) as { settlement: { id: string } }).settlement.id;
    },
    parity: "set-0",
    ours: "set-1",
  },
  {
    rule: "CONVERGENCE: an open of a cancelled settlement",
    say(node) {
      const said = trading(node);
      said.cancel();
      return saidBy(said.open());
    },
    parity: 6005,
    ours: "d-1",
  },
  {
    rule: "CONVERGENCE: the other party's open of the same settlement",
    say: (node) =>
      saidBy(disputed(node).open({ id: "d-2", opener: merchant.peer, opener_public_key: merchant.key }, merchant)),
    parity: 6005,
    ours: "d-2",
  },
  {
    rule: "protocol 03 W-7: a long reason",
    say: (node) => saidBy(trading(node).open({ reason: "x".repeat(4_097) })),
    parity: "d-1",
    ours: 3,
  },
  {
    rule: "protocol 03 W-7: a payload above 16 KiB",
    say: (node) => saidBy(trading(node).open({ reason: "x".repeat(16_384) })),
    parity: "d-1",
    ours: 3,
  },
  {
    rule: "CONVERGENCE: a fourth joiner",
    say: (node) => saidBy(locked(node).panel(four).join()),
    parity: 6005,
    ours: null,
  },
  {
    rule: "protocol 03 W-5: a party that joins",
    say: (node) => saidBy(disputed(node).panel(buyer).join()),
    parity: null,
    ours: 2001,
  },
  {
    rule: "CONVERGENCE: a commit before the third join",
    say(node) {
      const panel = disputed(node).panel(one);
      panel.join();
      return saidBy(panel.commit());
    },
    parity: 6005,
    ours: null,
  },
  {
    rule: "protocol 03 W-15: a second, different commitment",
    say(node) {
      const panel = locked(node).panel(one);
      panel.commit();
      return saidBy(panel.commit({ commitment: commitmentTo("Invalid") }));
    },
    parity: null,
    ours: 6005,
  },
  {
    rule: "CONVERGENCE: a reveal before the third commit",
    say(node) {
      const panel = locked(node).panel(one);
      panel.commit();
      return saidBy(panel.reveal());
    },
    parity: 6005,
    ours: null,
  },
  {
    rule: "protocol 03 D-2, W-3: members that are ours",
    say(node) {
      disputed(node);
      const members = Object.keys(node.call("getDispute", { id: "d-1" }) as object);
      return ["revealed_votes", "terminal_split"].filter((member) => members.includes(member));
    },
    parity: [],
    ours: ["revealed_votes", "terminal_split"],
  },
  {
    rule: "protocol 03 D-3: a wallet in base58",
    say: (node) => (node.call("getWalletChallenge", { wallet: person(1).key }) as { subject?: string }).subject,
    // To the reference 44 letters of base58 are base64 of 33 bytes, and come back as they were.
    parity: person(1).key,
    ours: person(1).peer,
  },
  {
    rule: "protocol 03 C.3: bytes after a transaction",
    say: (node) =>
      node.call("sendTransaction", { data: Buffer.concat([transaction, Buffer.of(0)]).toString("base64") }),
    parity: { queued: true },
    ours: 1012,
  },
  {
    rule: "protocol 03 W-10: a gossip-only node relays what it took",
    say(node) {
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

test.each(departures)("$rule", ({ say, parity, ours }) => {
  expect(say(parityNode(NOW))).toEqual(parity);
  expect(say(loneNode(NOW))).toEqual(ours);
});
