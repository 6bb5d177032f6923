/**
 * The scripts of pages, of a served network and of a run's report: as they were bundled with the package, or bundled
 * now from their sources.
 */
import { existsSync, readFileSync } from "node:fs";

const bundler = new URL("../bootstrap/page.mjs", import.meta.url);

/** The script of the page of a served network. */
export function pageScript(): Promise<string> {
  return scriptOf("sim/serve/page");
}

/** The script of a run's report. */
export function travelPageScript(): Promise<string> {
  return scriptOf("sim/travel/page");
}

/** Reads it, or bundles it where the repository runs unbuilt. */
async function scriptOf(folder: string): Promise<string> {
  const built = new URL(`../../${folder}/page.js`, import.meta.url);
  if (existsSync(built)) return readFileSync(built, "utf8");
  const { pageScript: bundled } = (await import(bundler.href)) as { readonly pageScript: typeof bundle };
  return bundled(new URL("../..", import.meta.url).pathname, folder);
}

declare function bundle(root: string, folder: string): Promise<string>;
