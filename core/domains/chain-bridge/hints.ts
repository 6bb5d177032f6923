/**
 * Correlation tags: what a wallet says its transaction is about. Source: protocol 03 A.10.3 R2, C.3.
 */

import { parseAddress } from "../../solana/address-text.ts";

export interface Hint {
  readonly about: "settlement" | "dispute";
  readonly id: string;
  /** The case that the tag names; it must be the expected one. */
  readonly address: string | null;
}

/** The readings of a tag, the first that names something known counts: ids may hold colons themselves. */
export function hintsOf(tag: string): readonly Hint[] {
  const colon = tag.indexOf(":");
  const [domain, rest] = [tag.slice(0, colon), tag.slice(colon + 1)];
  if (colon < 0 || (domain !== "settlement" && domain !== "dispute")) return [];
  const whole: Hint = { about: domain, id: rest, address: null };
  const last = rest.lastIndexOf(":");
  const address = rest.slice(last + 1);
  if (domain !== "dispute" || last < 0 || parseAddress(address) === undefined) return [whole];
  return [whole, { about: domain, id: rest.slice(0, last), address }];
}
