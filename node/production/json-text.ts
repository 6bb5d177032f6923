/**
 * JSON that an operator writes. Where it is none, the line and the column are told.
 */
import { parseJson } from "../../core/index.ts";

/** What a text holds. Throws with one line about what is no JSON, and where. Source: RFC 8259. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // What the runtime says has a position at times, and at times a piece of the text.
    const read = parseJson(text);
    const [, reason, position] = /^(.*) at position (\d+)$/.exec(read.ok ? "" : read.error) ?? [];
    if (reason === undefined) throw error;
    throw new Error(`${reason} ${placeText(text, Number(position))}`);
  }
}

/** A place in a text, as editors count. */
function placeText(text: string, position: number): string {
  const lines = text.slice(0, position).split("\n");
  return `(line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1})`;
}
