/**
 * When several endpoints are believed. With E of them, f = ⌊(E-1)/2⌋ may lie: a thing is taken as true once f + 1 say
 * it and more say it than do not. Whoever failed for long has no voice; whoever only has not spoken yet is waited for.
 * So two endpoints that contradict each other are both not believed, and one that is alone is.
 * Source: protocol 03 C9, C10 (the same rule over announcing origins).
 */

/** What one endpoint says about one thing. `answer` is compared as text. */
export type Vote =
  | { readonly type: "answers"; readonly answer: string }
  /** It cannot know yet, or did not answer now. */
  | { readonly type: "waits" }
  /** It does not keep what is that old, or failed for long. */
  | { readonly type: "mute" };

export type Verdict =
  | { readonly type: "agreed"; readonly answer: string }
  | { readonly type: "waiting" }
  /** All have spoken, and none is believed. */
  | { readonly type: "contradicted" };

/** How many of so many endpoints may lie unnoticed at worst. */
export function liarsOf(endpoints: number): number {
  return Math.max(0, Math.floor((endpoints - 1) / 2));
}

export function verdictOf(votes: readonly Vote[]): Verdict {
  const counts = new Map<string, number>();
  for (const vote of votes) if (vote.type === "answers") counts.set(vote.answer, (counts.get(vote.answer) ?? 0) + 1);
  const voices = votes.filter((vote) => vote.type !== "mute").length;
  for (const [answer, count] of counts) {
    if (count > liarsOf(votes.length) && 2 * count > voices) return { type: "agreed", answer };
  }
  const everyoneAnswered = votes.every((vote) => vote.type !== "waits");
  return everyoneAnswered && counts.size > 1 ? { type: "contradicted" } : { type: "waiting" };
}

/**
 * Which of the slots, newest first, is believed: the (f+1)-th highest, two at least, as far as there are so many.
 * Source: protocol 03 C9.
 */
export function believedSlot(endpoints: number, answered: number): number {
  const liars = Math.max(1, liarsOf(endpoints));
  return Math.max(0, Math.min(liars, answered - 1));
}
