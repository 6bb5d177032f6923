/**
 * Files over HTTP: snapshots from their directory, and content that the node holds, which it is asked for like any
 * client would ask. Source: protocol 05 §6.12; protocol 02 §G.6.
 */
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";
import { JSON_TYPE, RATE_LIMIT_EXCEEDED, TEXT_TYPE } from "./answers.ts";
import type { Calls } from "./calls.ts";

const UNNAMED_TYPE = "application/octet-stream";
const SNAPSHOT_ID = /^[A-Za-z0-9_-]{1,128}$/;

/** Whatever lies behind a CID never changes, was written by a stranger, and must not act. Source: protocol 02 §G.6. */
const CONTENT_HEADERS = {
  "cache-control": "public, max-age=31536000, immutable",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; sandbox",
};

/** GET /snapshot/{id}. Source: protocol 05 §6.12. */
export async function serveSnapshot(
  directory: string | undefined,
  id: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (!SNAPSHOT_ID.test(id)) return text(reply, 400, "invalid snapshot id");
  if (directory === undefined) return text(reply, 404, "no such snapshot");
  try {
    const handle = await open(join(directory, `${id}.tar.gz`), "r");
    const found = await handle.stat();
    if (!found.isFile()) {
      await handle.close();
      return text(reply, 500, "unreadable");
    }
    const { size } = found;
    reply.type(UNNAMED_TYPE).header("content-length", size);
    // Who went while it was opened takes nothing of it.
    if (request.method === "HEAD" || reply.raw.destroyed) {
      await handle.close();
      return reply.send();
    }
    // A file that shrinks meanwhile, or a client that leaves, ends the connection: there is nothing else to say.
    return reply.send(createReadStream("", { fd: handle, start: 0, end: Math.max(0, size - 1) }));
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return missing ? text(reply, 404, "no such snapshot") : text(reply, 500, "unreadable");
  }
}

/** The same of a file whose bytes are at hand. Source: protocol 05 §6.12. */
export function sendSnapshot(file: Uint8Array, reply: FastifyReply): FastifyReply {
  return reply.type(UNNAMED_TYPE).send(Buffer.from(file.buffer, file.byteOffset, file.length));
}

/**
 * GET /ipfs/{cid} and GET /content/{cid}: asks the node, which knows what a CID is. `sent` is told how many bytes went
 * out. Source: protocol 02 §G.6.
 */
export function serveContent(calls: Calls, cid: string, reply: FastifyReply, sent: (bytes: number) => void): void {
  const body = JSON.stringify({ jsonrpc: "2.0", id: null, method: "getContentFile", params: { cid } });
  calls.ask(body, reply.raw, (answered) => {
    const found = contentOf(answered);
    if (found === "refused") return void text(reply, 400, "not a content identifier");
    if (found === "busy") return void reply.code(429).type(JSON_TYPE).send(RATE_LIMIT_EXCEEDED);
    if (found === "unable") return void text(reply, 503, "the node cannot tell now");
    if (found === "missing") return void text(reply, 404, "not held");
    const type = imageType(found);
    if (type === undefined) reply.header("content-disposition", "attachment");
    sent(found.length);
    reply
      .headers(CONTENT_HEADERS)
      .type(type ?? documentType(found))
      .send(found);
  });
}

function text(reply: FastifyReply, status: number, body: string): FastifyReply {
  return reply.code(status).type(TEXT_TYPE).send(body);
}

const METHOD_NOT_FOUND = -32601;

/** What an answer to getContentFile says. */
function contentOf(text: string | null): Buffer | "missing" | "refused" | "busy" | "unable" {
  const parsed = JSON.parse(text ?? "{}") as {
    readonly result?: { readonly content?: string | null } | null;
    readonly error?: { readonly code?: number; readonly data?: { readonly ofsErrorCode?: number } };
  };
  if (parsed.error?.code === -32602) return "refused";
  if (parsed.error?.data?.ofsErrorCode === 9) return "busy";
  // A node that stops, or whose store failed, may hold it all the same; one without the method holds nothing.
  if (parsed.error !== undefined && parsed.error.code !== METHOD_NOT_FOUND) return "unable";
  const content = parsed.result?.content;
  return typeof content === "string" ? Buffer.from(content, "base64") : "missing";
}

/** By the leading bytes alone. Source: protocol 02 §G.2. */
function imageType(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, 8).equals(Buffer.from("89504e470d0a1a0a", "hex"))) return "image/png";
  if (bytes.subarray(0, 3).equals(Buffer.from("ffd8ff", "hex"))) return "image/jpeg";
  const riff = bytes.subarray(0, 4).toString("latin1") === "RIFF";
  return riff && bytes.subarray(8, 12).toString("latin1") === "WEBP" ? "image/webp" : undefined;
}

function documentType(bytes: Buffer): string {
  return bytes.subarray(0, 5).toString("latin1") === "%PDF-" ? "application/pdf" : UNNAMED_TYPE;
}
