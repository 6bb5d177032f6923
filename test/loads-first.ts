/**
 * Has Node.js ask the hooks that translate sources before the runner's, which tell another process of every import: the
 * hooks that were registered last are asked first. What is told that way makes files run again when a source changes,
 * so it is left in place where the runner watches. Once a process, however many test files it runs.
 */
import { importTypeScript } from "../node/bootstrap/typescript.mjs";

if (process.env.VITEST_MODE !== "WATCH") importTypeScript();
