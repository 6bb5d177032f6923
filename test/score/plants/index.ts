/**
 * Every bug that `score` plants: those written by hand, an area a file, and a draw from the mutants of the core.
 */

import type { Candidate } from "../../mutation/draw.ts";
import { draw, keyOf, mutantsOf } from "../../mutation/draw.ts";
import { filesBelow } from "../../mutation/files.ts";
import type { Plant } from "../plant.ts";
import { chainPlants } from "./chain.ts";
import { nodePlants } from "./nodes.ts";
import { peerPlants } from "./peers.ts";
import { peoplePlants } from "./people.ts";
import { tradePlants } from "./trades.ts";

/** Sources whose mutants are drawn from: what statements, facts and peers come to. */
const MUTATED = ["core/domains/trade", "core/domains/chain-bridge", "core/engine/statements", "core/network/gossip"];
const MUTANTS = 30;
const DRAW_SEED = 20_261_123;
/** Longest text of a replacement that the name of a mutant shows. */
const SHOWN_LENGTH = 60;

/** All mutants of these sources, once they were made. */
let made: ReturnType<typeof mutantsOf> | undefined;

/** Bugs that were written by hand. */
export const handPlants: readonly Plant[] = [
  ...tradePlants,
  ...nodePlants,
  ...chainPlants,
  ...peoplePlants,
  ...peerPlants,
];

/** All of them. Generated ones depend on the sources and on nothing else. */
export async function allPlants(root: string): Promise<readonly Plant[]> {
  const { drawn } = await mutants(root);
  return [...handPlants, ...drawn.map(plantOf)];
}

/** As many mutants as are among all plants, and none of these: what another seed draws of the others. */
export async function otherPlants(root: string, seed: number): Promise<readonly Plant[]> {
  const { all, drawn } = await mutants(root);
  const known = new Set(drawn);
  return draw(
    all.filter((mutant) => !known.has(mutant)),
    MUTANTS,
    seed,
  ).map(plantOf);
}

async function mutants(root: string): Promise<Readonly<Record<"all" | "drawn", readonly Candidate[]>>> {
  const files = filesBelow(root, MUTATED);
  if (typeof files === "string") throw new Error(files);
  made ??= mutantsOf(root, files);
  return { all: await made, drawn: draw(await made, MUTANTS, DRAW_SEED) };
}

function plantOf(mutant: Candidate): Plant {
  const { file, start, end, mutator, replacement } = mutant;
  const short = file.split("/").slice(-2).join("-").replace(".ts", "");
  const shown = replacement.replaceAll(/\s+/g, " ").slice(0, SHOWN_LENGTH);
  return {
    name: `mutant-${short}-${start.line}-${start.column}-${mutator.toLowerCase()}`,
    group: "mutant",
    about: `line ${start.line} of ${file}: ${shown}`,
    file,
    apply(source) {
      const from = offsetOf(source, start);
      const until = offsetOf(source, end);
      if (until <= from) throw new Error(`${keyOf(mutant)} is not in the file any more`);
      return source.slice(0, from) + replacement + source.slice(until);
    },
  };
}

/** Where a place stands in a text; lines and columns count from 1. */
function offsetOf(source: string, { line, column }: { readonly line: number; readonly column: number }): number {
  const before = source.split("\n").slice(0, line - 1);
  return before.reduce((sum, text) => sum + text.length + 1, 0) + column - 1;
}
