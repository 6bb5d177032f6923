/**
 * Goal: the protocol's worked examples hold to the byte, key order included, and so does every row in which
 * our default departs.
 * Method: JSON-RPC in, JSON-RPC out, on one node for each story, under the profile that the story names.
 */
import { describe, expect, test } from "vitest";
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
        }
      });
    }
  });
}
