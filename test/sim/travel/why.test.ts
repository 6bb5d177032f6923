// Goal: the chain of events behind a field leads from node to node to the client's call, or to the chain, and says so.
// Method: the flagship scenario, recorded; and runs made by hand where a chain has no more than one way to go.
import { assert, beforeAll, describe, test } from "vitest";
import { disputeDecidedOnChain } from "../../../scenarios/dispute-decided-on-chain.ts";
import { clockText } from "../../../sim/clock-text.ts";
import { labelIn, membersOf } from "../../../sim/travel/members.ts";
import type { TravelRecording } from "../../../sim/travel/recording-reader.ts";
import { reasonLines, whyIs } from "../../../sim/travel/why.ts";
import { memoryRecording, NOTES, readRecording, record } from "./recorded.ts";

describe("why", () => {
  let recording: TravelRecording;
  let key: string;
  beforeAll(async () => {
    ({ recording } = await record(disputeDecidedOnChain, { seed: 1n, chain: "model" }));
    const rows = [...recording.stateAt(3, recording.events).rows.values()];
    const row = rows.find(({ table, text }) => {
      return table === "settlements" && labelIn(membersOf(recording.text(text))) === "settlement-1004";
    });
    assert.ok(row !== undefined);
    key = recording.text(row.key);
  });

  test("a settlement is disputed leads from node to node to the call of whoever opened the dispute", () => {
    const question = { node: 3, table: "settlements", key, member: "state", event: recording.events };
    const reason = whyIs(recording, question);
    assert.ok(reason !== undefined);
    assert.equal(reason.before, '"PaymentSubmitted"');
    assert.equal(reason.after, '"Disputed"');
    assert.equal(reason.origin, "call");
    assert.match(reason.links[0]?.label ?? "", /from node \d · takes DisputeOpened/);
    assert.match(reason.links.at(-1)?.label ?? "", /^calls sendDisputeOpen · by dora · takes DisputeOpened$/);
    assert.ok(reason.links.every(({ event }, place) => event < (reason.links[place - 1]?.event ?? Infinity)));
    const lines = reasonLines(reason, question, clockText);
    assert.equal(lines[2], 'became  "Disputed"');
    assert.equal(lines.at(-1), "It goes back to a client's call.");
  });

  test("asked as of an earlier event it tells the change before that", () => {
    const now = whyIs(recording, { node: 3, table: "settlements", key, member: "state", event: recording.events });
    const event = (now?.links[0]?.event ?? 0) - 1;
    const before = whyIs(recording, { node: 3, table: "settlements", key, member: "state", event });
    assert.equal(before?.after, '"PaymentSubmitted"');
    assert.match(before?.links.at(-1)?.label ?? "", /^calls sendPaymentSubmitted/);
  });

  test("a resolution goes back to the chain", () => {
    const reason = whyIs(recording, {
      ...{ node: 5, table: "settlements", key, member: "resolution", event: recording.events },
    });
    assert.equal(reason?.after, '"BuyerWins"');
    assert.equal(reason?.origin, "chain");
  });

  test("what nobody wrote has no reason", () => {
    assert.isUndefined(whyIs(recording, { node: 3, table: "settlements", key: "none", event: recording.events }));
    assert.isUndefined(whyIs(recording, { node: 3, table: "settlements", key, member: "no.such", event: 9 }));
  });

  test("a statement that was passed on is followed to where its sender had it from, and over a lost memory", () => {
    const { writer, bytes } = memoryRecording();
    const happened = (
      event: number,
      node: number,
      kind: "rpc.called" | "message.received" | "timer.fired",
      cause: number,
    ) => writer.event({ event, time: event, node, kind, cause, label: `${kind} ${event}`, changed: 1 });
    const takes = (node: number, event: number) =>
      writer.changes(node, event, [
        { table: "statements", key: "s1", text: '{"about":"r1"}' },
        { table: "records", key: "r1", text: '{"state":"new"}' },
      ]);
    happened(1, 0, "rpc.called", 0);
    takes(0, 1);
    happened(2, 1, "message.received", 1);
    takes(1, 2);
    // The sender passes it on later, asked by a timer that has nothing to do with it.
    happened(3, 1, "timer.fired", 0);
    happened(4, 2, "message.received", 3);
    takes(2, 4);
    writer.forgotten(2, 4, "crashed");
    writer.forgotten(2, 5, "anew");
    takes(2, 5);
    writer.close(NOTES, 5);
    const made = readRecording(bytes());
    const reason = whyIs(made, { node: 2, table: "records", key: "r1", member: "state", event: 5 });
    assert.deepEqual(
      reason?.links.map(({ role, event, node }) => [role, event, node]),
      [
        ["changed", 4, 2],
        ["took", 2, 1],
        ["sent", 1, 0],
      ],
    );
    assert.equal(reason?.origin, "call");
  });
});

describe("members of a record's text", () => {
  test("stand by their paths, with every digit and whatever a text holds", () => {
    const text =
      '{"id":"a,\\"}{","amount":{"base_units":18446744073709551615,"list":[1,{"b":2}]},"none":{},"yes":true}';
    assert.deepEqual(
      [...membersOf(text)],
      [
        ["id", '"a,\\"}{"'],
        ["amount.base_units", "18446744073709551615"],
        ["amount.list", '[1,{"b":2}]'],
        ["none", "{}"],
        ["yes", "true"],
      ],
    );
    assert.deepEqual([...membersOf('"text"')], [["", '"text"']]);
    assert.deepEqual([...membersOf(undefined)], []);
    assert.equal(labelIn(membersOf(text)), 'a,"}{');
  });
});
