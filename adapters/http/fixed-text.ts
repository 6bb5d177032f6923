/**
 * A text that stays the same while the node runs: named by what it holds, so that a client which has it gets 304, and
 * compressed once instead of for each client. Source: RFC 9110 §8.8.3, §13.1.2, §12.5.3.
 */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Hexadecimal digits of a name: enough to tell the versions of one page apart. */
const NAME_DIGITS = 32;

export interface FixedText {
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly name: string;
}

/** Prepares a text to be sent. */
export function fixedText(type: string, text: string, headers: Readonly<Record<string, string>> = {}): FixedText {
  const plain = Buffer.from(text, "utf8");
  // Weak: the compressed form is the same page in other bytes.
  const name = `W/"${createHash("sha256").update(plain).digest("hex").slice(0, NAME_DIGITS)}"`;
  return { type, headers, plain, gzip: gzipSync(plain, { level: 9 }), name };
}

/** Sends it in the form that the client takes, or says that it has it already; answers the bytes of the body. */
export function sendFixedText(text: FixedText, request: FastifyRequest, reply: FastifyReply): number {
  const vary = `${String(reply.getHeader("vary"))}, accept-encoding`;
  reply.headers({ ...text.headers, etag: text.name, "cache-control": "no-cache", vary });
  if (hasIt(request.headers["if-none-match"], text.name)) {
    reply.code(304).send();
    return 0;
  }
  const body = takesGzip(request.headers["accept-encoding"]) ? text.gzip : text.plain;
  if (body === text.gzip) reply.header("content-encoding", "gzip");
  reply.type(text.type).send(body);
  return body.length;
}

function hasIt(header: string | undefined, name: string): boolean {
  const names = header?.split(",").map((each) => each.trim()) ?? [];
  return names.some((each) => each === "*" || withoutWeakness(each) === withoutWeakness(name));
}

function withoutWeakness(name: string): string {
  return name.replace(/^W\//, "");
}

/** Whether a client takes gzip, asked for by name or by `*`, and not with weight 0. */
function takesGzip(header: string | undefined): boolean {
  const codings = (header ?? "").toLowerCase().split(",");
  const weights = new Map(
    codings.map((coding) => {
      const [name = "", ...parameters] = coding.split(";").map((part) => part.trim());
      return [name, Number(/^q=(.*)$/.exec(parameters.find((part) => part.startsWith("q=")) ?? "")?.[1] ?? 1)];
    }),
  );
  return (weights.get("gzip") ?? weights.get("*") ?? 0) > 0;
}
