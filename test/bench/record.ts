/**
 * What recording costs: a driver that takes sends and reads, each a commit of its own, and how much of that time its
 * recorder takes. Source: DESIGN section 6 (`--record`): 5 % at most of what a call costs a whole node. The core is
 * three quarters of that, 560 of 700 µs of a send (section 9, below the budgets); so 6.5 % of the core.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Recorder } from "../../adapters/recording/recorder.ts";
import { openRecorder } from "../../adapters/recording/recorder.ts";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import type { NodeDriver } from "../../core/index.ts";
import { createDriver, devnetNetwork, ok } from "../../core/index.ts";
import { crypto, gossipOnly, signedData } from "../rpc/lone-node.ts";
import { advertisement, merchant, T } from "../rpc/node-with-settlement.ts";
import type { Bench } from "./measure.ts";
import { median, rounded, timed } from "./measure.ts";

const ROUNDS = 9;
/** A send and so many reads of it. */
const SENDS = 300;
const READS = 3;
/** In percent. */
const CORE_SHARE_MAX = 6.5;

export const recordBench: Bench = {
  async run() {
    const folder = mkdtempSync(join(tmpdir(), "record-bench-"));
    const calls = callsOf();
    const [shares, eachUs]: [number[], number[]] = [[], []];
    for (let round = 0; round <= ROUNDS; round++) {
      const recorder = openRecorder({
        ...{ path: join(folder, `${round}`), configuration: gossipOnly(devnetNetwork), redacted: false },
        ended: () => undefined,
      });
      const { wholeMs, recordingMs } = taken(calls, recorder);
      recorder.close();
      // The first is of a machine that has yet to warm up.
      if (round === 0) continue;
      const others = wholeMs - recordingMs;
      shares.push((recordingMs / others) * 100);
      eachUs.push((others * 1_000) / calls.length);
    }
    rmSync(folder, { recursive: true });
    return [
      { name: "the core's part of a call, without a recorder", value: rounded(median(eachUs)), unit: "µs" },
      { name: "what recording adds to it", value: rounded(median(shares)), unit: "%", bar: { most: CORE_SHARE_MAX } },
    ];
  },
};

function callsOf(): readonly string[] {
  return Array.from({ length: SENDS }, (_, n) => {
    const id = `bench-${n}`;
    const data = signedData(AdvertisementCreate, { ...advertisement, id, timestamp: T }, merchant);
    const body = (method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const reads = Array.from({ length: READS }, () => body("getAdvertisement", { id }));
    return [body("sendAdvertisementCreate", { data }), ...reads];
  }).flat();
}

/** What all calls took, and what of that the recorder did: both by one clock, so that a busy machine slows both. */
function taken(calls: readonly string[], recorder: Recorder) {
  let recordingMs = 0;
  const driver: NodeDriver = createDriver({
    ...{ crypto, bootSeed: new Uint8Array(32), now: () => T, configuration: gossipOnly(devnetNetwork) },
    perform: () => undefined,
    store: {
      commit: (_, done) => done(ok(null)),
      load: (give) => give(ok({ rows: [], last: true })),
      close: (done) => done(),
    },
    observe(input, changes, effects) {
      recordingMs += timed(() => recorder.observe(input, changes, effects, () => driver.roots()));
    },
  });
  const wholeMs = timed(() => {
    for (const body of calls) driver.accept({ type: "rpc.called", replyTo: "bench", body });
  });
  return { wholeMs, recordingMs };
}
