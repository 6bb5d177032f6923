/**
 * The join by which publishers count: what a provider published reads as long as it holds a registration
 * that allows it. Evaluated when read, never stored. Source: protocol 05 §3.5, §14.5, §14.14.
 */

import type { Reader } from "../../kernel/table.ts";
import { recordsOf } from "../../kernel/table.ts";
import type { PeerId } from "../../kernel/values.ts";
import type { ServiceName } from "./queries.ts";
import { isRegistered, serviceName } from "./queries.ts";
import { Services } from "./tables.ts";

/**
 * Whether what a provider published under these types reads. A registration that merely lapsed still counts; one
 * that was withdrawn does not, but under the reference's rules, which look at registrations only on arrival.
 */
export function isPublisher(reader: Reader, provider: PeerId, types: readonly ServiceName[], parity: boolean): boolean {
  if (!parity) return isRegistered(reader, provider, types);
  return recordsOf(reader, Services, "provider", provider).some(({ service_type }) =>
    types.includes(serviceName(service_type)),
  );
}
