/**
 * Advertisements: what merchants offer, at which price and terms, and how much of it is left. Source: protocol 02 B.
 */

import { COMMON_LIMITS } from "../../../engine/admission/bounds.ts";
import { defineDomain, strictly, typeRow } from "../../../engine/domain.ts";
import { advertisementFold, firstOffersOf, ledgerOf, registersFold, registersFrom } from "./fold.ts";
import { advertisementMethods, namesMethods, namesOracle } from "./methods.ts";
import {
  AdvertisementCreate,
  AdvertisementDisable,
  AdvertisementPriceUpdate,
  AdvertisementStatusSet,
  AdvertisementTermsUpdate,
} from "./schema.ts";
import { Advertisements, EDITS_MAX, FirstOffers, Ledgers, RegistersInForce } from "./tables.ts";

/** What an advertisement says at each date; settlements and reservations are judged by it. */
export const registers = defineDomain({
  name: "registers",
  types: [
    typeRow(
      AdvertisementCreate,
      { ...COMMON_LIMITS, partyMax: EDITS_MAX },
      { validate: strictly<AdvertisementCreate>(namesMethods, namesOracle) },
    ),
    typeRow(AdvertisementStatusSet, COMMON_LIMITS),
    typeRow(AdvertisementDisable, COMMON_LIMITS),
    typeRow(AdvertisementTermsUpdate, COMMON_LIMITS, { validate: strictly(namesMethods) }),
    typeRow(AdvertisementPriceUpdate, COMMON_LIMITS, { validate: strictly(namesOracle) }),
  ],
  records: [RegistersInForce, FirstOffers],
  folds: () => [registersFold],
  derives: { [RegistersInForce.name]: registersFrom, [FirstOffers.name]: firstOffersOf },
});

/** The advertisement with what reservations take of it: folded after them. */
export const advertisements = defineDomain({
  name: "advertisements",
  records: [Advertisements, Ledgers],
  folds: () => [advertisementFold],
  derives: { [Ledgers.name]: ledgerOf },
  methods: advertisementMethods,
});
