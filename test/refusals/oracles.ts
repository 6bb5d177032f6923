/**
 * How the refusals of oracles come about. Source: protocol 05 §3.4.
 */
import { OraclePublish } from "../../core/domains/oracles/schema.ts";
import { Registration } from "../../core/domains/providers/schema.ts";
import { plus, publication, registration, T } from "../oracles/market.ts";
import type { Person } from "../rpc/lone-node.ts";
import { loneNode, person, signedData } from "../rpc/lone-node.ts";
import type { Refusal } from "./refusal.ts";

const provider = person(1);
const method = "sendOraclePublish";

/** What a node answers to a provider that is registered there, or to somebody else. */
function publish(over: Partial<OraclePublish>, by: Person = provider, registered = true): string | null {
  const node = loneNode(T);
  if (registered) node.gossip(Registration, registration(provider), provider);
  const data = signedData(OraclePublish, publication(provider, over), by);
  return node.body(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { data } }));
}

export const refusals: readonly Refusal[] = [
  { method, code: "INVALID_SIGNATURE", provoke: () => publish({}, person(2)) },
  { method, code: "INVALID_REQUEST", provoke: () => publish({}, provider, false) },
  { method, code: "INVALID_PARAMETER", parity: "taken", provoke: () => publish({ expires_at: plus(86_400_001) }) },
];
