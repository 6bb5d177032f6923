/**
 * Why a field is what it is: the event that changed it last, what brought that, from whom, and so on back to a client's
 * call, a timer, the chain or a disk. A statement is followed from node to node by its identity: whoever sent it took
 * it earlier from somebody. Runs in browsers too. Source: DESIGN section 6 (`why`).
 */
import { membersOf } from "./members.ts";
import type { SeenEvent, TravelRecording } from "./recording-reader.ts";

/** Links of a chain at most. Source: DESIGN L10. */
const LINKS_MAX = 100;

/** A field of a row, after an event. */
export interface Question {
  readonly node: number;
  readonly table: string;
  readonly key: string;
  /** A member by its path; the whole row when absent. */
  readonly member?: string | undefined;
  readonly event: number;
}

/** How a link stands to the one before it. */
export type LinkRole = "changed" | "sent" | "took" | "ordered";

/** One event of the chain, the newest first. */
export interface Link {
  readonly role: LinkRole;
  readonly event: number;
  readonly time: number;
  readonly node: number;
  readonly kind: SeenEvent["kind"];
  readonly label: string;
  /** The statement that is followed, by its identity. */
  readonly statement?: string;
}

/** What a chain comes to. */
export interface Reason {
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly links: readonly Link[];
  /** What stands at its beginning. */
  readonly origin: "call" | "timer" | "chain" | "disk" | "connection" | "peer" | "unknown";
}

/** The chain of events behind a field; nothing where no event of the recording wrote it. */
export function whyIs(recording: TravelRecording, question: Question): Reason | undefined {
  const change = lastChange(recording, question);
  if (change === undefined) return undefined;
  const links: Link[] = [];
  let at = seenAt(recording, change.event, question.node);
  let [role, statement]: [LinkRole, string | undefined] = ["changed", undefined];
  while (at !== undefined && links.length < LINKS_MAX) {
    const seen: SeenEvent = at;
    const label = recording.text(seen.label);
    const { event, time, node, kind } = seen;
    if (carries(seen)) statement = statementOf(recording, seen, statement, question);
    links.push({ role, event, time, node, kind, label, ...(statement !== undefined && { statement }) });
    [at, role] = before(recording, seen, statement);
  }
  return { before: change.before, after: change.after, links, origin: originOf(links.at(-1)) };
}

function carries({ kind }: SeenEvent): boolean {
  return kind === "message.received" || kind === "message.answered" || kind === "rpc.called";
}

/** The event before one, and what it did. */
function before(
  recording: TravelRecording,
  { kind, cause }: SeenEvent,
  statement: string | undefined,
): [SeenEvent | undefined, LinkRole] {
  if (cause === 0 || kind === "rpc.called") return [undefined, "ordered"];
  const sender = seenAt(recording, cause);
  if (sender === undefined) return [undefined, "sent"];
  if (kind === "timer.fired" || kind === "chain.observed") return [sender, "ordered"];
  if (statement === undefined) return [sender, "sent"];
  const { node } = sender;
  const taken = lastChange(recording, { node, table: "statements", key: statement, event: sender.event });
  if (taken?.after === undefined || taken.event === sender.event) return [sender, "sent"];
  return [seenAt(recording, taken.event, node), "took"];
}

/** The statement that an event brought: the one that is followed, else one that names the row, else the last. */
function statementOf(
  recording: TravelRecording,
  { event, node }: SeenEvent,
  followed: string | undefined,
  { table, key }: Question,
): string | undefined {
  if (followed !== undefined) return followed;
  let found: string | undefined;
  let names = false;
  for (const change of recording.changesOf(node, event, event)) {
    if ("forgotten" in change || change.table !== "statements" || change.text === undefined) continue;
    const identity = recording.text(change.key);
    if (table === "statements" && identity === key) return identity;
    const isNamed = recording.text(change.text).includes(key);
    if (!names) found = identity;
    names ||= isNamed;
  }
  return found;
}

/** The last event up to the question's in which the field became another. */
function lastChange(
  recording: TravelRecording,
  { node, table, key, member, event }: Question,
): { readonly event: number; readonly before: string | undefined; readonly after: string | undefined } | undefined {
  const isKey = new Map<number, boolean>();
  let last: ReturnType<typeof lastChange>;
  let now: string | undefined;
  for (const change of recording.changesOf(node, 0, event)) {
    // A memory that was lost and read again from its disk changed nothing.
    if ("forgotten" in change || change.table !== table) continue;
    const fits = isKey.get(change.key) ?? recording.text(change.key) === key;
    isKey.set(change.key, fits);
    if (!fits) continue;
    const text = change.text === undefined ? undefined : recording.text(change.text);
    const value = member === undefined ? text : membersOf(text).get(member);
    if (value === now) continue;
    last = { event: change.event, before: now, after: value };
    now = value;
  }
  return last;
}

/** An event by its number; of a node, where its process ended right after it. */
function seenAt(recording: TravelRecording, event: number, node?: number): SeenEvent | undefined {
  for (const seen of recording.eventsFrom(event, event))
    if (seen.kind !== "crashed" && (node === undefined || seen.node === node)) return seen;
  return undefined;
}

function originOf(link: Link | undefined): Reason["origin"] {
  if (link === undefined) return "unknown";
  if (link.kind === "rpc.called") return "call";
  if (link.kind === "timer.fired") return "timer";
  if (link.kind === "chain.observed") return "chain";
  if (link.kind === "store.loaded" || link.kind === "started") return "disk";
  if (link.kind === "peer.sent") return "peer";
  return link.kind.startsWith("peer.") ? "connection" : "unknown";
}

/** What stands at the beginning of a chain, in words. */
export const origins: Readonly<Record<Reason["origin"], string>> = {
  call: "a client's call",
  timer: "a timer",
  chain: "the chain",
  disk: "the node's start: what its disk held, or what it begins with",
  connection: "a connection",
  peer: "a peer, of whom this recording tells no more",
  unknown: "something that this recording does not hold",
};

/** What an event of a chain did, in words. */
export const roles: Readonly<Record<LinkRole, string>> = {
  changed: "changed it",
  sent: "sent that",
  took: "had taken it earlier",
  ordered: "had asked for that",
};

/** A chain in lines. `clock` spells an instant. */
export function reasonLines(
  { before: was, after, links, origin }: Reason,
  { node, table, key, member }: Question,
  clock: (time: number) => string,
): readonly string[] {
  const field = member === undefined ? `${table} ${key}` : `${member} of ${table} ${key}`;
  return [
    `node ${node}, ${field}`,
    `was     ${was ?? "nothing"}`,
    `became  ${after ?? "nothing"}`,
    ...links.map(
      ({ role, event, time, node: at, label }) =>
        `event ${event} at ${clock(time)}, node ${at} ${roles[role]}: ${label}`,
    ),
    `It goes back to ${origins[origin]}.`,
  ];
}
