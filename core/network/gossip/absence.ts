/**
 * Absence: a node that compared its set with nobody for longer than H lacks what others heard and can tell it no more,
 * but for a file. Until it took one, or compared with two peers, it is away: nothing is final to it. One peer alone may
 * say that he has nothing else. Only nodes that take files are ever away: no peer tells what is older than 2H, so for
 * others there is nothing to wait for. Source: CONVERGENCE B7.
 */

import { STATEMENT_AGE_MS_MAX } from "../../engine/admission/ingress.ts";
import type { StepContext } from "../../engine/step-context.ts";
import type { Infer } from "../../kernel/schema.ts";
import { list, struct } from "../../kernel/schema-composites.ts";
import { bool } from "../../kernel/schema-scalars.ts";
import type { Reader } from "../../kernel/table.ts";
import { table } from "../../kernel/table.ts";
import { EpochMillis, PeerId } from "../../kernel/values.ts";
import { outstanding } from "../peers/peers.ts";

/** H. Source: protocol 01 §13.1. */
const AWAY_MS = BigInt(STATEMENT_AGE_MS_MAX);
/** Peers whose sets are compared before an absence ends. Source: CONVERGENCE B7. */
const PEERS_NEEDED = 2;
/** How exactly it is known when sets were last compared: less is not written. Source: DESIGN "Waiting times". */
const NOTED_MS = 3_600_000n;

const Attendance = struct("Attendance", {
  /** When a comparison last ended, or a file was taken; at first the date of the newest statement of others. */
  whole_at: EpochMillis,
  /** Whether that was longer than H before something ended it. */
  away: bool,
  /** The peers that were compared with since. */
  peers: list(PeerId),
});
type Attendance = Infer<typeof Attendance>;
/** One row, of nodes that take files. */
export const Attendances = table<Attendance>("attendance", Attendance, { root: "local", checkpoint: Attendance });
const ATTENDANCE = "own";

/** At a start: how old is what this node holds; a checkpoint knows when it last compared. */
export function watchAttendance({ draft, now }: StepContext, newest: EpochMillis): void {
  if (draft.get(Attendances, ATTENDANCE) !== undefined) return;
  draft.put(Attendances, ATTENDANCE, { whole_at: newest < now ? newest : now, away: false, peers: [] });
}

/** Whether nothing is final to this node, and with how many peers it has compared since. */
export function absenceOf(reader: Reader, now: EpochMillis): { readonly away: boolean; readonly peers: number } {
  const held = reader.get(Attendances, ATTENDANCE);
  const away = held !== undefined && (held.away || now - held.whole_at > AWAY_MS);
  return { away, peers: away ? (held?.peers.length ?? 0) : 0 };
}

/** Whether nothing of others was held at the first start, and too few compared with since. Source: CONVERGENCE B7. */
export function isNewcomer(reader: Reader): boolean {
  return reader.get(Attendances, ATTENDANCE)?.whole_at === 0n;
}

/** A file was taken. */
export function endAbsence({ draft, now }: StepContext): void {
  if (draft.get(Attendances, ATTENDANCE) !== undefined)
    draft.put(Attendances, ATTENDANCE, { whole_at: now, away: false, peers: [] });
}

/** A comparison has come to an end if nothing more is awaited of a peer: this node has what that one told of. */
export function endComparison(context: StepContext, peer: PeerId): void {
  const { draft, now } = context;
  const held = draft.get(Attendances, ATTENDANCE);
  if (held === undefined || outstanding(draft, peer, "set") > 0 || outstanding(draft, peer, "fetch") > 0) return;
  if (!absenceOf(draft, now).away) {
    if (now - held.whole_at >= NOTED_MS) draft.put(Attendances, ATTENDANCE, { ...held, whole_at: now });
    return;
  }
  const peers = held.peers.includes(peer) ? held.peers : [...held.peers, peer];
  if (peers.length >= PEERS_NEEDED) endAbsence(context);
  else if (!held.away || peers !== held.peers) draft.put(Attendances, ATTENDANCE, { ...held, away: true, peers });
}
