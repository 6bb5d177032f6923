/**
 * Sizes of a registration and services of one provider: policy of the ingresses, never of the fold.
 * Source: protocol 05 §14.4.
 */

import { createdBy, inRegister } from "../../engine/statements/table.ts";
import type { Reader } from "../../kernel/table.ts";
import { fromBase58, utf8 } from "../../kernel/text.ts";
import { PUBLIC_KEY_BYTES } from "../../kernel/values.ts";
import { isAnothers } from "./ids.ts";
import {
  CAPABILITIES_MAX,
  CAPABILITY_BYTES_MAX,
  ENDPOINT_BYTES_MAX,
  ENDPOINTS_MAX,
  OFS_NUMBERS_MAX,
  REGION_BYTES_MAX,
  Registration,
} from "./schema.ts";

/** Largest payload of a registry statement, in bytes. */
export const REGISTRY_PAYLOAD_BYTES_MAX = 16_384;
/** Services of one provider that a node keeps, withdrawn ones included. Source: DESIGN L10. */
export const SERVICES_KEPT_MAX = 256;

/** Whether every list and text of a registration keeps its bound. */
export function isWithinCaps({ endpoints, capabilities, region, supported_ofs }: Registration): boolean {
  return (
    endpoints.length <= ENDPOINTS_MAX &&
    endpoints.every((endpoint) => isWithin(endpoint, ENDPOINT_BYTES_MAX)) &&
    capabilities.length <= CAPABILITIES_MAX &&
    capabilities.every((capability) => isWithin(capability, CAPABILITY_BYTES_MAX)) &&
    (region === null || isWithin(region, REGION_BYTES_MAX)) &&
    supported_ofs.length <= OFS_NUMBERS_MAX
  );
}

/** Whether the payout wallet and the price's mint are addresses. */
export function namesAddresses({ payout_wallet, pricing }: Registration): boolean {
  return (payout_wallet === null || isAddress(payout_wallet)) && (pricing === null || isAddress(pricing.token_mint));
}

/** Whether a node keeps a registration: under an id of its own, and not one service too many. */
export function withinServiceLimits(reader: Reader, registration: Registration): boolean {
  const { provider, service_id, provider_public_key } = registration;
  if (isAnothers(service_id, provider_public_key)) return false;
  if (inRegister(reader, Registration, provider, service_id) !== undefined) return true;
  return createdBy(reader, "service", provider).length < SERVICES_KEPT_MAX;
}

function isWithin(text: string, bytesMax: number): boolean {
  return text.length <= bytesMax && utf8(text).length <= bytesMax;
}

function isAddress(text: string): boolean {
  return text.length >= 32 && text.length <= 44 && fromBase58(text)?.length === PUBLIC_KEY_BYTES;
}
