/**
 * A text changed in one or two places: a character less, more or other, a piece twice, a number grown. Drawn by a
 * count, so that two runs send the same.
 */

const PIECES = [
  '"',
  "{",
  "}",
  "[",
  "]",
  ":",
  ",",
  "\\",
  "\u0000",
  "\ud800",
  "1e999",
  "-0",
  "null",
  "9".repeat(40),
  " ",
];

/** Draws the next mutant at each call. */
export function mutants(text: string): () => string {
  let state = 0x9e3779b9;
  const draw = (below: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) >>> 0;
    return (state >>> 8) % below;
  };
  const once = (from: string): string => {
    const at = draw(from.length + 1);
    const to = Math.min(from.length, at + draw(6));
    const piece = PIECES[draw(PIECES.length)] ?? "";
    return (
      [
        () => from.slice(0, at) + from.slice(to),
        () => from.slice(0, at) + piece + from.slice(at),
        () => from.slice(0, at) + piece + from.slice(to),
        () => from.slice(0, to) + from.slice(at),
      ][draw(4)]?.() ?? from
    );
  };
  return () => (draw(2) === 0 ? once(text) : once(once(text)));
}
