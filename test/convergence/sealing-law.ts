/**
 * Sealing as a check that returns what is wrong. Every node hears what no ingress takes any more when it seals, then
 * later things in an order of its own, whatever they speak about, and seals once somewhere between; it refuses what is
 * about sealed records alone, as every ingress does. All end with equal
 * roots, that of the archive included; sealing changes no answer; and whenever two nodes hold equal sets, sealed ones
 * counted, their records are equal. Source: CONVERGENCE B7.
 */

import { RESERVATION_WINDOW_MS } from "../../core/domains/trade/reservations/schema.ts";
import { SEAL_AGE_MS, SEAL_EVERY_MS } from "../../core/domains/trade/sealing/hours.ts";
import { Settlements } from "../../core/domains/trade/settlements/tables.ts";
import { isAboutSealed, Pending, Seals, Statements } from "../../core/engine/statements/table.ts";
import type { Store } from "../../core/kernel/state.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { asksAbout, differentAnswer } from "./answers.ts";
import { difference } from "./convergence-law.ts";
import type { Observation, Replica } from "./replica.ts";
import { openReplica, recordsText, replicaOf, rootsOf, setsOf, stateOf } from "./replica.ts";
import type { Shuffle } from "./shuffle.ts";
import { shuffleOf } from "./shuffle.ts";

const NODES = 3;
const HOUR_MS = 3_600_000n;
const DAY_MS = 86_400_000n;
/** How long after the date of something nodes seal first: it is over, or what it began. */
const AFTER_MS = [HOUR_MS, 2n * HOUR_MS, 30n * DAY_MS + HOUR_MS, 60n * DAY_MS + HOUR_MS];
/** Longer than anything can go on. */
const ENDS_MS = 90n * DAY_MS;

export interface Sealed {
  readonly wrong: string | undefined;
  /** What was sealed while other things were still to come: settlements by their state, the rest by type. */
  readonly early: readonly string[];
}

export function sealingError(observations: readonly Observation[], schedule: number): Sealed {
  const random = shuffleOf(schedule);
  const dates = observations.map(dateOf);
  const over = (dates[random.below(dates.length)] ?? 0n) + (AFTER_MS[random.below(AFTER_MS.length)] ?? 0n);
  const cut = over - (over % SEAL_EVERY_MS);
  const last = dates.reduce((a, b) => (a > b ? a : b), cut) + ENDS_MS;
  const old = observations.filter((each) => dateOf(each) < cut + BigInt(RESERVATION_WINDOW_MS));
  // Orphans of that age were swept.
  const waiting = replicaOf(old).store();
  const early = old.filter(
    (each) => each.type !== "statement" || waiting.get(Pending, each.statement.identity) === undefined,
  );
  const reference = replicaOf(early);
  reference.seal(sealing(cut));
  const sealed = sealedIn(reference.store());
  const late = observations.filter((each) => !old.includes(each));
  const known = new Map<string, string>();
  const nodes = Array.from({ length: NODES }, () => openReplica());
  for (const node of nodes) {
    const wrong = live(node, { early, late, cut }, random, known);
    if (wrong !== undefined) return { wrong, early: sealed };
  }
  const apart = differing(nodes) ?? unlike(nodes, [...early, ...late], random, last);
  if (apart !== undefined) return { wrong: apart, early: sealed };
  for (const node of nodes) node.seal(sealing(last));
  return { wrong: differing(nodes), early: sealed };
}

/** What a store has sealed. */
function sealedIn(store: Store): readonly string[] {
  const labels = [...store.keys(Seals)].map((key) => {
    const { type } = store.get(Statements, key) ?? {};
    const row = store.get(Settlements, key);
    return type === undefined ? "a chain fact" : row === undefined ? type.name : `a settlement ${row.state}`;
  });
  return [...new Set(labels)];
}

/** When a node seals what was terminal at an instant. */
function sealing(over: bigint): EpochMillis {
  return (over + SEAL_AGE_MS) as EpochMillis;
}

/** What is heard before nodes seal first, what may come after, and what they seal then. */
interface Life {
  readonly early: readonly Observation[];
  readonly late: readonly Observation[];
  readonly cut: bigint;
}

/** One node's life; answers what is wrong on the way. */
function live(
  node: Replica,
  { early, late, cut }: Life,
  random: Shuffle,
  known: Map<string, string>,
): string | undefined {
  for (const part of random.parts(random.shuffled(early))) node.receive(part);
  const parts = random.parts(random.shuffled([...late, ...random.some(late)]));
  const moment = random.below(parts.length + 1);
  for (let place = 0; place <= parts.length; place++) {
    if (place === moment) node.seal(sealing(cut));
    node.receive((parts[place] ?? []).filter((each) => isTaken(node.store(), each)));
    if (random.below(6) === 0) node.restart();
    const before = known.get(setsOf(node));
    if (before !== undefined && before !== stateOf(node)) return "equal sets have unequal states";
    known.set(setsOf(node), stateOf(node));
  }
  return undefined;
}

/** Every ingress refuses what is about nothing that is not sealed. */
function isTaken(store: Store, each: Observation): boolean {
  return each.type !== "statement" || !isAboutSealed(store, each.statement);
}

function differing([first, ...others]: readonly Replica[]): string | undefined {
  for (const other of others) {
    if (first === undefined || rootsOf(first) === rootsOf(other)) continue;
    const sealed = [first, other].map((node) => [...node.store().keys(Seals)].join("\n"));
    return difference(`${recordsText(first)}\n${sealed[0]}`, `${recordsText(other)}\n${sealed[1]}`);
  }
  return undefined;
}

/** What a node answers otherwise than one that never sealed. */
function unlike(
  [node]: readonly Replica[],
  observations: readonly Observation[],
  random: Shuffle,
  now: bigint,
): string | undefined {
  return (
    node &&
    differentAnswer(node.store(), replicaOf(observations).store(), asksAbout(observations, random, now as EpochMillis))
  );
}

function dateOf(each: Observation): bigint {
  return each.type === "statement" ? each.statement.timestamp : each.type === "seen" ? (each.fact.timestamp ?? 0n) : 0n;
}
