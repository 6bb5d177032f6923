// Goal: whoever connects from outside finds a place by rule: few of one network cannot hold them all, and what an
// attacker cannot have at will stays.
// Method: random sets of links and a newcomer; the verdict is held against what the rule promises, each counted here.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { InboundLink, Origin } from "../../core/index.ts";
import { inboundVerdict, networksOf } from "../../core/index.ts";
import { BRINGERS_KEPT, NEAREST_KEPT, NETWORKS_KEPT } from "../../core/network/peers/inbound.ts";
import { forAll } from "../property/for-all.ts";

type Link = InboundLink<number>;

const BOUNDS = {
  ...{ inboundConnectionsMax: 64, connectionsPerAddressMax: 8, connectionsPerLocalAddressMax: 16 },
  connectionsPerSubnetMax: 16,
};
const drawn = (network: string) => [...network].reverse().join("");

function originOf(text: string): Origin {
  return networksOf(text) ?? expect.fail(text);
}

const arbOrigin = fc
  .tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 0, max: 2 }), fc.integer({ min: 1, max: 3 }))
  .map(([network, subnet, host]) => originOf(`198.${network}.${subnet}.${host}`));
const arbLink = fc.record({
  origin: arbOrigin,
  latencyMs: fc.option(fc.integer({ min: 1, max: 900 }), { nil: undefined }),
  broughtAt: fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: undefined }),
});
const arbLinks = fc
  .array(arbLink, { minLength: 40, maxLength: 64 })
  .map((links): readonly Link[] => links.map((link, n) => ({ ...link, link: n, since: 1_000 + 7 * n })));

const networkOf = (origin: Origin) => ("named" in origin ? origin.named : origin.network);
const sharing = (links: readonly Link[], origin: Origin) =>
  links.filter((each) => networkOf(each.origin) === networkOf(origin)).length;

test("no address and no subnet has more than its bound, and a place that is free is given", () => {
  forAll(
    [arbLinks, arbOrigin],
    (links, origin) => {
      const part = (name: "host" | "subnet") =>
        links.filter((each) => "host" in each.origin && "host" in origin && each.origin[name] === origin[name]).length;
      const verdict = inboundVerdict(origin, links, { ...BOUNDS, connectionsPerAddressMax: 2 }, drawn);
      const cause = part("host") >= 2 ? "address" : part("subnet") >= 16 ? "subnet" : undefined;
      if (cause !== undefined) expect(verdict).toEqual({ admitted: false, cause });
      else if (links.length < 64) expect(verdict).toEqual({ admitted: true, leaves: undefined });
      return cause === undefined ? [] : ["crowded"];
    },
    { runs: 200, shares: { crowded: 0.1 } },
  );
});

test("who leaves is from a network at least as crowded as the newcomer's, and in no class that stays", () => {
  forAll(
    [arbLinks, arbOrigin],
    (links, origin) => {
      const full = { ...BOUNDS, inboundConnectionsMax: links.length, connectionsPerAddressMax: 999 };
      const verdict = inboundVerdict(origin, links, { ...full, connectionsPerSubnetMax: 999 }, drawn);
      if (!verdict.admitted) {
        expect(verdict.cause).toBe("places");
        return ["refused"];
      }
      const leaves = links.find(({ link }) => link === verdict.leaves) ?? expect.fail("somebody leaves");
      const { latencyMs, broughtAt } = leaves;
      expect(sharing(links, leaves.origin)).toBeGreaterThanOrEqual(sharing(links, origin) + 1);
      const older = links.filter(({ since }) => since < leaves.since).length;
      expect(older).toBeGreaterThanOrEqual((links.length - NETWORKS_KEPT - NEAREST_KEPT - BRINGERS_KEPT) / 2 - 1);
      if (latencyMs !== undefined) {
        const nearer = links.filter((each) => each.latencyMs !== undefined && each.latencyMs <= latencyMs);
        expect(nearer.length).toBeGreaterThan(NEAREST_KEPT);
      }
      if (broughtAt !== undefined) {
        const later = links.filter((each) => each.broughtAt !== undefined && each.broughtAt >= broughtAt);
        expect(later.length).toBeGreaterThan(BRINGERS_KEPT);
      }
      return ["evicted"];
    },
    { runs: 200, shares: { evicted: 0.3, refused: 0.05 } },
  );
});

/** So many links, one after the other, the first of them from one network. */
function linksOf(count: number, together: number): readonly Link[] {
  return Array.from(
    { length: count },
    (_, n): Link => ({
      ...{ link: n, origin: originOf(`198.${n < together ? 200 : n}.${n}.1`), since: n },
      ...{ latencyMs: undefined, broughtAt: undefined },
    }),
  );
}

test.each([
  ["of which some are young leaves", 64, 40, 39],
  ["that is as old as half of all links stays", 64, 20, 63],
])("the youngest of a crowd %s", (_, count, together, leaves) => {
  const verdict = inboundVerdict(originOf("203.0.113.7"), linksOf(count, together), BOUNDS, (network) => network);
  expect(verdict).toEqual({ admitted: true, leaves });
});

test("with few places nobody who came from outside is turned out", () => {
  const few = { ...BOUNDS, inboundConnectionsMax: NETWORKS_KEPT };
  const verdict = inboundVerdict(originOf("203.0.113.7"), linksOf(NETWORKS_KEPT, 0), few, drawn);
  expect(verdict).toEqual({ admitted: false, cause: "places" });
});
