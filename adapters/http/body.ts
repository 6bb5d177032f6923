/**
 * Reads the body of a call, whatever its content type says, within the bounds on one body and on all of them.
 * Source: protocol 01 §10.2 (content type), §10.4 (size).
 */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { ApiLimits } from "./limits.ts";

export type BodyFailure = "too large" | "too much at once" | "not UTF-8";

export interface BodyReader {
  /** Calls back once, or never when the client gave up first. */
  readonly read: (request: IncomingMessage, done: (body: string | null, failure: BodyFailure | null) => void) => void;
  /** Bytes of all bodies that are on their way. */
  readonly receiving: () => number;
}

export function openBodyReader(limits: Pick<ApiLimits, "bodyBytesMax" | "receivingBytesMax">): BodyReader {
  let receiving = 0;
  return {
    read: (request, done) => {
      if (Number(request.headers["content-length"] ?? 0) > limits.bodyBytesMax) return done(null, "too large");
      const chunks: Buffer[] = [];
      let length = 0;
      // The listeners go with the request; to take three off again costs as much as the rest of this.
      let isOver = false;
      const release = (): void => {
        if (!isOver) receiving -= length;
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
        receiving += chunk.length;
        if (length > limits.bodyBytesMax) refuse("too large");
        else if (receiving > limits.receivingBytesMax) refuse("too much at once");
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
