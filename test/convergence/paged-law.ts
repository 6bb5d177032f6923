/**
 * The law of rows in pages as a check that returns what is wrong: where a node keeps its sealed rows shows in nothing
 * that it holds, answers or comes to. Source: CONVERGENCE B7; DESIGN §9.1.
 */

import { Disputes } from "../../core/domains/trade/disputes/tables.ts";
import { hourAfter, SEAL_EVERY_MS } from "../../core/domains/trade/sealing/hours.ts";
import { Settlements } from "../../core/domains/trade/settlements/tables.ts";
import { Seals } from "../../core/engine/statements/table.ts";
import type { Store } from "../../core/kernel/state.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { asksAbout, differentAnswer } from "./answers.ts";
import { unpacked } from "./checkpoint-law.ts";
import { difference } from "./convergence-law.ts";
import type { Observation, Replica } from "./replica.ts";
import { openReplica, recordsText, rootsOf } from "./replica.ts";
import { shuffleOf } from "./shuffle.ts";

const DAY_MS = 86_400_000n;
/** How long after what was told last nodes seal: nothing of it is over yet, some, or all. */
const AFTER_MS = [0n, 30n * DAY_MS, 90n * DAY_MS];

interface Paged {
  readonly wrong: string | undefined;
  readonly labels: readonly string[];
}

/** What is wrong with a story that is told and sealed by parts; nothing when the law holds. */
export function pagedDefect(observations: readonly Observation[], schedule: number): Paged {
  const random = shuffleOf(schedule);
  const whole = openReplica(false, Infinity, undefined, false);
  let [paged, again] = [openReplica(), openReplica()];
  const labels = new Set<string>();
  let now = 0n;
  for (const part of random.parts(observations)) {
    const before = sizeOf(paged.store());
    for (const replica of [whole, paged, again]) replica.receive(part);
    if (sizeOf(paged.store()) < before) labels.add("told of what is in pages");
    for (const each of part) if (dateOf(each) > now) now = dateOf(each);
    const at = (hourAfter((now + (AFTER_MS[random.below(AFTER_MS.length)] ?? 0n)) as EpochMillis) *
      SEAL_EVERY_MS) as EpochMillis;
    for (const replica of [whole, paged, again]) replica.seal(at);
    putAllAway(paged);
    if (random.below(2) === 0) again = unpacked(paged) ?? openReplica();
    for (const label of labelsOf(paged.store())) labels.add(label);
    const wrong = unlike(whole, paged) ?? unlike(whole, again);
    if (wrong !== undefined) return { wrong, labels: [...labels] };
  }
  const asks = asksAbout(observations, random, now as EpochMillis);
  const wrong = [paged, again].map((each) => differentAnswer(whole.store(), each.store(), asks)).find((each) => each);
  return { wrong, labels: [...labels] };
}

function unlike(whole: Replica, other: Replica): string | undefined {
  if (rootsOf(whole) !== rootsOf(other)) return difference(rootsOf(whole), rootsOf(other));
  const [left, right] = [recordsText(whole), recordsText(other, whole)];
  return left === right ? undefined : difference(left, right);
}

/** Commits of nothing, until nothing is left to be put away. */
function putAllAway(replica: Replica): void {
  for (let before = -1; before < sizeOf(replica.store()); ) {
    before = sizeOf(replica.store());
    replica.store().commit([]);
  }
}

/** How many rows lie in pages. */
function sizeOf(store: Store): number {
  return [...store.held().tables.values()].reduce((sum, { sealed }) => sum + (sealed?.size ?? 0), 0);
}

function labelsOf(store: Store): readonly string[] {
  const has = ({ name }: { readonly name: string }) => (store.held().tables.get(name)?.sealed?.size ?? 0) > 0;
  return [
    ...(has(Settlements) ? ["a settlement in pages"] : []),
    ...(has(Disputes) ? ["a dispute in pages"] : []),
    ...(has(Seals) ? ["a seal in pages"] : []),
  ];
}

function dateOf(each: Observation): bigint {
  return each.type === "statement" ? each.statement.timestamp : each.type === "seen" ? (each.fact.timestamp ?? 0n) : 0n;
}
