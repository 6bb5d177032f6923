/**
 * Settlements that the reference shows and the fold does not: it asks nothing of an initiate but its signature, so one
 * whose reservation is unknown, or does not fit, is a settlement like any other. What it took is shown, and acts on it
 * are taken, from the statements that are held. Source: protocol 02 D.4, D.5; DESIGN §7 #21.
 */

import type { Pair } from "../domains/trade/reservations/queries.ts";
import { actsAbout } from "../domains/trade/settlements/fold.ts";
import { actsOf, settlementRow } from "../domains/trade/settlements/rules.ts";
import { SettlementInitiate } from "../domains/trade/settlements/schema.ts";
import { Settlements } from "../domains/trade/settlements/tables.ts";
import type { Unfolded } from "../domains/trade/settlements/views.ts";
import { Pending, Statements, slot } from "../engine/statements/table.ts";
import type { Statement } from "../kernel/signed.ts";
import type { Reader } from "../kernel/table.ts";
import { recordsOf } from "../kernel/table.ts";

/** It belongs to no advertisement and no request. */
const NO_PAIR = { advertisement: { identity: "" }, request: { identity: "" } } as unknown as Pair;

/** Every settlement that was initiated and is not folded, in order of identity. */
export function unreservedSettlements(reader: Reader): readonly Unfolded[] {
  const waiting = [...reader.keys(Pending)].flatMap((key) => reader.get(Pending, key) ?? []);
  const held = recordsOf(reader, Statements, "creating", "settlement");
  return [...held, ...waiting]
    .filter(
      ({ type, identity, idForm }) =>
        type.name === SettlementInitiate.name && idForm !== "void" && !isFolded(reader, identity),
    )
    .sort((a, b) => (a.identity < b.identity ? -1 : 1))
    .map((initiate) => unfolded(reader, initiate as Statement<SettlementInitiate>));
}

function isFolded(reader: Reader, identity: string): boolean {
  return reader.get(Settlements, identity) !== undefined;
}

function unfolded(reader: Reader, initiate: Statement<SettlementInitiate>): Unfolded {
  const { id, buyer, seller } = initiate.payload;
  const waiting = recordsOf(reader, Pending, "waiting", slot({ kind: "settlement", name: id }));
  const known = actsAbout(reader, initiate);
  const all = [
    ...known.moves,
    ...known.approves,
    ...known.rejects,
    ...known.buyerCancels,
    ...known.sellerCancels,
    ...known.opens,
  ];
  const acts = actsOf(initiate.payload, [
    ...all,
    ...waiting.filter(({ signer }) => signer === buyer || signer === seller),
  ]);
  return { initiate, identity: initiate.identity, row: settlementRow(initiate, NO_PAIR, acts, []) };
}
