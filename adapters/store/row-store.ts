/**
 * A store over rows that are written and read at once: keeps the calls in order, decides when each is carried
 * out, and refuses what comes after `close`. Every store adapter is this queue over its own rows.
 * Not here: what a row is made of on a disk (adapters/sqlite), how a disk fails (adapters/memory).
 */
import type { StoreFailure, StorePort, StoreRow, StoreWrite } from "../../core/ports/store.ts";

/** What came of an operation on rows. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: StoreFailure };

/** A stretch of rows, and where the next one begins. */
export interface RowPage {
  readonly rows: readonly StoreRow[];
  readonly last: boolean;
}

/** Rows that answer at once. Nothing here throws for a reason that lies outside this process. */
export interface Rows {
  /** Writes everything or nothing; what it says is kept survives power loss. */
  readonly commit: (writes: readonly StoreWrite[]) => Outcome<null>;
  /** The same without holding this process up until a disk has answered, where that is possible. */
  readonly commitLater?: (writes: readonly StoreWrite[], done: (outcome: Outcome<null>) => void) => void;
  /** All rows, tables and keys in byte order; ends with the page that is `last` or with a failure. */
  readonly pages: () => Iterator<Outcome<RowPage>, undefined>;
  readonly close: () => void;
}

/** What the queue is about to carry out; `refuse` answers a call that came after `close`. */
export type StoreOperation =
  | { readonly type: "commit"; readonly writes: readonly StoreWrite[] }
  | { readonly type: "load"; readonly page: number }
  | { readonly type: "apart" }
  | { readonly type: "close" }
  | { readonly type: "refuse" };

/** Decides when an operation is carried out: never before the call returns, and each exactly once. */
export type StoreSchedule = (operation: StoreOperation, perform: () => void) => void;

/** Bounds of one page of `load`. One row larger than the bound is a page of its own. Source: DESIGN "Work at once". */
export const PAGE_ROWS_MAX = 1024;
/** Bytes of one page of rows. */
export const PAGE_BYTES_MAX = 4 * 1024 * 1024;

/** The queue. */
export interface RowStore extends StorePort {
  /** Has something done to the rows that is none of the port's business, in its turn; it fails once it is closed. */
  readonly apart: (act: () => Promise<void>) => Promise<void>;
}

interface Task {
  readonly operation: StoreOperation;
  readonly perform: (ended: () => void) => void;
}

/** One operation at a time, in the order of the calls. */
export function openRowStore(rows: Rows, schedule: StoreSchedule): RowStore {
  const queue: Task[] = [];
  let running = false;
  let closed = false;

  const next = (): void => {
    const task = queue.shift();
    running = task !== undefined;
    if (task === undefined) return;
    schedule(task.operation, () => {
      task.perform(next);
    });
  };
  const addTask = (task: Task): void => {
    queue.push(task);
    if (!running) next();
  };
  const add = (operation: StoreOperation, perform: () => void): void => addTask(atOnce(operation, perform));
  const refuse = (done: (outcome: Outcome<never>) => void): void => {
    add({ type: "refuse" }, () => done(refused));
  };
  /**
   * The following page goes in front of whatever was asked for meanwhile: a load is one operation. Only `close` ends
   * it, since nobody wants what is left, and it may be minutes of reading.
   */
  const load = (pages: ReturnType<Rows["pages"]>, page: number, give: (outcome: Outcome<RowPage>) => void): Task =>
    atOnce({ type: "load", page }, () => {
      const outcome = closed ? refused : nextPage(pages);
      if (outcome.ok && !outcome.value.last) queue.unshift(load(pages, page + 1, give));
      give(outcome);
    });
  return {
    commit: (writes, done) => {
      if (closed) return refuse(done);
      const wrong = writes.find((write) => !isText(write.table) || !isText(write.key));
      if (wrong === undefined) return addTask(committing(rows, writes, done));
      add({ type: "commit", writes: [] }, () => done(broken("a table or key is no Unicode text")));
    },
    load: (give) => {
      if (closed) return refuse(give);
      addTask(load(rows.pages(), 0, give));
    },
    apart: (act) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new Error("the store is closed"));
        addTask({
          operation: { type: "apart" },
          perform: (ended) => void act().then(resolve, reject).finally(ended),
        });
      }),
    close: (done) => {
      if (closed) return add({ type: "refuse" }, done);
      closed = true;
      add({ type: "close" }, () => {
        rows.close();
        done();
      });
    },
  };
}

const refused: Outcome<never> = { ok: false, error: { code: "closed" } };

/** What has been done when it returns. */
function atOnce(operation: StoreOperation, perform: () => void): Task {
  return {
    operation,
    perform(ended) {
      perform();
      ended();
    },
  };
}

/** What may go on when it returns, and is over when it says so. */
function committing(rows: Rows, writes: readonly StoreWrite[], done: (outcome: Outcome<null>) => void): Task {
  return {
    operation: { type: "commit", writes },
    perform(ended) {
      const end = (outcome: Outcome<null>): void => {
        done(outcome);
        ended();
      };
      if (rows.commitLater === undefined) end(rows.commit(writes));
      else rows.commitLater(writes, end);
    },
  };
}

/** A failure that is neither a full disk nor a closed store. */
export function broken(reason: string): Outcome<never> {
  return { ok: false, error: { code: "broken", reason } };
}

function nextPage(pages: ReturnType<Rows["pages"]>): Outcome<RowPage> {
  const step = pages.next();
  return step.done === true ? { ok: true, value: { rows: [], last: true } } : step.value;
}

/** A lone surrogate has no UTF-8: two such keys would become one on a disk. */
function isText(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
