/**
 * Control of time: how fast it goes, and where it stands.
 */
import { ok, option, struct, u64 } from "../../../core/index.ts";
import { small } from "../../../core/testing.ts";
import { may } from "../../data/optional.ts";
import { Milliseconds } from "../../data/values.ts";
import { WORLD_START } from "../../world.ts";
import type { Controlled } from "./method.ts";
import { jumpTo, method, refuse } from "./method.ts";

/** The longest step of time at once: a year, in milliseconds. Source: DESIGN L10. */
export const STEP_MS_MAX = 366 * 86_400_000;
/** Milliseconds of the network's in one of ours. Source: DESIGN "Simulated world". */
export const FACTOR_MAX = 1_000;

const Factor = small(32, { least: 1, most: FACTOR_MAX });
const TimeData = struct("Time", { now: u64, factor: option(Factor) });
const group = "Time";

const timeOf = ({ host, pace }: Controlled) => {
  const factor = pace.factor();
  return ok({ now: host.world().loop.epoch() as bigint, factor: factor === 0 ? null : factor });
};

async function stepTo(network: Controlled, to: number) {
  const now = network.host.world().loop.now();
  if (to < now) return refuse("TIME_IS_PAST", `the network is ${now - to} ms past that`);
  if (to - now > STEP_MS_MAX) return refuse("TOO_MANY", `one step of time is ${STEP_MS_MAX} ms at most`);
  await jumpTo(network, to);
  return timeOf(network);
}

export const timeMethods = {
  sim_getTime: method({
    ...{ group, params: {}, result: TimeData },
    doc: "The network's time in Unix milliseconds, and how many of them pass in one of ours; null where it stands.",
    run: timeOf,
  }),
  sim_increaseTime: method({
    ...{ group, params: { ms: Milliseconds }, result: TimeData, errors: ["TOO_MANY"] },
    doc: "Runs the network for so many milliseconds of its own, as fast as it goes; everything due happens.",
    run: (network, { ms }) => stepTo(network, network.host.world().loop.now() + ms),
  }),
  sim_setNextTime: method({
    ...{ group, params: { time: u64 }, result: TimeData, errors: ["TIME_IS_PAST", "TOO_MANY"] },
    doc: "Runs the network up to an instant, in Unix milliseconds: what is asked next happens then, or later.",
    run: (network, { time }) => stepTo(network, Number(time - WORLD_START)),
  }),
  sim_pause: method({
    ...{ group, params: {}, result: TimeData },
    doc: "Time stands still from now on: a call takes as much of it as its answer needs, and none passes otherwise.",
    run(network) {
      network.pace.stand();
      return timeOf(network);
    },
  }),
  sim_resume: method({
    ...{ group, params: { factor: may(Factor) }, result: TimeData },
    doc: "Time follows the wall clock again, from where it stands, once or so many times as fast.",
    run(network, { factor = 1 }) {
      network.pace.follow(factor);
      return timeOf(network);
    },
  }),
};
