/**
 * How the refusals of sessions come about. Source: protocol 04 §5.5, §5.11.
 */

import { SessionCreate, SessionMigrate, SessionRenew, SessionRevoke } from "../../core/domains/sessions/schema.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { loneNode, person, signedData } from "../rpc/lone-node.ts";
import type { Refusal } from "./refusal.ts";

const T = 1_786_000_000_000n as EpochMillis;
const HOUR = (T + 3_600_000n) as EpochMillis;
const [wallet, other] = [person(7), person(8)];

const create: SessionCreate = {
  id: "s-1",
  wallet: wallet.peer,
  wallet_public_key: wallet.key,
  client: "web",
  host_node: other.peer,
  permissions: [],
  timestamp: T,
  expires_at: HOUR,
};
const send = (node: LoneNode, method: string, data: string) =>
  node.body(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { data } }));
const establish = (node: LoneNode, change: Partial<SessionCreate> = {}, by: Person = wallet) =>
  send(node, "sendSessionEstablish", signedData(SessionCreate, { ...create, ...change }, by));

interface Act {
  readonly session_id?: string;
  readonly wallet?: Person["peer"];
  readonly timestamp?: EpochMillis;
  readonly version?: bigint;
}
type Send = (node: LoneNode, change?: Act, by?: Person) => string | null;

const base = { session_id: "s-1", wallet: wallet.peer, timestamp: T };
const revoke: Send = (node, { version: _, ...change } = {}, by = wallet) =>
  send(node, "sendSessionRevoke", signedData(SessionRevoke, { ...base, ...change }, by));
const renew: Send = (node, change = {}, by = wallet) => {
  const payload = { ...base, new_expires_at: HOUR, version: 1n, ...change };
  return send(node, "sendSessionRenew", signedData(SessionRenew, payload, by));
};
const migrate: Send = (node, change = {}, by = wallet) => {
  const payload = { ...base, new_host_node: wallet.peer, version: 1n, ...change };
  return send(node, "sendSessionMigrate", signedData(SessionMigrate, payload, by));
};

function opened(): LoneNode {
  const node = loneNode(T);
  establish(node);
  return node;
}

/** What every act about a session is refused with, in order. */
const acts = (method: string, act: Send): readonly Refusal[] => [
  { method, code: "RESOURCE_NOT_FOUND", provoke: () => act(opened(), { session_id: "nope" }) },
  { method, code: "INVALID_REQUEST", provoke: () => act(opened(), { wallet: other.peer }, other) },
  { method, code: "INVALID_SIGNATURE", provoke: () => act(opened(), {}, other) },
  {
    method,
    code: "INVALID_PARAMETER",
    parity: "taken",
    provoke: () => act(opened(), { timestamp: (T + 300_001n) as EpochMillis }),
  },
  {
    method,
    code: "SESSION_REVOKED",
    provoke() {
      const node = opened();
      revoke(node);
      return act(node);
    },
  },
];
const moves = (method: string, act: Send): readonly Refusal[] => [
  ...acts(method, act),
  { method, code: "INVALID_REQUEST", provoke: () => act(opened(), { version: 0n }) },
  {
    method,
    code: "SESSION_EXPIRED",
    parity: "taken",
    provoke() {
      const node = opened();
      node.now = HOUR;
      return act(node);
    },
  },
];

const ESTABLISH = "sendSessionEstablish";
export const refusals: readonly Refusal[] = [
  { method: ESTABLISH, code: "INVALID_SIGNATURE", provoke: () => establish(loneNode(T), {}, other) },
  {
    method: ESTABLISH,
    code: "INVALID_REQUEST",
    provoke: () => establish(loneNode(T), { wallet_public_key: other.key }),
  },
  { method: ESTABLISH, code: "INVALID_PARAMETER", parity: "taken", provoke: () => establish(loneNode(T), { id: "" }) },
  { method: ESTABLISH, code: "RESOURCE_ALREADY_EXISTS", provoke: () => establish(opened()) },
  ...moves("sendSessionRenew", renew),
  ...acts("sendSessionRevoke", revoke),
  ...moves("sendSessionMigrate", migrate),
];
