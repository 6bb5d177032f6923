/**
 * One download of a snapshot file: a few redirects, each judged like the first address; never more bytes than were
 * announced; a deadline over all of it; and out comes the archive inside. Source: protocol 05 §6.7, §6.11, §14.22,
 * §14.23.
 */
import type { IncomingMessage } from "node:http";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { SnapshotFailure, SnapshotFetched } from "../../core/index.ts";
import { FILE_BYTES_MAX } from "../../core/ports/snapshots.ts";
import type { Lookup } from "../gateway/addresses.ts";
import { isDistant, lookupWhere } from "../gateway/addresses.ts";

const decompress = promisify(gunzip);
/** Source: protocol 05 §14.23. */
export const REDIRECTS_MAX = 3;

export interface DownloadOptions {
  /** Whether loopback, link-local and unspecified addresses are asked too. */
  readonly allowLocal: boolean;
  readonly lookup: Lookup;
  readonly timeoutMs: number;
}

/** Fetches a file; `aborted` ends it. Never fails but by its answer. */
export async function download(
  location: string,
  sizeBytes: bigint,
  options: DownloadOptions,
  aborted: AbortSignal,
): Promise<SnapshotFetched> {
  const signal = AbortSignal.any([aborted, AbortSignal.timeout(options.timeoutMs)]);
  const body = await bodyAt(location, Number(sizeBytes), options, signal);
  if (!("bytes" in body)) return body;
  try {
    const archive = await decompress(body.bytes, { maxOutputLength: FILE_BYTES_MAX });
    return { ok: true, sizeBytes: body.bytes.length, archive: new Uint8Array(archive) };
  } catch (error) {
    const tooLarge = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    return tooLarge
      ? failed("SNAPSHOT_VERIFICATION_FAILED", "the archive is larger than one may be")
      : failed("UNSUPPORTED_OPERATION", "not a gzip stream");
  }
}

type Body = { readonly bytes: Uint8Array } | (SnapshotFetched & { readonly ok: false });

async function bodyAt(location: string, most: number, options: DownloadOptions, signal: AbortSignal): Promise<Body> {
  let target = location;
  for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
    const url = urlOf(target, options.allowLocal);
    if (url === undefined) return failed("NETWORK_ERROR", "an address that is not asked");
    try {
      const response = await ask(url, options, signal);
      const { statusCode = 0, headers } = response;
      const next = statusCode >= 300 && statusCode < 400 ? headers.location : undefined;
      if (next === undefined) return await readBody(response, statusCode, most);
      response.destroy();
      target = URL.canParse(next, url.href) ? new URL(next, url.href).href : "";
    } catch (error) {
      return failed("NETWORK_ERROR", error instanceof Error ? error.message : String(error));
    }
  }
  return failed("NETWORK_ERROR", "too many redirects");
}

function ask(url: URL, { allowLocal, lookup }: DownloadOptions, signal: AbortSignal): Promise<IncomingMessage> {
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = send(url, {
      agent: false,
      signal,
      lookup: allowLocal ? lookup : lookupWhere(lookup, isDistant),
    });
    request.on("response", resolve);
    request.on("error", reject);
    // The end of one that was answered with a change of protocol is neither a response nor an error.
    request.on("close", () => reject(new Error("no answer")));
    request.end();
  });
}

async function readBody(response: IncomingMessage, statusCode: number, most: number): Promise<Body> {
  if (statusCode !== 200) {
    response.destroy();
    return failed("NETWORK_ERROR", `status ${statusCode}`);
  }
  const declared = Number(response.headers["content-length"] ?? 0);
  const chunks: Buffer[] = [];
  let length = 0;
  if (declared <= most) {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > most) break;
      chunks.push(chunk);
    }
  }
  if (declared <= most && length <= most) return { bytes: Buffer.concat(chunks) };
  response.destroy();
  return failed("SNAPSHOT_VERIFICATION_FAILED", "longer than announced");
}

/** Where to ask, if that is anywhere a node asks. What the URL says of a user is left out. */
function urlOf(location: string, allowLocal: boolean): URL | undefined {
  if (!URL.canParse(location)) return undefined;
  const url = new URL(location);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (!allowLocal && isIP(host) !== 0 && !isDistant(host)) return undefined;
  url.username = "";
  url.password = "";
  return url;
}

function failed(code: SnapshotFailure, reason: string): SnapshotFetched & { readonly ok: false } {
  return { ok: false, code, reason };
}
