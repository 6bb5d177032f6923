/**
 * Goal: every TransportPort moves envelopes the same way, and every request ends in exactly one verdict.
 * Method: nodes that only write down what they are told; the harness of each adapter runs its network until a
 * condition holds or nothing is under way, so that no test waits for a clock. Source: protocol 01 §5.
 */
import { afterEach, describe } from "vitest";
import { describeClosing, describeDisorder, describePartings } from "./transport-ends.ts";
import { describeDials, describeLinks } from "./transport-links.ts";
import { describeBounds, describeDelays, describeManyRequests, describeRequests } from "./transport-requests.ts";
import type { CreateNetwork } from "./transport-world.ts";
import { World } from "./transport-world.ts";

export function describeTransport(name: string, createNetwork: CreateNetwork): void {
  describe(`transport: ${name}`, () => {
    const world = new World(createNetwork);
    afterEach(() => world.end());
    describeDials(world);
    describeLinks(world);
    describeRequests(world);
    describeManyRequests(world);
    describeBounds(world);
    describeDelays(world);
    describePartings(world);
    describeClosing(world);
    describeDisorder(world);
  });
}
