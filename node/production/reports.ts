/**
 * What a running node tells in its log by itself: endpoints that begin to fail or answer again, a ledger that
 * refuses writes, and how many peers there are. No peer is named. Source: DESIGN L4, section 6.
 */
import type { Line } from "./logs.ts";
import type { Seen } from "./watch.ts";

/** Between two looks, in milliseconds. */
const LOOK_EVERY_MS = 5_000;
/** The number of peers is told when it changed, so often at most, in looks; and what the ledger refused. */
const TOLD_EVERY_LOOKS = 12;

/** Looks every so often; answers how to look once and how to stop. */
export function openReports(seen: Seen, peers: () => number, write: (line: Line) => void) {
  const failures = new Map<string, string | null>();
  let looks = 0;
  let told = 0;
  const lookAtLedger = ledgerReport(seen, write);
  const look = (): void => {
    for (const { name, failure } of seen.endpoints?.() ?? []) {
      const before = failures.get(name) ?? null;
      failures.set(name, failure);
      const endpoint = { endpoint: name };
      if (failure !== null && failure !== before)
        write({ module: "chain", level: "warn", event: "endpoint fails", fields: { ...endpoint, reason: failure } });
      if (failure === null && before !== null)
        write({ module: "chain", level: "info", event: "endpoint answers again", fields: endpoint });
    }
    lookAtLedger(looks);
    const connected = peers();
    if (connected !== told && looks % TOLD_EVERY_LOOKS === 0) {
      told = connected;
      write({ module: "peers", level: connected === 0 ? "warn" : "info", event: "peers", fields: { connected } });
    }
    looks += 1;
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return { look, stop: () => clearInterval(timer) };
}

/** Tells at once that commits fail, then once a minute how many did; and at once that they succeed again. */
function ledgerReport(seen: Seen, write: (line: Line) => void): (looks: number) => void {
  const failed = () => [...seen.commitFailures.values()].reduce((sum, count) => sum + count, 0);
  let toldAt: number | undefined;
  let counted = 0;
  return (looks) => {
    const all = failed();
    const reason = seen.commitFailure;
    if (all > counted && (toldAt === undefined || looks - toldAt >= TOLD_EVERY_LOOKS)) {
      const fields = { reason: reason ?? "it did for a while", commits: all - counted };
      write({ module: "node", level: "error", event: "ledger refuses writes", fields });
      toldAt = looks;
      counted = all;
    }
    if (toldAt !== undefined && reason === undefined && all === counted) {
      write({ module: "node", level: "info", event: "ledger takes writes again", fields: {} });
      toldAt = undefined;
    }
  };
}
