/**
 * The chain of a served network behind Solana's RPC: the world's own cluster, brought to the slot that the network's
 * clock shows before anybody reads it. A transaction waits for its slot; with automine it is in a confirmed block
 * before the next request. Source: DESIGN section 6 "serve", section 4 "Cluster".
 */
import { toBase64 } from "../../core/index.ts";
import type { ServedChain } from "../chain/server/served-chain.ts";
import { faucetOf } from "../chain/server/served-chain.ts";
import type { RpcServer } from "../chain/server/server.ts";
import { openRpcServer } from "../chain/server/server.ts";
import { catchUp, mine } from "./chain-time.ts";
import { FAUCET } from "./live-world.ts";
import type { Pace } from "./wall-clock.ts";
import type { WorldHost } from "./world-host.ts";

/** When a transaction is in a block: with the slots of the network's clock, or as soon as it was sent. */
export type Mining = "slot" | "send";

/** The chain's RPC of a network. */
export interface ChainRpc {
  readonly server: RpcServer;
  /** Whether somebody follows the chain, who wants to be told of each slot. */
  watched(): boolean;
}

/** Serves the chain at an address, HTTP at a port and PubSub at the next; any free pair where the port is 0. */
export async function openChainRpc(
  host: WorldHost,
  pace: Pace,
  mining: Mining,
  { address, port }: { readonly address: string; readonly port: number },
): Promise<ChainRpc> {
  const chain = chainOf(host, pace, mining);
  const server = await openRpcServer({ chain, host: address, ...(port !== 0 && { port }) });
  return { server, watched: () => server.listeners() > 0 };
}

function chainOf(host: WorldHost, pace: Pace, mining: Mining): ServedChain {
  const listeners = new Set<() => void>();
  let slot = -1n;
  host.onSettled(() => {
    const now = host.live().supply.cluster.currentSlot();
    if (now === slot) return;
    slot = now;
    for (const told of listeners) told();
  });
  const submit: ServedChain["submit"] = (wire) => {
    host.noteDeed({ kind: "transaction", wire: toBase64(wire) });
    const taken = host.live().supply.submit(wire);
    if (!taken.ok) return taken;
    if (mining === "send") void host.exclusive(() => mine(host).then(pace.rebase), { kind: "mine" });
    else void host.exclusive(() => undefined);
    return taken;
  };
  const cluster = () => host.live().supply.cluster;
  return {
    get cluster() {
      return cluster();
    },
    get recorder() {
      return host.live().recorder;
    },
    get genesisHash() {
      return host.live().genesisHash;
    },
    settled: () => host.exclusive(() => catchUp(host)),
    submit,
    async simulate(wire) {
      const { recorder, supply } = host.live();
      const tried = host.exclusive(() => recorder.unrecorded(() => supply.cluster.simulate(wire)));
      return tried.then(
        (simulated) => (simulated.ok ? simulated.value : undefined),
        () => undefined,
      );
    },
    airdrop: faucetOf(
      { latestBlockhash: (level) => cluster().latestBlockhash(level), submit },
      host.world().crypto,
      host.world().walletOf(FAUCET).keypair,
    ),
    onMoved(told) {
      listeners.add(told);
      return () => void listeners.delete(told);
    },
  };
}
