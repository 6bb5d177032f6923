// Goal: giving up on a peer, or on all, ends every exchange that is open or waits, and nothing after it is lost;
// answers that a peer does not take are bounded by their bytes.
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
function quietStream(sent: (bytes: Uint8Array) => void = () => undefined): Stream {
  const events = new EventTarget();
  const stream = Object.assign(events, {
    ...{ status: "open", writeStatus: "writable", readableEnded: false },
    send: sent,
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
    const answers = new ByteBudget(3_000, 2_000);
    const boxes = { limits, setDeadline: never, incoming: budget(), answers };
    const inbox = new Inbox({ ...boxes, received: () => undefined });
    const sent: number[] = [];
    const streams = from.map((_, at) => quietStream(() => sent.push(at + 1)));
    for (const [at, stream] of streams.entries()) inbox.accept(from[at] as PeerId, stream);
    return { inbox, sent, answers, streams, open: () => streams.map(({ status }) => status === "open") };
  }

  test("keeps so many bytes of answers for a peer and for all; others are reset, and room comes back", () => {
    const { inbox, sent, answers, streams, open } = inboxOf(ANN, ANN, ANN, BOB, BOB);
    for (const [at] of streams.entries()) inbox.reply(`${at + 1}`, new Uint8Array(1_000));
    expect([sent, open(), answers.total]).toEqual([[1, 2, 4], [true, true, false, true, false], 3_000]);
    streams[0]?.abort(new Error("over"));
    expect(answers.total).toBe(2_000);
    inbox.accept(
      BOB,
      quietStream(() => sent.push(6)),
    );
    inbox.reply("6", new Uint8Array(1_000));
    expect(sent).toEqual([1, 2, 4, 6]);
    inbox.abandon();
    expect([inbox.unfinished, answers.total]).toEqual([0, 0]);
  });

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
