/** The little that is asked of an SQL library, whichever it is. Not here: what is asked (sql-rows.ts, places.ts). */
export type SqlValue = string | number | Uint8Array | null;

/** The little that is needed of an SQL library. Everything here throws what the library throws. */
export interface SqlDriver {
  readonly exec: (sql: string) => void;
  /** The same on another thread, where the library has one. Nothing is asked until it has ended. */
  readonly execLater?: (sql: string) => Promise<void>;
  readonly prepare: (sql: string) => SqlStatement;
  readonly close: () => void;
}

export interface SqlStatement {
  readonly run: (values: readonly SqlValue[]) => void;
  /** All rows of the answer, each with its columns in order. */
  readonly all: (values: readonly SqlValue[]) => readonly (readonly SqlValue[])[];
}
