// Goal: the worked example of protocol 04 §10.8 answers to the byte, under both profiles.
// Method: the published lines as they stand; the provider registers by gossip, since the example presumes that it did.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Registration } from "../../core/domains/providers/schema.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { Step } from "../examples/story.ts";
import { loneNode, parityNode, person } from "../rpc/lone-node.ts";
import { registrationPayload } from "./fixtures.ts";

const T = 1_700_000_000_000n as EpochMillis;
const provider = person(8);
const steps = JSON.parse(readFileSync(new URL("published.json", import.meta.url), "utf8")) as readonly Step[];

test.each([
  ["parity", parityNode],
  ["default", loneNode],
])("%s", (_, open) => {
  const node = open(T);
  node.gossip(Registration, registrationPayload(provider, T), provider);
  for (const { at, request, answer } of steps) {
    node.now = BigInt(at ?? 0);
    expect(node.body(request)).toBe(answer);
  }
});

test("without the registration it is refused", () => {
  const ours = loneNode(T);
  for (const node of [parityNode(T), ours]) {
    expect(node.body(steps[0]?.request ?? "")).toBe(
      '{"jsonrpc":"2.0","id":8,"error":{"code":-32000,"message":"INVALID_REQUEST","data":{"ofsErrorCode":2,' +
        `"ofsErrorName":"INVALID_REQUEST","ofsRetryable":false${node === ours ? ',"reason":"not-listed"' : ""}}}}`,
    );
  }
});
