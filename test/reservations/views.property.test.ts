/**
 * Goal: lists of reservations are in order of id, show under a contested id the one that earned it, then what is
 * followed, then the smallest, and give a requester every reservation of his own; two nodes that heard the same read
 * the same (CONVERGENCE "Records and ids").
 * Method: random contested trades; every record that a replica holds, ordered and picked here by plain texts; a second
 * replica that heard the same in another order.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ReservationRequest, ReservationRow } from "../../core/domains/trade/reservations/schema.ts";
import { Reservations } from "../../core/domains/trade/reservations/tables.ts";
import type { ShownReservation } from "../../core/domains/trade/reservations/views.ts";
import { allReservations, reservationById, reservationsWhere } from "../../core/domains/trade/reservations/views.ts";
import { Settlements } from "../../core/domains/trade/settlements/tables.ts";
import { Statements } from "../../core/engine/statements/table.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { Reader } from "../../core/kernel/table.ts";
import { compareText } from "../../core/kernel/text.ts";
import { received, replicaOf } from "../convergence/replica.ts";
import { shuffleOf } from "../convergence/shuffle.ts";
import { forAll } from "../property/for-all.ts";
import { arbContested, followText, opening, people } from "../settlements/contested.ts";

interface Held {
  readonly key: string;
  readonly row: ReservationRow;
  readonly request: Statement<ReservationRequest>;
}

function heldIn(store: Reader): readonly Held[] {
  return [...store.keys(Reservations)].flatMap((key) => {
    const row = store.get(Reservations, key);
    const request = row && (store.get(Statements, row.request) as Statement<ReservationRequest> | undefined);
    return row === undefined || request === undefined ? [] : [{ key: keyOf({ row, request }), row, request }];
  });
}

const keyOf = ({ row }: ShownReservation) => `${row.request}:${row.advertisement}`;

function sortedBy(held: readonly Held[], textOf: (each: Held) => string): readonly string[] {
  const keyed = held.map((each) => [textOf(each), each.key] as const);
  return keyed.sort(([a], [b]) => compareText(a, b)).map(([, key]) => key);
}

/** What a bare id shows first, as texts that sort: earned, followed, then the smallest of requests and of parents. */
function textsOf(store: Reader, { row, request }: Held): readonly string[] {
  const settlement = row.settlement === null ? undefined : store.get(Settlements, row.settlement);
  const parent = store.get(Statements, row.advertisement);
  return [
    request.idForm === "earned" ? "0" : "1",
    settlement === undefined ? "1" : `0 ${followText(settlement, row.settlement ?? "")}`,
    `${request.timestamp} ${request.identity}`,
    `${parent?.timestamp} ${parent?.identity}`,
  ];
}

function readOf(store: Reader) {
  return {
    all: allReservations(store).map(keyOf),
    own: people.map(({ peer }) => reservationsWhere(store, ({ request }) => request.signer === peer).map(keyOf)),
  };
}

test("lists are in order of id, one for each id; a requester reads all of his own", () => {
  const holds = (statements: readonly Statement[], order: number) => {
    const observations = received(...opening, ...statements);
    const store = replicaOf(observations).store();
    const held = heldIn(store);
    const ids = [...new Set(held.map(({ request }) => request.payload.id))].sort(compareText);
    const contested = ids.map((id) => held.filter(({ request }) => request.payload.id === id));
    const read = readOf(store);
    expect(read.all).toEqual(contested.map((each) => sortedBy(each, (one) => textsOf(store, one).join(" / "))[0]));
    expect(ids.map((id) => reservationById(store, id)).map((shown) => shown && keyOf(shown))).toEqual(read.all);
    for (const [n, { peer }] of people.entries()) {
      const own = held.filter(({ request }) => request.signer === peer);
      expect(read.own[n]).toEqual(sortedBy(own, ({ request, key }) => `${request.payload.id} ${key}`));
    }
    expect(readOf(replicaOf(shuffleOf(order).shuffled(observations)).store())).toEqual(read);
    return labelsOf(store, contested);
  };
  forAll([arbContested, fc.nat()], holds, {
    runs: 120,
    sample: 150,
    shares: {
      "several ids": 0.5,
      "decided by the earned id": 0.15,
      "decided by what is followed": 0.5,
      "decided by the request": 0.02,
      "decided by the parent": 0.1,
    },
  });
});

/** What picked the one that a contested id shows. */
function labelsOf(store: Reader, contested: readonly (readonly Held[])[]): readonly string[] {
  const names = ["the earned id", "what is followed", "the request", "the parent"];
  const decided = contested.flatMap((each) => {
    const [first = [], ...rivals] = each.map((one) => textsOf(store, one)).sort((a, b) => compareText(`${a}`, `${b}`));
    return rivals.map((rival) => `decided by ${names[first.findIndex((text, n) => text !== rival[n])]}`);
  });
  return [...decided, ...(contested.length > 1 ? ["several ids"] : [])];
}
