/**
 * Files over HTTP: snapshots from their directory, and content that the node holds, which it is asked for like any
 * client would ask. Source: protocol 05 §6.12; protocol 02 §G.6.
 */
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream";
import { answer, CORS_HEADERS, JSON_TYPE, RATE_LIMIT_EXCEEDED, TEXT_TYPE } from "./answers.ts";
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
  response: ServerResponse,
): Promise<void> {
  if (!SNAPSHOT_ID.test(id)) return answer(response, 400, TEXT_TYPE, "invalid snapshot id");
  if (directory === undefined) return answer(response, 404, TEXT_TYPE, "no such snapshot");
  try {
    const handle = await open(join(directory, `${id}.tar.gz`), "r");
    const found = await handle.stat();
    if (!found.isFile()) {
      await handle.close();
      return answer(response, 500, TEXT_TYPE, "unreadable");
    }
    const { size } = found;
    response.writeHead(200, { ...CORS_HEADERS, "content-type": UNNAMED_TYPE, "content-length": size });
    if (response.req.method === "HEAD") {
      await handle.close();
      response.end();
      return;
    }
    // A file that shrinks meanwhile, or a client that leaves, ends the connection: there is nothing else to say.
    const end = Math.max(0, size - 1);
    pipeline(createReadStream("", { fd: handle, start: 0, end }), response, () => undefined);
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (missing) answer(response, 404, TEXT_TYPE, "no such snapshot");
    else answer(response, 500, TEXT_TYPE, "unreadable");
  }
}

/** GET /ipfs/{cid} and GET /content/{cid}: asks the node, which knows what a CID is. Source: protocol 02 §G.6. */
export function serveContent(calls: Calls, cid: string, response: ServerResponse): void {
  const body = JSON.stringify({ jsonrpc: "2.0", id: null, method: "getContentFile", params: { cid } });
  calls.ask(body, response, (text) => {
    const found = contentOf(text);
    if (found === "refused") return answer(response, 400, TEXT_TYPE, "not a content identifier");
    if (found === "busy") return answer(response, 429, JSON_TYPE, RATE_LIMIT_EXCEEDED);
    if (found === "missing") return answer(response, 404, TEXT_TYPE, "not held");
    sendContent(response, found);
  });
}

function sendContent(response: ServerResponse, bytes: Buffer): void {
  if (response.destroyed) return;
  const type = imageType(bytes);
  const disposition = type === undefined ? { "content-disposition": "attachment" } : {};
  const described = { "content-type": type ?? documentType(bytes), "content-length": bytes.length };
  response.writeHead(200, { ...CORS_HEADERS, ...CONTENT_HEADERS, ...described, ...disposition });
  response.end(bytes);
}

/** What an answer to getContentFile says. */
function contentOf(text: string | null): Buffer | "missing" | "refused" | "busy" {
  const parsed = JSON.parse(text ?? "{}") as {
    readonly result?: { readonly content?: string | null } | null;
    readonly error?: { readonly code?: number; readonly data?: { readonly ofsErrorCode?: number } };
  };
  if (parsed.error?.code === -32602) return "refused";
  if (parsed.error?.data?.ofsErrorCode === 9) return "busy";
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
