/**
 * Bundles the typed client for browsers: one file without imports, all that `ofs-node/client`, `./client/envelope`,
 * `./client/following`, `./client/stream` and `ofs-node/adapters/crypto/sealed-box` export. `npm run bundle` writes it
 * to reports/ofs-client.js; the package holds the same file as dist/ofs-client.js.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const PARTS = ["client/client", "client/envelope", "client/following", "client/stream", "crypto/sealed-box"];
/** What browsers of the last years run; big integers and private fields among it. */
const TARGET = "es2022";

/** The most that the bundle may weigh, in bytes; README states it. 441 kB were measured, most of it the core. */
export const BUNDLE_BYTES_MAX = 450_000;

/** The text of the bundle. */
export async function bundledClient(root) {
  const { outputFiles } = await build({
    stdin: {
      contents: PARTS.map((part) => `export * from "./adapters/${part}.ts";`).join("\n"),
      resolveDir: root,
    },
    ...{ bundle: true, minify: true, format: "esm", platform: "browser", target: TARGET },
    ...{ write: false, logLevel: "error", legalComments: "none" },
  });
  return outputFiles[0].text;
}

/** Writes the bundle and prints what it weighs; answers the exit code, 1 where that is too much. */
export async function writeBundle(root, file) {
  const text = await bundledClient(root);
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  const bytes = Buffer.byteLength(text);
  console.log(`${file}: ${bytes} bytes, ${gzipSync(text).length} compressed; at most ${BUNDLE_BYTES_MAX}.`);
  return bytes <= BUNDLE_BYTES_MAX ? 0 : 1;
}
