/**
 * A process that writes a new key file and is killed before the nth of its calls that change a file.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const [path = "", call = ""] = process.argv.slice(2);
const { generateKeyFile } = await import("../../adapters/libp2p/key-file.ts");

let calls = 0;
const killing =
  <T extends readonly unknown[], R>(act: (...args: T) => R) =>
  (...args: T): R => {
    calls += 1;
    if (calls === Number(call)) process.kill(process.pid, "SIGKILL");
    return act(...args);
  };

for (const name of ["writeFileSync", "fsyncSync", "linkSync", "closeSync", "rmSync", "unlinkSync"] as const)
  Object.assign(fs, { [name]: killing(fs[name] as (...args: readonly unknown[]) => unknown) });
syncBuiltinESMExports();
if (!generateKeyFile(path).ok) console.error("no key was written");
