/**
 * Reads the body of a call, whatever its content type says, within the bounds on one body and on all of them.
 * Source: protocol 01 §10.2 (content type), §10.4 (size).
 */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { ClientOf } from "./client-address.ts";
import type { ApiLimits } from "./limits.ts";

export type BodyFailure = "too large" | "too much at once" | "not UTF-8";

export interface BodyReader {
  /** Calls back once, or never when the client gave up first. */
  readonly read: (request: IncomingMessage, done: (body: string | null, failure: BodyFailure | null) => void) => void;
  /** Bytes of all bodies that are on their way. */
  readonly receiving: () => number;
}

type BodyLimits = Pick<ApiLimits, "bodyBytesMax" | "receivingBytesMax" | "clientReceivingBytesMax">;

export function openBodyReader(limits: BodyLimits, clientOf: ClientOf): BodyReader {
  let receiving = 0;
  const byClient = new Map<string, number>();
  /** Counts bytes that came for a client, or that he has no more; answers how many he has. */
  const count = (client: string, bytes: number): number => {
    receiving += bytes;
    const held = (byClient.get(client) ?? 0) + bytes;
    if (held === 0) byClient.delete(client);
    else byClient.set(client, held);
    return held;
  };
  return {
    read: (request, done) => {
      if (Number(request.headers["content-length"] ?? 0) > limits.bodyBytesMax) return done(null, "too large");
      const client = clientOf(request);
      const chunks: Buffer[] = [];
      let length = 0;
      // The listeners go with the request; to take three off again costs as much as the rest of this.
      let isOver = false;
      const release = (): void => {
        if (!isOver && length > 0) count(client, -length);
        isOver = true;
      };
      const refuse = (failure: BodyFailure): void => {
        release();
        chunks.length = 0;
        done(null, failure);
      };
      const onData = (chunk: Buffer): void => {
        // The rest of a refused body is thrown away as it comes, so that the client gets to read the refusal.
        if (isOver) return;
        chunks.push(chunk);
        length += chunk.length;
        const held = count(client, chunk.length);
        if (length > limits.bodyBytesMax) refuse("too large");
        else if (held > limits.clientReceivingBytesMax || receiving > limits.receivingBytesMax)
          refuse("too much at once");
      };
      const onEnd = (): void => {
        if (isOver) return;
        release();
        const bytes = chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks, length);
        if (isUtf8(bytes)) done(bytes.toString("utf8"), null);
        else done(null, "not UTF-8");
      };
      request.on("data", onData).on("end", onEnd).on("close", release);
    },
    receiving: () => receiving,
  };
}
