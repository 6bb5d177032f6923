/**
 * What a registration must keep to be listed, wherever it came from: nothing here asks a clock or a state.
 * Source: OFS-1500; protocol 05 §1.2, §1.5, §1.7.
 */

import { canonicalCid } from "../../kernel/cid.ts";
import { codePoints } from "../../kernel/text.ts";
import { isAnothers } from "./ids.ts";
import type { Registration, ServiceBranding } from "./schema.ts";
import { DESCRIPTION_CHARACTERS_MAX, NAME_CHARACTERS_MAX, WEBSITE_CHARACTERS_MAX } from "./schema.ts";

const RESERVED_HOST = /\.(?:test|invalid|example)$/;
/** C0, DEL and C1 controls, and marks that turn the direction of what follows. Source: protocol 05 §1.2. */
const UNSHOWABLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
/** Why a registration is not listed; nothing when it is. In order of precedence. */
export function validationErrorOf(
  registration: Registration,
): "unpaid" | "branding" | "endpoint" | "anothers" | undefined {
  const { pricing, payout_wallet, branding, endpoints } = registration;
  if (pricing !== null && payout_wallet === null) return "unpaid";
  if (branding !== null && !isShowable(branding)) return "branding";
  if (endpoints.some(isReservedEndpoint)) return "endpoint";
  return isAnothers(registration.service_id, registration.provider_public_key) ? "anothers" : undefined;
}

/** Whether branding keeps its bounds. Source: protocol 05 §1.2. */
export function isShowable({ name, description, logo, website }: ServiceBranding): boolean {
  if (name !== null && !isLine(name, NAME_CHARACTERS_MAX)) return false;
  if (description !== null && !isLine(description, DESCRIPTION_CHARACTERS_MAX)) return false;
  if (logo !== null && canonicalCid(logo) !== logo) return false;
  if (website === null) return true;
  return isLine(website, WEBSITE_CHARACTERS_MAX) && /^https?:\/\//i.test(website) && !isReservedEndpoint(website);
}

/** Branding as it is kept: nothing at all when every member is null. Source: protocol 05 §1.2. */
export function brandingKept(branding: ServiceBranding | null): ServiceBranding | null {
  if (branding === null) return null;
  const { name, description, logo, website } = branding;
  return name === null && description === null && logo === null && website === null ? null : branding;
}

/** Whether an endpoint's host is one that resolves for nobody. Source: protocol 05 §1.5. */
export function isReservedEndpoint(endpoint: string): boolean {
  const scheme = endpoint.indexOf("://");
  const rest = scheme < 0 ? endpoint : endpoint.slice(scheme + 3);
  const authority = /^[^/?#]*/.exec(rest)?.[0] ?? "";
  const host = authority.slice(authority.lastIndexOf("@") + 1).split(":")[0] ?? "";
  return RESERVED_HOST.test(withoutDots(host).toLowerCase());
}

function withoutDots(host: string): string {
  let end = host.length;
  while (end > 0 && host.charAt(end - 1) === ".") end--;
  return host.slice(0, end);
}

function isLine(text: string, charactersMax: number): boolean {
  return text !== "" && text.length <= 2 * charactersMax && codePoints(text) <= charactersMax && !UNSHOWABLE.test(text);
}
