/**
 * How the refusals of what wallets send about themselves come about. Source: protocol 04 §1.5.
 */
import { LIVE_CLAIMS_MAX } from "../../core/domains/identity/queries.ts";
import type { ClaimVerify } from "../../core/domains/identity/schema.ts";
import { ClaimPublish, ClaimRevoke, ClaimVerify as Verify } from "../../core/domains/identity/schema.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { about, claimed } from "../identity/fixtures.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, person, signedData } from "../rpc/lone-node.ts";
import type { Refusal } from "./refusal.ts";

const T = 1_786_000_000_000n as EpochMillis;
const AGED = (T - 86_400_001n) as EpochMillis;
const [ann, bob] = [person(0x11), person(0x22)];

function send(node: LoneNode, method: string, data: string): string | null {
  return node.body(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { data } }));
}

function publish(fields: Parameters<typeof claimed>[2] = {}, node = loneNode(T), by = ann, when = T): string | null {
  return send(node, "sendClaimPublish", signedData(ClaimPublish, claimed(ann, when, fields), by));
}

function published(): LoneNode {
  const node = loneNode(T);
  publish({}, node);
  return node;
}

const unbound = () => {
  const payload = { ...claimed(ann, T), wallet: bob.peer };
  return send(loneNode(T), "sendClaimPublish", signedData(ClaimPublish, payload, bob));
};

const dated = () => publish({}, loneNode(T), ann, AGED);

const beyondLimit = () => {
  const node = loneNode(T);
  for (let n = 0; n < LIVE_CLAIMS_MAX; n++) publish({ id: `c${n}` }, node);
  return publish({ id: "new" }, node);
};

const publication: readonly Refusal[] = [
  { method: "sendClaimPublish", code: "INVALID_SIGNATURE", provoke: () => publish({}, loneNode(T), bob) },
  { method: "sendClaimPublish", code: "INVALID_IDENTITY_CLAIM", provoke: unbound },
  { method: "sendClaimPublish", code: "INVALID_PARAMETER", parity: "taken", provoke: dated },
  { method: "sendClaimPublish", code: "IDENTITY_ALREADY_EXISTS", provoke: () => publish({}, published()) },
  {
    method: "sendClaimPublish",
    code: "DESERIALIZATION_ERROR",
    provoke: () => publish({ type: "Avatar", value: "https://example.org/me.png" }),
  },
  { method: "sendClaimPublish", code: "CLAIM_LIMIT_REACHED", provoke: beyondLimit },
];

function followUps(method: string, type: typeof Verify): readonly Refusal[] {
  const submit = (node: LoneNode, payload: ClaimVerify, by = ann) => send(node, method, signedData(type, payload, by));
  return [
    { method, code: "IDENTITY_NOT_FOUND", provoke: () => submit(loneNode(T), about(ann, T)) },
    { method, code: "INVALID_IDENTITY_CLAIM", provoke: () => submit(published(), about(bob, T), bob) },
    { method, code: "INVALID_SIGNATURE", provoke: () => submit(published(), about(ann, T), bob) },
    { method, code: "INVALID_PARAMETER", parity: "taken", provoke: () => submit(published(), about(ann, AGED)) },
    {
      method,
      code: "INVALID_IDENTITY_CLAIM",
      provoke() {
        const node = published();
        send(node, "sendClaimRevoke", signedData(ClaimRevoke, about(ann, T), ann));
        return submit(node, about(ann, T));
      },
    },
  ];
}

export const refusals: readonly Refusal[] = [
  ...publication,
  ...followUps("sendClaimVerify", Verify),
  ...followUps("sendClaimRevoke", ClaimRevoke),
];
