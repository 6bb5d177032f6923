/**
 * Settlements that the reference shows and the fold does not: it asks nothing of an initiate but its signature, so one
 * whose reservation is unknown, or does not fit, is a settlement like any other. What it took is shown, and acts on it
 * are taken, from the statements that are held. Source: protocol 02 D.4, D.5; DESIGN §7 #21.
 */

import type { Pair } from "../domains/trade/reservations/queries.ts";
import { factNameOf } from "../domains/trade/settlements/reservation-numbers.ts";
import { actsOf, settlementRow } from "../domains/trade/settlements/rules.ts";
import type { ChainFact } from "../domains/trade/settlements/schema.ts";
import { SettlementInitiate } from "../domains/trade/settlements/schema.ts";
import { ChainFacts, Settlements } from "../domains/trade/settlements/tables.ts";
import type { Unfolded } from "../domains/trade/settlements/views.ts";
import { childrenBySigner } from "../engine/statements/own-statements.ts";
import { Pending, Statements, slot } from "../engine/statements/table.ts";
import type { Statement } from "../kernel/signed.ts";
import type { Reader } from "../kernel/table.ts";
import { entriesOf, recordsOf } from "../kernel/table.ts";
import { compareText } from "../kernel/text.ts";

/** It belongs to no advertisement and no request. */
const NO_PAIR = { advertisement: { identity: "" }, request: { identity: "" } } as unknown as Pair;

/** Every settlement that was initiated and is not folded, in order of identity. */
export function unreservedSettlements(reader: Reader): readonly Unfolded[] {
  return [Statements, Pending]
    .flatMap((held) => [...entriesOf(reader, held)])
    .map(([, statement]) => statement)
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
  const about = [
    ...[...new Set([buyer, seller])].flatMap((party) => childrenBySigner(reader, initiate, party)),
    ...waiting.filter(({ signer }) => signer === buyer || signer === seller),
  ];
  const row = settlementRow(initiate, NO_PAIR, actsOf(initiate.payload, about), factsAbout(reader, initiate.payload));
  return { initiate, identity: initiate.identity, about, row };
}

/**
 * Transactions that closed an escrow of these parties and this amount, and that no folded settlement of it has, in the
 * order in which the fold binds them.
 */
function factsAbout(reader: Reader, initiate: SettlementInitiate): readonly ChainFact[] {
  const { reservation_id, buyer_public_key, seller_public_key, amount } = initiate;
  const folded = recordsOf(reader, Settlements, "reservation", reservation_id);
  const taken = new Set(folded.flatMap((row) => [row.execution_signature, row.escrow_release_signature]));
  const facts = [...reader.find(ChainFacts, "reservation", factNameOf(reservation_id))]
    .sort(compareText)
    .flatMap((key) => reader.get(ChainFacts, key) ?? []);
  return facts.filter(
    (fact) =>
      fact.buyer === buyer_public_key &&
      fact.seller === seller_public_key &&
      fact.amount === amount.base_units &&
      !taken.has(fact.transaction),
  );
}
