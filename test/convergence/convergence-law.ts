/**
 * The law of convergence as a check that returns what is wrong, so that a test can also watch it fail on a
 * planted bug: equal sets give equal roots, whatever order, batches, repeats and restarts brought them.
 * Source: DESIGN "Laws", L2.
 */

import type { Observation } from "./replica.ts";
import { openReplica, recordsText, replicaOf, rootsOf } from "./replica.ts";
import { shuffleOf } from "./shuffle.ts";

/** What is wrong with one story under one schedule; nothing when the law holds. */
export function divergence(observations: readonly Observation[], schedule: number): string | undefined {
  const random = shuffleOf(schedule);
  const parts = random.parts(random.shuffled(observations));
  const [one, other] = [openReplica(), openReplica()];
  const known: Observation[] = [];
  for (const part of parts) {
    known.push(...part);
    for (const each of random.shuffled(part)) one.receive([each]);
    other.receive([...random.shuffled(part), ...random.some(known)]);
    if (random.below(4) === 0) other.restart();
    if (rootsOf(one) !== rootsOf(other)) return difference(recordsText(one), recordsText(other));
  }
  const naive = replicaOf(inOrderOfIdentity(observations));
  if (rootsOf(naive) !== rootsOf(one)) return `naive: ${difference(recordsText(naive), recordsText(one))}`;
  if (recordsText(naive) !== recordsText(one)) return `local: ${difference(recordsText(naive), recordsText(one))}`;
  one.restart();
  return rootsOf(naive) === rootsOf(one) ? undefined : `restart: ${difference(recordsText(naive), recordsText(one))}`;
}

/** The lines that only one side has. */
export function difference(left: string, right: string): string {
  const [a, b] = [left.split("\n"), right.split("\n")];
  const only = (mine: readonly string[], theirs: readonly string[], mark: string) =>
    mine.filter((line) => !theirs.includes(line)).map((line) => `${mark} ${line}`);
  return ["records differ", ...only(a, b, "-"), ...only(b, a, "+")].join("\n");
}

function inOrderOfIdentity(observations: readonly Observation[]): readonly Observation[] {
  const key = (each: Observation) => (each.type === "statement" ? each.statement.identity : each.id);
  return [...observations].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
