/** The executor contract on the model. */
import { openModel } from "../../../sim/chain/executors/model.ts";
import { describeExecutor } from "../../chain/executor.contract.ts";
import { at, crypto } from "./chain-world.ts";

describeExecutor("model", (genesis) => Promise.resolve(openModel(at, crypto, genesis)));
