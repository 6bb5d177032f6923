/**
 * Bundles the playground: the page of a served network and the simulator behind it, one HTML file without a server.
 * `npm run playground` writes it to reports/playground.html. What the world asks of Node.js stands in two modules, in
 * whose places a browser's own are taken.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/** What browsers of the last years run. */
const TARGET = "es2022";
/** Modules that ask something of Node.js, and what a browser has in their place. */
const PORTABLE = {
  "sim/runtime.ts": "sim/portable-runtime.ts",
  "sim/installed-parts.ts": "sim/portable-parts.ts",
};

/** The most that the file may weigh, in bytes; README states it. 1,008 kB were measured. */
export const PLAYGROUND_BYTES_MAX = 1_060_000;

/** The document. */
export async function playground(root) {
  const [world, script] = await Promise.all(
    ["node/playground/world.ts", "sim/serve/page/playground.ts"].map((entry) => bundled(root, entry)),
  );
  const read = (name) => readFileSync(join(root, "sim/serve/page", name), "utf8");
  const style = ["page.css", "views.css", "playground.css"].map(read).join("");
  const policy = [
    ...[
      "default-src 'none'",
      `script-src '${hashOf(script)}' blob:`,
      `style-src '${hashOf(style)}'`,
      "worker-src blob:",
    ],
    ...["img-src data:", "base-uri 'none'", "form-action 'none'"],
  ];
  return read("page.html")
    .replace("<title>", () => `<meta http-equiv="content-security-policy" content="${policy.join("; ")}">\n<title>`)
    .replaceAll("Simulated network", "Simulated marketplace")
    .replace("<style></style>", () => `<style>${style}</style>`)
    .replace("<main>", () => `${read("playground.html")}<main>`)
    .replace(
      "<script></script>",
      () => `<script type="text/plain" id="world">${world}</script>\n<script>${script}</script>`,
    );
}

/** Writes it and prints what it weighs; answers the exit code, 1 where that is too much. */
export async function writePlayground(root, file) {
  const text = await playground(root);
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  const bytes = Buffer.byteLength(text);
  console.log(`${file}: ${bytes} bytes, ${gzipSync(text).length} compressed; at most ${PLAYGROUND_BYTES_MAX}.`);
  return bytes <= PLAYGROUND_BYTES_MAX ? 0 : 1;
}

/** Names a part of the page by what it holds. Source: Content Security Policy Level 3, section 8.3. */
function hashOf(text) {
  return `sha256-${createHash("sha256").update(text, "utf8").digest("base64")}`;
}

async function bundled(root, entry) {
  const { outputFiles } = await build({
    entryPoints: [join(root, entry)],
    ...{ bundle: true, minify: true, format: "iife", platform: "browser", target: TARGET },
    ...{ write: false, logLevel: "error", legalComments: "none", plugins: [portable(root), buffers()] },
    ...{ inject: ["ofs:buffer"], define: { global: "globalThis" } },
  });
  // No text of a script ends its element early.
  return outputFiles[0].text.replaceAll("</script", "<\\/script");
}

/** Takes the portable twin of a module wherever the module is imported. */
function portable(root) {
  return {
    name: "portable",
    setup(made) {
      made.onLoad({ filter: /[\\/]sim[\\/][^\\/]+[.]ts$/ }, ({ path }) => {
        const twin = Object.entries(PORTABLE).find(([module]) => join(root, module) === path)?.[1];
        if (twin === undefined) return undefined;
        return { contents: readFileSync(join(root, twin), "utf8"), loader: "ts", resolveDir: join(root, "sim") };
      });
    },
  };
}

/** Buffers, as a package that web3.js brings has them for browsers. */
function buffers() {
  return {
    name: "buffers",
    setup(made) {
      made.onResolve({ filter: /^ofs:buffer$/ }, () => ({ path: "ofs:buffer", namespace: "ofs", sideEffects: false }));
      made.onLoad({ filter: /.*/, namespace: "ofs" }, () => {
        return { contents: 'export { Buffer } from "buffer/";', resolveDir: import.meta.dirname };
      });
      made.onResolve({ filter: /^(node:)?buffer$/ }, ({ resolveDir }) =>
        made.resolve("buffer/", { resolveDir, kind: "import-statement" }),
      );
    },
  };
}
