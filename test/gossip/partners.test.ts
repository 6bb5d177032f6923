/**
 * Goal: however many identities are connected, and however far behind they make themselves, this node compares its set
 * with each of its peers once within two rounds of all of them (CONVERGENCE B4, B5: nobody starves another).
 * Method: one honest peer among forty, each of which has something shed again before every round; timers fired by hand.
 */
import { expect, test } from "vitest";
import type { Fact, PeerId } from "../../core/index.ts";
import { fallBehind } from "../../core/network/gossip/credit.ts";
import { crowdedNode } from "../limits/crowded-node.ts";
import type { Load } from "../planted/planted-bug.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { person } from "../rpc/lone-node.ts";

type Engine = Pick<typeof import("../limits/crowded-node.ts"), "crowdedNode"> &
  Pick<typeof import("../../core/network/gossip/credit.ts"), "fallBehind">;

const CROWD = 40;
const honest = person(0xd0).peer;
const crowd = Array.from({ length: CROWD }, (_, n) => person(n + 1).peer);

/** The rounds in which a set is compared with the honest peer's. */
function roundsFor(peer: PeerId, engine: Engine, rounds: number): readonly number[] {
  const node = engine.crowdedNode(1_786_000_000_000n);
  /** Does something of which every message comes to nothing, so that no request stays open; whom it asked. */
  const does = (fact: Fact): readonly PeerId[] => {
    const sent = node.does(fact).flatMap((effect) => (effect.type === "message.send" ? [effect] : []));
    for (const { to, request } of sent) node.does({ type: "message.failed", to, request, reason: "gone" });
    return sent.map(({ to }) => to);
  };
  for (const each of [...crowd, honest]) does({ type: "peer.connected", peer: each, address: null });
  return Array.from({ length: rounds }, (_, round) => round).filter(() => {
    node.withContext((context) => crowd.forEach((each) => void engine.fallBehind(context, each)));
    return does({ type: "timer.fired", timer: "recover" }).includes(peer);
  });
}

test("many identities that are always behind do not keep a node from comparing with another peer", () => {
  expect(roundsFor(honest, { crowdedNode, fallBehind }, 2 * (CROWD + 1)).length).toBe(1);
});

test("a planted bug is found: whoever is behind goes before all others", async () => {
  const bug = {
    file: "core/network/gossip/messages.ts",
    find: "const behind = tick % 2 === 0 ? ",
    replace: "const behind = tick >= 0 ? ",
  };
  const found = await withPlantedBug(bug, async (load: Load) => {
    const engine = {
      ...(await load<Engine>("test/limits/crowded-node.ts")),
      ...(await load<Engine>("core/network/gossip/credit.ts")),
    };
    return roundsFor(honest, engine, 2 * (CROWD + 1)).length;
  });
  expect(found).toBe(0);
});
