/** Every scope. */
import type { Scope } from "../scope.ts";
import { crashes } from "./crashes.ts";
import { disputedTrade } from "./disputed-trade.ts";
import { forkBeforeFinal } from "./fork-before-final.ts";
import { panel } from "./panel.ts";
import { sealingEdge } from "./sealing-edge.ts";
import { snapshotJoin } from "./snapshot-join.ts";
import { spentNonces } from "./spent-nonces.ts";
import { twoTakers } from "./two-takers.ts";

export const scopes: readonly Scope[] = [
  ...[disputedTrade, twoTakers, panel, crashes, spentNonces, sealingEdge],
  ...[forkBeforeFinal, snapshotJoin],
];
