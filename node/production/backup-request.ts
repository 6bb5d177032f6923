/**
 * Asks a running node, at its admin address, to copy its ledger. Source: DESIGN section 6.
 */
import { request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";
import { text } from "node:stream/consumers";
import type { RootTexts } from "../../core/index.ts";
import { ASKED_BY_OPERATOR, Failure, Refusal } from "./usage.ts";

/**
 * How long a node may take for its copy, in milliseconds: an hour, in which a slow disk writes a hundred gigabytes.
 * `fetch` would not do: it gives every answer five minutes. Source: DESIGN "Waiting times".
 */
const BACKUP_MS = 3_600_000;

/** The roots of the copy at `out`, an absolute path. Fails with one line. Source: DESIGN section 6. */
export async function askForBackup(admin: string, out: string, limitMs: number = BACKUP_MS): Promise<RootTexts> {
  if (!URL.canParse(admin) || !/^https?:\/\//.test(admin))
    throw new Refusal(
      `--admin takes the URL of a node's admin address, such as http://127.0.0.1:7081, not "${admin}".`,
    );
  const limit = AbortSignal.timeout(limitMs);
  const { status, body } = await posted(new URL("/backup", admin), out, limit).catch(() => {
    throw new Failure(
      limit.aborted
        ? `the node made no backup within ${limitMs / 1_000} s; its log may say why, and ${out} be half a copy.`
        : `--admin ${admin} does not answer; it is the admin address of a running node.`,
    );
  });
  if (status !== 200) throw new Failure(`the node made no backup: ${body.split("\n")[0]}`);
  return rootsIn(body, admin);
}

function rootsIn(body: string, admin: string): RootTexts {
  try {
    return JSON.parse(body) as RootTexts;
  } catch {
    throw new Failure(`--admin ${admin} answers as no node does; it is the admin address of a running node.`);
  }
}

function posted(
  url: URL,
  body: string,
  signal: AbortSignal,
): Promise<{ readonly status: number | undefined; readonly body: string }> {
  const request = url.protocol === "https:" ? requestTls : requestPlain;
  const headers = { "content-type": "text/plain", [ASKED_BY_OPERATOR]: "1" };
  return new Promise((resolve, reject) => {
    request(url, { method: "POST", headers, signal }, (answer) => {
      text(answer).then((content) => resolve({ status: answer.statusCode, body: content }), reject);
    })
      .once("error", reject)
      .end(body);
  });
}
