/**
 * What a running node tells in its log by itself: endpoints that begin to fail or answer again, and how many
 * peers there are. No peer is named. Source: DESIGN L4, section 6.
 */
import type { Line } from "./logs.ts";
import type { Seen } from "./watch.ts";

/** Between two looks, in milliseconds. */
const LOOK_EVERY_MS = 5_000;
/** The number of peers is told when it changed, so often at most, in looks. */
const PEERS_EVERY_LOOKS = 12;

/** Looks every so often; answers how to look once and how to stop. */
export function openReports(seen: Seen, peers: () => number, write: (line: Line) => void) {
  const failures = new Map<string, string | null>();
  let looks = 0;
  let told = 0;
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
    const connected = peers();
    if (connected !== told && looks % PEERS_EVERY_LOOKS === 0) {
      told = connected;
      write({ module: "peers", level: connected === 0 ? "warn" : "info", event: "peers", fields: { connected } });
    }
    looks += 1;
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return { look, stop: () => clearInterval(timer) };
}
