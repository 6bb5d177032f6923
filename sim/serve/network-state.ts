/**
 * A served network as bytes: the world with its disks, links, chain, session and last steps, and how its time goes, so
 * that another process goes on where it stood, to the same answers. Not in it: states to come back to, and who was
 * connected.
 *
 *   bytes = "ofs-network/1 VERSION\n" ‖ SHA-256 of the rest ‖ seed, u64 BE ‖ a graph (sim/data/graph.ts)
 *
 * Source: DESIGN section 5 "Everything is data", section 6 "serve".
 */
import type { Result } from "../../core/index.ts";
import { err, ok } from "../../core/index.ts";
import { openGraph, sealGraph } from "../held-run.ts";
import type { Mining } from "./chain-rpc.ts";
import type { HeldWorld, LiveWorldOptions } from "./live-world.ts";
import type { WorldHost } from "./world-host.ts";

const MARK = "ofs-network/1 ";
/** Characters of the first line at most. */
const LINE_LENGTH = 128;

/** What a network is besides its world. */
export interface NetworkTerms extends LiveWorldOptions {
  /** How its time went when it began: a reset begins so. */
  readonly pace: number;
  readonly mining: Mining;
}

/** What a network is kept as. */
interface KeptNetwork {
  readonly terms: NetworkTerms;
  /** How fast its time goes; 0 while it stands. */
  readonly factor: number;
  readonly calls: number;
  readonly snapshots: number;
  readonly world: Omit<HeldWorld, "walletOf">;
}

/** A network that was kept, to go on with. */
export interface RestoredNetwork extends Omit<KeptNetwork, "world"> {
  readonly world: HeldWorld;
}

/** A state that was written. */
export interface SavedState {
  readonly file: string;
  readonly bytes: number;
}

/** The bytes of a network between two events. Only within `exclusive`. */
export function saveNetwork(
  host: WorldHost,
  version: string,
  { seed, nodes, gossipOnly, chain, pace, mining }: NetworkTerms,
  { factor, snapshots }: { readonly factor: number; readonly snapshots: number },
): Uint8Array {
  const { run, recorder, members, session, tail, genesisHash } = host.live();
  const kept: KeptNetwork = {
    ...{ terms: { seed, nodes, gossipOnly, chain, pace, mining }, factor, snapshots, calls: host.calls() },
    world: {
      ...{ loop: run.world.loop.held("bytes"), records: recorder.held(), members, genesisHash },
      ...{ session: session.held(), tail: tail.held() },
    },
  };
  return sealGraph(markOf(version), seed, kept, run.world.walletOf);
}

/** The network that bytes hold; or why they hold none, in a clause. */
export function restoreNetwork(bytes: Uint8Array, version: string): Result<RestoredNetwork, string> {
  const line = Buffer.from(bytes.subarray(0, LINE_LENGTH)).toString("latin1").split("\n")[0] ?? "";
  if (!line.startsWith(MARK)) return err("is no state of a network of this version");
  if (`${line}\n` !== markOf(version))
    return err(`was saved by version ${line.slice(MARK.length)}, and this is ${version}`);
  const opened = openGraph(markOf(version), bytes);
  if (!opened.ok) return err(`is damaged: ${opened.error}`);
  const { world, ...rest } = opened.value.held as KeptNetwork;
  return ok({ ...rest, world: { ...world, walletOf: opened.value.walletOf } });
}

function markOf(version: string): string {
  return `${MARK}${version}\n`;
}
