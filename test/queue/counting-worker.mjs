/** The worker of the tests, as a process. */
import "../../node/bootstrap/typescript.mjs";

await import("./counting-worker.ts");
