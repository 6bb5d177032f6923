/**
 * Work on a draft that another node of the process did before: what it looked at and what it wrote are kept, and
 * where a draft answers every look as that one did, the writes are taken over. A look is answered the same when it
 * gives the same records, not equal ones; so a node that holds the same in another way does the work itself, and
 * nothing is taken for granted of what nodes have in common. Source: DESIGN section 5 "Sharing", L2.
 */

import type { Draft } from "../../kernel/draft.ts";
import { draftOf } from "../../kernel/draft.ts";
import type { Reader, Table } from "../../kernel/table.ts";

/** Says what has to be done next, by whom and about what. */
type Mark = (unit: string, key: string) => void;

/** A question to a draft, and its answer. */
interface Look {
  readonly how: "get" | "find" | "count" | "ordered" | "size" | "keys";
  readonly table: Table<unknown>;
  /** A key, or an index. */
  readonly at: string;
  readonly value: string;
  readonly most: number;
  readonly answer: unknown;
}

/** Work that was done: what it depended on, what it wrote and marked, in order, and what it came to. */
interface Done<V> {
  readonly looks: readonly Look[];
  readonly puts: readonly (readonly [Table<unknown>, string, unknown])[];
  readonly marks: readonly (readonly [string, string])[];
  readonly result: V;
}

/** Looks of one piece of work beyond which it is not kept: comparing them would cost as much. Source: DESIGN L10. */
const LOOKS_KEPT = 512;

/** Some work on a draft, and what names it: together with all that it looks at they decide what it does. */
export interface Work<V> {
  readonly way: object;
  readonly question: string;
  readonly act: (draft: Draft, mark: Mark) => V;
}

/** Does some work on a draft, or what another did who saw the same. */
export function remembered<V>(draft: Draft, mark: Mark, { way, question, act }: Work<V>): V {
  const { sharing } = draft;
  if (sharing === undefined) return act(draft, mark);
  const asked = `${question}/${draft.endless === true}/${rulesOf(draft)}`;
  const before = sharing.kept<Done<V>>(way, asked).find(({ looks }) => looks.every((look) => isSame(draft, look)));
  const done = before ?? doneOn(draft, act);
  if (before === undefined && done.looks.length <= LOOKS_KEPT) sharing.keep(way, asked, done);
  for (const [table, key, record] of done.puts) draft.put(table, key, record);
  for (const [unit, key] of done.marks) mark(unit, key);
  return done.result;
}

function rulesOf({ amendments = [] }: Reader): string {
  return amendments.map(({ rule, from }) => `${rule} ${from}`).join();
}

/** The work, done on a draft of its own. */
function doneOn<V>(draft: Draft, act: Work<V>["act"]): Done<V> {
  const looks: Look[] = [];
  const puts: (readonly [Table<unknown>, string, unknown])[] = [];
  const marks: (readonly [string, string])[] = [];
  const own = draftOf(noting(draft, looks));
  const noted: Draft = {
    ...own,
    put(table, key, record) {
      puts.push([table as Table<unknown>, key, record]);
      own.put(table, key, record);
    },
  };
  const result = act(noted, (unit, key) => void marks.push([unit, key]));
  return { looks, puts, marks, result };
}

/** The same answers, each noted with its question. */
function noting(draft: Draft, looks: Look[]): Reader {
  function note<A>(how: Look["how"], table: unknown, at: string, value: string, most: number, answer: A): A {
    looks.push({ how, table: table as Table<unknown>, at, value, most, answer });
    return answer;
  }
  return {
    endless: draft.endless ?? false,
    amendments: draft.amendments,
    sharing: draft.sharing,
    get: (table, key) => note("get", table, key, "", 0, draft.get(table, key)),
    find: (table, index, value, most = Infinity) =>
      note("find", table, index, value, most, draft.find(table, index, value, most)),
    count: (table, index, value) => note("count", table, index, value, 0, draft.count(table, index, value)),
    ordered: (table, order, value) => note("ordered", table, order, value, 0, draft.ordered(table, order, value)),
    keys: (table) => note("keys", table, "", "", 0, [...draft.keys(table)]),
    size: (table) => note("size", table, "", "", 0, draft.size(table)),
    placesHeld(table, key) {
      // Where a record is found follows from which it is.
      note("get", table, key, "", 0, draft.get(table, key));
      return draft.placesHeld?.(table, key);
    },
  };
}

function isSame(draft: Draft, { how, table, at, value, most, answer }: Look): boolean {
  switch (how) {
    case "get":
      return draft.get(table, at) === answer;
    case "find":
      return isSameList(draft.find(table, at, value, most), answer as readonly string[]);
    case "count":
      return draft.count(table, at, value) === answer;
    case "ordered":
      return isSameList(draft.ordered(table, at, value), answer as readonly string[]);
    case "size":
      return draft.size(table) === answer;
    case "keys":
      return isSameList([...draft.keys(table)], answer as readonly string[]);
  }
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((key, place) => key === b[place]));
}
