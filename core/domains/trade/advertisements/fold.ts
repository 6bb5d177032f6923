/**
 * The advertisement fold: the merchant's registers, and the ledger of the requests that name it.
 * Source: CONVERGENCE "Advertisement", "Allocation".
 */

import type { FoldUnit, Mark } from "../../../engine/statements/fold.ts";
import {
  childrenOfType,
  contenders,
  countContenders,
  namesOf,
  parentsOf,
  partyTo,
  Statements,
} from "../../../engine/statements/table.ts";
import { known } from "../../../kernel/assert.ts";
import type { Draft } from "../../../kernel/draft.ts";
import type { Statement } from "../../../kernel/signed.ts";
import type { Reader } from "../../../kernel/table.ts";
import type { EpochMillis } from "../../../kernel/values.ts";
import { latest } from "../../../kernel/values.ts";
import { expiryOf, holdsOnceGranted, isContested, isValidIn, mayBeTried } from "../reservations/queries.ts";
import { ReservationRequest } from "../reservations/schema.ts";
import { Reservations } from "../reservations/tables.ts";
import { groupOf } from "../settlements/reservation-numbers.ts";
import type { SettlementInitiate } from "../settlements/schema.ts";
import type { Allocation } from "./allocation.ts";
import { compareAllocations } from "./allocation.ts";
import { allocationAt } from "./blocks.ts";
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
import type { FirstOffer } from "./tables.ts";
import { Advertisements, FIRST_OFFERS_MAX, FirstOffers, Ledgers, RegistersInForce } from "./tables.ts";

/** The first advertisements of an id that are kept: those in which a request is tried, and whether there are more. */
const FIRST_OFFERS_KEPT = FIRST_OFFERS_MAX + 2;

/**
 * Keeps the registers in force, at once: whoever comes after, in the same batch too, is held against them. A request
 * that fits none of their prices and terms waits for one that it fits. Source: CONVERGENCE B2.
 */
export const registersFold: FoldUnit = {
  name: "registers",
  touches: {
    [AdvertisementCreate.name](draft, statement, mark) {
      const create = statement as Statement<AdvertisementCreate>;
      if (create.idForm !== "void") keepFirst(draft, create);
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
    [ReservationRequest.name](reader, create, statement) {
      const request = statement as Statement<ReservationRequest>;
      // What names so many is not held against each of them.
      return isContested(reader, request) || isValidIn(reader, create as Statement<AdvertisementCreate>, request);
    },
  },
  frees: { [AdvertisementPriceUpdate.name]: editedBy, [AdvertisementTermsUpdate.name]: editedBy },
};

/** Folds an advertisement marked by its identity, and one allocation of it marked by a pair's key. */
export const advertisementFold: FoldUnit = {
  name: "advertisement",
  touches: {
    [AdvertisementCreate.name](draft, statement, mark) {
      const create = statement as Statement<AdvertisementCreate>;
      markUnpaired(draft, create, mark);
      markBegun(draft, create, mark);
    },
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
  const left = held !== undefined && pairs.some((key) => hasLeft(draft, held, key));
  const keys = left ? draft.find(Reservations, "advertisement", identity) : pairs;
  const allocations = keys.flatMap((key) => allocationOf(draft, key));
  const ledger = withAllocations(left || held === undefined ? emptyLedger(supply) : held, supply, allocations);
  draft.put(Ledgers, identity, ledger);
  draft.put(Advertisements, identity, rowOf(create, registers, ledger));
}

/** The ledger of an advertisement, from the rows of its reservations. */
export function ledgerOf(reader: Reader, identity: string): Ledger | undefined {
  const create = advertisementOf(reader, identity);
  if (create === undefined) return undefined;
  const supply = supplyOf(create, registersOf(reader, create));
  const keys = reader.find(Reservations, "advertisement", identity);
  return withAllocations(
    emptyLedger(supply),
    supply,
    keys.flatMap((key) => allocationOf(reader, key)),
  );
}

/** The registers of an advertisement, from what its merchant signed. */
export function registersFrom(reader: Reader, identity: string): Registers | undefined {
  const create = advertisementOf(reader, identity);
  return create && readRegisters(reader, create);
}

/** The first advertisements of an id, from all that bear it. */
export function firstOffersOf(reader: Reader, id: string): readonly FirstOffer[] | undefined {
  const creates = contenders<AdvertisementCreate>(reader, "advertisement", id).filter(
    ({ payload }) => payload.id === id,
  );
  const offers = creates.map(({ identity, timestamp }) => ({ identity, timestamp })).sort(compareAllocations);
  return offers.length === 0 ? undefined : offers.slice(0, FIRST_OFFERS_KEPT);
}

/** The create of an advertisement that may stand. */
function advertisementOf(reader: Reader, identity: string): Statement<AdvertisementCreate> | undefined {
  const create = reader.get(Statements, identity) as Statement<AdvertisementCreate> | undefined;
  return create?.type.name === AdvertisementCreate.name && validAdvertisement(create) ? create : undefined;
}

/** Whether more bear the id of an advertisement than a request is tried in. */
function isOfMany(reader: Reader, create: Statement): boolean {
  const id = { kind: "advertisement", name: (create.payload as AdvertisementCreate).id };
  return countContenders(reader, id) > FIRST_OFFERS_MAX;
}

function keepFirst(draft: Draft, create: Statement<AdvertisementCreate>): void {
  const { identity, timestamp } = create;
  const held = draft.get(FirstOffers, create.payload.id) ?? [];
  const first = [...held.filter((each) => each.identity !== identity), { identity, timestamp }].sort(
    compareAllocations,
  );
  draft.put(FirstOffers, create.payload.id, first.slice(0, FIRST_OFFERS_KEPT));
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
  for (const create of editedBy(draft, statement)) {
    markUnpaired(draft, create, mark);
    markBegun(draft, create, mark);
  }
}

/** The statements whose records an edit belongs to: creates of its name by its signer. */
function editedBy(reader: Reader, statement: Statement): readonly Statement<AdvertisementCreate>[] {
  return parentsOf<AdvertisementCreate>(reader, statement);
}

/**
 * Requests that are in the set for another advertisement of the name, and were not valid here, may be now; those that
 * were, still are. An advertisement that bears its name alone has all of them already.
 */
function markUnpaired(draft: Draft, create: Statement<AdvertisementCreate>, mark: Mark): void {
  if (namesOf(create).every((name) => countContenders(draft, name) < 2)) return;
  const { identity } = create;
  if (isOfMany(draft, create) && !draft.get(FirstOffers, create.payload.id)?.some((each) => each.identity === identity))
    return;
  for (const request of childrenOfType<ReservationRequest>(draft, create, ReservationRequest)) {
    if (draft.get(Reservations, `${create.identity}:${request.identity}`) !== undefined) continue;
    if (!mayBeTried(draft, create, request)) continue;
    const [buyer, seller] =
      create.payload.direction === "Sell" ? [request.signer, create.signer] : [create.signer, request.signer];
    mark("settlement", groupOf(request.payload.id, buyer, seller));
    mark("reservation", request.identity);
  }
}

/** Where many bear a name: trades that were begun with the merchant, and may belong to this advertisement of his. */
function markBegun(draft: Draft, create: Statement<AdvertisementCreate>, mark: Mark): void {
  if (!isOfMany(draft, create)) return;
  for (const initiate of partyTo<SettlementInitiate>(draft, "settlement", create.signer)) {
    for (const request of parentsOf<ReservationRequest>(draft, initiate)) {
      if (!namesOf(create).some(({ name }) => name === request.payload.advertisement_id)) continue;
      const { buyer, seller } = initiate.payload;
      mark("settlement", groupOf(request.payload.id, buyer, seller));
      mark("reservation", request.identity);
    }
  }
}

function supplyOf(create: Statement<AdvertisementCreate>, registers: Registers): Supply {
  const { base_units, decimals } = create.payload.initial_liquidity;
  return { units: base_units, decimals, closings: closingsOf(registers), offer: offerOf(registers) };
}

/** Whether a pair has an allocation and no row any more: so many took its name that it is tried here no longer. */
function hasLeft(draft: Draft, ledger: Ledger, key: string): boolean {
  if (draft.get(Reservations, key) !== undefined) return false;
  const request = draft.get(Statements, key.split(":")[1] ?? "");
  return request !== undefined && allocationAt(ledger.blocks, request) !== undefined;
}

/** The allocation of a pair that is valid; none while it is not. */
function allocationOf(reader: Reader, key: string): readonly Allocation[] {
  const row = reader.get(Reservations, key);
  if (row === undefined) return [];
  const request = known(reader.get(Statements, row.request), "a row's request") as Statement<ReservationRequest>;
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
