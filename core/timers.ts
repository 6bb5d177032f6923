/**
 * What a node does when it starts, and when a timer fires. A handler sets its own timer again.
 * core/ports/README.md says what each is for. Source: DESIGN "Bounds"; protocol 01 §13.2.
 */

import { askAgain } from "./chain-bridge/asking.ts";
import { watchFromStart } from "./chain-bridge/watches.ts";
import { contentRound, startContent } from "./content/exchange.ts";
import { RECOVER_EVERY_MS, recoverFromOne } from "./gossip/messages.ts";
import { goOn } from "./gossip/reconcile.ts";
import { sweep, sweepFromStart } from "./gossip/sweep.ts";
import { readGovernance, readGovernanceFromStart } from "./governance/chain-reading.ts";
import type { TimerName } from "./inputs.ts";
import { later } from "./kernel/values.ts";
import { dialEntrypoints, redial } from "./node/dialling.ts";
import { handOverAgain } from "./notifications/planning.ts";
import { sweepNotifications, wakeWhileAny } from "./notifications/sweep.ts";
import { heartbeat } from "./providers/own.ts";
import { challengePeer } from "./rewards/challenge.ts";
import { producePage, produceSnapshot, startProduction } from "./snapshots/produce.ts";
import { searchSnapshot, startSearching } from "./snapshots/search.ts";
import { takePage } from "./snapshots/take.ts";
import { readProviderStakes } from "./snapshots/trust.ts";
import type { Turn } from "./turn.ts";

/** In order, once the store is loaded. */
export const starts: readonly ((turn: Turn) => void)[] = [
  redial,
  dialEntrypoints,
  watchFromStart,
  askAgain,
  handOverAgain,
  wakeWhileAny,
  readGovernanceFromStart,
  (turn) => turn.emit({ type: "timer.set", timer: "recover", at: later(turn.now, RECOVER_EVERY_MS) }),
  heartbeat,
  startContent,
  challengePeer,
  startProduction,
  readProviderStakes,
  startSearching,
  sweepFromStart,
];

export const timers: Readonly<Record<TimerName, (turn: Turn) => void>> = {
  redial,
  recover: recoverFromOne,
  reconcile: goOn,
  "chain-retry": askAgain,
  "notification-sweep": sweepNotifications,
  heartbeat,
  content: contentRound,
  challenge: challengePeer,
  sweep,
  governance: readGovernance,
  "snapshot-production": produceSnapshot,
  "snapshot-bootstrap": searchSnapshot,
  "snapshot-page": snapshotPage,
  "provider-stakes": readProviderStakes,
};

/** A file that is made and one that is taken both go on. */
function snapshotPage(turn: Turn): void {
  producePage(turn);
  takePage(turn);
}
