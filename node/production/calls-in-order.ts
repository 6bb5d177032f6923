/**
 * Calls on their way to the core: what a send's step would verify is verified on threads first, and the core takes
 * every call in the order in which it came, whatever took longer. Source: DESIGN section 3 "Sends".
 */
import type { VerifiedAhead } from "../../adapters/crypto/verified-ahead.ts";
import type { NodeDriver } from "../../core/index.ts";
import { methods, readAhead } from "../../core/index.ts";

/** Calls in hand at most: beyond, clients hear RATE_LIMIT_EXCEEDED. Source: protocol 01 §15 W14. */
export const CALLS_MAX = 4_096;
/** UTF-16 units of calls that wait at once; beyond, clients hear RATE_LIMIT_EXCEEDED. Source: DESIGN L10. */
export const WAITING_LENGTH_MAX = 33_554_432;

export interface CallsInOrder {
  /** Takes a call; false when as many are in hand as may be, or too much waits. */
  readonly take: (driver: Pick<NodeDriver, "accept">, replyTo: string, body: string) => boolean;
  /** One that was taken is answered. */
  readonly answered: () => void;
  /** What waits goes nowhere any more. */
  readonly stop: () => void;
}

interface Waiting {
  readonly body: string;
  readonly accept: () => void;
  isVerified: boolean;
}

/** Nothing waits yet. */
export function openCallsInOrder(ahead: Pick<VerifiedAhead, "verify">): CallsInOrder {
  const waiting: Waiting[] = [];
  let [inHand, length, isStopped] = [0, 0, false];

  const goOn = (): void => {
    while (!isStopped && waiting[0]?.isVerified === true) {
      const next = waiting.shift() as Waiting;
      length -= next.body.length;
      next.accept();
    }
  };
  return {
    take(driver, replyTo, body) {
      if (inHand >= CALLS_MAX || length + body.length > WAITING_LENGTH_MAX) return false;
      inHand += 1;
      const read = readAhead(methods, body);
      const accept = () => driver.accept({ type: "rpc.called", replyTo, body }, read);
      if (waiting.length === 0 && (read === undefined || read.signings.length === 0)) {
        accept();
        return true;
      }
      const one: Waiting = { body, accept, isVerified: read === undefined };
      waiting.push(one);
      length += body.length;
      if (read === undefined) return true;
      ahead.verify(read.signings, () => {
        one.isVerified = true;
        goOn();
      });
      return true;
    },
    answered() {
      inHand -= 1;
    },
    stop() {
      isStopped = true;
    },
  };
}
