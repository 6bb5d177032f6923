/**
 * The script of the page of a served network: as it was bundled with the package, or bundled now from its sources.
 */
import { existsSync, readFileSync } from "node:fs";

const built = new URL("../../sim/serve/page/page.js", import.meta.url);
const bundler = new URL("../bootstrap/page.mjs", import.meta.url);

/** Reads it, or bundles it where the repository runs unbuilt. */
export async function pageScript(): Promise<string> {
  if (existsSync(built)) return readFileSync(built, "utf8");
  const { pageScript: bundled } = (await import(bundler.href)) as { readonly pageScript: typeof bundle };
  return bundled(new URL("../..", import.meta.url).pathname);
}

declare function bundle(root: string): Promise<string>;
