/**
 * `ofs-sim` over toys, as a process: what `verify` starts for its twins in the tests.
 */
import "../../node/bootstrap/typescript.mjs";

await import("./toy-cli.ts");
