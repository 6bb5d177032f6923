/** The executor contract on all executors at once: equal results, logs and account bytes after every transaction. */
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { openBankrun } from "../../sim/chain/executors/bankrun.ts";
import { openLitesvm } from "../../sim/chain/executors/litesvm.ts";
import { modelExecutors } from "../../sim/chain/executors/model.ts";
import { describeExecutor } from "./executor.contract.ts";
import { openTogether } from "./program/together.ts";

describeExecutor("all together", openTogether(openLitesvm, openBankrun, modelExecutors(openNativeCrypto())));
