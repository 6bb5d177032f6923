/**
 * How long a JSON list is, without reading what is in it: for bounds that come before the reading.
 * Not here: whether the text is JSON at all (json.ts).
 */

const LIST_START = /^[ \t\n\r]*\[[ \t\n\r]*/;

/**
 * The number of elements of a list, counted to one more than `most`; undefined when the text begins no list, or ends
 * before the list does. What stands between commas is not looked at.
 */
export function countElements(text: string, most: number): number | undefined {
  const start = LIST_START.exec(text)?.[0].length;
  if (start === undefined) return undefined;
  if (text[start] === "]") return 0;
  // What matters between the elements of a list: quotes, brackets and commas.
  const marks = /["[\]{},]/g;
  let elements = 1;
  let depth = 1;
  for (let at = start; depth > 0 && elements <= most; ) {
    marks.lastIndex = at;
    const mark = marks.exec(text);
    if (mark === null) return undefined;
    at = mark.index + 1;
    if (mark[0] === '"') at = endOfString(text, mark.index);
    else if (mark[0] === "[" || mark[0] === "{") depth += 1;
    else if (mark[0] !== ",") depth -= 1;
    else if (depth === 1) elements += 1;
  }
  return elements;
}

/** Where the string that begins at `from` ends; the end of the text when it does not. */
function endOfString(text: string, from: number): number {
  let quote = text.indexOf('"', from + 1);
  while (quote >= 0 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote < 0 ? text.length : quote + 1;
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text[quote - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}
