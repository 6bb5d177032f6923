/**
 * All scenarios, in the order of `list`.
 */
import type { Scenario } from "../sim/scenario.ts";
import { disputeDecidedOnChain } from "./dispute-decided-on-chain.ts";

export const scenarios: readonly Scenario[] = [disputeDecidedOnChain];
