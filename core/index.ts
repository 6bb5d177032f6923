/**
 * The only public index of the core.
 */

export { createDriver, type DriverOptions, type NodeDriver, type RootTexts } from "./driver.ts";
export type { ChainObservation, Effect, Fact, Input, NamedMint, NetworkProfile, NodeConfiguration } from "./inputs.ts";
export { type EpochMillis, type PeerId, peerOfKey, publicKeyText } from "./kernel/values.ts";
export { methods } from "./methods.ts";
export { gaugesOf } from "./node/gauges.ts";
export { openRpcDocument } from "./openrpc.ts";
export { devnetNetwork } from "./profile.ts";
export { busyAnswer } from "./rpc.ts";
