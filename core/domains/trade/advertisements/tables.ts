/**
 * The tables of advertisements: records under their creating statement, and the sweeps' outcomes, which
 * are computed and never stored. Source: CONVERGENCE "Records and ids", "Bounds".
 */

import type { Statement } from "../../../kernel/signed.ts";
import { inMemory, table } from "../../../kernel/table.ts";
import type { Ledger } from "./ledger.ts";
import type { Registers } from "./registers.ts";
import { AdvertisementRow } from "./schema.ts";

/**
 * A merchant's prices, terms and statuses of one advertisement: one every 20 s for 2H. Source: DESIGN L10.
 */
export const EDITS_MAX = 65_536;

/** Advertisements by their create's identity. */
export const Advertisements = table<AdvertisementRow>("advertisements", AdvertisementRow, {
  root: "state",
  indexes: { id: (row) => [row.id], merchant: (row) => [row.merchant] },
});

/** Each advertisement's ledger, by the advertisement's identity. */
export const Ledgers = table<Ledger>("ledgers", inMemory<Ledger>(), { root: "local" });
/**
 * Advertisements of one name in which a request is tried without a trade that names the merchant: sixteen strangers
 * cost it as many pairs. Source: DESIGN L10; CONVERGENCE B2.
 */
export const FIRST_OFFERS_MAX = 16;
/** The first advertisements of each name by (timestamp, identity), and one more, if there are more. */
export const FirstOffers = table<readonly FirstOffer[]>("first_offers", inMemory<readonly FirstOffer[]>(), {
  root: "local",
});
export type FirstOffer = Pick<Statement, "identity" | "timestamp">;
/** Each advertisement's registers, by the advertisement's identity. */
export const RegistersInForce = table<Registers>("registers", inMemory<Registers>(), { root: "local" });
