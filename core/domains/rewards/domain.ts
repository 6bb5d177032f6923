/**
 * Rewards: what a node sees of its peers, the challenge of content among it. Source: protocol 05 §4.
 */

import { defineDomain } from "../../engine/domain.ts";
import { onChangeOf } from "../../engine/step-context.ts";
import { Events } from "../../network/gossip/envelope.ts";
import { SlotObservations } from "../chain-bridge/view.ts";
import { challengePeer, onChallengeAnswer } from "./challenge.ts";
import { rewardMethods } from "./methods.ts";
import { observePeers } from "./observe.ts";
import { Announcements, Challenges, Observations } from "./tables.ts";

export const rewards = defineDomain({
  name: "rewards",
  tables: [Observations, Announcements, Challenges],
  methods: rewardMethods,
  onStart: [challengePeer],
  onChange: [onChangeOf([Events, SlotObservations], observePeers)],
  timers: { challenge: challengePeer },
  onAnswer: { challenge: onChallengeAnswer },
});
