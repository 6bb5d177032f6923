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
  /**
   * Looks at memory when the ledger holds, or with one commit will hold, just what is in it, and acts when the ledger
   * does and the next commit has not begun: at once where none is under way. A commit that fails gives nothing.
   */
  readonly whenKept: <T>(look: () => T, act: (seen: T | undefined) => void) => void;
  /** Something else has the ledger meanwhile: what a commit waits for it is no disk that does not answer. */
  readonly whileHeld: <T>(work: () => Promise<T>) => Promise<T>;
  readonly seen: Seen;
}

export interface Seen {
  committingSince: number | undefined;
  /** Whether something else has the ledger, for which commits wait. */
  isHeld: boolean;
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
    isHeld: false,
  };
  /** Who waits for memory and ledger to be the same: each looks now, and answers with what is then done. */
  let waiting: (() => (isKept: boolean) => void)[] = [];
  const lookAll = () => {
    const looks = waiting;
    waiting = [];
    return looks.map((look) => look());
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
        const acts = lookAll();
        seen.committingSince = began;
        store.commit(writes, (result) => {
          committed(performance.now() - began);
          seen.committingSince = undefined;
          seen.commitFailure = result.ok ? undefined : failureText(result.error);
          if (!result.ok)
            seen.commitFailures.set(result.error.code, 1 + (seen.commitFailures.get(result.error.code) ?? 0));
          for (const act of acts) act(result.ok);
          done(result);
          // What came meanwhile is in the next commit, where there is one.
          if (seen.committingSince === undefined) for (const act of lookAll()) act(result.ok);
        });
      },
    }),
    whenKept(look, act) {
      waiting.push(() => {
        const found = look();
        return (isKept) => act(isKept ? found : undefined);
      });
      if (seen.committingSince === undefined) for (const each of lookAll()) each(true);
    },
    async whileHeld(work) {
      seen.isHeld = true;
      try {
        return await work();
      } finally {
        seen.isHeld = false;
        if (seen.committingSince !== undefined) seen.committingSince = performance.now();
      }
    },
  };
}

/** What an operator is told: what is neither a full disk nor an end has a reason of its own. */
function failureText(failure: StoreFailure): string {
  return failure.code === "broken" ? failure.reason : failure.code;
}
