/**
 * The reference's advertisements. Source: protocol 02 B.
 */

import { isDefined } from "../domains/payment-methods/schema.ts";
import {
  hasFewMethods,
  hasForeignLiquidity,
  isPlainList,
  namesMethods,
  namesOracle,
  namesOracleShortly,
  strangerCheck,
} from "../domains/trade/advertisements/methods.ts";
import { changedAt, statusAt } from "../domains/trade/advertisements/views.ts";
import { override } from "../engine/overrides.ts";
import { latest } from "../kernel/values.ts";
import { isSignedBy } from "../kernel/verification.ts";
import { statusToReference } from "./dry-advertisements.ts";
import { liquidityTouchedAt } from "./parity-timestamps.ts";

export const advertisementOverrides = [
  /** A payment method is an id of the catalogue or a merchant's. Source: protocol 02 I.1. */
  override(namesMethods, ({ payment_methods }) => payment_methods.every(isDefined)),
  /** Of payment methods there is no bound. Source: protocol 02 B.6. */
  override(hasFewMethods, () => true),
  /** Nor of the name of an oracle. Source: protocol 02 B.3. */
  override(namesOracle, () => true),
  override(namesOracleShortly, () => true),
  /** Liquidity may be counted otherwise than a trade of it. Source: protocol 02 B.6, O.14. */
  override(hasForeignLiquidity, () => false),
  /** An edit in another merchant's name may still be signed by the stored one. Source: protocol 02 B.6. */
  override(strangerCheck, ({ crypto }, { statement }, found) =>
    found.some((create) => isSignedBy(crypto, statement, create.signer))
      ? "INVALID_IDENTITY_CLAIM"
      : "INVALID_SIGNATURE",
  ),
  /** A list is always a page. Source: protocol 02 B.8, N.3. */
  override(isPlainList, () => false),
  /** One that ran dry stays Disabled. Source: protocol 02 B.7. */
  override(statusAt, (reader, { identity, row }) => statusToReference(reader, identity, row)),
  /** It changes when this node carried a reservation over to it. Source: protocol 02 B.2, O.10. */
  override(changedAt, (reader, { identity, row }) => latest([row.updated_at, liquidityTouchedAt(reader, identity)])),
];
