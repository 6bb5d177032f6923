/**
 * How the refusals of risk records come about. Source: protocol 04 §4.5, §4.11.
 */

import { Registration } from "../../core/domains/providers/schema.ts";
import { RiskPublish } from "../../core/domains/risk/schema.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { publishPayload, registrationPayload } from "../risk/fixtures.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { loneNode, person, signedData } from "../rpc/lone-node.ts";
import type { Refusal } from "./refusal.ts";

const T = 1_786_000_000_000n as EpochMillis;
const method = "sendRiskPublish";
const [provider, other] = [person(8), person(7)];

function ready(): LoneNode {
  const node = loneNode(T);
  node.gossip(Registration, registrationPayload(provider, T), provider);
  return node;
}
const send = (node: LoneNode, change: Partial<RiskPublish> = {}, by: Person = provider) => {
  const data = signedData(RiskPublish, { ...publishPayload(provider, other.peer, T), ...change }, by);
  return node.body(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { data } }));
};

export const refusals: readonly Refusal[] = [
  { method, code: "INVALID_SIGNATURE", provoke: () => send(ready(), {}, other) },
  { method, code: "INVALID_REQUEST", provoke: () => send(ready(), { provider_public_key: other.key }) },
  { method, code: "INVALID_PARAMETER", provoke: () => send(ready(), { reason: "r".repeat(1_025) }) },
  { method, code: "INVALID_REQUEST", provoke: () => send(loneNode(T)) },
  {
    method,
    code: "RESOURCE_ALREADY_EXISTS",
    provoke() {
      const node = ready();
      send(node);
      return send(node);
    },
  },
];
