// Goal: every check of the session methods answers at its row, and each boundary at its instant or byte.
// Method: JSON-RPC in, JSON-RPC out, in our default profile; gossip where an ingress must not be asked.
import { describe, expect, test } from "vitest";
import { SessionCreate, SessionMigrate, SessionRenew, SessionRevoke } from "../../core/domains/sessions/schema.ts";
import { SESSION_GRACE_MS } from "../../core/domains/sessions/views.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { loneNode, parityNode, person, signedData } from "../rpc/lone-node.ts";

const T = 1_786_000_000_000n;
const at = (ms: bigint | number) => (T + BigInt(ms)) as EpochMillis;
const [wallet, other, host] = [person(7), person(8), person(0x0a)];
const DAY = 86_400_000n;

const create = (change: Partial<SessionCreate> = {}): SessionCreate => ({
  id: "s-1",
  wallet: wallet.peer,
  wallet_public_key: wallet.key,
  client: "web",
  host_node: host.peer,
  permissions: ["trade"],
  timestamp: at(0),
  expires_at: at(DAY),
  ...change,
});
const establish = (node: LoneNode, change: Partial<SessionCreate> = {}, by: Person = wallet) =>
  node.call("sendSessionEstablish", { data: signedData(SessionCreate, create(change), by) });
const renew = (node: LoneNode, change: Partial<SessionRenew> = {}, by: Person = wallet) => {
  const payload = {
    session_id: "s-1",
    wallet: wallet.peer,
    new_expires_at: at(2n * DAY),
    version: 1n,
    timestamp: at(1),
  };
  return node.call("sendSessionRenew", { data: signedData(SessionRenew, { ...payload, ...change }, by) });
};
const migrate = (node: LoneNode, version: bigint, timestamp = at(1)) => {
  const payload = { session_id: "s-1", wallet: wallet.peer, new_host_node: other.peer, version, timestamp };
  return node.call("sendSessionMigrate", { data: signedData(SessionMigrate, payload, wallet) });
};
const revoke = (node: LoneNode, timestamp = at(1)) => {
  const payload = { session_id: "s-1", wallet: wallet.peer, timestamp };
  return node.call("sendSessionRevoke", { data: signedData(SessionRevoke, payload, wallet) });
};
const shown = (node: LoneNode) => node.call("getSession", { id: "s-1" }) as Record<string, unknown> | null;

function opened(): LoneNode {
  const node = loneNode(T);
  expect(establish(node)).toBe("s-1");
  return node;
}

describe("establishing", () => {
  const lifetime = 30n * DAY;
  test.each<[string, Partial<SessionCreate>, Person, string | number]>([
    ["another's key", { wallet_public_key: other.key }, wallet, 2],
    ["another's signature", {}, other, 1003],
    ["dated 5 min ahead", { timestamp: at(300_000) }, wallet, "s-1"],
    ["dated further ahead", { timestamp: at(300_001) }, wallet, 3],
    ["dated 24 h ago", { timestamp: at(-DAY) }, wallet, "s-1"],
    ["dated earlier", { timestamp: at(-DAY - 1n) }, wallet, 3],
    ["30 days long", { expires_at: at(lifetime) }, wallet, "s-1"],
    ["longer", { expires_at: at(lifetime + 1n) }, wallet, 3],
    ["an expiry that has passed", { expires_at: at(-1) }, wallet, "s-1"],
    ["an id of 129 bytes", { id: "i".repeat(129) }, wallet, 3],
    ["an empty id", { id: "" }, wallet, 3],
    ["an id that is another's hash", { id: host.key }, wallet, 3],
    ["a long client", { client: "c".repeat(129) }, wallet, 3],
    ["many permissions", { permissions: Array(33).fill("p") }, wallet, 3],
  ])("%s", (_, change, by, answer) => {
    expect(establish(loneNode(T), change, by)).toBe(answer);
  });

  test("a taken id is refused, whoever holds it, and an exact repeat too", () => {
    const node = opened();
    expect(establish(node)).toBe(7);
    expect(establish(node, { wallet: other.peer, wallet_public_key: other.key }, other)).toBe(7);
  });

  test("the reference bounds neither date nor lifetime", () => {
    const node = parityNode(T);
    expect(establish(node, { timestamp: at(-9n * DAY), expires_at: at(999n * DAY) })).toBe("s-1");
  });
});

describe("renewing and migrating", () => {
  test("a stale version is refused, a gap is not, and both share one count", () => {
    const node = opened();
    expect(renew(node, { version: 0n })).toBe(2);
    expect(renew(node, { version: 3n })).toBe(null);
    expect(migrate(node, 3n)).toBe(2);
    expect(migrate(node, 18_446_744_073_709_551_615n)).toBe(null);
    expect(shown(node)).toMatchObject({ host_node: other.peer, revoked: false });
  });

  test("another wallet, another key, an unknown id, in that order of precedence", () => {
    const node = opened();
    expect(renew(node, { session_id: "nope" })).toBe(6);
    expect(renew(node, { wallet: other.peer }, other)).toBe(2);
    expect(renew(node, {}, other)).toBe(1003);
  });

  test("a session expires at its instant, by the node's clock and by the act's own date", () => {
    const node = opened();
    node.now = T + DAY - 1n;
    expect(renew(node, { timestamp: at(DAY) })).toBe(1006);
    expect(migrate(node, 1n, at(DAY - 1n))).toBe(null);
    node.now = T + DAY;
    expect(renew(node, { version: 2n, timestamp: at(DAY - 1n) })).toBe(1006);
  });

  test("a lifetime of more than 30 days is refused before anything about the version", () => {
    expect(renew(opened(), { new_expires_at: at(30n * DAY + 1n), version: 0n })).toBe(3);
    expect(renew(opened(), { new_expires_at: at(30n * DAY) })).toBe(null);
  });

  test("a bare id that reaches two sessions of the signer is refused", () => {
    const node = opened();
    node.gossip(SessionCreate, create({ client: "mobile" }), wallet);
    expect(renew(node)).toBe(3);
    expect((node.call("getSessionsByWallet", { wallet: wallet.peer }) as unknown[]).length).toBe(2);
  });

  test("what a peer brings may be stale by version and still counts in its own register", () => {
    const node = opened();
    expect(migrate(node, 2n)).toBe(null);
    const late = {
      session_id: "s-1",
      wallet: wallet.peer,
      new_expires_at: at(5n * DAY),
      version: 1n,
      timestamp: at(1),
    };
    node.gossip(SessionRenew, late, wallet);
    expect(shown(node)).toMatchObject({ expires_at: Number(at(5n * DAY)), host_node: other.peer, version: 2 });
  });
});

describe("revoking", () => {
  test("is final: every later act answers SESSION_REVOKED", () => {
    const node = opened();
    expect(revoke(node)).toBe(null);
    expect([revoke(node), revoke(node, at(2)), renew(node), migrate(node, 1n)]).toEqual([1014, 1014, 1014, 1014]);
    expect(establish(node)).toBe(7);
    expect(shown(node)).toMatchObject({ revoked: true });
  });

  test("an expired session can still be revoked; another session of the wallet stays", () => {
    const node = opened();
    expect(establish(node, { id: "s-2" })).toBe("s-2");
    node.now = T + DAY;
    expect(revoke(node, at(DAY))).toBe(null);
    expect(node.call("getSession", { id: "s-2" })).toMatchObject({ revoked: false });
  });

  test("one that a peer brought before the establishment makes it land revoked", () => {
    const node = loneNode(T);
    node.gossip(SessionRevoke, { session_id: "s-1", wallet: wallet.peer, timestamp: at(0) }, wallet);
    expect(establish(node)).toBe("s-1");
    expect(shown(node)).toMatchObject({ revoked: true });
  });
});

describe("reading", () => {
  test("an expired session is read for seven days, and its id stays taken afterwards", () => {
    const node = opened();
    node.now = T + DAY + BigInt(SESSION_GRACE_MS);
    expect(shown(node)).toMatchObject({ id: "s-1" });
    node.now += 1n;
    expect(shown(node)).toBe(null);
    expect(node.call("getSessionsByWallet", { wallet: wallet.peer })).toEqual([]);
    expect(establish(node, { timestamp: node.now as EpochMillis })).toBe(7);
  });

  test("a wallet in each of its spellings, and no others; the reference takes any base64", () => {
    const node = opened();
    const base64 = "ACQIARIg6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=";
    for (const spelling of [base64, wallet.peer, wallet.key]) {
      expect((node.call("getSessionsByWallet", { wallet: spelling }) as unknown[]).length).toBe(1);
      expect((node.call("getSessionsByWallet", { id: spelling }) as unknown[]).length).toBe(1);
    }
    expect(node.call("getSessionsByWallet", { wallet: "AAAA" })).toBe(-32602);
    expect(parityNode(T).call("getSessionsByWallet", { wallet: "AAAA" })).toEqual([]);
    expect(parityNode(T).call("getSessionsByWallet", { wallet: "%" })).toBe(-32602);
  });

  test("unfit parameters", () => {
    const node = loneNode(T);
    expect([node.call("getSession", { id: 5 }), node.call("getSession")]).toEqual([-32602, -32602]);
    expect(node.call("getSession", { id: "unknown" })).toBe(null);
  });
});

test("every subscriber is told the method and its result", () => {
  const node = opened();
  revoke(node);
  expect(node.published).toEqual([
    '{"method":"sendSessionEstablish","result":"s-1"}',
    '{"method":"sendSessionRevoke","result":null}',
  ]);
});
