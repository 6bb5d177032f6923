/**
 * A link that is new, or whose peer turned out to lack what was announced to it, is needed: what others put on the wire
 * goes along it whole from then on, until its peer has something twice. Announcements and comparisons would bring the
 * same a second or twenty later, so nothing else sees a link that stays lazy. Source: DESIGN "Gossip and sync".
 */
import type { Reader } from "../../core/index.ts";
import { Events, Trees } from "../../core/testing.ts";
import type { CheckContext, Checker, StepSeen } from "../checker.ts";
import { pushedIn } from "./frames.ts";

/** Links that are needed are not passed over. */
export function linksBeginNeeded({ violate, profile, tables }: CheckContext): Checker {
  if (profile.parity || tables !== undefined) return { name: "links-begin-needed" };
  return {
    name: "links-begin-needed",
    onStep(step) {
      const { node, input, view } = step;
      if (input.type === "peer.connected") {
        const isCut = step.effects.some((effect) => effect.type === "peer.disconnect" && effect.peer === input.peer);
        if (!isCut && origins(view, input.peer).length > 0)
          violate(`node ${node} is connected to ${input.peer} anew and passes the link over`);
        return;
      }
      if (input.type !== "message.answered") return;
      const lazy = pushedTo(step, input.from).find((origin) => origins(view, input.from).includes(origin));
      if (lazy !== undefined)
        violate(`node ${node} goes on passing ${input.from} over, who lacked what ${lazy} put on the wire`);
    },
  };
}

/** For whose words a link is passed over, by their peer ids. */
function origins(view: Reader, peer: string): readonly string[] {
  return view.find(Trees, "lazy", peer);
}

/** Who put on the wire what a step pushes to a peer. */
function pushedTo({ effects, view }: StepSeen, peer: string): readonly string[] {
  return effects.flatMap((effect) => {
    const key = effect.type === "message.send" && effect.to === peer ? pushedIn(effect.bytes)?.key : undefined;
    const event = key === undefined ? undefined : view.get(Events, key)?.event;
    return event === undefined ? [] : [event.origin];
  });
}
