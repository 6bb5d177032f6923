/**
 * Going through the history of an address, oldest first, though endpoints give it newest first: pages are walked back
 * to what is known, their boundaries kept, and taken from there forwards. Nothing is skipped however long the history
 * is, and what is kept is bounded: boundaries that do not fit are found again. Source: DESIGN L10; protocol 03 A.10.3
 * R8.
 */
import { PublicKey } from "@solana/web3.js";
import type { Result } from "../../core/index.ts";
import { ok } from "../../core/index.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Failure } from "./failures.ts";
import { slotNumber } from "./head.ts";

/** Signatures of a page. Source: Solana's JSON-RPC. */
export const PAGE = 1_000;
/** Boundaries kept of one walk. Source: DESIGN "Bounds". */
const BOUNDARIES_MAX = 256;
/**
 * Pages that are walked back in one go at most: a list may be without end, and the next walk goes on where this one
 * ended. Source: DESIGN L10; protocol 03 C9.
 */
export const WALK_PAGES_MAX = 16;

/** What comes next of a list. */
export interface NextPage {
  readonly listed: readonly Listed[];
  /** There is more to read forwards. */
  readonly more: boolean;
  /** Its beginning was not reached yet, so nothing is listed and the cursor stays. */
  readonly isWalking: boolean;
}

export interface Listed {
  readonly signature: string;
  readonly slot: bigint;
  /** It changed nothing, so it is not worth a request. */
  readonly failed: boolean;
}

/** How far the history of one address was read at one endpoint. */
export interface Cursor {
  /** The newest signature that was read, its slot, and what else was read of that slot. */
  newest: string | undefined;
  slot: bigint;
  readonly sameSlot: Set<string>;
  /** Boundaries of pages not read yet, newest first. */
  readonly boundaries: string[];
}

export function openCursor(): Cursor {
  return { newest: undefined, slot: -1n, sameSlot: new Set(), boundaries: [] };
}

/** What comes after the cursor, oldest first, at most a page; `more` when there is more. */
export async function nextPage(
  endpoint: Endpoint,
  address: string,
  cursor: Cursor,
  page = PAGE,
): Promise<Result<NextPage, Failure>> {
  for (let walked = 0; walked < WALK_PAGES_MAX; walked += 1) {
    const found = await list(endpoint, address, cursor, cursor.boundaries.at(-1), page);
    if (!found.ok) return found;
    const last = found.value.at(-1);
    // Only a full page of news may have older news behind it.
    const older =
      found.value.length < page || last === undefined
        ? ok([])
        : await list(endpoint, address, cursor, last.signature, 1);
    if (!older.ok) return older;
    if (older.value.length === 0 || last === undefined) {
      return ok({ listed: found.value.toReversed(), more: cursor.boundaries.length > 0, isWalking: false });
    }
    cursor.boundaries.push(last.signature);
    if (cursor.boundaries.length > BOUNDARIES_MAX) cursor.boundaries.shift();
  }
  return ok({ listed: [], more: false, isWalking: true });
}

/** Moves the cursor over a page that was taken. */
export function moveOver(cursor: Cursor, listed: readonly Listed[]): void {
  cursor.boundaries.pop();
  for (const { signature, slot } of listed) {
    if (slot < cursor.slot) continue;
    if (slot > cursor.slot) cursor.sameSlot.clear();
    cursor.sameSlot.add(signature);
    cursor.slot = slot;
    cursor.newest = signature;
  }
}

/** News before a boundary, newest first. An endpoint that does not know the cursor's signature tells everything. */
async function list(
  endpoint: Endpoint,
  address: string,
  cursor: Cursor,
  before: string | undefined,
  limit: number,
): Promise<Result<readonly Listed[], Failure>> {
  const query = {
    limit,
    ...(before !== undefined && { before }),
    ...(cursor.newest !== undefined && { until: cursor.newest }),
  };
  const found = await endpoint.ask((connection) =>
    connection.getSignaturesForAddress(new PublicKey(address), query, "finalized"),
  );
  if (!found.ok) return found;
  const listed = found.value.map(({ signature, slot, err }) => ({
    signature,
    slot: slotNumber(slot),
    failed: Boolean(err),
  }));
  const isNews = ({ signature, slot }: Pick<Listed, "signature" | "slot">) =>
    slot > cursor.slot || (slot === cursor.slot && !cursor.sameSlot.has(signature));
  return ok(listed.slice(0, limit).filter(isNews));
}
