/**
 * The simulated chain on its own: what executes its transactions, the cluster that forks and lies, and Solana's RPC
 * over it. Executors that are native packages have paths of their own: ofs-node/sim/chain/litesvm and …/bankrun.
 */

export { type Cluster, type ClusterOptions, type Handling, openCluster, type SubmitDefect } from "./cluster.ts";
export type {
  ChainAccount,
  ChainExecutor,
  ExecutionContext,
  ExecutionError,
  ExecutionResult,
  ExecutorName,
  Keypair,
  OpenExecutor,
} from "./executor.ts";
export { type ModelExecutor, modelExecutors } from "./executors/model.ts";
export { type GenesisAccount, genesis } from "./genesis.ts";
export { type LiveChain, type LiveChainOptions, openLiveChain, type ServedChain } from "./server/served-chain.ts";
export { openRpcServer, type RpcServer, type RpcServerOptions } from "./server/server.ts";
