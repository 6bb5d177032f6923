/**
 * What a row of the tables of faults is made of: what a fault says, injects, names, begins and ends. The rows are in
 * fault-kinds.ts. Source: DESIGN section 5 "Faults".
 */
import type { Attacker } from "./byzantine/attacker.ts";
import type { ChainFaults } from "./chain-faults.ts";
import type { FaultKind } from "./faults.ts";
import type { Groups } from "./network-faults.ts";
import type { SimNode } from "./sim-node.ts";
import type { World } from "./world.ts";

/** Where a fault acts. */
export interface FaultScene {
  readonly world: World;
  readonly chain: ChainFaults | undefined;
  /** Who attacks, by name. */
  readonly attackers: Map<string, Attacker>;
}

/** What a fault keeps in mind from its beginning to its end: a value. */
export type FaultMemory = unknown;

/** What a kind of fault does. */
export interface FaultRow<F> {
  readonly text: (fault: F) => string;
  readonly injects: (fault: F) => readonly FaultKind[];
  readonly nodes: (fault: F) => readonly number[];
  /** What no schema sees; one line. */
  readonly check?: (fault: F) => string | undefined;
  /** What the members of its conditions inject, where it has conditions; others inject what they are. */
  readonly parts?: Readonly<Record<string, FaultKind>>;
  /** Whether it runs transactions again on another branch, which bankrun cannot. */
  readonly forks?: true;
  /** Of nodes that it keeps apart. */
  readonly groups?: (fault: F) => Groups;
  /** Begins it; the answer is for its end. */
  readonly begin: (scene: FaultScene, fault: F) => FaultMemory | Promise<FaultMemory>;
  /** Takes it back; absent where nothing is to be taken back. */
  readonly end?: (scene: FaultScene, fault: F, memory: FaultMemory) => void | Promise<void>;
  /** It acts so many times between its beginning and its end, evenly spread. */
  readonly times?: (fault: F) => number;
  readonly act?: (scene: FaultScene, fault: F, memory: FaultMemory, time: number) => void;
  /** Goes on in a held world in which it had begun, and had acted so many times. */
  readonly resume?: (scene: FaultScene, fault: F, acted: number) => void;
}

/** The node that a fault of one node names. */
export const ofNode = ({ node }: { readonly node: number }): readonly number[] => [node];

/** The node of an index. Throws where there is none, which `senselessFault` has refused before. */
export function nodeOf(world: World, index: number): SimNode {
  const node = world.nodes[index];
  if (node === undefined) throw new RangeError(`there is no node ${index}`);
  return node;
}
