/** The executor contract on LiteSVM, and what only a real machine can show. */
import { openLitesvm } from "../../sim/chain/executors/litesvm.ts";
import { describeExecutor } from "./executor.contract.ts";
import { describeMachine } from "./program/machine.contract.ts";

describeExecutor("litesvm", openLitesvm);
describeMachine(openLitesvm);
