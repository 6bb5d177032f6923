// Goal: the chain port over web3.js keeps the contract, over one endpoint, over several, and when one of three lies.
// Method: the shared suite over real RPC servers; the liar changes every answer that could mislead a node.
import type { JsonValue } from "../../sim/chain/server/json-text.ts";
import { describeChain } from "./chain.contract.ts";
import { openRpcChainWorld } from "./rpc-chain-world.ts";

type Members = Readonly<Record<string, JsonValue>>;

/** Answers of an endpoint that wants to be believed in everything and is right in nothing. */
function lie(method: string, _: readonly unknown[], result: JsonValue): JsonValue {
  const told = result as Members;
  switch (method) {
    case "getLatestBlockhash":
      return { context: { slot: 4_000_000 }, value: { blockhash: "1".repeat(32), lastValidBlockHeight: 9_000_000 } };
    case "isBlockhashValid":
      return { ...told, value: false };
    case "getSignaturesForAddress":
      return [];
    case "getTransaction":
      return result === null ? null : { ...told, meta: { ...(told.meta as Members), err: "AccountInUse" } };
    case "getAccountInfo":
      return { context: { slot: 4_000_000 }, value: null };
    default:
      return result;
  }
}

describeChain("web3.js over one endpoint", () => openRpcChainWorld(1));
describeChain("web3.js over two endpoints", () => openRpcChainWorld(2));
describeChain("web3.js over three endpoints, one of which lies", () => openRpcChainWorld(3, {}, { 0: { lie } }));
