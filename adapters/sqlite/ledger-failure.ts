/**
 * Why a ledger is not opened, as one line for an operator.
 */

/** Why a ledger was not opened; `reason` is one line. Nothing was changed. */
export interface LedgerFailure {
  readonly code: "held" | "denied" | "foreign" | "newer" | "damaged" | "full" | "broken";
  readonly reason: string;
}

/** By its lowest byte: a code that SQLite extends and the library has no name for. Source: SQLite, rescode. */
const PRIMARY: Readonly<Record<number, string>> = {
  3: "SQLITE_PERM",
  5: "SQLITE_BUSY",
  6: "SQLITE_LOCKED",
  8: "SQLITE_READONLY",
  11: "SQLITE_CORRUPT",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
  23: "SQLITE_AUTH",
  26: "SQLITE_NOTADB",
};

/** One line for what the operating system or SQLite said. */
export function ledgerFailure(error: unknown, path: string): LedgerFailure {
  // SQLite may quote what stands in a file, with its lines.
  const reason = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " ");
  const code = codeOf(error);
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return { code: "held", reason: `${path} is in use by another process` };
  if (
    /^(EACCES|EPERM|EROFS)$|^SQLITE_(READONLY|CANTOPEN|PERM|AUTH)/.test(code) ||
    reason.includes("ConnectionFailed")
  ) {
    return { code: "denied", reason: `${path} cannot be opened for writing: ${reason}` };
  }
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return { code: "damaged", reason: `${path} is damaged: ${reason}` };
  if (/^(ENOSPC|EDQUOT)$|^SQLITE_FULL/.test(code)) return { code: "full", reason: `${path}: the disk is full` };
  return { code: "broken", reason: `${path} cannot be opened: ${reason}` };
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const [, number] = /^UNKNOWN_SQLITE_ERROR_(\d+)$/.exec(code) ?? [];
  return number === undefined ? code : (PRIMARY[Number(number) & 0xff] ?? code);
}
