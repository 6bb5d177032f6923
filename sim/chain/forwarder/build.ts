/**
 * Builds forwarder.so beside its source, with the compiler and the linker of the escrow program. The result is
 * committed; a test compares it with its source. Run:
 * `node --import ./node/bootstrap/typescript.mjs sim/chain/forwarder/build.ts`.
 * Source: DESIGN section 4 (compiler and flags).
 */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildProgram } from "../../../adapters/chain/program/build.ts";

const folder = dirname(fileURLToPath(import.meta.url));
const built = buildProgram(folder);
writeFileSync(join(folder, "forwarder.so"), built);
console.log(`forwarder.so: ${built.length} bytes written`);
