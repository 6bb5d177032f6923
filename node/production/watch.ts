/**
 * What happens in a running node, noted as it happens: commits, slots, dials, snapshots, lines of its log. It decides
 * nothing; readiness and metrics read it. No party is noted. Source: DESIGN L4, section 6.
 */
import type { EndpointState } from "../../adapters/chain/rpc.ts";
import type { Effect, Fact } from "../../core/index.ts";
import type { StoreFailure, StorePort } from "../../core/ports/store.ts";

type LogEntry = Extract<Effect, { readonly type: "log" }>;

/** Counts and instants of one node; instants are milliseconds of the machine's monotonic clock. */
export interface Watch {
  readonly onFact: (fact: Fact) => void;
  readonly onLog: (entry: LogEntry) => void;
  /** The same store, whose commits are timed. */
  readonly timed: (store: StorePort) => StorePort;
  readonly seen: Seen;
}

export interface Seen {
  committingSince: number | undefined;
  commitFailure: string | undefined;
  readonly commitFailures: Map<string, number>;
  slot: bigint | undefined;
  slotAt: number | undefined;
  snapshotAt: number | undefined;
  dialFailures: number;
  /** Lines of the log by level and event, both of which are the program's own constants. */
  readonly lines: Map<string, { readonly level: string; readonly event: string; count: number }>;
  endpoints: (() => readonly EndpointState[]) | undefined;
}

/** `committed` is told how long each commit took, in milliseconds. */
export function openWatch(committed: (ms: number) => void): Watch {
  const seen: Seen = {
    ...{ committingSince: undefined, commitFailure: undefined, commitFailures: new Map(), slot: undefined },
    ...{ slotAt: undefined, snapshotAt: undefined, dialFailures: 0, lines: new Map(), endpoints: undefined },
  };
  return {
    seen,
    onFact(fact) {
      if (fact.type === "peer.unreachable") seen.dialFailures += 1;
      if (fact.type === "snapshot.written" && fact.outcome.ok) seen.snapshotAt = performance.now();
      if (fact.type !== "chain.observed" || fact.observation.type !== "slot") return;
      seen.slot = fact.observation.slot;
      seen.slotAt = performance.now();
    },
    onLog({ level, event }) {
      const line = seen.lines.get(`${level} ${event}`) ?? { level, event, count: 0 };
      line.count += 1;
      seen.lines.set(`${level} ${event}`, line);
    },
    timed: (store) => ({
      load: store.load,
      close: store.close,
      commit(writes, done) {
        const began = performance.now();
        seen.committingSince = began;
        store.commit(writes, (result) => {
          committed(performance.now() - began);
          seen.committingSince = undefined;
          seen.commitFailure = result.ok ? undefined : failureText(result.error);
          if (!result.ok)
            seen.commitFailures.set(result.error.code, 1 + (seen.commitFailures.get(result.error.code) ?? 0));
          done(result);
        });
      },
    }),
  };
}

/** What an operator is told: what is neither a full disk nor an end has a reason of its own. */
function failureText(failure: StoreFailure): string {
  return failure.code === "broken" ? failure.reason : failure.code;
}
