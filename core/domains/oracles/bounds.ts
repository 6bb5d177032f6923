/**
 * What a publication must keep to be admitted, at every ingress alike. Never asked again when it is read: an
 * unexpired record is current whatever else it says. Source: protocol 05 §3.4 (6, 6b), §14.11, §14.13.
 */

import { ruleOf } from "../../engine/overrides.ts";
import { createdBy, inRegister } from "../../engine/statements/table.ts";
import type { AdmissionView } from "../../engine/step-context.ts";
import { encodeCompact } from "../../kernel/schema.ts";
import type { Reader } from "../../kernel/table.ts";
import { OraclePublish } from "./schema.ts";

/** How long after its date a record may run out at the latest, in milliseconds: 24 h. Source: DESIGN §7 #17. */
export const LIFETIME_MS_MAX = 86_400_000n;
/** How far a version may be above its date: counters and clocks in microseconds fit. Source: protocol 05 §14.11. */
export const VERSION_AHEAD_MAX = 1_000_000_000_000_000n;
/** Bytes of a publication. Source: DESIGN "Bounds", as of a registration (protocol 05 §14.4). */
export const PUBLICATION_BYTES_MAX = 16_384;
/** Records of one provider. Source: DESIGN L10. */
export const RECORDS_PER_PROVIDER_MAX = 1_024;

/** Whether a publication has a rate, and a time in which it holds. */
function isUsable({ data, timestamp, expires_at }: OraclePublish): boolean {
  return expires_at > timestamp && Number.isFinite(rateIn(data));
}

function rateIn(data: OraclePublish["data"]): number {
  return "ExchangeRate" in data ? data.ExchangeRate.rate : 1;
}

/** Whether a publication keeps its bounds. Source: protocol 05 §14.11, §14.13. */
export function isWithinBounds(publication: OraclePublish): boolean {
  const { data, version, timestamp, expires_at } = publication;
  const rate = rateIn(data);
  if (rate <= 0 || expires_at > timestamp + LIFETIME_MS_MAX) return false;
  if (version > timestamp + VERSION_AHEAD_MAX) return false;
  return encodeCompact(OraclePublish.payload, publication).length <= PUBLICATION_BYTES_MAX;
}

/** Why a publication is admitted at no ingress, if so. */
export function publicationError(
  { configuration }: AdmissionView,
  publication: OraclePublish,
): "INVALID_PARAMETER" | undefined {
  return isUsable(publication) && ruleOf(configuration, isWithinBounds)(publication) ? undefined : "INVALID_PARAMETER";
}

/** Whether a provider may have this record beside those it has. A local refusal: it may come again. */
export function withinRecordLimits(reader: Reader, { provider, id }: OraclePublish): boolean {
  if (inRegister(reader, OraclePublish, provider, id) !== undefined) return true;
  return createdBy(reader, "oracle", provider).length < RECORDS_PER_PROVIDER_MAX;
}
