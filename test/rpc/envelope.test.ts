/**
 * Goal: bodies are answered as protocol 01 §10.2 and §16.10 say, token for token.
 */
import { expect, test } from "vitest";
import { loneNode } from "./lone-node.ts";

const node = loneNode(1_700_000_000_000n);
const VERSION = '"result":{"version":"0.1.0"}';

test.each([
  ['{"jsonrpc":"2.0","id":1,"method":"getVersion"}', `{"jsonrpc":"2.0","id":1,${VERSION}}`],
  ['[{"jsonrpc":"2.0","id":1,"method":"getVersion"}]', `[{"jsonrpc":"2.0","id":1,${VERSION}}]`],
  [
    '{"jsonrpc":"2.0","id":12345678901234567890,"method":"getHealth"}',
    '{"jsonrpc":"2.0","id":12345678901234567890,"result":"ok"}',
  ],
  ['{"jsonrpc":"2.0","id":1.0,"method":"getHealth"}', '{"jsonrpc":"2.0","id":1.0,"result":"ok"}'],
  ['{"jsonrpc":"2.0","id":"a","method":"getHealth","params":[]}', '{"jsonrpc":"2.0","id":"a","result":"ok"}'],
  ['{"jsonrpc":"2.0","method":"getHealth"}', '{"jsonrpc":"2.0","id":null,"result":"ok"}'],
  [
    '{"jsonrpc":"2.0","id":7,"method":"nope"}',
    '{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"method not found: nope"}}',
  ],
  [
    '{"jsonrpc":"2.0","id":7,"method":"toString"}',
    '{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"method not found: toString"}}',
  ],
  ['[{"jsonrpc":"2.0","method":"getHealth"}]', null],
])("%s is answered exactly", (body, answer) => {
  expect(node.body(body)).toBe(answer);
});

test.each([
  ["{", "null", -32700],
  ["[]", "null", -32700],
  ['{"id":1,"method":"getVersion"}', "1", -32700],
  ['{"jsonrpc":"1.0","id":2,"method":"getVersion"}', "2", -32700],
  ['{"jsonrpc":"2.0","id":3,"method":7}', "3", -32700],
  ['{"jsonrpc":"2.0","id":8,"method":"getAdvertisement","params":{}}', "8", -32602],
  ['{"jsonrpc":"2.0","id":8,"method":"getAdvertisement"}', "8", -32602],
  ['{"jsonrpc":"2.0","id":9,"method":"sendDisputeOpen","params":{"data":"***"}}', "9", -32602],
])("%s is refused", (body, id, code) => {
  expect(node.body(body)?.startsWith(`{"jsonrpc":"2.0","id":${id},"error":{"code":${code},`)).toBe(true);
});

test("a batch answers in order, one element for each request that has an id", () => {
  const one = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"getHealth"}`;
  expect(node.body(`[${one(2)},1,${one(1)}]`)).toBe(
    '[{"jsonrpc":"2.0","id":2,"result":"ok"},' +
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"a request must be an object"}},' +
      '{"jsonrpc":"2.0","id":1,"result":"ok"}]',
  );
  expect(node.body(`[${Array.from({ length: 101 }, (_, id) => one(id)).join(",")}]`)).toContain("-32700");
});
