/**
 * What a call asks, apart from the id that its answer echoes: the same question with another id has the same answer but
 * for that. Told from the text, for calls that clients write in the usual forms. Source: protocol 01 §10.2, §10.3.
 */

/** UTF-16 units of a call that is looked at: reads are short, and what is signed is not asked twice. */
const QUESTION_LENGTH_MAX = 512;
/** An id that every profile echoes token for token. */
const ID = '(0|[1-9][0-9]{0,14}|"[ !#-\\[\\]-~]{0,64}")';
/** Before all other members but the version: behind an opening brace a name is one of the envelope's. */
const LEADING = new RegExp(`^\\{(?:"jsonrpc": ?"2\\.0", ?)?"id": ?${ID},`);
/**
 * At the very end: a brace there closes the envelope, and so what stands before it is the envelope's last member. The
 * quote behind a comma opens a name, since bare letters follow no text that it could have closed.
 */
const TRAILING = new RegExp(`,\\s?"id": ?${ID}\\}$`);

/** A call in two parts. */
export interface Asked {
  /** The whole text with a gap for the id, which no JSON has. */
  readonly question: string;
  /** The id as it stands in the call, and so in its answer. */
  readonly id: string;
}

/** The question of a call, where its id stands first or last. That it is JSON at all its first answer tells. */
export function questionOf(body: string): Asked | undefined {
  if (body.length > QUESTION_LENGTH_MAX) return undefined;
  const match = LEADING.exec(body) ?? TRAILING.exec(body);
  const id = match?.[1];
  if (match === null || id === undefined) return undefined;
  const end = match.index + match[0].length - 1;
  return { question: `${body.slice(0, end - id.length)}\u0000${body.slice(end)}`, id };
}

/** The answer to a call, given what stands behind its id. */
export function answerOf({ id }: Pick<Asked, "id">, rest: string): string {
  return `{"jsonrpc":"2.0","id":${id}${rest}`;
}
