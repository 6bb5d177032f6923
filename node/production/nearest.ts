/**
 * The word that somebody may have meant by one that is none.
 */

/** Letters that may be wrong, missing, too many or in each other's place. Source: DESIGN section 6. */
const WRONG_LETTERS_MAX = 2;

/** The candidate with the fewest letters to change, when they are few and fewer than half. Source: DESIGN section 6. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const near = candidates.filter(({ length }) => Math.abs(length - word.length) <= WRONG_LETTERS_MAX);
  const changes = near.map((candidate) => ({ candidate, letters: lettersBetween(word, candidate) }));
  const [best] = changes.sort((a, b) => a.letters - b.letters);
  if (best === undefined || best.letters > WRONG_LETTERS_MAX || best.letters * 2 >= word.length) return undefined;
  return best.candidate;
}

/**
 * Letters that are wrong, missing, too many, or two in each other's place. Source: the library commander,
 * suggestSimilar.js.
 */
function lettersBetween(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, n) => n)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const changed = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (isSame ? 0 : 1));
      row.push(Math.min(changed, isSwapped ? at(i - 2, j - 2) + 1 : changed));
    }
  }
  return at(one.length, other.length);
}
