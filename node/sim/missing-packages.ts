/**
 * What `ofs-sim` says when a package is missing that only simulations use. An operator installs none of them: they are
 * optional peers of this package, and whoever simulates adds them with one line. Source: DESIGN section 8.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Scenario } from "../../sim/scenario.ts";
import type { StoreChoice } from "../../sim/setup.ts";
import { chainOf } from "../../sim/setup.ts";
import { UsageError } from "./usage.ts";

/** In the repository it stands at the top; a build copies it beside what it compiled. */
const MANIFEST = new URL("../../package.json", import.meta.url);

/** The packages behind what a run can be told to use. */
const PACKAGE_OF: Readonly<Record<string, string>> = {
  bankrun: "solana-bankrun",
  litesvm: "litesvm",
  sqljs: "sql.js",
};

interface Manifest {
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** Ends the command before a run starts that lacks what executes its chain or keeps its rows. */
export function checkPackages(
  scenario: Pick<Scenario, "chain" | "faults">,
  choices: { readonly chain?: Scenario["chain"]; readonly store: StoreChoice },
  isInstalled = isFound,
): void {
  const chain = chainOf(scenario, choices.chain);
  const name = [PACKAGE_OF[chain], PACKAGE_OF[choices.store]].find((each) => each !== undefined && !isInstalled(each));
  if (name !== undefined) throw new UsageError(lineFor(name, peersOf()));
}

/** One line with what to install, when the error is that an optional peer cannot be found; otherwise nothing. */
export function missingPackageLine(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_MODULE_NOT_FOUND") return undefined;
  const name = /^Cannot find package '((?:@[^/']+\/)?[^/']+)/.exec(error.message)?.[1];
  const peers = peersOf();
  return name === undefined || peers[name] === undefined ? undefined : lineFor(name, peers);
}

function lineFor(name: string, peers: Manifest["peerDependencies"]): string {
  const wanted = Object.entries(peers).map(([peer, range]) => `${peer}@${range}`);
  return `Simulating needs ${name}, which is not installed. To have all that it needs: npm i ${wanted.join(" ")}`;
}

function peersOf(): Manifest["peerDependencies"] {
  return (JSON.parse(readFileSync(MANIFEST, "utf8")) as Manifest).peerDependencies;
}

function isFound(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch (error) {
    // Anything else, a package for `import` alone for example, is there.
    return (error as { readonly code?: string }).code !== "MODULE_NOT_FOUND";
  }
}
