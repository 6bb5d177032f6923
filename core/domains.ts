/**
 * The one list of domains; whatever enumerates them is a fold over it. Starts, changes and folds run in this order: a
 * domain stands after those whose records it reads. Source: DESIGN "Shape of the code".
 */

import { advertisements, registers } from "./advertisements/domain.ts";
import { attachments } from "./attachments/domain.ts";
import { chainBridge } from "./chain-bridge/domain.ts";
import { content } from "./content/domain.ts";
import { disputes } from "./disputes/domain.ts";
import { networkOf } from "./domain.ts";
import type { DriverOptions, NodeDriver } from "./driver.ts";
import { openDriver } from "./driver.ts";
import { fees } from "./fees/domain.ts";
import { gossip, retention } from "./gossip/domain.ts";
import { governance } from "./governance/domain.ts";
import { identity } from "./identity/domain.ts";
import { peers } from "./node/domain.ts";
import { nodeInfo } from "./node-info/domain.ts";
import { notifications } from "./notifications/domain.ts";
import { oracles } from "./oracles/domain.ts";
import { paymentMethods } from "./payment-methods/domain.ts";
import { providers } from "./providers/domain.ts";
import { reputation } from "./reputation/domain.ts";
import { reservations } from "./reservations/domain.ts";
import { reviews } from "./reviews/domain.ts";
import { rewards } from "./rewards/domain.ts";
import { risk } from "./risk/domain.ts";
import { sessions } from "./sessions/domain.ts";
import { settlements } from "./settlements/domain.ts";
import { snapshots } from "./snapshots/domain.ts";
import { statements } from "./statements/domain.ts";
import { tradeChannel } from "./trade-channel/domain.ts";
import { trades } from "./trades/domain.ts";
import { volume } from "./volume/domain.ts";
import { walletProofs } from "./wallet-proofs/domain.ts";

const domains = [
  statements,
  peers,
  registers,
  settlements,
  reservations,
  advertisements,
  disputes,
  trades,
  chainBridge,
  governance,
  notifications,
  gossip,
  providers,
  content,
  attachments,
  tradeChannel,
  sessions,
  risk,
  volume,
  identity,
  reputation,
  reviews,
  walletProofs,
  rewards,
  oracles,
  paymentMethods,
  snapshots,
  fees,
  nodeInfo,
  retention,
] as const;

/** The marketplace: what every node of this network runs. */
export const marketplace = networkOf(domains);
/** Every row by the name that a request says. */
export const methods = marketplace.methods;

/** Every table of a node. */
export const tables = marketplace.tables;

type Rows<D> = D extends { readonly methods?: infer M } ? NonNullable<M> : never;
type Merged<U> = (U extends unknown ? (of: U) => void : never) extends (of: infer I) => void ? I : never;
/** The rows with their types, for typed clients. */
export type Methods = Merged<Rows<(typeof domains)[number]>>;

/** What a node of the marketplace is opened with. */
export type NodeOptions = Omit<DriverOptions, "network">;

/** Opens a node of the marketplace. */
export function createDriver(options: NodeOptions): NodeDriver {
  return openDriver({ ...options, network: marketplace });
}
