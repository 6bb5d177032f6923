/**
 * Lets this process import TypeScript: every launcher imports it before the first `.ts` file. Traces of errors name the
 * lines of sources.
 */
import { register } from "node:module";

register("./typescript-hooks.mjs", import.meta.url);
process.setSourceMapsEnabled(true);
