/**
 * The usual parts of a world: the core as production runs it, the runtime's own cryptography, stores in memory or in
 * SQLite, and the simulated chain. Source: DESIGN L11, section 5 "Stores".
 */
import type { NodeConfiguration } from "../core/index.ts";
import { createDriver, simulatedNetwork } from "../core/index.ts";
import { openChainSupply } from "./chain-supply.ts";
import { loadLibp2pCarrier, loadRows } from "./installed-parts.ts";
import { openCrypto } from "./runtime.ts";
import type { ChainChoice } from "./scenario.ts";
import type { Backends, NetworkChoice, StoreChoice } from "./setup.ts";
import { openSharedWork } from "./sharing-memory.ts";
import { shareCrypto } from "./verdict-memory.ts";
import type { NodeSeat } from "./world.ts";

/** Roles that a node of the shipped software announces. Source: protocol 01 §5.5. */
const ROLES = ["MerchantGateway", "OracleProvider", "NotificationGateway", "RiskIntelligenceProvider"];
const VERSION = "openfiat/0.1.0";

/** The parts that every command and test of the simulator builds a world of. */
export function openBackends(): Backends {
  const crypto = shareCrypto(openCrypto());
  const sharing = openSharedWork();
  return {
    crypto,
    profile: simulatedNetwork,
    openDriver: (options) => createDriver({ ...options, sharing }),
    configure: configurationOf,
    openRows,
    openChain: (setting) => openChainSupply(crypto, setting),
    openCarrier,
  };
}

function configurationOf(seat: NodeSeat, chain: ChainChoice): NodeConfiguration {
  return {
    profile: simulatedNetwork,
    secretKey: seat.wallet.keypair.secretKey,
    publicKey: seat.wallet.publicKey,
    peerId: seat.wallet.peer,
    chain: chain === "none" ? "GossipOnly" : "RpcConnected",
    announcedAddresses: [seat.address],
    entrypoints: seat.entrypoints,
    roles: ROLES,
    version: VERSION,
  };
}

/** The production transport is loaded when a run wants it. */
async function openCarrier(network: NetworkChoice): ReturnType<NonNullable<Backends["openCarrier"]>> {
  return network === "simulated" ? undefined : await loadLibp2pCarrier();
}

/** One database per node; in memory, rows are maps, which the disk makes itself. */
async function openRows(store: StoreChoice, nodes: number): ReturnType<Backends["openRows"]> {
  if (store === "memory") return () => undefined;
  const databases = await loadRows(store, nodes);
  return (node) => databases[node];
}
