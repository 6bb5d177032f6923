/**
 * Two staged nodes on one link. What they say reaches the other end when a test lets it, or fails.
 */
import type { StagedNode } from "./stage.ts";

export interface StagedLink {
  connect(): void;
  /** Everything that was said arrives, and what is answered, until both are silent; timers that are due included. */
  exchange(): void;
  /** Everything that was said is lost. */
  fail(): void;
}

const ASKED = "link/";

export function linkOf(...ends: readonly [StagedNode, StagedNode]): StagedLink {
  const read: [number, number] = [0, 0];

  /** Passes on what one end said since; false when it said nothing. */
  function pass(index: 0 | 1, arrives: boolean): boolean {
    const [from, to] = index === 0 ? ends : [ends[1], ends[0]];
    const sent = from.effects.slice(read[index]);
    read[index] += sent.length;
    for (const effect of sent) {
      if (effect.type === "message.send" && effect.to === to.who.peer) {
        const { request, bytes } = effect;
        if (arrives) to.accept({ type: "message.received", from: from.who.peer, replyTo: `${ASKED}${request}`, bytes });
        else from.accept({ type: "message.failed", to: to.who.peer, request, reason: "lost" });
      }
      if (effect.type === "message.reply" && effect.replyTo.startsWith(ASKED)) {
        const request = Number(effect.replyTo.slice(ASKED.length));
        if (arrives) to.accept({ type: "message.answered", from: from.who.peer, request, bytes: effect.bytes });
      }
      if (arrives && effect.type === "timer.set" && !effect.timer.startsWith("snapshot") && effect.at <= from.now)
        from.accept({ type: "timer.fired", timer: effect.timer });
    }
    return sent.length > 0;
  }

  function passAll(arrives: boolean): void {
    for (let busy = true; busy; ) {
      const [first, second] = [pass(0, arrives), pass(1, arrives)];
      busy = first || second;
    }
  }

  return {
    connect() {
      const [first, second] = ends;
      first.accept({ type: "peer.connected", peer: second.who.peer, address: null });
      second.accept({ type: "peer.connected", peer: first.who.peer, address: null });
    },
    exchange: () => passAll(true),
    fail: () => passAll(false),
  };
}
