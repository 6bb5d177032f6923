/**
 * Goal: what holds every answer of every test to the document notices a wrong one: a result of another shape, a code
 * that the method does not have, a reason that the code does not have; alone and in a batch.
 */
import { expect, test } from "vitest";
import { misdescribedBody } from "./described.ts";

const call = (method: string, id = 1) => `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`;
const refusal = (name: string, reason: string) =>
  `{"id":1,"error":{"code":-32000,"message":"${name}","data":{"reason":"${reason}"}}}`;

test.each([
  ["a result of another shape", call("getVersion"), '{"id":1,"result":{"version":7}}', "version must be string"],
  ["a member that is missing", call("getVersion"), '{"id":1,"result":{}}', "required property"],
  ["a code of another method", call("getHealth"), refusal("DUPLICATE_VOTE", "sealed"), "DUPLICATE_VOTE"],
  ["a reason of another code", call("sendVoteCast"), refusal("DUPLICATE_VOTE", "sealed"), "DUPLICATE_VOTE: sealed"],
  [
    "one answer of a batch",
    `[${call("getHealth", 1)},${call("getVersion", 2)}]`,
    '[{"id":1,"result":"ok"},{"id":2,"result":"ok"}]',
    "getVersion",
  ],
])("%s", (_, request, answer, found) => {
  expect(misdescribedBody(request, answer)).toContain(found);
});

test.each([
  [call("getVersion"), '{"id":1,"result":{"version":"0.1.0"}}'],
  [call("nope"), '{"id":1,"error":{"code":-32601,"message":"method not found: nope"}}'],
  ["{", '{"id":null,"error":{"code":-32700,"message":"no JSON"}}'],
  [`[${call("getHealth", 2)},1]`, '[{"id":2,"result":"ok"},{"id":null,"error":{"code":-32700,"message":"x"}}]'],
])("nothing against %s", (request, answer) => {
  expect(misdescribedBody(request, answer)).toBe("");
});
