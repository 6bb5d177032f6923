/**
 * The SQL of a ledger, the same for a file (libsql) and for a database in memory (sql.js).
 * Rows lie in the order they were written beside an index of their keys: measured with 200,000 rows of 500 bytes
 * under random keys, 50 a commit, that takes 2.1 times the rows per second of a table clustered by key
 * (34,100 against 16,200) and loads in 1.1 times its time. A row that is written again goes to the end, so what changed
 * since a checkpoint is what lies behind a place; what was removed since is kept apart.
 */

/** Marks a file as a ledger of this program: "OFSn" in ASCII. Source: DESIGN "Formats". */
export const APPLICATION_ID = 0x4f46_536e;
/** Version of the tables below. A ledger of a later version is refused. Source: DESIGN "Formats". */
export const LEDGER_VERSION = 2;

/**
 * What version 2 has beside the tables of version 1: which checkpoint is in force, how many rows it holds and how many
 * removals there were since; and those removals, `crc` over place, table and key.
 */
export const UPGRADE: readonly string[] = [
  `CREATE TABLE checkpoint (
    id INTEGER NOT NULL PRIMARY KEY, place INTEGER NOT NULL, rows INTEGER NOT NULL, hash TEXT NOT NULL,
    removals INTEGER NOT NULL
  ) STRICT`,
  `CREATE TABLE removals (
    place INTEGER NOT NULL PRIMARY KEY, table_id INTEGER NOT NULL, key TEXT NOT NULL, crc INTEGER NOT NULL
  ) STRICT`,
  `PRAGMA user_version = ${LEDGER_VERSION}`,
];

/** Text compares as its UTF-8 bytes (collation BINARY). `crc` is over key and bytes. A row's place is its `rowid`. */
export const CREATE_TABLES: readonly string[] = [
  "CREATE TABLE row_tables (name TEXT NOT NULL PRIMARY KEY, id INTEGER NOT NULL) STRICT, WITHOUT ROWID",
  `CREATE TABLE rows (
    table_id INTEGER NOT NULL, key TEXT NOT NULL, bytes BLOB NOT NULL, crc INTEGER NOT NULL,
    PRIMARY KEY (table_id, key)
  ) STRICT`,
  `PRAGMA application_id = ${APPLICATION_ID}`,
  ...UPGRADE,
];

/**
 * A text as its bytes: libsql drops a NUL at the end of a text, and ends the process over one that is not UTF-8, as a
 * damaged file may hold. What a damaged row holds in the place of bytes or a number is converted, and then found out.
 */
const whole = (column: string): string => `CAST(${column} AS BLOB)`;
const COLUMNS = `${whole("key")}, ${whole("bytes")}, CAST(crc AS INTEGER)`;

export const LIST_TABLES = `SELECT CAST(id AS INTEGER), ${whole("name")} FROM row_tables ORDER BY name`;
export const ADD_TABLE = "INSERT INTO row_tables (name, id) SELECT ?, 1 + coalesce(max(id), 0) FROM row_tables";
export const PUT_ROW = "INSERT OR REPLACE INTO rows (rowid, table_id, key, bytes, crc) VALUES (?, ?, ?, ?, ?)";
export const REMOVE_ROW = "DELETE FROM rows WHERE table_id = ? AND key = ?";

/** The greatest place that was ever given, as far as a checkpoint could tell. */
export const NEWEST_PLACE = `SELECT max(
    coalesce((SELECT max(rowid) FROM rows NOT INDEXED), 0), coalesce((SELECT max(place) FROM removals), 0),
    coalesce((SELECT max(place) FROM checkpoint), 0)
  )`;
export const KEEP_REMOVAL = "INSERT INTO removals (place, table_id, key, crc) VALUES (?, ?, ?, ?)";
export const COUNT_REMOVALS = "UPDATE checkpoint SET removals = removals + ?";
export const NAMED_CHECKPOINT = `SELECT CAST(place AS INTEGER), CAST(rows AS INTEGER), ${whole("hash")},
    CAST(removals AS INTEGER) FROM checkpoint`;
export const FORGET_CHECKPOINT: readonly string[] = ["DELETE FROM checkpoint", "DELETE FROM removals"];
export const FORGET_REMOVALS = "DELETE FROM removals WHERE place <= ?";
export const NAME_CHECKPOINT = `INSERT OR REPLACE INTO checkpoint (id, place, rows, hash, removals)
  SELECT 1, ?, ?, ?, count(*) FROM removals`;

/** Places behind a place and how large their rows are, which stands in their headers; then those rows. */
export const SIZES_BEHIND = `SELECT rowid, length(bytes) FROM rows NOT INDEXED WHERE rowid > ? ORDER BY rowid LIMIT ?`;
export const ROWS_BETWEEN = `SELECT rowid, CAST(table_id AS INTEGER), ${COLUMNS} FROM rows NOT INDEXED
  WHERE rowid > ? AND rowid <= ? ORDER BY rowid`;
export const REMOVALS_BETWEEN = `SELECT CAST(place AS INTEGER), CAST(table_id AS INTEGER), ${whole("key")},
    CAST(crc AS INTEGER) FROM removals WHERE place > ? AND place <= ? ORDER BY place LIMIT ?`;
/** Without a search: of a place that changed by itself a search could go past others. */
export const COUNT_REMOVALS_BEHIND = "SELECT count(*) FROM removals WHERE +place > ?";
/** The same sum over rows behind a place, once as the rows lie and once as their index has them. */
const SUM = "SELECT count(*), CAST(coalesce(sum(rowid + (rowid % 1009) * table_id), 0) AS TEXT) FROM rows";
export const SUM_OF_ROWS = `${SUM} NOT INDEXED WHERE rowid > ?`;
export const SUM_OF_INDEX = `${SUM} INDEXED BY sqlite_autoindex_rows_1 WHERE rowid > ?`;
/** How many rows there are, as they lie; all that a load does not read by itself is read for it. */
export const COUNT_ROWS = `SELECT count(*), (SELECT count(*) FROM checkpoint), (SELECT count(*) FROM removals)
  FROM rows NOT INDEXED`;

/**
 * The last key of a page when more rows follow it: parameters are table, first possible key, rows, bytes. A first row
 * that is larger than all of these bytes is a page of its own. Sizes are read from the row headers, without the bytes.
 */
export const PAGE_END = `SELECT ${whole("before")} FROM (
    SELECT key, lag(key) OVER by_key AS before, row_number() OVER by_key AS n, sum(size) OVER by_key AS total FROM (
      SELECT key, length(bytes) AS size FROM rows WHERE table_id = ?1 AND key >= ?2 ORDER BY key LIMIT ?3 + 1
    ) WINDOW by_key AS (ORDER BY key)
  ) WHERE n > 1 AND (n > ?3 OR total > ?4) ORDER BY key LIMIT 1`;
export const PAGE_UNTIL = `SELECT ${COLUMNS} FROM rows
  WHERE table_id = ? AND key >= ? AND key <= ? ORDER BY key`;
export const PAGE_REST = `SELECT ${COLUMNS} FROM rows WHERE table_id = ? AND key >= ? ORDER BY key`;

/** One row by its place, for a file whose index may be damaged; and the next place that has one. */
export const ROW_AT = `SELECT table_id, ${COLUMNS} FROM rows NOT INDEXED WHERE rowid = ?`;
export const NEXT_PLACE = "SELECT rowid FROM rows NOT INDEXED WHERE rowid > ? ORDER BY rowid LIMIT 1";
export const LAST_PLACE = "SELECT max(rowid) FROM rows NOT INDEXED";

/** Whether anything was ever made in a database. */
export const COUNT_OBJECTS = "SELECT count(*) FROM sqlite_schema";
