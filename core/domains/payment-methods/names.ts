/**
 * Names of payment methods: what a merchant may call a method of his own, so that nobody takes it for another.
 * Source: protocol 02 I.3.
 */

import { catalog } from "./catalog.ts";
import { NAME_LENGTH_MAX } from "./schema.ts";

/** Letters that look alike, after lower-casing, by the one they are read as. Source: protocol 02 I.3. */
const lookalikes: readonly (readonly [read: string, as: string])[] = [
  ["o", "0òóôõöøōŏőоο"],
  ["l", "1iìíîïĩīĭįıĺļľŀłіӏι"],
  ["e", "3èéêëēĕėęěеёε"],
  ["a", "4àáâãäåāăąаα"],
  ["s", "5śŝşšѕ"],
  ["t", "7ţťŧтτ"],
  ["ae", "æ"],
  ["oe", "œ"],
  ["ss", "ß"],
  ["th", "þ"],
  ["c", "çćĉċčс"],
  ["d", "ðďđԁ"],
  ["g", "ĝğġģ"],
  ["j", "ĵј"],
  ["r", "ŕŗř"],
  ["w", "ŵԝ"],
  ["h", "ĥħһн"],
  ["k", "ķкκ"],
  ["n", "ñńņňη"],
  ["u", "ùúûüũūŭůűųυ"],
  ["y", "ýÿŷу"],
  ["z", "źżžζ"],
  ["b", "вβ"],
  ["m", "м"],
  ["p", "рρ"],
  ["q", "ԛ"],
  ["v", "ν"],
  ["x", "хχ"],
];

const readAs: ReadonlyMap<string, string> = new Map(
  lookalikes.flatMap(([read, members]) => [...members].map((member) => [member, read] as const)),
);

/** White space other than the plain space, and characters that steer or hide. Source: protocol 02 I.3 row 3. */
const SPACES = /[^\S ]|\p{White_Space}(?<! )/u;
const STEERING = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;
const INVISIBLE =
  /[\u00ad\u061c\u180e\u200b-\u200f\u2060-\u2064\u206a-\u206f\u2800\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u;
const ALPHANUMERIC = /[\p{Alphabetic}\p{N}]/u;

/** What is left of a name when spelling tricks are undone. Source: protocol 02 I.3. */
export function skeletonOf(name: string): string {
  let skeleton = "";
  for (const letter of halfWidth(name).toLowerCase()) {
    const read = readAs.get(letter);
    if (read !== undefined) skeleton += read;
    else if (ALPHANUMERIC.test(letter)) skeleton += letter;
  }
  return skeleton;
}

const taken: ReadonlySet<string> = new Set(
  catalog.flatMap(({ name, aliases }) => [name, ...aliases].map(skeletonOf)).filter((skeleton) => skeleton !== ""),
);

/** Whether a merchant may call a method of his own so. Source: protocol 02 I.3 rows 3 and 4. */
export function isUsableName(name: string): boolean {
  const length = [...name].length;
  if (length < 1 || length > NAME_LENGTH_MAX) return false;
  if (name.startsWith(" ") || name.endsWith(" ") || name.includes("  ")) return false;
  if (SPACES.test(name) || STEERING.test(name) || INVISIBLE.test(name)) return false;
  const skeleton = skeletonOf(name);
  return skeleton !== "" && !taken.has(skeleton);
}

/** Full-width forms of ASCII as ASCII. */
function halfWidth(name: string): string {
  return name.replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));
}
