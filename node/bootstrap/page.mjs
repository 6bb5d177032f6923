/**
 * Bundles the script of the page that a served network shows on its control port. The repository bundles it when
 * somebody first asks for the page; the package holds it as dist/sim/serve/page/page.js.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/** What browsers of the last years run. */
const TARGET = "es2022";

/** The text of the script. */
export async function pageScript(root) {
  const { outputFiles } = await build({
    entryPoints: [join(root, "sim/serve/page/main.ts")],
    ...{ bundle: true, minify: true, format: "iife", platform: "browser", target: TARGET },
    ...{ write: false, logLevel: "error", legalComments: "none" },
  });
  return outputFiles[0].text;
}

/** Writes it where the built package reads it. */
export async function writePageScript(root) {
  writeFileSync(join(root, "dist/sim/serve/page/page.js"), await pageScript(root));
}
