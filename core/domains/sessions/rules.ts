/**
 * Session rules: expiry and host are two registers of the wallet, each with the version, date and identity
 * of its last act; a revocation is sticky. All of it is one signer's, so an order by version vetoes nobody.
 * Owns: sessions. Sees: nothing else. Source: OFS-1400; protocol 04 §5.5, §5.11.
 */

import type { Statement } from "../../kernel/signed.ts";
import { compareStatements } from "../../kernel/signed.ts";
import type { Session, SessionCreate } from "./schema.ts";
import { SessionMigrate, SessionRenew, SessionRevoke } from "./schema.ts";

/** Whether an act on a session that had expired at the act's own date counts: the reference's rule. */
export type ExpiredActs = "count" | "are inert";

/** The record behind an establishing statement. `acts` are its own wallet's; anybody else's are inert. */
export function sessionOf(create: Statement<SessionCreate>, acts: readonly Statement[], expired: ExpiredActs): Session {
  const { id, wallet, wallet_public_key, client, host_node, permissions, timestamp, expires_at } = create.payload;
  let shown: Session = {
    id,
    wallet,
    wallet_public_key,
    authenticated_at: timestamp,
    expires_at,
    client,
    host_node,
    permissions,
    version: 0n,
    revoked: acts.some((act) => act.type.name === SessionRevoke.name),
  };
  for (const act of inOrder(acts)) {
    if (expired === "are inert" && act.timestamp >= shown.expires_at) continue;
    shown = applyAct(shown, act);
  }
  return shown;
}

/** Renewals and migrations by (version, timestamp, identity), each once. Source: protocol 04 §5.11. */
function inOrder(acts: readonly Statement[]): readonly Statement<SessionRenew | SessionMigrate>[] {
  const moves = acts.filter((act): act is Statement<SessionRenew | SessionMigrate> => {
    return act.type.name === SessionRenew.name || act.type.name === SessionMigrate.name;
  });
  return [...new Map(moves.map((act) => [act.identity, act])).values()].sort((a, b) => {
    if (a.payload.version !== b.payload.version) return a.payload.version < b.payload.version ? -1 : 1;
    return compareStatements(a, b);
  });
}

function applyAct(session: Session, { payload }: Statement<SessionRenew | SessionMigrate>): Session {
  return "new_expires_at" in payload
    ? { ...session, expires_at: payload.new_expires_at, version: payload.version }
    : { ...session, host_node: payload.new_host_node, version: payload.version };
}
