/**
 * The advertisement fold: the merchant's registers, and the sweep over the requests that name it.
 * Source: CONVERGENCE "Advertisement", "Allocation" (ours).
 */

import { known } from "../kernel/assert.ts";
import type { Draft } from "../kernel/draft.ts";
import type { Statement } from "../kernel/signed.ts";
import type { Reader } from "../kernel/table.ts";
import { recordsOf } from "../kernel/table.ts";
import type { EpochMillis } from "../kernel/values.ts";
import { latest } from "../kernel/values.ts";
import { expiryOf, pairKey } from "../reservations/queries.ts";
import type { ReservationRow } from "../reservations/schema.ts";
import { ReservationRequest } from "../reservations/schema.ts";
import { Reservations } from "../reservations/tables.ts";
import type { FoldUnit, Mark } from "../statements/fold.ts";
import { childrenOfType, parentsOf, Statements } from "../statements/table.ts";
import { validAdvertisement } from "./queries.ts";
import type { Registers } from "./registers.ts";
import { currentStatus, editedAt, newest, registersOf, statusAt } from "./registers.ts";
import type { AdvertisementRow } from "./schema.ts";
import {
  AdvertisementCreate,
  AdvertisementDisable,
  AdvertisementPriceUpdate,
  AdvertisementStatusSet,
  AdvertisementTermsUpdate,
} from "./schema.ts";
import type { Claim, Sweep } from "./sweep.ts";
import { sweep } from "./sweep.ts";
import { Advertisements, Sweeps } from "./tables.ts";

const DIGEST_MASK = (1n << 256n) - 1n;

export const advertisementFold: FoldUnit = {
  name: "advertisement",
  touches: {
    [AdvertisementCreate.name](draft, statement, mark) {
      mark("advertisement", statement.identity);
      markUnpaired(draft, statement, mark);
    },
    [AdvertisementStatusSet.name]: markEdited,
    [AdvertisementDisable.name]: markEdited,
    [AdvertisementPriceUpdate.name](draft, statement, mark) {
      for (const create of markEdited(draft, statement, mark)) markUnpaired(draft, create, mark);
    },
    [AdvertisementTermsUpdate.name](draft, statement, mark) {
      for (const create of markEdited(draft, statement, mark)) markUnpaired(draft, create, mark);
    },
  },
  refold(draft, identity) {
    const create = draft.get(Statements, identity) as Statement<AdvertisementCreate> | undefined;
    if (create === undefined || !validAdvertisement(create)) return;
    const registers = registersOf(draft, create);
    const claims = claimsOf(draft, create, registers);
    const outcome = sweep(
      create.payload.initial_liquidity.base_units,
      create.payload.initial_liquidity.decimals,
      claims,
    );
    draft.put(Sweeps, identity, outcome);
    draft.put(Advertisements, identity, rowOf(create, registers, claims, outcome));
  },
};

/** The statements whose records an edit belongs to: creates of its name by its signer. */
function markEdited(draft: Draft, statement: Statement, mark: Mark): readonly Statement[] {
  const creates = parentsOf(draft, statement).filter((create) => create.signer === statement.signer);
  for (const create of creates) mark("advertisement", create.identity);
  return creates;
}

/** Requests that were not valid here may be now; those that were, still are. */
function markUnpaired(draft: Draft, create: Statement, mark: Mark): void {
  for (const request of childrenOfType<ReservationRequest>(draft, create, ReservationRequest)) {
    if (draft.get(Reservations, `${create.identity}:${request.identity}`) !== undefined) continue;
    mark("settlement", request.payload.id);
    mark("reservation", request.payload.id);
  }
}

function claimsOf(reader: Reader, create: Statement<AdvertisementCreate>, registers: Registers): readonly Claim[] {
  return recordsOf(reader, Reservations, "advertisement", create.identity).map((row) => {
    const request = known(reader.get(Statements, row.request), "a row's request") as Statement<ReservationRequest>;
    return claimOf(pairKey({ advertisement: create, request }), request, row, registers);
  });
}

function claimOf(
  key: string,
  request: Statement<ReservationRequest>,
  row: ReservationRow,
  registers: Registers,
): Claim {
  const status = statusAt(registers, request.timestamp);
  const closed = status !== undefined && status.value !== "Active";
  const ends = row.acknowledged ? [] : [row.cancelled_at, row.returned_at];
  const early = ends.filter((instant): instant is EpochMillis => instant !== null);
  const first = early.reduce<EpochMillis>((least, instant) => (instant < least ? instant : least), expiryOf(request));
  return {
    key,
    identity: request.identity,
    timestamp: request.timestamp,
    units: request.payload.amount.base_units,
    decimals: request.payload.amount.decimals,
    acknowledged: row.acknowledged,
    endsAt: first,
    endsEarly: early.includes(first),
    closedSince: closed ? status.statement.timestamp : undefined,
  };
}

function rowOf(
  create: Statement<AdvertisementCreate>,
  registers: Registers,
  claims: readonly Claim[],
  outcome: Sweep,
): AdvertisementRow {
  const { payload } = create;
  const terms = newest(registers.terms)?.value ?? payload;
  const held = claims.filter((claim) => outcome.granted.has(claim.key));
  const dates = held.map((claim) => (claim.endsEarly ? latest([claim.timestamp, claim.endsAt]) : claim.timestamp));
  return {
    id: payload.id,
    merchant: payload.merchant,
    merchant_public_key: payload.merchant_public_key,
    asset_mint: payload.asset_mint,
    direction: payload.direction,
    fiat_currency: payload.fiat_currency,
    min_trade: terms.min_trade,
    max_trade: terms.max_trade,
    initial_liquidity: payload.initial_liquidity,
    pricing: newest(registers.prices)?.value ?? payload.pricing,
    payment_methods: terms.payment_methods,
    status: currentStatus(registers),
    created_at: create.timestamp,
    updated_at: latest([create.timestamp, editedAt(registers), ...dates]),
    acknowledged: outcome.acknowledged,
    granted: BigInt(held.length),
    granted_digest: digestOf(held),
  };
}

/** Order-free: the sum of the granted requests' identities, which are hashes already. */
function digestOf(held: readonly Claim[]): string {
  let sum = 0n;
  for (const claim of held) sum += BigInt(`0x${claim.identity}`);
  sum &= DIGEST_MASK;
  return sum.toString(16).padStart(64, "0");
}
