/**
 * Waiting for several transports of one process to have nothing under way, as lock-step runs and tests need.
 * Source: DESIGN "Network backends" is ours: virtual time advances when no request is in flight.
 */
import type { OpenedTransport } from "./transport.ts";

/** Rounds of the event loop without news after which the transports count as quiet. Source: DESIGN "Bounds". */
const QUIET_ROUNDS = 4;
/** Rounds after which waiting is for a timer or for the kernel, and no longer costs the processor. */
const EAGER_ROUNDS = 2_000;

/**
 * Resolves when every dial, request and parting among `transports` is over and both ends of every link agree that it
 * is there or gone; or earlier, as soon as `enough` says so. Requests that their receivers have in hand, `inHand` of
 * them, are not waited for.
 */
export async function whenQuiet(
  transports: readonly OpenedTransport[],
  enough: () => boolean = () => false,
  inHand: () => number = () => 0,
): Promise<void> {
  let quiet = 0;
  for (let round = 0; quiet < QUIET_ROUNDS && !enough(); round++) {
    quiet = isQuiet(transports, inHand()) ? quiet + 1 : 0;
    await nextRound(round < EAGER_ROUNDS);
  }
}

function isQuiet(transports: readonly OpenedTransport[], inHand: number): boolean {
  // A request in hand is unfinished at both of its ends.
  if (transports.reduce((sum, transport) => sum + transport.unfinished(), 0) > 2 * inHand) return false;
  const seen = new Map(transports.map((transport) => [transport.peer, new Set(transport.peers())]));
  return [...seen].every(([peer, others]) => [...others].every((other) => seen.get(other)?.has(peer) !== false));
}

function nextRound(eager: boolean): Promise<void> {
  return new Promise((resolve) => {
    // Stryker disable next-line ConditionalExpression: a round that comes later is a round all the same
    if (eager) setImmediate(resolve);
    else setTimeout(resolve, 1);
  });
}
