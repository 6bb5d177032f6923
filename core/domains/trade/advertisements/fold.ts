/**
 * The advertisement fold: the merchant's registers, and the ledger of the requests that name it.
 * Source: CONVERGENCE "Advertisement", "Allocation".
 */

import type { FoldUnit, Mark } from "../../../engine/statements/fold.ts";
import { childrenOfType, namesOf, parentsOf, Statements, slot } from "../../../engine/statements/table.ts";
import { known } from "../../../kernel/assert.ts";
import type { Draft } from "../../../kernel/draft.ts";
import type { Statement } from "../../../kernel/signed.ts";
import type { Reader } from "../../../kernel/table.ts";
import type { EpochMillis } from "../../../kernel/values.ts";
import { latest } from "../../../kernel/values.ts";
import { expiryOf, holdsOnceGranted, isValidIn } from "../reservations/queries.ts";
import { ReservationRequest } from "../reservations/schema.ts";
import { Reservations } from "../reservations/tables.ts";
import type { Allocation } from "./allocation.ts";
import type { Ledger, Supply } from "./ledger.ts";
import { emptyLedger, withAllocations } from "./ledger.ts";
import { offerOf } from "./offer.ts";
import { registersOf, validAdvertisement } from "./queries.ts";
import type { Registers } from "./registers.ts";
import { closingsOf, currentStatus, editedAt, newest, readRegisters, withEdit } from "./registers.ts";
import type { AdvertisementRow } from "./schema.ts";
import {
  AdvertisementCreate,
  AdvertisementDisable,
  AdvertisementPriceUpdate,
  AdvertisementStatusSet,
  AdvertisementTermsUpdate,
} from "./schema.ts";
import { Advertisements, Ledgers, RegistersInForce } from "./tables.ts";

/**
 * Keeps the registers in force, at once: whoever comes after, in the same batch too, is held against them. A request
 * that fits none of their prices and terms waits for one that it fits. Source: CONVERGENCE B2.
 */
export const registersFold: FoldUnit = {
  name: "registers",
  touches: {
    [AdvertisementCreate.name](draft, statement, mark) {
      const create = statement as Statement<AdvertisementCreate>;
      if (!validAdvertisement(create)) return;
      draft.put(RegistersInForce, create.identity, readRegisters(draft, create));
      mark("advertisement", create.identity);
    },
    [AdvertisementStatusSet.name]: keepEdit,
    [AdvertisementDisable.name]: keepEdit,
    [AdvertisementPriceUpdate.name]: keepEdit,
    [AdvertisementTermsUpdate.name]: keepEdit,
  },
  takes: {
    [ReservationRequest.name]: (reader, create, request) =>
      isValidIn(reader, create as Statement<AdvertisementCreate>, request as Statement<ReservationRequest>),
  },
  frees: { [AdvertisementPriceUpdate.name]: editedBy, [AdvertisementTermsUpdate.name]: editedBy },
};

/** Folds an advertisement marked by its identity, and one allocation of it marked by a pair's key. */
export const advertisementFold: FoldUnit = {
  name: "advertisement",
  touches: {
    [AdvertisementCreate.name]: (draft, statement, mark) => markUnpaired(draft, statement, mark),
    [AdvertisementPriceUpdate.name]: markNewlyValid,
    [AdvertisementTermsUpdate.name]: markNewlyValid,
  },
  refoldAll(draft, keys) {
    const changed = new Map<string, string[]>();
    const edited = new Set<string>();
    for (const key of keys) {
      const [identity = "", request] = key.split(":");
      const pairs = changed.get(identity) ?? [];
      changed.set(identity, pairs);
      if (request === undefined) edited.add(identity);
      else pairs.push(key);
    }
    for (const [identity, pairs] of changed) refoldOne(draft, identity, pairs, edited.has(identity));
  },
};

function refoldOne(draft: Draft, identity: string, pairs: readonly string[], edited: boolean): void {
  const create = draft.get(Statements, identity) as Statement<AdvertisementCreate> | undefined;
  if (create === undefined || !validAdvertisement(create)) return;
  const registers = registersOf(draft, create);
  const held = draft.get(Ledgers, identity);
  const supply = held === undefined || edited ? supplyOf(create, registers) : held.supply;
  const allocations = pairs.flatMap((key) => allocationOf(draft, key));
  const ledger = withAllocations(held ?? emptyLedger(supply), supply, allocations);
  draft.put(Ledgers, identity, ledger);
  draft.put(Advertisements, identity, rowOf(create, registers, ledger));
}

function keepEdit(draft: Draft, statement: Statement, mark: Mark): void {
  for (const { identity } of editedBy(draft, statement)) {
    const held = draft.get(RegistersInForce, identity);
    if (held === undefined) continue;
    draft.put(RegistersInForce, identity, withEdit(held, statement));
    mark("advertisement", identity);
  }
}

function markNewlyValid(draft: Draft, statement: Statement, mark: Mark): void {
  for (const create of editedBy(draft, statement)) markUnpaired(draft, create, mark);
}

/** The statements whose records an edit belongs to: creates of its name by its signer. */
function editedBy(reader: Reader, statement: Statement): readonly Statement[] {
  return parentsOf(reader, statement).filter((create) => create.signer === statement.signer);
}

/**
 * Requests that are in the set for another advertisement of the name, and were not valid here, may be now; those that
 * were, still are. An advertisement that bears its name alone has all of them already.
 */
function markUnpaired(draft: Draft, create: Statement, mark: Mark): void {
  if (namesOf(create).every(({ kind, name }) => draft.count(Statements, "named", slot({ kind, name })) < 2)) return;
  for (const request of childrenOfType<ReservationRequest>(draft, create, ReservationRequest)) {
    if (draft.get(Reservations, `${create.identity}:${request.identity}`) !== undefined) continue;
    mark("settlement", request.payload.id);
    mark("reservation", request.payload.id);
  }
}

function supplyOf(create: Statement<AdvertisementCreate>, registers: Registers): Supply {
  const { base_units, decimals } = create.payload.initial_liquidity;
  return { units: base_units, decimals, closings: closingsOf(registers), offer: offerOf(registers) };
}

/** The allocation of a pair that is valid; none while it is not. */
function allocationOf(draft: Draft, key: string): readonly Allocation[] {
  const row = draft.get(Reservations, key);
  if (row === undefined) return [];
  const request = known(draft.get(Statements, row.request), "a row's request") as Statement<ReservationRequest>;
  const [cancelled, expiry] = [row.acknowledged ? null : row.cancelled_at, expiryOf(request)];
  const first = cancelled !== null && cancelled < expiry ? cancelled : expiry;
  return [
    {
      identity: request.identity,
      timestamp: request.timestamp,
      units: request.payload.amount.base_units,
      decimals: request.payload.amount.decimals,
      price: request.payload.agreed_price,
      mid: request.payload.agreed_mid,
      acknowledged: row.acknowledged,
      endsAt: first,
      endsEarly: first === cancelled,
      holds: holdsOnceGranted(row),
      settlesUntil: row.settles_until ?? (0n as EpochMillis),
    },
  ];
}

function rowOf(create: Statement<AdvertisementCreate>, registers: Registers, { sums }: Ledger): AdvertisementRow {
  const { payload } = create;
  const terms = newest(registers.terms)?.value ?? payload;
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
    updated_at: latest([create.timestamp, editedAt(registers), sums.latest]),
    acknowledged: sums.acknowledged,
    granted: sums.granted,
    granted_digest: sums.digest.toString(16).padStart(64, "0"),
  };
}
