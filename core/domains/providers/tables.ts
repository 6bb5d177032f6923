/**
 * The table of services: one record for each provider and service id. Source: protocol 05 §14.1.
 */

import type { Infer } from "../../kernel/schema.ts";
import { extend, option } from "../../kernel/schema-composites.ts";
import { table } from "../../kernel/table.ts";
import type { PeerId } from "../../kernel/values.ts";
import { EpochMillis, Text } from "../../kernel/values.ts";
import { ServiceRecord } from "./schema.ts";

/** A service, the identity of the registration behind it, and since when it is withdrawn. */
export const Service = extend("Service", ServiceRecord, { registration: Text, withdrawn_at: option(EpochMillis) });
export type Service = Infer<typeof Service>;

/** Services by provider and service id. */
export const Services = table<Service>("services", Service, {
  root: "state",
  indexes: { id: (service) => [service.service_id], provider: (service) => [service.provider] },
});

/** Where a service stands in the table; no peer id holds a slash. */
export function serviceKey(provider: PeerId, id: string): string {
  return `${provider}/${id}`;
}
