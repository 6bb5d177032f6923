/**
 * Bundles the scripts of pages: that of a served network on its control port, and that of a run's report. The
 * repository bundles one when somebody first asks for it; the package holds them in dist/, beside their markup.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/** What browsers of the last years run. */
const TARGET = "es2022";
/** Where the pages' sources are. */
const PAGES = ["sim/serve/page", "sim/travel/page"];

/** The text of the script of the page in a folder. */
export async function pageScript(root, folder) {
  const { outputFiles } = await build({
    entryPoints: [join(root, folder, "main.ts")],
    ...{ bundle: true, minify: true, format: "iife", platform: "browser", target: TARGET },
    ...{ write: false, logLevel: "error", legalComments: "none" },
  });
  return outputFiles[0].text;
}

/** Writes them where the built package reads them. */
export async function writePageScripts(root) {
  for (const folder of PAGES) writeFileSync(join(root, "dist", folder, "page.js"), await pageScript(root, folder));
}
