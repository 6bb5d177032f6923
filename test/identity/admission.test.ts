// Goal: what a wallet may claim, at the RPC ingress and at the gossip ingress: sizes, values, limits, sticky
// revocation. Method: JSON-RPC and gossip in, JSON-RPC out, on one node (protocol 04 §9 rows 1-5 and 13, §1.11).
import { createPrivateKey, createPublicKey, diffieHellman } from "node:crypto";
import { describe, expect, test } from "vitest";
import { CLAIMS_HELD_MAX } from "../../core/domains/identity/bounds.ts";
import { takesValue } from "../../core/domains/identity/claim-values.ts";
import { COUNTED_CLAIMS_MAX, LIVE_CLAIMS_MAX } from "../../core/domains/identity/queries.ts";
import { ClaimPublish, ClaimRevoke, ClaimVerify } from "../../core/domains/identity/schema.ts";
import { toBase58 } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { crypto, loneNode, parityNode, person, signedData } from "../rpc/lone-node.ts";
import { about, claimed } from "./fixtures.ts";

const T = 1_786_000_000_000n as EpochMillis;
const later = (ms: number) => (T + BigInt(ms)) as EpochMillis;
const [ann, bob] = [person(0x11), person(0x22)];
type Fields = Parameters<typeof claimed>[2];

const publish = (node: LoneNode, fields: Fields, by = ann, when = T) =>
  node.call("sendClaimPublish", { data: signedData(ClaimPublish, claimed(by, when, fields), by) });
const revoke = (node: LoneNode, id: string, by = ann, when = T) =>
  node.call("sendClaimRevoke", { data: signedData(ClaimRevoke, about(by, when, id), by) });
const shown = (node: LoneNode, wallet: string = ann.peer) =>
  node.call("getIdentityClaimsByWallet", { wallet }) as { id: string; revoked: boolean; verification_status: string }[];

describe("sizes", () => {
  test.each([
    ["value", { value: "é".repeat(512) }, { value: `${"é".repeat(512)}x` }],
    ["label", { type: { Custom: "x".repeat(64) } }, { type: { Custom: "x".repeat(65) } }],
    ["id", { id: "x".repeat(128) }, { id: "x".repeat(129) }],
    ["supersedes", { supersedes: "x".repeat(128) }, { supersedes: "x".repeat(129) }],
    ["control characters", { supersedes: "x" }, { supersedes: "x\n" }],
  ] as const)("%s, at its bound and one beyond", (_, fits, exceeds) => {
    expect(publish(loneNode(T), exceeds)).toBe(3);
    expect(publish(loneNode(T), fits)).toEqual(expect.any(String));
    expect(publish(parityNode(T), exceeds)).toEqual(expect.any(String));
  });

  test("by gossip a longer id passes, a longer value or label does not", () => {
    const node = loneNode(T);
    node.gossip(ClaimPublish, claimed(ann, T, { id: "x".repeat(1_024) }), ann);
    node.gossip(ClaimPublish, claimed(ann, T, { id: "y".repeat(1_025) }), ann);
    node.gossip(ClaimPublish, claimed(ann, T, { id: "v", value: "x".repeat(1_025) }), ann);
    node.gossip(ClaimPublish, claimed(ann, T, { id: "l", type: { Custom: "x".repeat(65) } }), ann);
    node.gossip(ClaimPublish, claimed(ann, T, { id: "s", supersedes: "x".repeat(1_025) }), ann);
    node.gossip(ClaimPublish, claimed(ann, T, { id: "a", type: "Avatar", value: "" }), ann);
    expect(shown(node).map(({ id }) => id.slice(0, 1))).toEqual(["x"]);
  });

  test("a date 24 h back and 5 minutes ahead passes, one millisecond more does not", () => {
    expect(publish(loneNode(T), {}, ann, later(-86_400_000))).toBe("c");
    expect(publish(loneNode(T), {}, ann, later(-86_400_001))).toBe(3);
    expect(publish(loneNode(T), {}, ann, later(300_000))).toBe("c");
    expect(publish(loneNode(T), {}, ann, later(300_001))).toBe(3);
  });
});

describe("values", () => {
  test("an avatar is a content identifier", () => {
    for (const value of [
      "bafkreibdmq27skp3wnycoyoqcei47etyaulerpsegivlkfvyhjkw7ufjva",
      "bafkreibqyjcrlslvz3uen3qjl6gaqyxu2tryyvqlb555rluyyszpg5zbqu",
      "bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354",
    ]) {
      expect(takesValue("Avatar", value)).toBe(true);
      for (const spoiled of [`${value}a`, value.slice(0, -1), value.toUpperCase(), `${value.slice(0, -1)}b`]) {
        expect(takesValue("Avatar", spoiled), spoiled).toBe(false);
      }
    }
    for (const value of [
      "",
      "https://example.org/me.png",
      "/ipfs/x",
      "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG",
    ]) {
      expect(publish(loneNode(T), { type: "Avatar", value }), value).toBe(9004);
    }
  });

  // What the runtime's own X25519 takes to zero is refused, non-canonical spellings and a set top bit included.
  test("an encryption key is one that agrees on more than zero, as X25519 itself says", () => {
    const prime = (1n << 255n) - 19n;
    const small = [
      0n,
      1n,
      prime - 1n,
      325606250916557431795983626356110631294008115727848805560023387167927233504n,
      39382357235489614581723060781553021112529911719440698176882885853963445705823n,
    ];
    const noncanonical = [prime, prime + 1n];
    const bits = [...small, ...noncanonical].flatMap((u) => [u, u + (1n << 255n)]);
    for (const u of bits) expect([isWeak(u), takes(u)], `${u}`).toEqual([true, false]);
    for (const u of [2n, 9n, prime - 2n, prime + 2n, (1n << 255n) - 1n, ...randomNumbers(60)]) {
      expect(takes(u), `${u}`).toBe(!isWeak(u));
    }
    for (const value of ["", "1".repeat(31), "1".repeat(33), "0".repeat(43), toBase58(new Uint8Array(33).fill(9))]) {
      expect(takesValue("EncryptionKey", value), value).toBe(false);
    }
    expect(publish(loneNode(T), { type: "EncryptionKey", value: "4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM" })).toBe(
      9004,
    );
    expect(publish(loneNode(T), { type: "EncryptionKey", value: "1".repeat(32) })).toBe(9004);
    expect(publish(loneNode(T), { type: "EncryptionKey", value: "AZ18KopCSZw3YpzhrFf3zxvNo6FejeCAnHj3FgJSCNGw" })).toBe(
      "c",
    );
  });
});

describe("sixty-four live claims", () => {
  const full = (node: LoneNode) => {
    for (let n = 0; n < LIVE_CLAIMS_MAX; n++) expect(publish(node, { id: `c${n}` })).toBe(`c${n}`);
    return node;
  };

  test("the next is refused, unless it replaces a live claim of its wallet and type", () => {
    const node = full(loneNode(T));
    expect(publish(node, { id: "b", value: "@b" }, bob)).toBe("b");
    expect(publish(node, { id: "new" })).toBe(2007);
    expect(publish(node, { id: "new" }, ann, later(299_999))).toBe(2007);
    for (const supersedes of ["unknown", "b"]) expect(publish(node, { id: "new", supersedes })).toBe(2007);
    expect(publish(node, { id: "new", type: "Discord", supersedes: "c0" })).toBe(2007);
    expect(publish(node, { id: "new", supersedes: "c0" })).toBe("new");
    expect(publish(node, { id: "newer", supersedes: "c0" })).toBe(2007);
    expect(publish(node, { id: "newer" })).toBe(2007);
  });

  test("a revoked and an expired claim make room", () => {
    const node = full(loneNode(T));
    expect(revoke(node, "c1")).toBe(null);
    expect(publish(node, { id: "new", expires: later(1_000) })).toBe("new");
    expect(publish(node, { id: "newer" })).toBe(2007);
    node.now = later(1_000);
    expect(publish(node, { id: "newer" })).toBe("newer");
  });

  test("under parity any type replaces any", () => {
    expect(publish(full(parityNode(T)), { id: "new", type: "Discord", supersedes: "c0" })).toBe("new");
  });

  test("of live claims that came by gossip, the first 256 by date count, and a dead one makes room", () => {
    const node = loneNode(T);
    for (let n = COUNTED_CLAIMS_MAX + 2; n > 0; n--) {
      node.gossip(ClaimPublish, claimed(ann, later(n), { id: `c${n}` }), ann);
    }
    const ids = () => shown(node).map(({ id }) => Number(id.slice(1)));
    expect(ids().length).toBe(COUNTED_CLAIMS_MAX);
    expect(Math.max(...ids())).toBe(COUNTED_CLAIMS_MAX);
    expect(node.call("getIdentityClaim", { id: `c${COUNTED_CLAIMS_MAX + 1}` })).toBe(null);
    node.gossip(ClaimRevoke, about(ann, later(1), "c1"), ann);
    expect(ids().length).toBe(COUNTED_CLAIMS_MAX + 1);
    expect(Math.max(...ids())).toBe(COUNTED_CLAIMS_MAX + 1);
  });

  test("a node keeps so many claims of one wallet, dead ones too", () => {
    const node = loneNode(T);
    for (let n = 0; n < CLAIMS_HELD_MAX; n++) {
      node.gossip(ClaimPublish, claimed(ann, T, { id: `c${n}`, supersedes: n > 0 ? `c${n - 1}` : null }), ann);
    }
    expect(publish(node, { id: "new" })).toBe(2007);
    node.gossip(ClaimPublish, claimed(ann, T, { id: "new" }), ann);
    expect(shown(node).length).toBe(CLAIMS_HELD_MAX);
    expect(publish(node, { id: "new" }, bob)).toBe("new");
  });
});

describe("words about a claim", () => {
  test("a verification wrapped as a revocation does not verify, nor do bare ones", () => {
    const node = loneNode(T);
    publish(node, {});
    const verify = Buffer.from(signedData(ClaimVerify, about(ann, T), ann), "base64").toString();
    const wrapped = Buffer.from(verify.replace('"verify"', '"revoke"')).toString("base64");
    expect(node.call("sendClaimRevoke", { data: wrapped })).toBe(1003);
    const bare = { ...ClaimVerify, forms: "both" as const };
    expect(node.call("sendClaimVerify", { data: signedData(bare, about(ann, T), ann) })).toBe(1003);
    expect(shown(node)[0]?.verification_status).toBe("Unverified");
  });

  test("a revocation is known before its claim, and survives a restart; nothing undoes it", () => {
    const node = loneNode(T);
    node.gossip(ClaimRevoke, about(ann, T), ann);
    expect(shown(node)).toEqual([]);
    expect(publish(node, {})).toBe("c");
    for (const each of [node, node.restart()]) {
      expect(shown(each)[0]?.revoked).toBe(true);
      expect(publish(each, {})).toBe(2002);
      expect(revoke(each, "c", ann, later(1))).toBe(2001);
    }
  });

  test("a stranger's is refused, and one that reaches two own claims must name one by its identity", () => {
    const node = loneNode(T);
    publish(node, {});
    expect(revoke(node, "c", bob)).toBe(2001);
    expect(revoke(node, "d")).toBe(2000);
    node.gossip(ClaimPublish, claimed(ann, later(1), { value: "@again" }), ann);
    expect(revoke(node, "c")).toBe(3);
    expect(shown(node).map(({ revoked }) => revoked)).toEqual([false, false]);
  });
});

test("a wallet is read in its three spellings, and nothing else is a wallet", () => {
  const node = loneNode(T);
  publish(node, {});
  const base64 = Buffer.from(Uint8Array.of(0, 0x24, 8, 1, 0x12, 0x20, ...crypto.publicKey(ann.secret))).toString(
    "base64",
  );
  for (const wallet of [ann.peer, ann.key, base64]) expect(shown(node, wallet).length).toBe(1);
  expect(node.call("getIdentityClaimsByWallet", { wallet: "AAAA" })).toBe(-32602);
  expect(parityNode(T).call("getIdentityClaimsByWallet", { wallet: "AAAA" })).toEqual([]);
  expect(parityNode(T).call("getIdentityClaimsByWallet", { wallet: "%" })).toBe(-32602);
});

function littleEndian(u: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, at) => Number((u >> BigInt(8 * at)) & 255n));
}

function takes(u: bigint): boolean {
  return takesValue("EncryptionKey", toBase58(littleEndian(u)));
}

/** Whether X25519 with the clamped scalar of 32 bytes 0x01 ends in zero: the runtime refuses to derive then. */
function isWeak(u: bigint): boolean {
  const der = (head: string, body: Uint8Array) => Buffer.concat([Buffer.from(head, "hex"), body]);
  const privateKey = createPrivateKey({
    key: der("302e020100300506032b656e04220420", new Uint8Array(32).fill(1)),
    format: "der",
    type: "pkcs8",
  });
  const publicKey = createPublicKey({
    key: der("302a300506032b656e032100", littleEndian(u)),
    format: "der",
    type: "spki",
  });
  try {
    return diffieHellman({ privateKey, publicKey }).every((byte) => byte === 0);
  } catch {
    return true;
  }
}

function randomNumbers(count: number): readonly bigint[] {
  return Array.from({ length: count }, (_, n) =>
    BigInt(`0x${Buffer.from(crypto.sha256(Uint8Array.of(n))).toString("hex")}`),
  );
}
