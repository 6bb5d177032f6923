/**
 * Somebody without a core who joins the network of a scenario and does what he came for. Not yet data: what he does is
 * code of the scenario. Source: DESIGN section 5 "Faults".
 */
import type { Attacker } from "./byzantine/attacker.ts";
import { joinAsAttacker } from "./byzantine/attacker.ts";
import type { FaultPlan, Span } from "./fault-plans.ts";

/** Joins, connects to every node, and does what he came for so often. */
export function intruder(
  name: string,
  { from, until, times }: Span & { readonly times: number },
  act: (intruder: Attacker, time: number) => void,
): FaultPlan {
  return {
    ...{ kind: "code", text: `intruder ${name}`, from, until, injects: ["peer"] },
    install(world) {
      world.loop.at(from, () => {
        const injection = world.faults.inject("peer");
        const joined = joinAsAttacker(world, name);
        for (const node of world.nodes) joined.dial(node.address);
        const pauseMs = (until - from) / (times + 1);
        for (let time = 0; time < times; time += 1) {
          world.loop.after(Math.floor((time + 1) * pauseMs), () => {
            if (joined.victims.size > 0) injection.bite();
            act(joined, time);
          });
        }
      });
    },
  };
}
