/**
 * The members of a record's text, each by its path, with every digit of a number as it was written: JSON.parse would
 * round what is above 2^53. Texts are those of `recordLine`, on one line. Runs in browsers too.
 */

/** Members by path, such as `amount.base_units`; a text that is no object has one, of no name. */
export function membersOf(text: string | undefined): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  if (text !== undefined) gather(members, "", text);
  return members;
}

function gather(members: Map<string, string>, path: string, text: string): void {
  if (!text.startsWith("{") || text === "{}") {
    members.set(path, text);
    return;
  }
  let at = 1;
  while (at < text.length - 1) {
    const nameEnds = endOf(text, at);
    const name = JSON.parse(text.slice(at, nameEnds)) as string;
    const valueEnds = endOf(text, nameEnds + 1);
    gather(members, path === "" ? name : `${path}.${name}`, text.slice(nameEnds + 1, valueEnds));
    at = valueEnds + 1;
  }
}

/** Where the value that begins at a place ends. */
function endOf(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const unit = text[at];
    if (unit === '"') at = closingQuote(text, at);
    else if (unit === "{" || unit === "[") depth += 1;
    else if (unit === "}" || unit === "]") depth -= 1;
    // A comma or a closing bracket of what holds the value ends a bare one.
    if (depth < 0 || (depth === 0 && (unit === "," || unit === ":"))) return at;
    if (depth === 0 && (unit === '"' || unit === "}" || unit === "]")) return at + 1;
  }
  return text.length;
}

function closingQuote(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

/** What people would call a record: its id, else its name; nothing where it has neither. */
export function labelIn(members: ReadonlyMap<string, string>): string {
  const found = ["id", "name", "payload.id"].map((name) => members.get(name)).find((value) => value?.startsWith('"'));
  return found === undefined ? "" : (JSON.parse(found) as string);
}
