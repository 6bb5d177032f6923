/**
 * Sessions: a wallet says which client acts for it, on which node, and until when.
 * Source: OFS-1400; protocol 04 §5.2, §5.4.
 */

import type { Infer } from "../../kernel/schema.ts";
import { sized } from "../../kernel/schema.ts";
import { list, struct } from "../../kernel/schema-composites.ts";
import { bool, u64 } from "../../kernel/schema-scalars.ts";
import type { Payload } from "../../kernel/signed.ts";
import { signed } from "../../kernel/signed.ts";
import { utf8 } from "../../kernel/text.ts";
import { EpochMillis, PeerId, PublicKey, Text } from "../../kernel/values.ts";

/** Longest name of a client, in bytes. Source: protocol 04 §5.11. */
export const CLIENT_BYTES_MAX = 128;
/** Permissions of a session at most. Source: protocol 04 §5.11. */
export const PERMISSIONS_MAX = 32;
/** Longest permission, in bytes. Source: protocol 04 §5.11. */
export const PERMISSION_BYTES_MAX = 64;

const GOSSIP = { ofs: 1400, priority: 0 } as const;
const ABOUT = { kind: "session", member: "session_id" } as const;

/** Source: protocol 04 §5.11. */
const Permissions = sized(list(sized(Text, { bytes: PERMISSION_BYTES_MAX })), { items: PERMISSIONS_MAX });

/** Signed by the wallet. `timestamp` stands before `expires_at`. Source: protocol 04 §5.4. */
export const SessionCreate = signed("openfiat/sessions/SessionCreate/v1", {
  outer: "create",
  signer: "wallet",
  key: "wallet_public_key",
  time: "timestamp",
  creates: "session",
  naming: "identity",
  event: "SessionEstablished",
  ...GOSSIP,
  fields: {
    id: Text,
    wallet: PeerId,
    wallet_public_key: PublicKey,
    client: sized(Text, { bytes: CLIENT_BYTES_MAX }),
    host_node: PeerId,
    permissions: Permissions,
    timestamp: EpochMillis,
    expires_at: EpochMillis,
  },
});
export type SessionCreate = Payload<typeof SessionCreate>;

/** Signed by the wallet. Source: protocol 04 §5.4. */
export const SessionRenew = signed("openfiat/sessions/SessionRenew/v1", {
  outer: "renew",
  signer: "wallet",
  time: "timestamp",
  about: ABOUT,
  event: "SessionRenewed",
  ...GOSSIP,
  fields: { session_id: Text, wallet: PeerId, new_expires_at: EpochMillis, version: u64, timestamp: EpochMillis },
});
export type SessionRenew = Payload<typeof SessionRenew>;

/** Signed by the wallet. Source: protocol 04 §5.4. */
export const SessionRevoke = signed("openfiat/sessions/SessionRevoke/v1", {
  outer: "revoke",
  signer: "wallet",
  time: "timestamp",
  about: ABOUT,
  event: "SessionRevoked",
  ...GOSSIP,
  fields: { session_id: Text, wallet: PeerId, timestamp: EpochMillis },
});
export type SessionRevoke = Payload<typeof SessionRevoke>;

/** Signed by the wallet. Source: protocol 04 §5.4. */
export const SessionMigrate = signed("openfiat/sessions/SessionMigrate/v1", {
  outer: "migrate",
  signer: "wallet",
  time: "timestamp",
  about: ABOUT,
  event: "SessionMigrated",
  ...GOSSIP,
  fields: { session_id: Text, wallet: PeerId, new_host_node: PeerId, version: u64, timestamp: EpochMillis },
});
export type SessionMigrate = Payload<typeof SessionMigrate>;

/** The record of protocol 04 §5.2: all of it is public, the wallet published it about itself. */
export const Session = struct("Session", {
  id: Text,
  wallet: PeerId,
  wallet_public_key: PublicKey,
  authenticated_at: EpochMillis,
  expires_at: EpochMillis,
  client: Text,
  host_node: PeerId,
  permissions: list(Text),
  version: u64,
  revoked: bool,
});
export type Session = Infer<typeof Session>;

/** Whether a session's texts keep their bounds, at every ingress alike. Source: protocol 04 §5.11. */
export function isWithinBounds({ client, permissions }: SessionCreate): boolean {
  if (utf8(client).length > CLIENT_BYTES_MAX || permissions.length > PERMISSIONS_MAX) return false;
  return permissions.every((permission) => utf8(permission).length <= PERMISSION_BYTES_MAX);
}
