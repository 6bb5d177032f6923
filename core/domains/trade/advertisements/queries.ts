/**
 * What others may ask about advertisements: whether a create may stand, and what is left of it.
 * Source: protocol 02 B; CONVERGENCE "Availability".
 */

import type { Statement } from "../../../kernel/signed.ts";
import type { Reader } from "../../../kernel/table.ts";
import type { Registers } from "./registers.ts";
import { readRegisters, usableTerms } from "./registers.ts";
import type { AdvertisementCreate } from "./schema.ts";
import { RegistersInForce } from "./tables.ts";

/** Whether a create may ever have effect. Source: protocol 02 B.6 rows 5-7. */
export function validAdvertisement(create: Statement<AdvertisementCreate>): boolean {
  return create.idForm !== "void" && usableTerms(create.payload, create.signer);
}

/** The registers of an advertisement, as the fold keeps them. */
export function registersOf(reader: Reader, create: Statement<AdvertisementCreate>): Registers {
  return reader.get(RegistersInForce, create.identity) ?? readRegisters(reader, create);
}
