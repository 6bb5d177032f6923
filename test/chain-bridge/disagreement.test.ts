// Goal: when endpoints contradict each other the operator hears of it, and the node believes and changes nothing.
// Method: the observation by itself; what leads to it is in test/ports/rpc-chain-lies.test.ts.
import { expect, test } from "vitest";
import { loneNode } from "../rpc/lone-node.ts";

test("a disagreement is one error in the log, without anything that names a trade", () => {
  const node = loneNode(1_700_000_000_000n, undefined, undefined, { chain: "RpcConnected" });
  const before = { roots: node.roots(), status: node.call("getChainStatus") };
  const done = node.effects.length;
  node.accept({
    type: "chain.observed",
    observation: { type: "disagreement", about: "transaction", endpoint: "a.test" },
  });
  expect(node.effects.slice(done)).toEqual([
    {
      type: "log",
      level: "error",
      event: "chain endpoints disagree",
      fields: { about: "transaction", endpoint: "a.test" },
    },
  ]);
  expect({ roots: node.roots(), status: node.call("getChainStatus") }).toEqual(before);
});
