/**
 * Whether a node lives, and whether it serves as it should: two questions. One that does not live is to be
 * started anew; one that is not ready waits for something else, which each check names. Source: DESIGN section 6;
 * protocol 03 C.7.
 */
import type { EndpointState } from "../../adapters/chain/rpc.ts";

/** What a node knows of itself, as plain values; instants are milliseconds of the machine's monotonic clock. */
export interface Condition {
  readonly now: number;
  /** Whether the ledger is loaded and calls are answered. */
  readonly loaded: boolean;
  /** Since when a commit has been under way. */
  readonly committingSince: number | undefined;
  /** Why the last commit failed; undefined when it did not. */
  readonly commitFailure: string | undefined;
  /** The endpoints of the chain; undefined for a gossip-only node. */
  readonly endpoints: readonly EndpointState[] | undefined;
  /** When a new slot was last told. */
  readonly slotAt: number | undefined;
  /** Whether there is somebody to be connected to, and to how many the node is. */
  readonly entrypoints: number;
  readonly peers: number;
  /** How many peers have rules that this node lacks, and since when, in milliseconds; to come if that is below 0. */
  readonly rulesLacked: { readonly peers: number; readonly sinceMs: number | undefined };
  /** Whether it compared its set with nobody for longer than H, if it ever did, and with how many peers since. */
  readonly absence: { readonly away: boolean; readonly peers: number; readonly isNew: boolean };
}

/** One thing that is well or not, and why not. */
export interface Check {
  readonly name: "ledger" | "disk" | "chain" | "peers" | "rules" | "sets";
  readonly ok: boolean;
  readonly reason: string | null;
}

/** A blockhash older than this is of no use, in milliseconds. Source: protocol 01 §13.2. */
const SLOT_AGE_MS = 75_000;
/** A commit that takes longer never ends, in milliseconds. Source: DESIGN "Waiting times". */
const COMMIT_MS = 120_000;

/** Why the node should be started anew; nothing while it lives. */
export function deadReason({ now, committingSince }: Condition): string | undefined {
  if (committingSince === undefined || now - committingSince < COMMIT_MS) return undefined;
  return `the disk has not answered a commit for ${seconds(now - committingSince)} s`;
}

/** Every check, in the order of what an operator looks at first. */
export function readinessOf(condition: Condition): readonly Check[] {
  const { loaded, commitFailure, entrypoints, peers } = condition;
  return [
    check("ledger", loaded ? undefined : "the ledger is not loaded"),
    check("disk", commitFailure === undefined ? undefined : `the last commit failed: ${commitFailure}`),
    check("chain", chainProblem(condition)),
    check("peers", entrypoints > 0 && peers === 0 ? `none of ${entrypoints} entrypoints is connected` : undefined),
    check("rules", rulesProblem(condition)),
    check("sets", setsProblem(condition)),
  ];
}

/** A gossip-only node asks no chain. */
function chainProblem({ endpoints, slotAt, now }: Condition): string | undefined {
  if (endpoints === undefined) return undefined;
  const failing = endpoints.flatMap(({ name, failure }) => (failure === null ? [] : [`${name}: ${failure}`]));
  const named = failing.length === 0 ? "" : ` (${failing.join("; ")})`;
  if (slotAt === undefined) return `no slot was told yet${named}`;
  if (now - slotAt > SLOT_AGE_MS) return `no new slot for ${seconds(now - slotAt)} s${named}`;
  return undefined;
}

/** What is to come is no problem yet; the log says it. */
function rulesProblem({ rulesLacked: { peers, sinceMs } }: Condition): string | undefined {
  if (sinceMs === undefined || sinceMs < 0) return undefined;
  return `left behind: ${peers} peers have new rules since ${seconds(sinceMs)} s that this software lacks`;
}

/** Who knows nobody lacks nothing. */
function setsProblem({ absence: { away, peers: compared, isNew }, entrypoints, peers }: Condition): string | undefined {
  if (!away || (entrypoints === 0 && peers === 0)) return undefined;
  const why = isNew ? "is new" : "was away for more than 7 days";
  return `${why}: seals nothing before a snapshot or 2 peers, of which ${compared} were compared`;
}

function check(name: Check["name"], reason: string | undefined): Check {
  return { name, ok: reason === undefined, reason: reason ?? null };
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}
