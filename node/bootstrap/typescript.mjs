/**
 * Lets this process import TypeScript: every launcher imports it before the first `.ts` file. Node.js does it by itself
 * since 22.18, and says on 26 that hooks of the kind that 20 has are deprecated. Errors name the lines of sources.
 */
import { register } from "node:module";

/** Has hooks translate what is imported from now on, before hooks that are there, unless Node.js does it. */
export function importTypeScript() {
  if (!process.features.typescript) register("./typescript-hooks.mjs", import.meta.url);
}

importTypeScript();
process.setSourceMapsEnabled(true);
