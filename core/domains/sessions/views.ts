/**
 * What sessions read: the contender that a bare id shows, and a wallet's own. Nothing is deleted when a
 * session ends, so that no old establishment revives it; reads leave it out after a grace.
 * Source: CONVERGENCE "Records and ids"; protocol 04 §5.6, §5.7, §5.11.
 */

import type { Overrides } from "../../engine/overrides.ts";
import { ruleOf } from "../../engine/overrides.ts";
import { Statements } from "../../engine/statements/table.ts";
import type { Statement } from "../../kernel/signed.ts";
import { compareStatements } from "../../kernel/signed.ts";
import type { Reader } from "../../kernel/table.ts";
import { compareText } from "../../kernel/text.ts";
import type { EpochMillis, PeerId } from "../../kernel/values.ts";
import { later } from "../../kernel/values.ts";
import type { Session, SessionCreate } from "./schema.ts";
import { Sessions } from "./tables.ts";

/** How long a session is still read after it expired, in milliseconds: 7 days. Source: protocol 04 §5.8. */
export const SESSION_GRACE_MS = 604_800_000;

/** A session and its establishing statement. */
export interface Shown {
  readonly create: Statement<SessionCreate>;
  readonly session: Session;
}

/** The session that a bare id shows: the smallest (timestamp, identity). An earned id has no contender. */
export function sessionById(reader: Reader, id: string, rules: Overrides): Session | undefined {
  return sessionsNamed(reader, "id", id, rules).sort(compareShown)[0]?.session;
}

/** Every session of a wallet, contested ids included, in order of id. */
export function sessionsOfWallet(reader: Reader, wallet: PeerId, rules: Overrides): readonly Session[] {
  return sessionsNamed(reader, "wallet", wallet, rules)
    .sort((a, b) => compareText(a.session.id, b.session.id) || compareShown(a, b))
    .map((shown) => shown.session);
}

/** What an establishing statement reads; nothing when it has no effect. */
export function sessionBehind(reader: Reader, create: Statement<SessionCreate>): Session | undefined {
  return reader.get(Sessions, create.identity);
}

/** Whether a session is still read; the boundary still counts. */
export function isRead(session: Session, now: EpochMillis): boolean {
  return now <= later(session.expires_at, SESSION_GRACE_MS);
}

function sessionsNamed(reader: Reader, index: "id" | "wallet", value: string, rules: Overrides): Shown[] {
  const behind = ruleOf({ rules }, sessionBehind);
  return reader.find(Sessions, index, value).flatMap((identity) => {
    const create = reader.get(Statements, identity) as Statement<SessionCreate> | undefined;
    const session = create && behind(reader, create);
    return create === undefined || session === undefined ? [] : [{ create, session }];
  });
}

function compareShown(a: Shown, b: Shown): number {
  return compareStatements(a.create, b.create);
}
