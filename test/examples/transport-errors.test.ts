/**
 * Goal: bodies that are no calls are answered as the table of protocol 01 §16.10 says, in both of its columns; texts
 * that it leaves free are not compared.
 * Method: its rows through the JSON-RPC ingress of one node of each profile, and over HTTP where HTTP itself answers.
 */
import { describe, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../adapters/http/limits.ts";
import { PaymentMethodDefine } from "../../core/domains/payment-methods/schema.ts";
import { fakeNode, post } from "../http/fake-node.ts";
import { loneNode, parityNode, person, signedData } from "../rpc/lone-node.ts";

const NOW = 1_700_000_000_000n;
const VERSION = '"result":{"version":"0.1.0"}}';
const VERSION_CALL = '{"jsonrpc":"2.0","id":1,"method":"getVersion"}';

const answer = (id: string, code: number, text = /.+/) =>
  new RegExp(`^\\{"jsonrpc":"2\\.0","id":${id},"error":\\{"code":${code},"message":"${text.source}"\\}\\}$`);
const invalidSignature = (id: number, profile: "parity" | "default") =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"INVALID_SIGNATURE","data":` +
  `{"ofsErrorCode":1003,"ofsErrorName":"INVALID_SIGNATURE","ofsRetryable":false${
    profile === "parity" ? "" : ',"reason":"other-bytes"'
  }}}}`;

/** A definition that key A signed, with something else in one place. */
function send(id: number, change: (text: string) => string): string {
  const A = person(1);
  const payload = { merchant: A.peer, merchant_public_key: A.key, name: "Chipper Cash", category: "Fintech" as const };
  const text = Buffer.from(signedData(PaymentMethodDefine, payload, A), "base64").toString("utf8");
  const data = Buffer.from(change(text)).toString("base64");
  return JSON.stringify({ jsonrpc: "2.0", id, method: "sendPaymentMethodDefine", params: { data } });
}
const integers = (name: string, bytes: number) => (text: string) =>
  text.replace(new RegExp(`"${name}":"[^"]+"`), `"${name}":[${new Array(bytes).fill(1).join(",")}]`);

type Expected = string | RegExp;
const rows: readonly (readonly [request: string, parity: Expected, ours: Expected | null])[] = [
  ["{", answer("null", -32700), null],
  [`[${VERSION_CALL}]`, answer("null", -32700), `[{"jsonrpc":"2.0","id":1,${VERSION}]`],
  ["[]", answer("null", -32700), null],
  ["[1]", answer("null", -32700), new RegExp(`^\\[${answer("null", -32700).source.replace(/^\^|\$$/g, "")}\\]$`)],
  ['{"id":1,"method":"getVersion"}', answer("null", -32700), answer("1", -32700)],
  ['{"jsonrpc":"1.0","id":2,"method":"getVersion"}', `{"jsonrpc":"2.0","id":2,${VERSION}`, answer("2", -32700)],
  [
    '{"jsonrpc":"2.0","id":12345678901234567890,"method":"getHealth"}',
    '{"jsonrpc":"2.0","id":12345678901234567890,"result":"ok"}',
    null,
  ],
  [
    '{"jsonrpc":"2.0","id":7,"method":"nope"}',
    '{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"method not found: nope"}}',
    null,
  ],
  ['{"jsonrpc":"2.0","id":8,"method":"getAdvertisement","params":{}}', answer("8", -32602, /.*`id`.*/), null],
  [
    '{"jsonrpc":"2.0","id":9,"method":"sendReservationCancel","params":{"data":"***"}}',
    answer("9", -32602, /invalid base64:.*/),
    null,
  ],
];
const judged: readonly (readonly [string, string])[] = [
  ["does not verify", send(10, (text) => text.replace("Chipper", "Copper"))],
  ["names the signer as integers", send(10, integers("merchant", 38))],
  ["names the key as integers", send(10, integers("merchant_public_key", 32))],
  ["is signed by integers", send(10, integers("signature", 64))],
];

describe.each(["parity", "default"] as const)("protocol 01 §16.10 under %s", (profile) => {
  const open = () => (profile === "parity" ? parityNode(NOW) : loneNode(NOW));

  test.each(rows)("%s", (request, parity, ours) => {
    const expected = profile === "parity" ? parity : (ours ?? parity);
    const answer = open().body(request) ?? "";
    if (typeof expected === "string") expect(answer).toBe(expected);
    else expect(answer).toMatch(expected);
  });

  test.each(judged)("a payload that %s", (_, request) => {
    expect(open().body(request)).toBe(invalidSignature(10, profile));
  });

  test("a burst above the rate, and a body above 2 MiB", async () => {
    const limits = { rate: DEFAULT_LIMITS.rate };
    const node = await fakeNode({ limits, clock: () => 1000, parity: profile === "parity" });
    const large = await post(node, `"${"x".repeat(2 * 1024 * 1024)}"`);
    expect(large.status).toBe(413);
    const text = await large.text();
    if (profile === "parity") expect(large.headers.get("content-type")).toMatch(/^text\/plain/);
    else expect(text).toMatch(/^\{"jsonrpc":"2\.0","id":null,"error":\{"code":-32000,"message":"INVALID_PARAMETER"/);
    for (let n = 2; n <= 120; n += 1) await post(node, "{}");
    const refused = await post(node, "{}");
    expect(refused.status).toBe(429);
    expect(await refused.text()).toBe(
      profile === "parity"
        ? "Too Many Requests! Wait for 0s"
        : '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"RATE_LIMIT_EXCEEDED","data":' +
            '{"ofsErrorCode":9,"ofsErrorName":"RATE_LIMIT_EXCEEDED","ofsRetryable":true}}}',
    );
  });
});
