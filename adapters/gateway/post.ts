/**
 * One POST to a stranger's URL: http or https, no redirects, no credentials, a deadline over the whole of it, and only
 * the status of the answer is read. Source: protocol 04 §6.6, §6.12.
 */
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";
import type { NotificationDelivery } from "../../core/index.ts";
import type { Lookup } from "./addresses.ts";
import { isPublicAddress, publicLookup } from "./addresses.ts";

export interface PostOptions {
  readonly allowPrivate: boolean;
  readonly lookup: Lookup;
  readonly timeoutMs: number;
}

/** Posts a notification; `done` hears once whether it was taken, never during the call. Answers how to give it up. */
export function post(delivery: NotificationDelivery, options: PostOptions, done: (taken: boolean) => void): () => void {
  const url = urlOf(delivery.endpoint, options.allowPrivate);
  if (url === undefined) {
    const refused = setImmediate(() => done(false));
    return () => clearImmediate(refused);
  }
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const request = send(url, {
    method: "POST",
    agent: false,
    headers: headersOf(delivery),
    lookup: options.allowPrivate ? options.lookup : publicLookup(options.lookup),
  });
  let finished = false;
  const finish = (taken: boolean): void => {
    if (finished) return;
    finished = true;
    clearTimeout(deadline);
    request.destroy();
    done(taken);
  };
  const deadline = setTimeout(() => finish(false), options.timeoutMs);
  request.on("response", ({ statusCode = 0 }) => finish(statusCode >= 200 && statusCode < 300));
  request.on("error", () => finish(false));
  request.on("close", () => finish(false));
  request.end(delivery.body);
  return () => {
    finished = true;
    clearTimeout(deadline);
    request.destroy();
  };
}

/** Source: protocol 04 §6.6; the signature and the node's name are ours (§6.12). */
function headersOf({ body, node, signature }: NotificationDelivery): Readonly<Record<string, string | number>> {
  return {
    "content-type": "application/json",
    "content-length": body.length,
    "x-openfiat-node": node,
    "x-openfiat-signature": signature,
  };
}

/** Where to post, if that is anywhere a node posts to. What the URL says of a user is left out. */
function urlOf(endpoint: string, allowPrivate: boolean): URL | undefined {
  if (!URL.canParse(endpoint)) return undefined;
  const url = new URL(endpoint);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) return undefined;
  url.username = "";
  url.password = "";
  return url;
}
