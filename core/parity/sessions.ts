/**
 * The reference's sessions. Source: protocol 04 §5.5, §5.6.
 */

import { endsInTime, hasExpired } from "../domains/sessions/methods.ts";
import { sessionOf } from "../domains/sessions/rules.ts";
import type { Session, SessionCreate } from "../domains/sessions/schema.ts";
import { Sessions } from "../domains/sessions/tables.ts";
import { sessionBehind } from "../domains/sessions/views.ts";
import { override } from "../engine/overrides.ts";
import { childrenBySigner } from "../engine/statements/own-statements.ts";
import type { Statement } from "../kernel/signed.ts";
import type { Reader } from "../kernel/table.ts";

export const sessionOverrides = [
  /** Moves of an expired session count. Source: protocol 04 §5.6. */
  override(sessionBehind, sessionWithLateMoves),
  override(hasExpired, () => false),
  /** A session may end at any time. Source: protocol 04 §5.5. */
  override(endsInTime, () => true),
];

function sessionWithLateMoves(reader: Reader, create: Statement<SessionCreate>): Session | undefined {
  if (reader.get(Sessions, create.identity) === undefined) return undefined;
  return sessionOf(create, childrenBySigner(reader, create, create.signer), "count");
}
