/**
 * Limits of the simulator that stand where its tests do: those of a served network's control.
 */
import type { Schema } from "../../core/index.ts";
import { checked } from "../../sim/data/plain.ts";
import { watchBrokenLaws } from "../../sim/serve/broken-laws.ts";
import { answerControl } from "../../sim/serve/control/dispatch.ts";
import type { Controlled } from "../../sim/serve/control/method.ts";
import { openSnapshots } from "../../sim/serve/control/snapshots.ts";
import type { ControlMethods } from "../../sim/serve/control/table.ts";
import { controlMethods, methodOf } from "../../sim/serve/control/table.ts";
import { openEventLog } from "../../sim/serve/event-log.ts";
import type { HeldWorld } from "../../sim/serve/live-world.ts";
import type { World } from "../../sim/world.ts";
import type { Limit } from "../limits/limit.ts";
import { most, TAKEN_OR_LEFT } from "../limits/limit.ts";

const TAKEN_OR_REFUSED = { within: "taken", beyond: "refused" } as const;

/** Whether a method takes a value as one of its parameters. */
function takes(name: keyof ControlMethods, member: string, besides: object = {}): (n: number) => string {
  const params = methodOf(name)?.params as Schema<unknown>;
  return (n) => (checked(params, { ...besides, [member]: n }, "params").ok ? "taken" : "refused");
}

/** Whether all of so many events are kept. */
function logged(n: number): string {
  const log = openEventLog(() => undefined);
  for (let number = 1; number <= n; number += 1) log.noted(number, "event");
  return log.after(0).length === n ? "taken" : "left";
}

/** Whether a network whose time is 0 steps so far. */
async function steps(ms: number): Promise<string> {
  const loop = { now: () => 0, epoch: () => 0n };
  const host = { world: () => ({ loop }), advance: () => Promise.resolve() };
  const network = { host, pace: { factor: () => 0, rebase: () => undefined } } as unknown as Controlled;
  const stepped = await controlMethods.sim_increaseTime.run(network, { ms });
  return stepped.ok ? "taken" : "refused";
}

/** Whether a batch of so many requests, of a method that is not there, is answered one by one. */
async function batched(n: number): Promise<string> {
  const requests = Array.from({ length: n }, (_, id) => ({ jsonrpc: "2.0", id, method: "sim_none" }));
  const answered = JSON.parse(await answerControl({} as Controlled, JSON.stringify(requests))) as unknown;
  return Array.isArray(answered) && answered.length === n ? "taken" : "refused";
}

function kept(n: number): string {
  const snapshots = openSnapshots();
  const state = {} as HeldWorld;
  const ids = Array.from({ length: n }, () => snapshots.keep(state));
  return ids.at(-1) === undefined ? "left" : "taken";
}

/** Whether so many laws that broke at once are all told, each by a line of its own. */
function toldOf(n: number): string {
  const violations = Array.from({ length: n }, (_, at) => ({ check: "law", message: `${at}`, time: at, event: at }));
  const settled: (() => void)[] = [];
  const lines: string[] = [];
  const onSettled = (told: () => void) => void settled.push(told);
  const host = { world: () => ({ violations }) as unknown as World, onSettled };
  watchBrokenLaws(host, (line) => lines.push(line));
  for (const told of settled) told();
  return lines.filter((line) => line.startsWith("law ")).length === n ? "taken" : "left";
}

const control = "sim/serve/control";
export const limits: readonly Limit[] = [
  most(`${control}/time-methods.ts STEP_MS_MAX`, 31_622_400_000, steps, TAKEN_OR_REFUSED),
  most(`${control}/time-methods.ts FACTOR_MAX`, 1_000, takes("sim_resume", "factor"), TAKEN_OR_REFUSED),
  most(`${control}/chain-methods.ts SLOTS_MAX`, 216_000, takes("sim_mineSlots", "slots"), TAKEN_OR_REFUSED),
  most(
    `${control}/market-methods.ts ADVERTISEMENTS_MAX`,
    1_000,
    takes("sim_seedMarket", "advertisements"),
    TAKEN_OR_REFUSED,
  ),
  most(`${control}/market-methods.ts PROVIDERS_MAX`, 100, takes("sim_seedMarket", "providers"), TAKEN_OR_REFUSED),
  most(`${control}/watch-methods.ts EVENTS_SHOWN_MAX`, 1_000, takes("sim_getEvents", "limit"), TAKEN_OR_REFUSED),
  most(
    `${control}/watch-methods.ts RECORDS_SHOWN_MAX`,
    1_000,
    takes("sim_getKeys", "limit", { node: 0, table: "settlements" }),
    TAKEN_OR_REFUSED,
  ),
  most(`${control}/chain-view-methods.ts SLOTS_SHOWN_MAX`, 1_000, takes("sim_getBlocks", "limit"), TAKEN_OR_REFUSED),
  most("sim/serve/broken-laws.ts TOLD_MAX", 100, toldOf, TAKEN_OR_LEFT),
  most("sim/serve/event-log.ts EVENTS_KEPT_MAX", 4_096, logged, TAKEN_OR_LEFT),
  most(`${control}/dispatch.ts BATCH_REQUESTS_MAX`, 100, batched, TAKEN_OR_REFUSED),
  most(`${control}/snapshots.ts SNAPSHOTS_MAX`, 4_096, kept, TAKEN_OR_LEFT),
];
