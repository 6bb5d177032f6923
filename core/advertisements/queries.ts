/**
 * What others may ask about advertisements: whether a create may stand, and what is left of it.
 * Source: protocol 02 B; CONVERGENCE "Availability" (ours).
 */

import type { Statement } from "../kernel/signed.ts";
import { usableTerms } from "./registers.ts";
import type { AdvertisementCreate } from "./schema.ts";

/** Whether a create may ever have effect. Source: protocol 02 B.6 rows 5-7. */
export function validAdvertisement(create: Statement<AdvertisementCreate>): boolean {
  return create.standing !== "void" && usableTerms(create.payload, create.signer);
}
