/** Lets a process import TypeScript: arguments of Node.js, before the file that it runs. */
export const TYPESCRIPT: readonly string[] = [
  "--import",
  new URL("../node/bootstrap/typescript.mjs", import.meta.url).href,
];
