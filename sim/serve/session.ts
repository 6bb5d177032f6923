/**
 * What a served network was asked since it began, in order, each at its instant: played again in a world of the same
 * seed it comes to the same trace. Kept beside the world, so that a revert takes it back as well. Bounded: a session
 * that grew too long is lost as a whole, until the network goes back to before. Source: DESIGN section 6 "serve", L10.
 */

/** Something that was done to a network. */
export type Deed =
  /** A client called a node. */
  | { readonly kind: "call"; readonly node: number; readonly body: string }
  /** Control was asked for something; the parameters are the text of their JSON. */
  | { readonly kind: "control"; readonly method: string; readonly params: string }
  /** A transaction was sent to the chain, in base64. */
  | { readonly kind: "transaction"; readonly wire: string }
  /** Slots passed until what had been sent was confirmed. */
  | { readonly kind: "mine" };

/** A deed and when it was done, or time that passed between deeds; instants are those of the world's loop. */
export type SessionRow =
  | (Deed & { readonly at: number })
  /** So many events happened, and time stood there after them. */
  | { readonly kind: "run"; readonly until: number; readonly events: number };

/** Rows of one session at most, and characters in them. Source: DESIGN L10. */
export const ROWS_KEPT = 65_536;
export const CHARACTERS_KEPT = 16_777_216;
const FULL: LostSession = { name: "TOO_MANY", why: "more was asked of it than a session holds" };

/** A row and all before it; sessions that part share what they have in common. */
interface Kept {
  readonly row: SessionRow;
  readonly before: Kept | undefined;
  readonly rows: number;
  readonly characters: number;
}

/** Why a session cannot be played again, by the name of the refusal that says so. */
export interface LostSession {
  readonly name: "TOO_MANY" | "NOT_REPLAYABLE";
  readonly why: string;
}

/** What a session holds at one instant; any number of them may go on from it. */
export interface HeldSession {
  /** Where the world began, in milliseconds since the first day of worlds. */
  readonly begins: number;
  readonly last: Kept | undefined;
  /** Why it cannot be played again, if so. */
  readonly lost: LostSession | undefined;
}

/** The session of a world that goes on. */
export interface Session {
  add(row: SessionRow): void;
  /** From now on it cannot be played again. */
  lose(why: LostSession): void;
  rows(): readonly SessionRow[];
  held(): HeldSession;
}

/** The session of a world in which nothing was done yet. */
export function freshSession(begins: number): HeldSession {
  return { begins, last: undefined, lost: undefined };
}

/** Goes on with a session. */
export function openSession(from: HeldSession): Session {
  let held = from;
  return {
    add(row) {
      if (held.lost !== undefined) return;
      const last = withRow(held.last, row);
      const isFull = last.rows > ROWS_KEPT || last.characters > CHARACTERS_KEPT;
      held = isFull ? lostSession(held, FULL) : { ...held, last };
    },
    lose(why) {
      held = lostSession(held, why);
    },
    rows() {
      const rows: SessionRow[] = [];
      for (let kept = held.last; kept !== undefined; kept = kept.before) rows.push(kept.row);
      return rows.reverse();
    },
    held: () => held,
  };
}

function lostSession({ begins }: HeldSession, lost: LostSession): HeldSession {
  return { begins, last: undefined, lost };
}

/** Time that passes in several stretches passes in one. */
function withRow(last: Kept | undefined, row: SessionRow): Kept {
  if (row.kind === "run" && last?.row.kind === "run") {
    const { until, events } = row;
    return { ...last, row: { kind: "run", until, events: last.row.events + events } };
  }
  const { rows, characters } = last ?? { rows: 0, characters: 0 };
  return { row, before: last, rows: rows + 1, characters: characters + lengthOf(row) };
}

function lengthOf(row: SessionRow): number {
  switch (row.kind) {
    case "call":
      return row.body.length;
    case "control":
      return row.method.length + row.params.length;
    case "transaction":
      return row.wire.length;
    default:
      return 0;
  }
}
