/**
 * How many bytes of the set are whose: what is unsealed counts for its signer, and in all; and how many wait, whose
 * and in all. Kept in memory and counted anew at a start; what a step brings counts from the next step on.
 * Source: CONVERGENCE B3.
 */

import type { Statement } from "../../kernel/signed.ts";
import type { Reader, RecordCodec } from "../../kernel/table.ts";
import { bytesOfRecord, inMemory, table } from "../../kernel/table.ts";
import type { PeerId } from "../../kernel/values.ts";
import type { StepContext } from "../step-context.ts";
import { isSealed, Pending, Seals, Statements } from "./table.ts";

const bytesCodec: RecordCodec<number> = {
  encode: (bytes, writer) => writer.varint(bytes),
  read: (reader) => Number(reader.varint(64)),
};

/** Bytes of unsealed statements, by signer, and of all in a row of their own; apart, those of what waits. */
export const Spaces = table<number>("spaces", inMemory<number>(), { root: "local", checkpoint: bytesCodec });
/** No peer's id is as short. */
const ALL = "all";
/** Begins the names of what waits; no peer's id holds a slash. */
const WAITING = "waiting/";

/** The bytes of a signer's unsealed statements here, or of everybody's. */
export function spaceOf(reader: Reader, signer?: PeerId): number {
  return reader.get(Spaces, signer ?? ALL) ?? 0;
}

/** The bytes of a signer's statements that wait here, or of everybody's. */
export function spaceOfWaiting(reader: Reader, signer?: PeerId): number {
  return reader.get(Spaces, `${WAITING}${signer ?? ALL}`) ?? 0;
}

/** What a statement takes, in bytes: as the store keeps it. */
export function bytesOf(statement: Statement, reader: Pick<Reader, "sharing" | "bytesOf"> = {}): number {
  const bytes = reader.bytesOf?.(Statements, statement) ?? bytesOfRecord(Statements, statement, reader.sharing);
  return bytes.length;
}

/** After a step: what it brought, what it dropped and what it sealed. */
export function countSpace({ base, draft }: StepContext): void {
  const [keys, waiting] = [new Set<string>(), new Set<string>()];
  for (const { table: name, key } of draft.changes()) {
    if (name === Statements.name || name === Seals.name) keys.add(key);
    if (name === Pending.name) waiting.add(key);
  }
  const added = new Map<string, number>();
  for (const key of keys) {
    add(added, base, unsealed(base, key), -1);
    add(added, draft, unsealed(draft, key), 1);
  }
  for (const key of waiting) {
    add(added, base, base.get(Pending, key), -1, WAITING);
    add(added, draft, draft.get(Pending, key), 1, WAITING);
  }
  for (const [whose, bytes] of added) {
    const now = (draft.get(Spaces, whose) ?? 0) + bytes;
    if (bytes !== 0) draft.put(Spaces, whose, now === 0 ? undefined : now);
  }
}

/** At a start: everything that was loaded, unless it was counted already. */
export function countSpaceFromStart({ base, draft }: StepContext): void {
  if (isCounted(base)) return;
  const held = new Map<string, number>();
  // The step does not keep the bytes of all that a node holds.
  const { sharing } = draft;
  for (const key of draft.keys(Statements)) add(held, { sharing }, unsealed(draft, key), 1);
  for (const key of draft.keys(Pending)) add(held, { sharing }, draft.get(Pending, key), 1, WAITING);
  for (const [whose, bytes] of held) draft.put(Spaces, whose, bytes);
}

/** Whether this node began with a checkpoint: then it holds what memory held, and nothing that a restart mends. */
export function isCounted(reader: Reader): boolean {
  return reader.size(Spaces) > 0;
}

function unsealed(reader: Reader, key: string): Statement | undefined {
  const statement = reader.get(Statements, key);
  return statement === undefined || isSealed(reader, key) ? undefined : statement;
}

function add(
  to: Map<string, number>,
  reader: Pick<Reader, "sharing" | "bytesOf">,
  statement: Statement | undefined,
  times: 1 | -1,
  kind = "",
): void {
  if (statement === undefined) return;
  const bytes = bytesOf(statement, reader) * times;
  for (const whose of [statement.signer, ALL]) to.set(kind + whose, (to.get(kind + whose) ?? 0) + bytes);
}
