/**
 * The chain bridge: what this node and its peers see of the chain, and the transactions they submit.
 * Source: protocol 03 C.
 */

import { defineDomain } from "../../engine/domain.ts";
import { onChangeOf } from "../../engine/step-context.ts";
import { Settlements } from "../trade/settlements/tables.ts";
import { askAgain } from "./asking.ts";
import { handleChainEvent } from "./gossip.ts";
import { CHAIN_EVENT } from "./gossip-events.ts";
import { chainBridgeMethods } from "./methods.ts";
import { FarReports, NewestSlots } from "./newest-slot.ts";
import { onChainObserved } from "./observe.ts";
import { Alarms, Inquiries, Looks, PendingFacts, Watches } from "./tables.ts";
import { ANNOUNCEMENT_SKEW_MS_MAX, SlotObservations } from "./view.ts";
import { watchFromStart, watchNewSettlements } from "./watches.ts";

export const chainBridge = defineDomain({
  name: "chain-bridge",
  tables: [SlotObservations, NewestSlots, FarReports, Watches, PendingFacts, Looks, Inquiries, Alarms],
  methods: chainBridgeMethods,
  onStart: [watchFromStart, askAgain],
  onChange: [onChangeOf([Settlements], watchNewSettlements)],
  timers: { "chain-retry": askAgain },
  onInput: { "chain.observed": (context, { observation }) => onChainObserved(context, observation) },
  onEvent: {
    // Nobody takes an older one any more.
    [CHAIN_EVENT.ofs_spec]: { handle: handleChainEvent, keptMs: 2n * ANNOUNCEMENT_SKEW_MS_MAX },
  },
});
