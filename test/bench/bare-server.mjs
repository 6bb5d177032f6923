/**
 * The least that Fastify can do: one handler that answers every call with the same text. Plain JavaScript, so that no
 * loader stands beside it: the node that it is compared with runs without one.
 * Usage: bare-server.mjs TEXT. Prints its address; ends with its input.
 */
import { fastify } from "fastify";

const text = process.argv[2] ?? "";
const app = fastify();
app.post("/rpc", (_, reply) => reply.header("content-type", "application/json").send(text));
console.log(await app.listen({ host: "127.0.0.1", port: 0 }));
process.stdin.resume().once("end", () => process.exit(0));
