// Goal: giving up on a peer, or on all, ends every exchange that is open or waits, and nothing after it is lost.
// Method: inbox and outbox alone, over streams and connections of a few lines.
import { describe, expect, test } from "vitest";
import { ByteBudget } from "../../adapters/libp2p/byte-budget.ts";
import { Inbox } from "../../adapters/libp2p/inbox.ts";
import { TRANSPORT_LIMITS } from "../../adapters/libp2p/limits.ts";
import { Outbox } from "../../adapters/libp2p/outbox.ts";
import type { Connection, PeerId, RequestNumber, Stream } from "../../adapters/libp2p/types.ts";

const [ANN, BOB] = ["ann", "bob"] as [PeerId, PeerId];
const limits = { ...TRANSPORT_LIMITS, outboundStreamsPerPeerMax: 2 };
const budget = () => new ByteBudget(1_000_000, 1_000_000);
const never = () => () => undefined;

/** A stream that takes what is sent, says nothing, and closes when it is aborted. */
function quietStream(): Stream {
  const events = new EventTarget();
  const stream = Object.assign(events, {
    ...{ status: "open", writeStatus: "writable", readableEnded: false },
    send: () => true,
    close: async () => undefined,
    abort() {
      stream.status = "aborted";
      events.dispatchEvent(new Event("close"));
    },
  });
  return stream as unknown as Stream;
}

describe("the inbox", () => {
  function inboxOf(...from: readonly PeerId[]) {
    const inbox = new Inbox({ limits, setDeadline: never, incoming: budget(), received: () => undefined });
    const streams = from.map(() => quietStream());
    for (const [at, stream] of streams.entries()) inbox.accept(from[at] as PeerId, stream);
    return { inbox, open: () => streams.map(({ status }) => status === "open") };
  }

  test("gives up on one peer, or on all", () => {
    const { inbox, open } = inboxOf(ANN, BOB, ANN);
    inbox.abandon(ANN);
    expect([open(), inbox.unfinished]).toEqual([[false, true, false], 1]);
    inbox.abandon();
    expect([open(), inbox.unfinished]).toEqual([[false, false, false], 0]);
  });
});

describe("the outbox", () => {
  function outboxOf(sent: (request: number) => void = () => undefined) {
    const verdicts: (readonly [PeerId, number, unknown])[] = [];
    const connection = { newStream: async () => quietStream() } as unknown as Connection;
    const outbox = new Outbox({
      ...{ limits, setDeadline: never, outgoing: budget(), incoming: budget(), connectionTo: () => connection },
      verdict(to, request, result) {
        verdicts.push([to, request, result.ok ? "answered" : result.error]);
        sent(request);
      },
    });
    const send = (to: PeerId, request: number) => outbox.send(to, request as RequestNumber, Uint8Array.of(1));
    return { outbox, verdicts, send };
  }
  const settled = () => new Promise<void>((done) => setImmediate(done));

  test("gives up on one peer, or on all, what waits for its turn included", async () => {
    const { outbox, verdicts, send } = outboxOf();
    for (const request of [1, 2, 3]) send(ANN, request);
    send(BOB, 4);
    await settled();
    outbox.abandon("connection lost", ANN);
    expect(new Set(verdicts.map(([, request]) => request))).toEqual(new Set([1, 2, 3]));
    send(ANN, 5);
    await settled();
    outbox.abandon("disconnected");
    expect(verdicts.slice(3)).toEqual([
      [ANN, 5, "disconnected"],
      [BOB, 4, "disconnected"],
    ]);
    await settled();
    expect([outbox.undecided, outbox.unfinished]).toEqual([0, 0]);
  });

  test("keeps hold of what is sent while the exchanges before it are being put away", async () => {
    // Two exchanges end at once; the third is sent after the first of them was put away and before the second is.
    const { outbox, verdicts, send } = outboxOf((request) => {
      if (request === 2) queueMicrotask(() => send(ANN, 3));
    });
    send(ANN, 1);
    send(ANN, 2);
    await settled();
    outbox.abandon("connection lost", ANN);
    await settled();
    expect([verdicts.length, outbox.undecided]).toEqual([2, 1]);
    outbox.abandon("connection lost", ANN);
    expect(verdicts.at(-1)).toEqual([ANN, 3, "connection lost"]);
  });
});
