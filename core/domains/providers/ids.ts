/**
 * Service ids: those a node takes for itself name its whole key, so that nobody can take another's.
 * Source: protocol 05 §1.4, §14.3.
 */

import { fromBase58 } from "../../kernel/text.ts";
import type { PublicKey } from "../../kernel/values.ts";
import { PUBLIC_KEY_BYTES } from "../../kernel/values.ts";

const RESERVED = /^(?:node|snapshot)-([1-9A-HJ-NP-Za-km-z]{32,44})$/;

export function nodeServiceId(key: PublicKey): string {
  return `node-${key}`;
}

export function snapshotServiceId(key: PublicKey): string {
  return `snapshot-${key}`;
}

/** Whether an id is the one of another key. Source: protocol 05 §14.3. */
export function isAnothers(id: string, key: PublicKey): boolean {
  const named = RESERVED.exec(id)?.[1];
  return named !== undefined && named !== key && fromBase58(named)?.length === PUBLIC_KEY_BYTES;
}
