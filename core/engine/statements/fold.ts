/**
 * The fold's engine: admits statements and facts into the set, finds what they touch, and folds just
 * that again, unit by unit, in the order in which units depend on one another. Sees no clock and no ingress.
 * Source: CONVERGENCE "The fold".
 */

import type { Draft } from "../../kernel/draft.ts";
import type { Statement } from "../../kernel/signed.ts";
import { compareInRegister, compareStatements } from "../../kernel/signed.ts";
import type { Reader } from "../../kernel/table.ts";
import { nextOf, queueFor } from "./attaching.ts";
import { isOvertaken, overtakenBy } from "./own-statements.ts";
import { remembered } from "./remembered.ts";
import { awaitedBy, countAwaitedBy, hasParent, isWithinLife, Pending, registered, Statements } from "./table.ts";

/** Says which small fold has to run again. */
export type Mark = (unit: string, key: string) => void;

/** One small fold: it reads statements and the records of units before it, and writes its own records. */
export interface FoldUnit {
  readonly name: string;
  /** What a statement that has just become part of the set touches, by type name. */
  readonly touches: Readonly<Record<string, (draft: Draft, statement: Statement, mark: Mark) => void>>;
  /**
   * Whether a record takes what names it, by type name; unless said, it does. Once it does it always does, whatever
   * else comes. What no record takes waits, as what names none. It sees what `touches` wrote, and no refolded record.
   */
  readonly takes?: Readonly<Record<string, (reader: Reader, create: Statement, statement: Statement) => boolean>>;
  /**
   * What becomes of the records of a statement that has just left the set and that no other took the place of, by type
   * name: for a set that is brought up to date. Unless said, nothing: it had no record, or another's word replaces it.
   */
  readonly leaves?: Readonly<Record<string, (draft: Draft, statement: Statement, mark: Mark) => void>>;
  /** The creating statements of records that may take more now that a statement is part of the set, by type name. */
  readonly frees?: Readonly<Record<string, (reader: Reader, statement: Statement) => readonly Statement[]>>;
  /** Computes the records under a key again; marks units further on when a record changed. */
  readonly refold?: (draft: Draft, key: string, mark: Mark) => void;
  /** The same for all marked keys at once, where that costs less. */
  readonly refoldAll?: (draft: Draft, keys: ReadonlySet<string>, mark: Mark) => void;
  /** Takes its place while rows are loaded, in any order: what a fold decides once and for all stands in those rows. */
  readonly loading?: FoldUnit;
}

/** `superseded`: its signer has said something newer in its place; the set does not take it. */
export type Admission = "admitted" | "waiting" | "known" | "superseded";

export interface Fold {
  /** Puts a verified statement into the set, or among those that wait for a parent. */
  admit(statement: Statement): Admission;
  /** Whether a statement names a record, and no record that is known takes it. */
  waits(statement: Statement): boolean;
  /** Attaches what waits for a record in the queue: looks at so many statements at most, and says at how many. */
  attachQueued(identity: string, most: number): number;
  readonly mark: Mark;
  /** Runs every marked fold. Call once a batch; what was marked twice runs once. */
  run(): void;
}

/**
 * A fold over a draft; `units` stand in dependency order. A bounded one drops what its signer's later words leave no
 * record to count about. That is for statements that come through an ingress: its dates make sure that no record comes
 * later about which the dropped one counts. What is loaded comes in any order, so nothing of it is dropped. Beyond
 * `most` of what waits and is to be looked at, the rest is put into the queue.
 */
export function foldInto(draft: Draft, units: readonly FoldUnit[], bounded = false, most = Infinity): Fold {
  let left = most;
  const marked = new Map<string, Set<string>>();
  const mark: Mark = (unit, key) => {
    const keys = marked.get(unit);
    if (keys === undefined) marked.set(unit, new Set([key]));
    else keys.add(key);
  };
  const intoSet = intoSetOf(draft, { units, bounded, mark });

  return {
    mark,
    waits: intoSet.waits,
    admit(statement) {
      // A statement says by itself what becomes of it, but for what it finds.
      const question = `${bounded}/${left}`;
      const act = (own: Draft, ownMark: Mark) => {
        const into = intoSetOf(own, { units, bounded, mark: ownMark });
        return into.admit(statement, left);
      };
      const done = remembered(draft, mark, { way: statement, question, act });
      left = done.left;
      return done.admission;
    },
    attachQueued(identity, many) {
      const slice = nextOf(draft, identity, many);
      // What waits for these in turn is part of the same slice, or is queued.
      left = intoSet.attachSlice(identity, slice, Math.max(0, left - slice.length));
      return slice.length;
    },
    run() {
      if (marked.size === 0) return;
      for (const unit of units) {
        const keys = marked.get(unit.name);
        if (keys === undefined || keys.size === 0) continue;
        for (const key of unit.refold === undefined ? [] : keys) {
          const act = (own: Draft, ownMark: Mark) => unit.refold?.(own, key, ownMark);
          remembered(draft, mark, { way: unit, question: key, act });
        }
        if (unit.refoldAll !== undefined) {
          const act = (own: Draft, ownMark: Mark) => unit.refoldAll?.(own, keys, ownMark);
          remembered(draft, mark, { way: unit.refoldAll, question: [...keys].join("\u0000"), act });
        }
        marked.delete(unit.name);
      }
    },
  };
}

interface IntoSet {
  waits(statement: Statement): boolean;
  /** `left`: how much more of what waits may be looked at; the answer says how much then is. */
  admit(statement: Statement, left: number): { readonly admission: Admission; readonly left: number };
  attachSlice(identity: string, slice: readonly string[], left: number): number;
}

/** What puts statements into the set that a draft holds. */
function intoSetOf(
  draft: Draft,
  { units, bounded, mark }: { readonly units: readonly FoldUnit[]; readonly bounded: boolean; readonly mark: Mark },
): IntoSet {
  let left = 0;

  function isTaken(create: Statement, statement: Statement): boolean {
    return units.every(({ takes }) => takes?.[statement.type.name]?.(draft, create, statement) ?? true);
  }

  function waits(statement: Statement): boolean {
    if (statement.type.about(statement.payload as never) === undefined) return false;
    return !hasParent(draft, statement, (create) => isTaken(create, statement));
  }

  /** What waits and is taken by a record now, in canonical order; nothing yet of what is left to the queue. */
  function takenBy(create: Statement): readonly Statement[] {
    const many = countAwaitedBy(draft, create);
    if (many === 0) return [];
    if (many > left) {
      queueFor(draft, create);
      return [];
    }
    left -= many;
    return takenOf(create, awaitedBy(draft, create));
  }

  function takenOf(create: Statement, waiting: readonly string[]): readonly Statement[] {
    return waiting
      .flatMap((key) => draft.get(Pending, key) ?? [])
      .filter((child) => isWithinLife(draft, create, child) && isTaken(create, child))
      .sort(compareStatements);
  }

  function attach(first: Statement): void {
    const queue = [first];
    for (let statement = queue.pop(); statement !== undefined; statement = queue.pop()) {
      const older = registered(draft, statement);
      if (older !== undefined && compareInRegister(older, statement) > 0) continue;
      if (bounded && isOvertaken(draft, statement)) continue;
      if (older !== undefined) draft.put(Statements, older.identity, undefined);
      for (const own of bounded ? overtakenBy(draft, statement) : []) draft.put(Statements, own.identity, undefined);
      draft.put(Statements, statement.identity, statement);
      for (const unit of units) unit.touches[statement.type.name]?.(draft, statement, mark);
      const { type } = statement;
      const freed = units.flatMap(({ frees }) => frees?.[type.name]?.(draft, statement as Statement) ?? []);
      for (const create of type.creates === undefined ? freed : [statement, ...freed]) {
        for (const child of takenBy(create)) {
          draft.put(Pending, child.identity, undefined);
          queue.push(child);
        }
      }
    }
  }

  function admitted(statement: Statement): Admission {
    const held = draft.get(Statements, statement.identity);
    if (held !== undefined) {
      const both = withSignatures(held, statement);
      if (both !== held) draft.put(Statements, held.identity, both);
      return "known";
    }
    const waiting = draft.get(Pending, statement.identity);
    if (waiting !== undefined) {
      const both = withSignatures(waiting, statement);
      if (both !== waiting) draft.put(Pending, waiting.identity, both);
      return "known";
    }
    // Whatever came before it: what a newer one takes the place of here may be about a record that is still to come.
    if (waits(statement)) {
      draft.put(Pending, statement.identity, statement);
      return "waiting";
    }
    const newest = registered(draft, statement);
    if (newest !== undefined && compareInRegister(newest, statement) > 0) return "superseded";
    if (bounded && isOvertaken(draft, statement)) return "superseded";
    attach(statement);
    return "admitted";
  }

  return {
    waits,
    admit(statement, most) {
      left = most;
      return { admission: admitted(statement), left };
    },
    attachSlice(identity, slice, most) {
      left = most;
      const create = draft.get(Statements, identity);
      for (const child of create === undefined ? [] : takenOf(create, slice)) {
        draft.put(Pending, child.identity, undefined);
        attach(child);
      }
      return left;
    },
  };
}

/** The statement with the signatures of both. */
function withSignatures(held: Statement, again: Statement): Statement {
  const bare = held.bare ?? again.bare;
  const tagged = held.tagged ?? again.tagged;
  return bare === held.bare && tagged === held.tagged ? held : { ...held, bare, tagged };
}
