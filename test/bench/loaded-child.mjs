/**
 * Loads every case as `npm run bench` does and prints the URL of each script that this took, one a line.
 * Usage: loaded-child.mjs DIST, the folder that holds the compiled product.
 */
import { once } from "node:events";
import { Session } from "node:inspector/promises";
import { resolve } from "node:path";
import { registerCompiled } from "../../node/bootstrap/compiled.mjs";
import "../../node/bootstrap/typescript.mjs";

registerCompiled(resolve(import.meta.dirname, "..", ".."), process.argv[2]);
const { cases } = await import("./cases.ts");
for (const loadCase of Object.values(cases)) await loadCase();
const session = new Session();
session.connect();
const urls = new Set();
session.on("Debugger.scriptParsed", ({ params }) => urls.add(params.url));
await session.post("Debugger.enable");
if (!process.stdout.write(`${[...urls].join("\n")}\n`)) await once(process.stdout, "drain");
process.exit(0);
