/**
 * The reference's registry of services. Source: protocol 05 §1.7, §3.5, §14.
 */

import { isPublisher } from "../domains/providers/joins.ts";
import { isWithinCaps, namesAddresses } from "../domains/providers/limits.ts";
import { isOut, isOutdated, withinRegistryLimits } from "../domains/providers/methods.ts";
import { serviceName } from "../domains/providers/queries.ts";
import { Services } from "../domains/providers/tables.ts";
import { override } from "../engine/overrides.ts";
import { recordsOf } from "../kernel/table.ts";

export const providerOverrides = [
  /** Registrations are looked at on arrival only: a withdrawn provider still publishes. Source: protocol 05 §14.14. */
  override(isPublisher, (reader, provider, types) =>
    recordsOf(reader, Services, "provider", provider).some((held) => types.includes(serviceName(held.service_type))),
  ),
  /** Texts, addresses and services of one provider have no bounds. Source: protocol 05 §14.4. */
  override(isWithinCaps, () => true),
  override(namesAddresses, () => true),
  override(withinRegistryLimits, () => true),
  /** What arrives last counts, whatever its date. Source: protocol 05 §14.1. */
  override(isOutdated, () => false),
  /** A repeated withdrawal is of a service that is not there. Source: protocol 05 §1.7. */
  override(isOut, () => false),
];
