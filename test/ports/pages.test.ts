// Goal: whoever keeps pages gives them back as they were; what cannot be kept outside is kept in memory.
// Method: the contract, with each keeper.
import { pagesInMemory } from "../../core/kernel/row-pages.ts";
import { describePages } from "./pages.contract.ts";

describePages("memory", pagesInMemory);
