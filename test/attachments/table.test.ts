/**
 * Goal: every pair of the README's table, the bounds, and what a stranger may see.
 * Method: statements into one folded set in every order; reads through the real ingress. Source: protocol 02 G,
 * O.20-O.23.
 */
import { describe, expect, test } from "vitest";
import {
  ATTACHMENTS_MAX,
  ATTACHMENTS_PER_AUTHOR_MAX,
  attachmentsOfSettlement,
} from "../../core/domains/content/attachments/queries.ts";
import { AttachmentPublish } from "../../core/domains/content/attachments/schema.ts";
import { Attachments } from "../../core/domains/content/attachments/tables.ts";
import { Settlements } from "../../core/domains/trade/settlements/tables.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { dagNode } from "../content/dag.ts";
import { actor, called, merchant as mary, at as minute, nameOf, sign, stranger, taker } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import { openReplica, received, replicaOf, rootsOf } from "../convergence/replica.ts";
import { permutations } from "../convergence/shuffle.ts";
import { loneNode, parityNode } from "../rpc/lone-node.ts";
import {
  at,
  attach,
  attachment,
  buyer,
  cidOf,
  merchant,
  png,
  put,
  shown,
  T,
  third,
  trade,
} from "../rpc/node-with-settlement.ts";

const [advertisement, request, initiate] = [
  fixtures.advertisement(mary, minute(0)),
  fixtures.request(taker, minute(1)),
  fixtures.initiate(taker, mary, minute(2)),
];
const opening = [advertisement, request, initiate];
const cid = cidOf(png("receipt"));

function attached(by = taker, change: Partial<AttachmentPublish> = {}): Statement<AttachmentPublish> {
  const fields = {
    id: "a",
    subject: { Settlement: "s" },
    cid,
    media_type: "Png" as const,
    size_bytes: 15n,
    caption: "",
  };
  const who = { author: by.peer, author_public_key: by.key };
  return sign(AttachmentPublish, { ...fields, ...who, created_at: minute(3), ...change });
}

/** Identities that settlement `s` shows, the same in every order. */
function shownInEveryOrder(statements: readonly Statement[]): readonly string[] {
  const all = replicaOf(received(...statements));
  for (const order of permutations(statements)) {
    const replica = openReplica();
    for (const statement of order) replica.receive(received(statement));
    expect(rootsOf(replica)).toBe(rootsOf(all));
    expect(identities(replica.store())).toEqual(identities(all.store()));
  }
  return identities(all.store());
}
function identities(store: ReturnType<ReturnType<typeof openReplica>["store"]>): readonly string[] {
  const keys = [...store.keys(Settlements)];
  return keys.flatMap((key) => attachmentsOfSettlement(store, key as never).map(({ identity }) => identity));
}

describe("pairs", () => {
  test("of two authors both stand, the same id or not", () => {
    const [mine, hers] = [attached(), attached(mary, { created_at: minute(2.5) })];
    expect(shownInEveryOrder([...opening, mine, hers])).toEqual([hers.identity, mine.identity]);
  });

  test("of one author and id the smallest by time is shown; other ids beside it", () => {
    const [early, late] = [attached(taker, { created_at: minute(3) }), attached(taker, { created_at: minute(4) })];
    const other = attached(taker, { id: "b", created_at: minute(4) });
    expect(shownInEveryOrder([...opening, early, late, other])).toEqual([early.identity, other.identity]);
    const [one, two] = [attached(taker, { caption: "1" }), attached(taker, { caption: "2" })];
    const least = one.identity < two.identity ? one : two;
    expect(shownInEveryOrder([...opening, one, two])).toEqual([least.identity]);
  });

  test("of a stranger nothing is shown, though it is a record", () => {
    const foreign = attached(stranger);
    expect(shownInEveryOrder([...opening, foreign])).toEqual([]);
    const store = replicaOf(received(...opening, foreign)).store();
    expect(store.get(Attachments, foreign.identity)?.author).toBe(stranger.peer);
  });

  test("with acts on the settlement never interact", () => {
    const mine = attached();
    const acts = [
      fixtures.payment(taker, minute(4)),
      fixtures.settlementCancel(mary, minute(5)),
      fixtures.open(mary, minute(6)),
    ];
    for (const act of acts) expect(shownInEveryOrder([...opening, mine, act])).toEqual([mine.identity]);
  });

  test("a name reaches its settlement by identity, or every contender of its id", () => {
    const other = fixtures.initiate(taker, mary, minute(2.5), { amount: 9 });
    const [bare, exact] = [attached(), attached(taker, { id: "b", subject: { Settlement: nameOf(other) } })];
    const store = replicaOf(received(...opening, other, bare, exact)).store();
    const of = (statement: Statement) =>
      attachmentsOfSettlement(store, statement.identity).map(({ identity }) => identity);
    expect(of(initiate)).toEqual([bare.identity]);
    expect(of(other)).toEqual([bare.identity, exact.identity]);
    expect(called(AttachmentPublish, bare, "c").identity).not.toBe(bare.identity);
  });

  test.each([
    ["no bytes", { size_bytes: 0n }, false],
    ["one byte", { size_bytes: 1n }, true],
    ["10 MiB", { size_bytes: 10_485_760n }, true],
    ["more", { size_bytes: 10_485_761n }, false],
    ["200 characters", { caption: "\u{1f600}".repeat(200) }, true],
    ["201 characters", { caption: "a".repeat(201) }, false],
    ["an empty id", { id: "" }, false],
  ])("%s: whether it makes a record is its own", (_, change, makes) => {
    const statement = attached(taker, change);
    expect(replicaOf(received(statement)).store().size(Attachments)).toBe(makes ? 1 : 0);
  });

  test("the oldest of an author are shown, however many there are", () => {
    const many = Array.from({ length: ATTACHMENTS_PER_AUTHOR_MAX + 3 }, (_, i) =>
      attached(taker, { id: `${i}`, created_at: minute(100 - i) }),
    );
    const found = identities(replicaOf(received(...opening, ...many, attached(mary))).store());
    const oldest = [...many].reverse().slice(0, ATTACHMENTS_PER_AUTHOR_MAX);
    expect(found.slice(1)).toEqual(oldest.map(({ identity }) => identity));
    expect(actor("someone").peer).not.toBe(taker.peer);
  });
});

describe("what is read", () => {
  test("names no author, whoever asks and however", () => {
    const node = trade(loneNode(T));
    attach(node, buyer);
    attach(node, merchant, { id: "att-2", created_at: at(380_000) });
    const text =
      node.body('{"jsonrpc":"2.0","id":1,"method":"getSettlementAttachments","params":{"id":"set-1"}}') ?? "";
    expect(shown(node)).toEqual(["att-1", "att-2"]);
    for (const person of [buyer, merchant]) {
      expect(text).not.toContain(person.peer);
      expect(text).not.toContain(person.key);
    }
    for (const message of node.published) expect(message).not.toContain(buyer.peer);
    expect(shown(node, "unknown")).toEqual([]);
  });

  test("is hidden once all bytes are here and are not what was claimed", () => {
    const [node, parity] = [trade(loneNode(T)), trade(parityNode(T))];
    const text = new TextEncoder().encode("<svg onload=alert(1)>");
    const root = dagNode([cidOf(png("a")), cidOf(png("b"))]);
    for (const each of [node, parity]) {
      attach(each, buyer, { id: "right" });
      attach(each, buyer, { id: "wrong size", size_bytes: 14n });
      attach(each, buyer, { id: "wrong type", media_type: "Jpeg" });
      attach(each, buyer, { id: "text", cid: cidOf(text), size_bytes: BigInt(text.length), media_type: "Pdf" });
      attach(each, buyer, { id: "two blocks", cid: cidOf(root, "dag-pb"), size_bytes: 18n });
      put(each, png("a"));
      put(each, root, "dag-pb");
    }
    const all = ["right", "text", "two blocks", "wrong size", "wrong type"];
    expect([shown(node), shown(parity)]).toEqual([all, all]);
    for (const each of [node, parity]) for (const bytes of [png("receipt"), text, png("b")]) put(each, bytes);
    expect([shown(node), shown(parity)]).toEqual([["right", "two blocks"], all]);
  });

  test.each([
    ["Png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
    ["Jpeg", [0xff, 0xd8, 0xff]],
    ["Webp", [...new TextEncoder().encode("RIFFxxxxWEBP")]],
    ["Pdf", [...new TextEncoder().encode("%PDF-")]],
  ] as const)("%s is known by its first bytes", (media_type, bytes) => {
    const node = trade(loneNode(T));
    const [right, wrong] = [Uint8Array.from(bytes), Uint8Array.from([...bytes].fill(0, -1))];
    for (const each of [right, wrong]) put(node, each);
    attach(node, buyer, { id: "right", media_type, cid: cidOf(right), size_bytes: BigInt(right.length) });
    attach(node, buyer, { id: "wrong", media_type, cid: cidOf(wrong), size_bytes: BigInt(wrong.length) });
    expect(shown(node)).toEqual(["right"]);
  });
});

describe("the ingresses", () => {
  test("an id belongs to its author within a settlement; in the reference it belongs to the first", () => {
    for (const [node, taken] of [
      [trade(loneNode(T)), "att-1"],
      [trade(parityNode(T)), 7],
    ] as const) {
      expect(attach(node, buyer)).toBe("att-1");
      expect(attach(node, buyer, { caption: "another" })).toBe(7);
      expect(attach(node, merchant)).toBe(taken);
      expect(attach(node, buyer, { subject: { Settlement: "set-2" } })).toBe(taken);
    }
  });

  test("the name of a settlement is held to the form of an id", () => {
    const named = (id: string, Settlement: string) => ({ id, subject: { Settlement } });
    const [node, parity] = [trade(loneNode(T)), trade(parityNode(T))];
    const names = ["é".repeat(64), `${"é".repeat(64)}x`, "x".repeat(1_025), "a\nb", "a\u009fb", ""];
    expect(names.map((name, i) => attach(node, buyer, named(`${i}`, name)))).toEqual(["0", 3, 3, 3, 3, 3]);
    expect(attach(parity, buyer, named("1", names[2] as string))).toBe("1");
    // Size and caption answer before it, as they always did.
    expect(attach(node, buyer, { ...named("late", "a\nb"), caption: "x".repeat(201) })).toBe(9004);
    expect(node.view.size(Attachments)).toBe(1);
    for (const [i, name] of ["é".repeat(512), `${"é".repeat(512)}x`, "a\nb"].entries())
      node.gossip(AttachmentPublish, attachment(buyer, named(`gossip-${i}`, name)), buyer);
    const held = [...node.view.keys(Attachments)].map((key) => node.view.get(Attachments, key)?.id);
    expect(new Set(held)).toEqual(new Set(["0", "gossip-0", "gossip-2"]));
  });

  test("an id is free again in every other settlement, over RPC and by gossip", () => {
    const node = trade(loneNode(T));
    const named = (id: string, Settlement: string) => ({ id, subject: { Settlement } });
    for (let i = 0; i < 12; i++) {
      if (i % 2 === 0) expect(attach(node, buyer, named("receipt", `set of ${i}`))).toBe("receipt");
      else node.gossip(AttachmentPublish, attachment(buyer, named("receipt", `set of ${i}`)), buyer);
      expect(node.view.size(Attachments)).toBe(i + 1);
    }
    expect(attach(node, buyer, named("receipt", "set of 3"))).toBe(7);
  });

  test("a peer may bring a stranger's, and of one author twice as many as are shown", () => {
    const node = trade(loneNode(T));
    node.gossip(AttachmentPublish, attachment(third), third);
    expect([node.view.size(Attachments), shown(node)]).toEqual([1, []]);
    for (let i = 0; i < ATTACHMENTS_MAX + 5; i++)
      node.gossip(AttachmentPublish, attachment(buyer, { id: `${i}` }), buyer);
    expect(node.view.size(Attachments)).toBe(1 + ATTACHMENTS_MAX);
    expect(shown(node).length).toBe(ATTACHMENTS_PER_AUTHOR_MAX);
    expect(node.restart().roots()).toEqual(node.roots());
  });
});
