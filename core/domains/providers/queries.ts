/**
 * What others may ask of the registry. Whether a service has lapsed is computed when read; whether it was
 * withdrawn is in its record. Joins of other domains (a publisher is registered) are evaluated with these.
 * Source: OFS-1500; protocol 05 §1.8, §1.9, §14.
 */

import { firstOfEach } from "../../kernel/ordered.ts";
import type { Reader } from "../../kernel/table.ts";
import { entriesOf, recordsOf } from "../../kernel/table.ts";
import type { EpochMillis, PeerId } from "../../kernel/values.ts";
import type { ServiceType } from "./schema.ts";
import type { Service } from "./tables.ts";
import { Services } from "./tables.ts";

/** How long a service stays listed after its provider was last heard of, in milliseconds. Source: protocol 05 §1.11. */
export const SERVICE_LAPSE_MS = 600_000;
/** Services of one provider that count, in order of (timestamp, identity). Source: protocol 05 §14.4. */
export const SERVICES_PER_PROVIDER_MAX = 64;

/** The name of a service type within its family; names are unique over all families. */
export type ServiceName = { [F in ServiceType as keyof F]: F[keyof F] }[keyof { [F in ServiceType as keyof F]: F }];

export function serviceName(type: ServiceType): ServiceName {
  return Object.values(type)[0] as ServiceName;
}

/** Whether a service's provider was heard of recently enough; the boundary still counts. Source: protocol 05 §1.8. */
export function isLive(service: Service, now: EpochMillis): boolean {
  return service.last_health_update >= now - BigInt(SERVICE_LAPSE_MS);
}

/** The services of a provider that it has not withdrawn, oldest registration first, lapsed ones included. */
export function registrationsOf(reader: Reader, provider: PeerId): readonly Service[] {
  return recordsOf(reader, Services, "provider", provider)
    .filter((service) => service.withdrawn_at === null)
    .sort(compareServices)
    .slice(0, SERVICES_PER_PROVIDER_MAX);
}

/** Whether a provider has a service, of one of these types when some are named, that it has not withdrawn. */
export function isRegistered(reader: Reader, provider: PeerId, types?: readonly ServiceName[]): boolean {
  return registrationsOf(reader, provider).some((service) => isOneOf(service, types));
}

/** The same for a service that has not lapsed either: what an ingress asks. Source: protocol 05 §1.8. */
export function isListed(reader: Reader, provider: PeerId, now: EpochMillis, types?: readonly ServiceName[]): boolean {
  return registrationsOf(reader, provider).some((service) => isOneOf(service, types) && isLive(service, now));
}

/** What an id shows: of its live contenders the smallest (timestamp, identity). Source: protocol 05 §14.3. */
export function serviceById(reader: Reader, id: string, now: EpochMillis): Service | undefined {
  const live = recordsOf(reader, Services, "id", id).filter((service) => isShown(reader, service, now));
  return live.sort(compareServices)[0];
}

/** Every live service, one for each id, in order of id. */
export function allServices(reader: Reader, now: EpochMillis): readonly Service[] {
  const all = [...entriesOf(reader, Services)].map(([, service]) => service);
  const shown = all.filter((service) => isShown(reader, service, now));
  return firstOfEach(shown, ({ service_id: id }) => id, compareServices);
}

/** Order of registration, then identity. */
export function compareServices(a: Service, b: Service): number {
  if (a.registered_at !== b.registered_at) return a.registered_at < b.registered_at ? -1 : 1;
  return a.registration < b.registration ? -1 : a.registration > b.registration ? 1 : 0;
}

function isShown(reader: Reader, service: Service, now: EpochMillis): boolean {
  if (service.withdrawn_at !== null || !isLive(service, now)) return false;
  if (reader.find(Services, "provider", service.provider).length <= SERVICES_PER_PROVIDER_MAX) return true;
  return registrationsOf(reader, service.provider).some((held) => held.service_id === service.service_id);
}

function isOneOf(service: Service, types: readonly ServiceName[] | undefined): boolean {
  return types === undefined || types.includes(serviceName(service.service_type));
}
