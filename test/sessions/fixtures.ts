/**
 * What a wallet signs about its sessions, with everything that a story does not care about filled in.
 * Source: protocol 04 §5.4.
 */

import { SessionCreate, SessionMigrate, SessionRenew, SessionRevoke } from "../../core/domains/sessions/schema.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { Actor } from "../convergence/actors.ts";
import { sign } from "../convergence/actors.ts";

interface EstablishFields {
  readonly id?: string;
  readonly until?: EpochMillis;
  readonly host?: Actor;
  readonly client?: string;
  readonly permissions?: readonly string[];
}

export function establish(by: Actor, timestamp: EpochMillis, fields: EstablishFields = {}) {
  return sign(SessionCreate, {
    id: fields.id ?? "session",
    wallet: by.peer,
    wallet_public_key: by.key,
    client: fields.client ?? "web",
    host_node: (fields.host ?? by).peer,
    permissions: fields.permissions ?? ["trade"],
    timestamp,
    expires_at: fields.until ?? ((timestamp + 3_600_000n) as EpochMillis),
  });
}

export function renew(
  by: Actor,
  timestamp: EpochMillis,
  version: bigint,
  new_expires_at: EpochMillis,
  session_id = "session",
) {
  return sign(SessionRenew, { session_id, wallet: by.peer, new_expires_at, version, timestamp });
}

export function migrate(by: Actor, timestamp: EpochMillis, version: bigint, host: Actor, session_id = "session") {
  return sign(SessionMigrate, { session_id, wallet: by.peer, new_host_node: host.peer, version, timestamp });
}

export function revoke(by: Actor, timestamp: EpochMillis, session_id = "session") {
  return sign(SessionRevoke, { session_id, wallet: by.peer, timestamp });
}
