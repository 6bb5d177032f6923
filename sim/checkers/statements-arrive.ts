/**
 * Liveness: what people sent to honest nodes, and these took, is held by every honest node, whatever strangers say
 * beside it. Nodes may differ in what they refuse of strangers. Source: CONVERGENCE B2, B3.
 */
import type { Reader } from "../../core/index.ts";
import { Events, Pending, Statements } from "../../core/testing.ts";
import type { LivenessCheck } from "../liveness.ts";
import type { World } from "../world.ts";

/** In the end every node holds what people sent to any, as long as that one holds it. */
export const statementsArrive: LivenessCheck = {
  name: "statements-arrive",
  missing(world) {
    const people = new Set([...world.people()].map(({ peer }) => peer));
    const views = world.nodes.map(({ name, driver }) => ({ name, view: driver()?.view }));
    for (const { name, wallet, driver } of world.nodes) {
      const view = driver()?.view;
      for (const identity of view === undefined ? [] : originatedBy(view, wallet.peer)) {
        const statement = view?.get(Statements, identity) ?? view?.get(Pending, identity);
        if (statement === undefined || !people.has(statement.signer)) continue;
        const without = views.find((other) => other.view !== undefined && !isHeld(other.view, identity));
        if (without !== undefined)
          return `${without.name} has no ${statement.type.name} that ${name} took from its signer`;
      }
    }
    return undefined;
  },
};

function originatedBy(view: Reader, origin: World["nodes"][number]["wallet"]["peer"]): readonly string[] {
  return [...view.keys(Events)].flatMap((key) => {
    const held = view.get(Events, key);
    return held?.event.origin === origin && held.statement !== null ? [held.statement] : [];
  });
}

function isHeld(view: Reader, identity: string): boolean {
  return view.get(Statements, identity) !== undefined || view.get(Pending, identity) !== undefined;
}
