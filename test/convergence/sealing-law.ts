/**
 * Sealing as a check that returns what is wrong. Every node hears what no ingress takes any more when it seals, then
 * later things in an order of its own, and seals once somewhere between. All end with equal roots, that of the archive
 * included; sealing changes no answer; and whenever two nodes hold equal sets, sealed ones counted, their records are
 * equal. Left out is what speaks about something already sealed: ingresses refuse it, and at the edge nodes may differ.
 * Source: CONVERGENCE B7.
 */

import type { ReservationRequest } from "../../core/domains/trade/reservations/schema.ts";
import { RESERVATION_WINDOW_MS } from "../../core/domains/trade/reservations/schema.ts";
import { SEAL_AGE_MS, SEAL_EVERY_MS } from "../../core/domains/trade/sealing/sealing.ts";
import { spellingsOf } from "../../core/domains/trade/settlements/reservation-numbers.ts";
import { Settlements } from "../../core/domains/trade/settlements/tables.ts";
import {
  contenders,
  isSealed,
  namesOf,
  Pending,
  parentsOf,
  Seals,
  Statements,
  slot,
} from "../../core/engine/statements/table.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { Store } from "../../core/kernel/state.ts";
import type { Reader } from "../../core/kernel/table.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { at } from "./actors.ts";
import { asksAbout, differentAnswer } from "./answers.ts";
import { difference } from "./convergence-law.ts";
import type { Observation, Replica } from "./replica.ts";
import { openReplica, recordsText, replicaOf, rootsOf, setsOf, stateOf } from "./replica.ts";
import type { Shuffle } from "./shuffle.ts";
import { shuffleOf } from "./shuffle.ts";

/** A full hour of a story: what was terminal before it is sealed first. */
const CUT = at(120) - (at(120) % SEAL_EVERY_MS);
const NODES = 3;

export interface Sealed {
  readonly wrong: string | undefined;
  /** What was sealed while other things were still to come: settlements by their state, the rest by type. */
  readonly early: readonly string[];
}

export function sealingError(observations: readonly Observation[], schedule: number): Sealed {
  const random = shuffleOf(schedule);
  const old = observations.filter((each) => dateOf(each) < CUT + BigInt(RESERVATION_WINDOW_MS));
  // Orphans of that age were swept.
  const waiting = replicaOf(old).store();
  const early = old.filter(
    (each) => each.type !== "statement" || waiting.get(Pending, each.statement.identity) === undefined,
  );
  const reference = replicaOf(early);
  reference.seal(sealing(CUT));
  const sealed = sealedIn(reference.store());
  const late = withoutEdge(
    reference,
    observations.filter((each) => !old.includes(each)),
  );
  const known = new Map<string, string>();
  const nodes = Array.from({ length: NODES }, () => openReplica());
  for (const node of nodes) {
    const wrong = live(node, early, late, random, known);
    if (wrong !== undefined) return { wrong, early: sealed };
  }
  const apart = differing(nodes) ?? unlike(nodes, [...early, ...late], random);
  if (apart !== undefined) return { wrong: apart, early: sealed };
  for (const node of nodes) node.seal(sealing(CUT + 48n * SEAL_EVERY_MS));
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

/** One node's life; answers what is wrong on the way. */
function live(
  node: Replica,
  early: readonly Observation[],
  late: readonly Observation[],
  random: Shuffle,
  known: Map<string, string>,
): string | undefined {
  for (const part of random.parts(random.shuffled(early))) node.receive(part);
  const parts = random.parts(random.shuffled([...late, ...random.some(late)]));
  const moment = random.below(parts.length + 1);
  for (let place = 0; place <= parts.length; place++) {
    if (place === moment) node.seal(sealing(CUT));
    node.receive(parts[place] ?? []);
    if (random.below(6) === 0) node.restart();
    const before = known.get(setsOf(node));
    if (before !== undefined && before !== stateOf(node)) return "equal sets have unequal states";
    known.set(setsOf(node), stateOf(node));
  }
  return undefined;
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
function unlike([node]: readonly Replica[], observations: readonly Observation[], random: Shuffle): string | undefined {
  return (
    node && differentAnswer(node.store(), replicaOf(observations).store(), asksAbout(observations, random, at(125)))
  );
}

/**
 * Without what names something sealed, bears a name that something sealed spoke about, or is about a reservation of
 * whose number something is sealed: one fact binds to one of all settlements of a number.
 */
function withoutEdge(reference: Replica, late: readonly Observation[]): readonly Observation[] {
  const store = reference.store();
  const named = new Set<string>();
  for (const key of store.keys(Seals)) {
    const statement = store.get(Statements, key);
    const about = statement?.type.about(statement.payload as never);
    if (about === undefined) continue;
    named.add(slot(about));
    if (about.kind !== "reservation" || statement === undefined) continue;
    const requests = parentsOf<ReservationRequest>(store, statement);
    for (const request of requests) for (const id of spellingsOf(request.payload.id)) named.add(`reservation/${id}`);
  }
  const isOfSealedNumber = (request: Statement) => namesOf(request).some((name) => named.has(slot(name)));
  return late.filter((each) => {
    if (each.type === "seen") return contendersOf(store, each.fact.reservation.toString()).length === 0;
    if (each.type !== "statement") return true;
    const parents = parentsOf(store, each.statement);
    if (parents.some(({ identity }) => isSealed(store, identity))) return false;
    if (each.statement.type.creates === "settlement" && parents.some(isOfSealedNumber)) return false;
    return !isOfSealedNumber(each.statement);
  });
}

function contendersOf(store: Reader, number: string): readonly Statement[] {
  return spellingsOf(number).flatMap((id) => contenders(store, "reservation", id));
}

function dateOf(each: Observation): bigint {
  return each.type === "statement" ? each.statement.timestamp : each.type === "seen" ? each.fact.timestamp : 0n;
}
