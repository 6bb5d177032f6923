/**
 * What a change in one domain makes another do: the one list. A reaction looks at what the turn changed
 * (`turn.draft` over `turn.base`) and orders effects or writes rows of its own domain; it never writes
 * another's. None runs while the store loads. Source: CONVERGENCE "Joins".
 */

import { watchNewSettlements } from "./chain-bridge/watches.ts";
import { wantContent } from "./content/exchange.ts";
import { flagCopies } from "./disputes/copies.ts";
import { forgetSuperseded } from "./gossip/originate.ts";
import { readNewGovernance } from "./governance/chain-reading.ts";
import { planNotifications } from "./notifications/planning.ts";
import { greetNewPeers } from "./providers/own.ts";
import { noteHooks } from "./reservations/hook-clocks.ts";
import { observePeers } from "./rewards/observe.ts";
import { forgetImplausible } from "./snapshots/forget.ts";
import { noteFreshness } from "./snapshots/search.ts";
import type { Turn } from "./turn.ts";

export const reactions: readonly ((turn: Turn) => void)[] = [
  watchNewSettlements,
  forgetImplausible,
  forgetSuperseded,
  noteHooks,
  readNewGovernance,
  planNotifications,
  wantContent,
  greetNewPeers,
  observePeers,
  flagCopies,
  noteFreshness,
];
