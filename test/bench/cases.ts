/**
 * Every case by its name, loaded when it is asked for: a name is refused before anything is built or loaded, and what
 * one case imports is not in the memory of another that stands alone.
 */
import type { Bench } from "./measure.ts";

/** In the order in which they run. */
export const cases: Readonly<Record<string, () => Promise<Bench>>> = {
  fold: async () => (await import("./fold.ts")).foldBench,
  reconcile: async () => (await import("./reconcile.ts")).reconcileBench,
  chain: async () => (await import("./chain.ts")).chainBench,
  rpc: async () => (await import("./rpc.ts")).rpcBench,
  record: async () => (await import("./record.ts")).recordBench,
  sim: async () => (await import("./sim.ts")).simBench,
  arrivals: async () => (await import("./arrivals.ts")).arrivalsBench,
  scale: async () => (await import("./scale.ts")).scaleBench,
  peers: async () => (await import("./peers.ts")).peersBench,
  copy: async () => (await import("./copy.ts")).copyBench,
  travel: async () => (await import("./travel.ts")).travelBench,
  shrink: async () => (await import("./shrink.ts")).shrinkBench,
  start: async () => (await import("./start.ts")).startBench,
  serve: async () => (await import("./serve.ts")).serveBench,
  cost: async () => (await import("./cost.ts")).costBench,
  sealed: async () => (await import("./sealed.ts")).sealedBench,
  hostile: async () => (await import("./hostile.ts")).hostileBench,
  day: async () => (await import("./day.ts")).dayBench,
  ledger: async () => (await import("./ledger.ts")).ledgerBench,
  crowd: async () => (await import("./crowd.ts")).crowdBench,
  idle: async () => (await import("./idle.ts")).idleBench,
  soak: async () => (await import("./soak.ts")).soakBench,
};
