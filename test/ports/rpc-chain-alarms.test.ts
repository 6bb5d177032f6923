// Goal: endpoints that contradict each other are named once a minute, each subject and endpoint for itself.
// Method: a clock that the test moves, from another instant than zero.
import { expect, test } from "vitest";
import { ALARM_EVERY_MS, openAlarms } from "../../adapters/chain/alarms.ts";
import type { ChainObservation, ChainSubject } from "../../core/index.ts";

test("an alarm about one subject and endpoint is told once a minute", () => {
  const told: ChainObservation[] = [];
  const clock = { now: 5 };
  const alarm = openAlarms(
    (observation) => void told.push(observation),
    () => clock.now,
  );
  const after = (ms: number, about: ChainSubject, endpoint: string) => {
    clock.now = 5 + ms;
    alarm(about, endpoint);
    return told.length;
  };
  expect(after(0, "slot", "a")).toBe(1);
  expect(after(1, "slot", "b")).toBe(2);
  expect(after(1, "account", "a")).toBe(3);
  expect(after(ALARM_EVERY_MS - 1, "slot", "a")).toBe(3);
  expect(after(ALARM_EVERY_MS, "slot", "a")).toBe(4);
  expect(after(2 * ALARM_EVERY_MS - 1, "slot", "a")).toBe(4);
  expect(told.at(-1)).toEqual({ type: "disagreement", about: "slot", endpoint: "a" });
});
