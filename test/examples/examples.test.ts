/**
 * Goal: the protocol's worked examples hold to the byte, key order included, and so does every row in which
 * our default departs; what our rules answer is what the document says of the method.
 * Method: JSON-RPC in, JSON-RPC out, on one node for each story, under the profile that the story names.
 */
import { describe, expect, test } from "vitest";
import { misdescribed } from "../document/described.ts";
import { loneNode, parityNode } from "../rpc/lone-node.ts";
import { allStories } from "./story.ts";

for (const [file, stories] of allStories()) {
  describe(file, () => {
    for (const story of stories) {
      test(`${story.source} (${story.profile})`, () => {
        const node = story.profile === "parity" ? parityNode(BigInt(story.at)) : loneNode(BigInt(story.at));
        for (const step of story.steps) {
          if (step.at !== undefined) node.now = BigInt(step.at);
          expect(node.body(step.request)).toBe(step.answer);
          if (story.profile === "default") expect(misdescribed(methodIn(step.request), step.answer)).toBe("");
        }
      });
    }
  });
}

/** The method that a body calls; nothing where it is no one call. */
function methodIn(request: string): string {
  return /^\{"jsonrpc":"2.0","id":\w+,"method":"(\w+)"/.exec(request)?.[1] ?? "";
}
