// Goal: every check of the risk methods answers at its row, each boundary at its instant or byte, and gossip under the
// wrong event name is refused.
// Method: JSON-RPC in, JSON-RPC out; providers register by gossip, which asks no ingress of ours.
import { describe, expect, test } from "vitest";
import { Registration } from "../../core/domains/providers/schema.ts";
import { RiskPublish } from "../../core/domains/risk/schema.ts";
import { fromBase58, fromBase64, toBase64, utf8 } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { loneNode, parityNode, person, signedData } from "../rpc/lone-node.ts";
import { publishPayload, registrationPayload } from "./fixtures.ts";

const T = 1_786_000_000_000n;
const at = (ms: number) => (T + BigInt(ms)) as EpochMillis;
const [provider, other, subject] = [person(8), person(7), person(0x0b)];
const DAY = 86_400_000;

function ready(open: (now: bigint) => LoneNode = loneNode): LoneNode {
  const node = open(T);
  node.gossip(Registration, registrationPayload(provider, at(0)), provider);
  return node;
}
const record = (change: Partial<RiskPublish> = {}) => ({ ...publishPayload(provider, subject.peer, at(0)), ...change });
const send = (node: LoneNode, change: Partial<RiskPublish> = {}, by: Person = provider) =>
  node.call("sendRiskPublish", { data: signedData(RiskPublish, record(change), by) });
const severity = (node: LoneNode) =>
  (node.call("getWalletScreening", { wallet: subject.peer }) as { highest_severity: string | null }).highest_severity;

describe("the validation order", () => {
  test.each<[string, Partial<RiskPublish>, Person, number | null]>([
    ["another's key", { provider_public_key: other.key }, provider, 2],
    ["another's signature", {}, other, 1003],
    ["dated 5 min ahead", { timestamp: at(300_000) }, provider, null],
    ["dated further ahead", { timestamp: at(300_001) }, provider, 2],
    ["dated 24 h ago", { timestamp: at(-DAY) }, provider, null],
    ["dated earlier", { timestamp: at(-DAY - 1) }, provider, 2],
    ["an id of 129 bytes", { id: "i".repeat(129) }, provider, 3],
    ["a long reason", { reason: "r".repeat(1_025) }, provider, 3],
    ["many references", { evidence: Array(17).fill("e") }, provider, 3],
    ["an unregistered provider", { provider: other.peer, provider_public_key: other.key }, other, 2],
    ["an expiry that has passed", { expires_at: at(-1) }, provider, null],
  ])("%s", (_, change, by, answer) => {
    expect(send(ready(), change, by)).toBe(answer);
  });

  test("an id is taken once, whoever asks", () => {
    const node = ready();
    node.gossip(Registration, registrationPayload(other, at(0)), other);
    expect(send(node)).toBe(null);
    expect(send(node)).toBe(7);
    expect(send(node, { provider: other.peer, provider_public_key: other.key }, other)).toBe(7);
  });

  test("a provider that was not heard of for 600 s may not publish, yet its records count", () => {
    const node = ready();
    expect(send(node, { severity: "High" })).toBe(null);
    node.now = T + 600_000n;
    expect(send(node, { id: "in time" })).toBe(null);
    node.now += 1n;
    expect(send(node, { id: "late" })).toBe(2);
    expect(severity(node)).toBe("High");
  });

  test("another kind of security service does not qualify", () => {
    const node = loneNode(T);
    const flagging = registrationPayload(provider, at(0), { Security: "WalletFlaggingProvider" });
    node.gossip(Registration, flagging, provider);
    expect(send(node)).toBe(2);
  });

  test("the reference bounds no date", () => {
    expect(send(ready(parityNode), { timestamp: at(-9 * DAY) })).toBe(null);
  });

  test("identifiers written as arrays of integers verify nothing, whatever was signed", () => {
    for (const open of [loneNode, parityNode]) {
      const json = new TextDecoder().decode(fromBase64(signedData(RiskPublish, record(), provider)));
      const array = json.replace(JSON.stringify(subject.peer), JSON.stringify([...(fromBase58(subject.peer) ?? [])]));
      expect(array).not.toBe(json);
      expect(ready(open).call("sendRiskPublish", { data: toBase64(utf8(array)) })).toBe(1003);
    }
  });
});

describe("gossip", () => {
  test("a record under its outcome's event is taken, registered or not; it counts with the registration", () => {
    const node = loneNode(T);
    node.gossip(RiskPublish, record(), provider);
    expect((node.call("getRiskRecordsByWallet", { wallet: subject.peer }) as unknown[]).length).toBe(1);
    expect(severity(node)).toBe(null);
    node.gossip(Registration, registrationPayload(provider, at(0)), provider);
    expect(severity(node)).toBe("Medium");
  });

  test("a record under the other outcome's event is refused", () => {
    const node = ready();
    node.gossip(RiskPublish, record(), provider, "WalletCleared");
    node.gossip(RiskPublish, record({ id: "b", outcome: "Cleared" }), provider, "WalletFlagged");
    expect(node.call("getRiskRecordsByWallet", { wallet: subject.peer })).toEqual([]);
  });

  test("what is originated carries the event of its outcome", () => {
    const node = ready();
    node.accept({ type: "peer.connected", peer: other.peer, address: null });
    send(node);
    send(node, { id: "b", outcome: "Cleared" });
    const sent = node.effects.flatMap((effect) => {
      const text = effect.type === "message.send" ? new TextDecoder().decode(effect.bytes) : "";
      return text.match(/Wallet(?:Flagged|Cleared)/) ?? [];
    });
    expect(sent).toEqual(["WalletFlagged", "WalletCleared"]);
  });
});

test("a wallet in each of its spellings, and no others; the reference takes any base64", () => {
  const node = ready();
  send(node);
  const base64 = "ACQIARIgZr5+Myx6RTMyvZ0Kf32wVfXF7xoGraZtmLOftoEMRzo=";
  const answers = [base64, subject.peer, subject.key].flatMap((wallet) => [
    node.call("getWalletScreening", { wallet }),
    node.call("getWalletScreening", { id: wallet }),
  ]);
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(answers[0]).toMatchObject({ wallet: subject.peer, highest_severity: "Medium" });
  for (const method of ["getWalletScreening", "getRiskRecordsByWallet"]) {
    expect(node.call(method, { wallet: "AAAA" })).toBe(-32602);
    expect(node.call(method, {})).toBe(-32602);
    expect(parityNode(T).call(method, { wallet: "%%%%" })).toBe(-32602);
  }
  const raw = { active_flags: [], highest_severity: null, wallet: "111" };
  expect(parityNode(T).call("getWalletScreening", { wallet: "AAAA" })).toEqual(raw);
});
