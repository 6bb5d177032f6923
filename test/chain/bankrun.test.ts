/** The executor contract on bankrun. */
import { openBankrun } from "../../sim/chain/executors/bankrun.ts";
import { describeExecutor } from "./executor.contract.ts";

describeExecutor("bankrun", openBankrun);
