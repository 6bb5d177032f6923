/**
 * Goal: the core takes calls in the order in which they came, though some are verified first, and what waits is
 * bounded. Method: threads that end when the test says so.
 */
import { expect, test } from "vitest";
import type { EpochMillis, Fact } from "../../core/index.ts";
import { CALLS_MAX, openCallsInOrder, WAITING_LENGTH_MAX } from "../../node/production/calls-in-order.ts";
import { advertisementData } from "../gossip/advertisements.ts";

const READ = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getHealth" });

function sendOf(id: string): string {
  const data = advertisementData(id, 1_786_000_000_000n as EpochMillis);
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "sendAdvertisementCreate", params: { data } });
}

function opened() {
  const [accepted, ends]: [string[], (() => void)[]] = [[], []];
  const calls = openCallsInOrder({ verify: (_, done) => void ends.push(done) });
  const driver = { accept: (fact: Fact) => void accepted.push(fact.type === "rpc.called" ? fact.replyTo : "") };
  return { accepted, ends, calls, take: (name: string, body: string) => calls.take(driver, name, body) };
}

test("a call waits for those before it, whichever is verified first, and nothing is taken twice", () => {
  const { accepted, ends, take } = opened();
  for (const [name, body] of [
    ["read 1", READ],
    ["send 1", sendOf("a")],
    ["read 2", READ],
    ["send 2", sendOf("b")],
  ] as const)
    expect(take(name, body)).toBe(true);
  expect(accepted).toEqual(["read 1"]);
  ends[1]?.();
  expect(accepted).toEqual(["read 1"]);
  ends[0]?.();
  expect(accepted).toEqual(["read 1", "send 1", "read 2", "send 2"]);
  expect(take("read 3", READ)).toBe(true);
  expect(accepted.at(-1)).toBe("read 3");
});

test("a send of which there is nothing to verify is taken at once", () => {
  const { accepted, take } = opened();
  expect(
    take("misfit", JSON.stringify({ jsonrpc: "2.0", id: 1, method: "sendVoteCommit", params: { data: "?" } })),
  ).toBe(true);
  expect(accepted).toEqual(["misfit"]);
});

test("so many are in hand until they are answered", () => {
  const { calls, take } = opened();
  for (let n = 0; n < CALLS_MAX; n += 1) expect(take(`${n}`, READ)).toBe(true);
  expect(take("one more", READ)).toBe(false);
  calls.answered();
  expect([take("one more", READ), take("two more", READ)]).toEqual([true, false]);
});

test("so much waits, and what was refused is not in hand", () => {
  const { accepted, ends, take } = opened();
  const first = sendOf("a");
  expect(take("send", first)).toBe(true);
  const rest = READ.padEnd(WAITING_LENGTH_MAX - first.length);
  expect([take("too long", `${rest} `), take("fits", rest), take("no more", " ")]).toEqual([false, true, false]);
  ends[0]?.();
  expect(accepted).toEqual(["send", "fits"]);
  expect(take("again", rest)).toBe(true);
});

test("what waits when a node stops is not taken any more", () => {
  const { accepted, ends, calls, take } = opened();
  take("send", sendOf("a"));
  calls.stop();
  ends[0]?.();
  expect(accepted).toEqual([]);
});
