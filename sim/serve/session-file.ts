/**
 * A session as a text that stands on its own: what the network was, what was asked of it and when, and the trace that
 * this came to. Source: DESIGN section 6 "serve".
 */
import type { Infer, Result } from "../../core/index.ts";
import { enumeration, err, fromBase64, list, ok, struct, u64 } from "../../core/index.ts";
import { plainText as plainLine, small, text, toldApartBy } from "../../core/testing.ts";
import { checkedText, plainText } from "../data/plain.ts";
import { Milliseconds, NodeIndex } from "../data/values.ts";
import type { LiveWorld, LiveWorldOptions } from "./live-world.ts";
import type { LostSession, SessionRow } from "./session.ts";
import { ROWS_KEPT } from "./session.ts";

/** What the file of a session says that it is. */
export const SESSION_FORMAT = "ofs-session/1";
/** Largest file of a session that is read, in bytes: its characters, written as JSON. Source: DESIGN L10. */
export const SESSION_FILE_BYTES = 67_108_864;

const Hash = text("plain", "64 hexadecimal digits", (given) => (/^[0-9a-f]{64}$/.test(given) ? given : undefined));
const Wire = text("plain", "a transaction in base64", (given) => (fromBase64(given) === undefined ? undefined : given));
const Count = small(32);

const RowData = toldApartBy<"kind", SessionRow>("kind", {
  call: struct("call", { kind: enumeration("call"), at: Milliseconds, node: NodeIndex, body: plainLine }),
  control: struct("control", {
    ...{ kind: enumeration("control"), at: Milliseconds, method: plainLine, params: plainLine },
  }),
  transaction: struct("transaction", { kind: enumeration("transaction"), at: Milliseconds, wire: Wire }),
  mine: struct("mine", { kind: enumeration("mine"), at: Milliseconds }),
  run: struct("run", { kind: enumeration("run"), until: Milliseconds, events: Count }),
});

/** A session as its file holds it. */
export const SessionData = struct("Session", {
  format: enumeration(SESSION_FORMAT),
  seed: u64,
  nodes: small(32, { least: 1, most: 99_999 }),
  gossip_only: Count,
  chain: enumeration("litesvm", "model"),
  /** Where the world began, in milliseconds since the first day of worlds. */
  begins: Milliseconds,
  /** Where it came to: its instant, events of its trace, and their hash. */
  found: struct("Found", { time: Milliseconds, events: Count, trace: Hash }),
  rows: list(RowData),
});
export type SessionData = Infer<typeof SessionData>;

/** The text of what was asked of a network so far; or why it has none. */
export function sessionText(options: LiveWorldOptions, { run, session }: LiveWorld): Result<string, LostSession> {
  const { begins, lost } = session.held();
  if (lost !== undefined) return err(lost);
  const { loop, trace } = run.world;
  const { seed, nodes, gossipOnly, chain } = options;
  const written = plainText({
    ...{ format: SESSION_FORMAT, seed, nodes, gossip_only: gossipOnly, chain, begins },
    found: { time: loop.now(), events: trace.events(), trace: trace.head() },
    rows: session.rows(),
  });
  return written.ok ? ok(`${written.value}\n`) : err({ name: "TOO_MANY", why: written.error });
}

/** Whether a text says that it is a session. */
export function isSession(content: string): boolean {
  return content.slice(0, 64).includes(`"${SESSION_FORMAT}"`);
}

/** The session that a text holds; or why it holds none, in one line that names the member. */
export function sessionOf(content: string): Result<SessionData, string> {
  const read = checkedText(SessionData, content, "");
  if (!read.ok) return err(read.error.replace(/^: /, ""));
  const { nodes, gossip_only: gossipOnly, rows } = read.value;
  if (gossipOnly > nodes) return err(`gossip_only: ${gossipOnly} is more than ${nodes} nodes`);
  if (rows.length > ROWS_KEPT) return err(`rows: ${rows.length} is more than ${ROWS_KEPT}`);
  let known = nodes;
  for (const [place, row] of rows.entries()) {
    if (row.kind === "control" && row.method === "sim_addNode") known += 1;
    if (row.kind === "call" && row.node >= known) return err(`rows[${place}].node: nodes are 0 to ${known - 1}`);
  }
  return read;
}

/** What the world of a session is a function of, besides what it was asked. */
export function optionsOf({ seed, nodes, gossip_only: gossipOnly, chain }: SessionData): LiveWorldOptions {
  return { seed, nodes, gossipOnly, chain };
}
