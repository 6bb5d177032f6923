/**
 * Bundles `ofs-node/testing` for CommonJS: one file that requires nothing but Node's own modules. The package holds it
 * as dist/node/sim/testing.cjs, beside its types.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/** The oldest Node.js that the package runs on. */
const TARGET = "node20";

/** The text of the bundle. */
export async function testingBundle(root) {
  const { outputFiles } = await build({
    entryPoints: [join(root, "node/sim/testing-commonjs.ts")],
    ...{ bundle: true, minifySyntax: true, minifyWhitespace: true, format: "cjs", platform: "node", target: TARGET },
    // Where the bundle lies, as the module that it came from would ask.
    banner: { js: 'const bundleUrl = require("node:url").pathToFileURL(__filename).href;' },
    define: { "import.meta.url": "bundleUrl" },
    ...{ write: false, logLevel: "error", legalComments: "none" },
  });
  return outputFiles[0].text;
}

/** Writes it where the package's exports lead. */
export async function writeTestingBundle(root) {
  writeFileSync(join(root, "dist/node/sim/testing.cjs"), await testingBundle(root));
}
