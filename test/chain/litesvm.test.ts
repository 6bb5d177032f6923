/** The executor contract on LiteSVM. */
import { openLitesvm } from "../../sim/chain/executors/litesvm.ts";
import { describeExecutor } from "./executor.contract.ts";

describeExecutor("litesvm", openLitesvm);
