/**
 * What becomes of a call of a client: while the network's time follows a clock, the call arrives when it does and time
 * goes on by itself; while it stands still, exactly as much time passes as the answer takes, so that equal requests
 * get equal answers. Source: DESIGN section 6 "serve"; law L1.
 */
import type { Granted } from "../script.ts";
import type { Answered, Broken } from "./client-faults.ts";
import type { Pace } from "./wall-clock.ts";
import type { WorldHost } from "./world-host.ts";

/** How long a standing network runs for one answer, in its own milliseconds. Source: protocol 01 §13.3, a call. */
const ANSWER_WITHIN_MS = 30_000;

/** Hands a call to a node; told once what came of it. */
export type HandOver = (node: number, body: string, done: Answered) => void;

/** How calls reach the nodes of a network. */
export function openCalls(host: WorldHost, pace: Pace): HandOver {
  return (node, body, done) => {
    const handed = host.exclusive(async () => {
      if (pace.factor() > 0) return void host.callOfClient(node, body, done);
      const received: { over: boolean; answer?: Granted; broken?: Broken | undefined } = { over: false };
      const late = host.callOfClient(node, body, (answer, broken) => {
        Object.assign(received, { over: true, answer, broken });
      });
      await host.advance(host.world().loop.now() + late + ANSWER_WITHIN_MS, () => received.over);
      done(received.answer, received.broken);
    });
    handed.catch(() => done(undefined));
  };
}
