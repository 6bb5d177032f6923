/**
 * The vocabulary of faults for scenarios: what breaks, when, and until when. Each counts itself in the ledger.
 * Source: DESIGN section 5 "Faults".
 */
import type { Attacker } from "./byzantine/attacker.ts";
import { joinAsAttacker } from "./byzantine/attacker.ts";
import { SLOT_MS } from "./chain/slots.ts";
import type { EndpointConditions } from "./chain-endpoint.ts";
import type { ForkTerms, SubmissionTerms } from "./chain-faults.ts";
import type { DiskConditions } from "./disk.ts";
import { healthyDisk } from "./disk.ts";
import type { FileConditions } from "./files.ts";
import { healthyFiles } from "./files.ts";
import type { LinkConditions } from "./links.ts";
import type { Groups } from "./network-faults.ts";
import { halfOpen as breakHalf, changeWeather, cut } from "./network-faults.ts";
import { setConditions } from "./network-state.ts";
import type { FaultPlan } from "./scenario.ts";
import type { SimNode } from "./sim-node.ts";
import type { World } from "./world.ts";

export interface Span {
  readonly from: number;
  readonly until: number;
}

/** Groups of nodes that cannot reach each other; one way, what the first group sends is what gets lost. */
export function partition(groups: Groups, span: Span & { readonly oneWay?: boolean }): FaultPlan {
  const parts = groups.map((group) => group.join(",")).join(span.oneWay ? " -/> " : " | ");
  return {
    text: `partition ${parts}`,
    from: span.from,
    groups,
    until: span.until,
    install(world) {
      world.loop.at(span.from, () => {
        const heal = cut(world.network, { groups, oneWay: span.oneWay ?? false });
        world.tell(`the network is cut: ${parts}`);
        world.loop.at(span.until, () => {
          heal();
          world.tell(`the cut is over: ${parts}`);
        });
      });
    },
  };
}

/** The whole network under other conditions for a while. */
export function weather(conditions: Partial<LinkConditions>, span: Span): FaultPlan {
  return {
    text: `weather ${Object.keys(conditions).join(", ")}`,
    until: span.until,
    install({ loop, network }) {
      loop.at(span.from, () => {
        const clear = changeWeather(network, conditions);
        loop.at(span.until, clear);
      });
    },
  };
}

/** One direction under conditions of its own for a while. */
export function poorLink(from: number, to: number, conditions: Partial<LinkConditions>, span: Span): FaultPlan {
  return {
    text: `poor link ${from} -> ${to}`,
    until: span.until,
    install({ loop, network }) {
      loop.at(span.from, () => setConditions(network, from, to, { ...network.conditions, ...conditions }));
      loop.at(span.until, () => setConditions(network, from, to, null));
    },
  };
}

/** `forgetful` loses its connection to `other`, which does not notice. */
export function halfOpen(forgetful: number, other: number, { at }: { readonly at: number }): FaultPlan {
  return {
    text: `half-open ${forgetful} x- ${other}`,
    until: at,
    install: ({ loop, network }) => loop.at(at, () => breakHalf(network, forgetful, other)),
  };
}

/** A node loses power and stays down for a while; it comes back with what its disk really held. */
export function crash(node: number, span: Span): FaultPlan {
  return {
    text: `crash ${node}`,
    until: span.until,
    install(world) {
      const target = nodeOf(world, node);
      world.loop.at(span.from, () => {
        world.faults.count("crash", target.driver() !== undefined);
        target.crash(true);
      });
      world.loop.at(span.until, () => target.start());
    },
  };
}

/** A crash and a start at once. */
export function restart(node: number, { at }: { readonly at: number }): FaultPlan {
  return { ...crash(node, { from: at, until: at }), text: `restart ${node}` };
}

/** A node that is up but answers nothing for a while. */
export function pause(node: number, span: Span): FaultPlan {
  return {
    text: `pause ${node}`,
    until: span.until,
    install(world) {
      const target = nodeOf(world, node);
      world.loop.at(span.from, () => {
        target.pause();
        world.faults.count("pause", true);
      });
      world.loop.at(span.until, () => target.resume());
    },
  };
}

/** A node that needs `busyMs` for everything it is told. */
export function slowNode(node: number, busyMs: number, span: Span): FaultPlan {
  return {
    text: `slow node ${node}`,
    until: span.until,
    install(world) {
      const target = nodeOf(world, node);
      world.loop.at(span.from, () => {
        target.setBusyMs(busyMs);
        world.faults.count("slow-node", true);
      });
      world.loop.at(span.until, () => target.setBusyMs(0));
    },
  };
}

/** A node's clock is off by so much for a while; at both ends it jumps. */
export function wrongClock(node: number, byMs: number, span: Span): FaultPlan {
  return {
    text: `clock of ${node} off by ${byMs} ms`,
    until: span.until,
    install(world) {
      const target = nodeOf(world, node);
      world.loop.at(span.from, () => {
        target.skewClock(byMs);
        world.faults.count("clock-skew", byMs !== 0);
      });
      world.loop.at(span.until, () => target.skewClock(-byMs));
    },
  };
}

/** The disk of a node misbehaves for a while. */
export function badDisk(node: number, conditions: Partial<DiskConditions>, span: Span): FaultPlan {
  return {
    text: `bad disk ${node}: ${Object.keys(conditions).join(", ")}`,
    until: span.until,
    install(world) {
      const { disk } = nodeOf(world, node);
      world.loop.at(span.from, () => disk.setConditions({ ...healthyDisk, ...conditions }));
      world.loop.at(span.until, () => disk.setConditions(healthyDisk));
    },
  };
}

/** The snapshot files of a node misbehave for a while: those that it writes, and those that it fetches. */
export function badFiles(node: number, conditions: Partial<FileConditions>, span: Span): FaultPlan {
  return {
    text: `bad files ${node}: ${Object.keys(conditions).join(", ")}`,
    until: span.until,
    install(world) {
      const { files } = nodeOf(world, node);
      world.loop.at(span.from, () => files.setConditions({ ...healthyFiles, ...conditions }));
      world.loop.at(span.until, () => files.setConditions(healthyFiles));
    },
  };
}

/** The chain endpoint of a node misbehaves for a while. */
export function badEndpoint(node: number, conditions: Partial<EndpointConditions>, span: Span): FaultPlan {
  return {
    text: `bad endpoint ${node}: ${Object.keys(conditions).join(", ")}`,
    until: span.until,
    install({ loop }, chain) {
      loop.at(span.from, () => chain?.setConditions(node, conditions));
      loop.at(span.until, () => chain?.setConditions(node, {}));
    },
  };
}

/** Somebody without a core joins, connects to every node, and does what he came for so often. */
export function intruder(
  name: string,
  span: Span & { readonly times: number },
  act: (intruder: Attacker, time: number) => void,
): FaultPlan {
  return {
    text: `intruder ${name}`,
    from: span.from,
    until: span.until,
    install(world) {
      world.loop.at(span.from, () => {
        const injection = world.faults.inject("peer");
        const joined = joinAsAttacker(world, name);
        for (const node of world.nodes) joined.dial(node.address);
        const pauseMs = (span.until - span.from) / (span.times + 1);
        for (let time = 0; time < span.times; time += 1) {
          world.loop.after(Math.floor((time + 1) * pauseMs), () => {
            if (joined.victims.size > 0) injection.bite();
            act(joined, time);
          });
        }
      });
    },
  };
}

/** Another branch of the chain wins at an instant: the newest slots are replaced by others. */
export function reorganization(at: number, depth: number, terms: ForkTerms = {}): FaultPlan {
  return {
    text: `reorganization of ${depth} slots`,
    until: at,
    forks: true,
    install({ loop }, chain) {
      if (chain !== undefined) loop.at(at, () => chain.reorganize(BigInt(depth), terms));
    },
  };
}

/** The chain is forked for a while; the endpoints of some nodes follow the rival, until one of the two has won. */
export function forkedChain(
  followers: readonly number[],
  winner: "main" | "rival",
  span: Span & ForkTerms & { readonly depth?: number },
): FaultPlan {
  return {
    text: `forked chain: ${followers.join(",")} on the rival, ${winner} wins`,
    from: span.from,
    until: span.until,
    forks: true,
    install(world, chain) {
      if (chain === undefined) return;
      world.loop.at(span.from, async () => {
        await chain.fork(BigInt(span.depth ?? 0), span);
        for (const node of followers) chain.setConditions(node, { ...chain.conditionsOf(node), follows: "rival" });
        world.tell("the chain is forked");
      });
      world.loop.at(span.until, async () => {
        await chain.settle(winner);
        for (const node of followers) chain.setConditions(node, { ...chain.conditionsOf(node), follows: "main" });
        world.tell(`the chain is one again: the ${winner} branch won`);
      });
    },
  };
}

/** Nothing becomes final for a while. */
export function stalledFinality(span: Span): FaultPlan {
  return {
    text: "stalled finality",
    from: span.from,
    until: span.until,
    install({ loop }, chain) {
      if (chain === undefined) return;
      loop.at(span.from, () => {
        const end = chain.stall();
        loop.at(span.until, end);
      });
    },
  };
}

/** Many slots without a block for a while; the chance in millionths. */
export function skippedSlots(millionths: number, span: Span): FaultPlan {
  const slotOf = (ms: number) => BigInt(Math.floor(ms / Number(SLOT_MS)));
  return {
    text: `skipped slots, ${millionths} in a million`,
    until: span.until,
    install: (_, chain) => chain?.skipSlots(slotOf(span.from), slotOf(span.until), millionths),
  };
}

/** Submitted transactions are lost, come late or fail for a while. */
export function badSubmissions(terms: SubmissionTerms, span: Span): FaultPlan {
  return {
    text: `bad submissions: ${Object.keys(terms).join(", ")}`,
    until: span.until,
    install({ loop }, chain) {
      loop.at(span.from, () => chain?.setSubmissions(terms));
      loop.at(span.until, () => chain?.setSubmissions({}));
    },
  };
}

function nodeOf(world: World, index: number): SimNode {
  const node = world.nodes[index];
  if (node === undefined) throw new RangeError(`there is no node ${index}`);
  return node;
}
