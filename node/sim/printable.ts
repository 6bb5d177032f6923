/**
 * What is printed comes from files that anybody may have written: names, texts of people, messages about them. None of
 * it moves a cursor, names a window or rings.
 */

/** Control characters but those that lines are made of. */
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;

/** A text whose control characters stand as JSON writes them, in which they then mean the same. */
export function printable(text: string): string {
  return text.replace(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
