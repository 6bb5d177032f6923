/**
 * The one list of domains; whatever enumerates them is a fold over it. Starts, changes and folds run in this order: a
 * domain stands after those whose records it reads. Source: DESIGN "Shape of the code".
 */

import { chainBridge } from "./domains/chain-bridge/domain.ts";
import { attachments } from "./domains/content/attachments/domain.ts";
import { content } from "./domains/content/blocks/domain.ts";
import { fees } from "./domains/fees/domain.ts";
import { governance } from "./domains/governance/domain.ts";
import { identity } from "./domains/identity/domain.ts";
import { nodeInfo } from "./domains/node-info/domain.ts";
import { notifications } from "./domains/notifications/domain.ts";
import { oracles } from "./domains/oracles/domain.ts";
import { paymentMethods } from "./domains/payment-methods/domain.ts";
import { providers } from "./domains/providers/domain.ts";
import { reputation } from "./domains/reputation/domain.ts";
import { reviews } from "./domains/reviews/domain.ts";
import { rewards } from "./domains/rewards/domain.ts";
import { risk } from "./domains/risk/domain.ts";
import { sessions } from "./domains/sessions/domain.ts";
import { snapshots } from "./domains/snapshots/domain.ts";
import { advertisements, registers } from "./domains/trade/advertisements/domain.ts";
import { disputes } from "./domains/trade/disputes/domain.ts";
import { reservations } from "./domains/trade/reservations/domain.ts";
import { settlements } from "./domains/trade/settlements/domain.ts";
import { trades } from "./domains/trade/trades/domain.ts";
import { tradeChannel } from "./domains/trade-channel/domain.ts";
import { volume } from "./domains/volume/domain.ts";
import { walletProofs } from "./domains/wallet-proofs/domain.ts";
import { networkOf } from "./engine/domain.ts";
import type { DriverOptions, NodeDriver } from "./engine/driver.ts";
import { openDriver } from "./engine/driver.ts";
import { statements } from "./engine/statements/domain.ts";
import { gossip, retention } from "./network/gossip/domain.ts";
import { peers } from "./network/peers/domain.ts";
import { reference } from "./parity/reference.ts";

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
export const marketplace = networkOf(domains, reference);
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
