/**
 * Gossip: events from peer to peer, comparison of sets, and what becomes too old to keep. Source: protocol 01 §7.
 */

import { DatedHours } from "../../engine/dated-rows.ts";
import { defineDomain } from "../../engine/domain.ts";
import { Pending, Seals, Statements } from "../../engine/statements/table.ts";
import { onChangeOf } from "../../engine/step-context.ts";
import { later } from "../../kernel/values.ts";
import { Attendances } from "./absence.ts";
import { announce } from "./announcing.ts";
import { Arrivals, Unfinished } from "./arrivals.ts";
import { Links } from "./credit.ts";
import { Events } from "./envelope.ts";
import { ComparedRanges } from "./idle-ranges.ts";
import {
  onAnswered,
  onConnected,
  onDisconnected,
  onFailed,
  onMeasured,
  onReceived,
  RECOVER_EVERY_MS,
  recoverFromOne,
} from "./messages.ts";
import { Purses } from "./newcomers.ts";
import { Moments, News } from "./news.ts";
import { forgetSuperseded, originate } from "./originate.ts";
import { OwnKeys, watchOwnKey } from "./own-key.ts";
import { goOn } from "./reconcile.ts";
import { RecoveryChoices } from "./recovery.ts";
import { liftRefusals, Refusals } from "./refused.ts";
import { RuleChanges } from "./rule-changes.ts";
import { noteDates, sweep, sweepFromStart } from "./sweep.ts";
import { Trees } from "./trees.ts";

export const gossip = defineDomain({
  name: "gossip",
  tables: [
    Events,
    Unfinished,
    Arrivals,
    Links,
    Purses,
    RecoveryChoices,
    OwnKeys,
    Refusals,
    ComparedRanges,
    Trees,
    News,
    Moments,
    RuleChanges,
    Attendances,
  ],
  onStart: [
    (context) => context.emit({ type: "timer.set", timer: "recover", at: later(context.now, RECOVER_EVERY_MS) }),
    watchOwnKey,
  ],
  afterChange: [
    onChangeOf([Statements, Pending], forgetSuperseded),
    onChangeOf([Statements, Pending, Seals], liftRefusals),
  ],
  timers: { announce, recover: recoverFromOne, reconcile: goOn },
  onInput: {
    "message.received": onReceived,
    "message.answered": onAnswered,
    "message.failed": onFailed,
    "peer.connected": onConnected,
    "peer.disconnected": onDisconnected,
    "peer.measured": onMeasured,
  },
  originate,
});

/** Once a minute, and last at a start: what everything else has left behind goes. */
export const retention = defineDomain({
  name: "retention",
  tables: [DatedHours],
  onStart: [sweepFromStart],
  afterChange: [onChangeOf([Pending, Refusals, ComparedRanges, Events], noteDates)],
  afterCatchUp: [noteDates],
  timers: { sweep },
});
