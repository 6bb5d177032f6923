/**
 * How the refusals of snapshots come about. Source: protocol 05 §6.3.
 */
import { Registration } from "../../core/domains/providers/schema.ts";
import { SnapshotAnnounce } from "../../core/domains/snapshots/schema.ts";
import { announcement, BLOCKHASH, registration, SNAPSHOT_SERVICE, T } from "../oracles/market.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { loneNode, person, signedData } from "../rpc/lone-node.ts";
import type { Refusal } from "./refusal.ts";

const producer = person(1);
const method = "sendSnapshotAnnounce";

function send(node: LoneNode, over: Partial<SnapshotAnnounce>, by: Person): string | null {
  const data = signedData(SnapshotAnnounce, announcement(producer, over), by);
  return node.body(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { data } }));
}

/** A node that knows the producer and observed a slot. */
function producing(): LoneNode {
  const node = loneNode(T);
  node.gossip(Registration, registration(producer, SNAPSHOT_SERVICE), producer);
  node.accept({ type: "chain.observed", observation: { type: "slot", slot: 412_000_000n, blockhash: BLOCKHASH } });
  return node;
}

function twice(): string | null {
  const node = producing();
  send(node, {}, producer);
  return send(node, {}, producer);
}

export const refusals: readonly Refusal[] = [
  { method, code: "INVALID_SIGNATURE", provoke: () => send(producing(), {}, person(2)) },
  { method, code: "INVALID_REQUEST", provoke: () => send(loneNode(T), {}, producer) },
  { method, code: "INVALID_PARAMETER", parity: "taken", provoke: () => send(producing(), { id: "a/b" }, producer) },
  {
    method,
    code: "SNAPSHOT_VERIFICATION_FAILED",
    parity: "taken",
    provoke: () => send(producing(), { slot: 412_001_501n }, producer),
  },
  { method, code: "RESOURCE_ALREADY_EXISTS", provoke: twice },
];
