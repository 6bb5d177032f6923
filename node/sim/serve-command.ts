/**
 * `ofs-sim serve`: a network that runs until it is told to stop. One JSON line on stdout says that it is ready and all
 * that a client needs; what people want to know stands on stderr. Source: DESIGN section 6 "serve".
 */
import { watchBrokenLaws } from "../../sim/serve/broken-laws.ts";
import type { Mining } from "../../sim/serve/chain-rpc.ts";
import { isLoopback } from "../../sim/serve/control/server.ts";
import type { ServedChoice } from "../../sim/serve/live-world.ts";
import type { RestoredNetwork } from "../../sim/serve/network-state.ts";
import type { ReadyLine, ServedNetworkOptions } from "../../sim/serve/served-network.ts";
import { openServedNetwork } from "../../sim/serve/served-network.ts";
import { openRpcText } from "../production/openrpc.ts";
import { packageVersion } from "../production/usage.ts";
import { checkPackages } from "./missing-packages.ts";
import { pageScript } from "./page-script.ts";
import { checkWritable, stateIn, writeState } from "./state-file.ts";
import type { Surroundings } from "./surroundings.ts";
import { UsageError } from "./usage.ts";

/** The options of `serve` as they were read. */
export interface ServeChoices {
  readonly nodes: number;
  readonly gossipOnly?: number;
  readonly seed: bigint;
  readonly host: string;
  readonly port: number;
  readonly chainPort: number;
  readonly chain: ServedChoice;
  readonly time: number;
  readonly mine?: Mining;
  readonly controlPort: number;
  readonly token?: string;
  /** Where the whole network is kept from one start to the next. */
  readonly state?: string;
  readonly untilInputEnds?: true;
  readonly openNetwork?: true;
  readonly gossipPort?: number;
}

const PORTS = 65_536;
/** Not where a production node listens by itself. */
const GOSSIP_PORT = 4_101;
const JOIN = "ofs-node start --network simulated --ledger DIR --entrypoint";
/** Wallets that are shown to people; all stand in the JSON line. */
const SHOWN = 3;

/**
 * Serves until the command is told to stop; answers the exit code. `chosen` names the options that somebody gave:
 * what a state holds counts before what is usual.
 */
export async function serveCommand(
  choices: ServeChoices,
  chosen: ReadonlySet<string>,
  around: Surroundings,
): Promise<number> {
  const { state: file } = choices;
  const from = file === undefined ? undefined : await stateIn(file, packageVersion());
  const opened = await openServedNetwork(await optionsOf(choices, chosen, from, around));
  if (!opened.ok) throw new UsageError(`${opened.error}.`);
  around.out(`${JSON.stringify(opened.value.ready)}\n`);
  around.err(`${linesFor(opened.value.ready).join("\n")}\n`);
  watchBrokenLaws(opened.value.host, (line) => around.err(`${line}\n`));
  await Promise.race([asked(around.stop), ...(choices.untilInputEnds ? [around.inputEnds()] : [])]);
  const kept = file === undefined ? await opened.value.close() : await opened.value.stop();
  if (kept?.ok === false) around.err(`${kept.error}.\n`);
  return kept?.ok === false ? 1 : 0;
}

/** What the network is to be like, where all of it makes sense. */
async function optionsOf(
  choices: ServeChoices,
  chosen: ReadonlySet<string>,
  from: RestoredNetwork | undefined,
  around: Surroundings,
): Promise<ServedNetworkOptions> {
  const { nodes, host, port, chain, time, state: file } = choices;
  const gossipOnly = choices.gossipOnly ?? (nodes > 1 ? 1 : 0);
  if (gossipOnly > nodes) throw new UsageError(`--gossip-only ${gossipOnly} is more than --nodes ${nodes}.`);
  if (port !== 0 && port + nodes > PORTS) throw new UsageError(`--port ${port} leaves no ports for ${nodes} nodes.`);
  if (choices.token === undefined && !isLoopback(host))
    throw new UsageError(`--host ${host} needs --token: whoever reaches this machine would control the network.`);
  const openNetwork = openNetworkOf(choices, around);
  if (file !== undefined && from !== undefined) checkSame(file, from, { ...choices, gossipOnly }, chosen);
  const executor = from?.terms.chain ?? chain;
  checkPackages({ chain: executor, faults: [] }, { chain: executor, store: "memory" });
  if (file !== undefined) await checkWritable(file);
  const factor = chosen.has("time") || from === undefined ? time : from.factor;
  const mining = choices.mine ?? from?.terms.mining ?? (time === 0 ? "send" : "slot");
  return {
    ...{ seed: choices.seed, nodes, gossipOnly, chain, host, port, chainPort: choices.chainPort },
    ...{ pace: time, mining, from: from && { ...from, factor, terms: { ...from.terms, mining } } },
    ...(file !== undefined && { write: (state: Uint8Array) => writeState(file, state) }),
    ...{ controlPort: choices.controlPort, token: choices.token, version: packageVersion() },
    openrpc: () => openRpcText({ name: "this node", url: "/rpc" }),
    scenarios: around.scenarios,
    page: pageScript,
    ...(openNetwork && { openNetwork }),
  };
}

/** Refuses a state of another network than was asked for. */
function checkSame(
  file: string,
  { terms }: RestoredNetwork,
  choices: Pick<ServeChoices, "seed" | "nodes" | "chain" | "gossipOnly">,
  chosen: ReadonlySet<string>,
): void {
  const flags = { seed: "--seed", nodes: "--nodes", gossipOnly: "--gossip-only", chain: "--chain" } as const;
  for (const [name, flag] of Object.entries(flags) as readonly (readonly [keyof typeof flags, string])[])
    if (chosen.has(name) && choices[name] !== terms[name])
      throw new UsageError(`${file} holds a network of ${flag} ${terms[name]}, not ${choices[name]}.`);
}

/** Where real peers come in: clocks of nodes may differ by minutes, so the network's must be the machine's. */
function openNetworkOf(choices: ServeChoices, around: Surroundings): ServedNetworkOptions["openNetwork"] {
  const { nodes, time, gossipPort: port = GOSSIP_PORT } = choices;
  if (choices.openNetwork === undefined) {
    if (choices.gossipPort !== undefined) throw new UsageError("--gossip-port goes with --open-network.");
    return undefined;
  }
  if (choices.state !== undefined) throw new UsageError("--open-network and --state do not go together.");
  if (time !== 1) throw new UsageError("--open-network goes with --time wall: nodes refuse what other clocks date.");
  if (port !== 0 && port + nodes > PORTS)
    throw new UsageError(`--gossip-port ${port} leaves no ports for ${nodes} nodes.`);
  return { port, complain: (line) => around.err(`${line}\n`) };
}

function linesFor({ nodes, chain, control, wallets, pace }: ReadyLine): readonly string[] {
  const [first] = nodes;
  const time = pace === 0 ? "stands still until told" : pace === 1 ? "follows the clock" : `${pace} times as fast`;
  return [
    ...nodes.map(({ node, url, gossipOnly }) => `node ${node}  ${url}${gossipOnly ? "  gossip-only" : ""}`),
    `chain   ${chain.rpc}  (${chain.executor})`,
    `control ${control.url}  (JSON-RPC: ${control.rpc}, methods: ${control.docs})`,
    `time    ${time}`,
    ...wallets.slice(0, SHOWN).map(({ name, address }) => `wallet  ${address}  ${name}`),
    `try     curl -s ${first?.rpc} -d '{"jsonrpc":"2.0","id":1,"method":"getPeers"}'`,
    ...(first?.gossip === undefined ? [] : [`join    ${JOIN} ${first.gossip}`]),
    "Ctrl-C ends it.",
  ];
}

function asked(stop: AbortSignal): Promise<void> {
  if (stop.aborted) return Promise.resolve();
  return new Promise((resolve) => stop.addEventListener("abort", () => resolve(), { once: true }));
}
