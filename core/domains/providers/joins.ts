/**
 * The join by which publishers count: what a provider published reads as long as it holds a registration
 * that allows it. Evaluated when read, never stored. Source: protocol 05 §3.5, §14.5, §14.14.
 */

import type { Reader } from "../../kernel/table.ts";
import type { PeerId } from "../../kernel/values.ts";
import type { ServiceName } from "./queries.ts";
import { isRegistered } from "./queries.ts";

/**
 * Whether what a provider published under these types reads. A registration that merely lapsed still counts; one
 * that was withdrawn does not.
 */
export function isPublisher(reader: Reader, provider: PeerId, types: readonly ServiceName[]): boolean {
  return isRegistered(reader, provider, types);
}
