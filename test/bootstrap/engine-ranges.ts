/**
 * Ranges of Node.js versions as packages declare them (`engines.node`), and whether one holds all of another.
 * Reads what is in use: alternatives of `>=`, `>`, `^`, `~`, partial versions and `*`; anything else is an error.
 * Source: npm's package.json documentation, "engines"; node-semver's ranges.
 */

/** Versions from `from` on and below `below`; each is one number, so that comparing is exact. */
interface Span {
  readonly from: number;
  readonly below: number;
}

const COMPARATOR = /^(>=|>|\^|~|)\s*v?(\d+)(?:[.](\d+|x))?(?:[.](\d+|x))?(?:-\S+)?$/;

/** Whether every version that `inner` admits is admitted by `outer`. */
export function admitsAll(outer: string, inner: string): boolean {
  const spans = spansOf(outer);
  return spansOf(inner).every((span) => {
    let covered = span.from;
    for (const { from, below } of spans) if (from <= covered && below > covered) covered = below;
    return covered >= span.below;
  });
}

/** The alternatives of a range, lowest first. */
function spansOf(range: string): readonly Span[] {
  return range
    .split("||")
    .map((part) => spanOf(part.trim()))
    .sort((a, b) => a.from - b.from);
}

function spanOf(comparator: string): Span {
  if (comparator === "*" || comparator === "") return { from: 0, below: Number.POSITIVE_INFINITY };
  const parts = COMPARATOR.exec(comparator);
  if (parts === null) throw new Error(`a range that this check cannot read: ${comparator}`);
  const [major, minor, patch] = parts.slice(2).map((part) => (part === undefined || part === "x" ? undefined : +part));
  const from = placeOf(major ?? 0, minor ?? 0, patch ?? 0);
  const nextMajor = placeOf((major ?? 0) + 1, 0, 0);
  const nextMinor = minor === undefined ? nextMajor : placeOf(major ?? 0, minor + 1, 0);
  switch (parts[1]) {
    case ">=":
      return { from, below: Number.POSITIVE_INFINITY };
    case ">":
      return { from: patch === undefined ? nextMinor : from + 1, below: Number.POSITIVE_INFINITY };
    case "^":
      return { from, below: nextMajor };
    case "~":
      return { from, below: nextMinor };
    default:
      return { from, below: patch === undefined ? nextMinor : from + 1 };
  }
}

function placeOf(major: number, minor: number, patch: number): number {
  return (major * 1_000_000 + minor) * 1_000_000 + patch;
}
