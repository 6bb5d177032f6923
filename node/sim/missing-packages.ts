/**
 * What `ofs-sim` says when a package is missing that only simulations use. An operator installs none of them: they are
 * optional peers of this package, and whoever simulates adds them with one line. Source: DESIGN section 8.
 */
import { readFileSync } from "node:fs";

/** In the repository it stands at the top; a build copies it beside what it compiled. */
const MANIFEST = new URL("../../package.json", import.meta.url);

interface Manifest {
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** One line with what to install, when the error is that an optional peer cannot be found; otherwise nothing. */
export function missingPackageLine(
  error: unknown,
  peers = (JSON.parse(readFileSync(MANIFEST, "utf8")) as Manifest).peerDependencies,
): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_MODULE_NOT_FOUND") return undefined;
  const name = /^Cannot find package '((?:@[^/']+\/)?[^/']+)/.exec(error.message)?.[1];
  if (name === undefined || peers[name] === undefined) return undefined;
  const wanted = Object.entries(peers).map(([peer, range]) => `${peer}@${range}`);
  return `Simulating needs ${name}, which is not installed. To have all that it needs: npm i ${wanted.join(" ")}`;
}
