/**
 * How the refusals of the registry and of earnings come about. Source: protocol 05 §1.7, §2.3, §14.
 */

import { HealthUpdate, Registration, Withdrawal } from "../../core/domains/providers/schema.ts";
import { issueNonce } from "../../core/domains/wallet-proofs/nonce.ts";
import { SPENT_NONCES_MAX } from "../../core/domains/wallet-proofs/queries.ts";
import { toBase64, utf8 } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import * as fixtures from "../providers/fixtures.ts";
import { crypto, loneNode, person, signedData } from "../rpc/lone-node.ts";
import type { Refusal } from "./refusal.ts";

const T = 1_753_800_000_000n;
const [one, two] = [person(1), person(2)];

/** A node that holds svc-1 of the first person, and what it answers. */
function registered() {
  const node = loneNode(T);
  node.gossip(Registration, fixtures.registration(one, T - 1_000n), one);
  const ask = (method: string, params: unknown) => node.body(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
  return { node, ask };
}

const register =
  (more: Partial<Registration>, by = one, signer = by) =>
  () =>
    registered().ask("sendProviderRegister", {
      data: signedData(Registration, fixtures.registration(by, T, more), signer),
    });
const update =
  (payload: HealthUpdate, signer = one) =>
  () =>
    registered().ask("sendProviderHealthUpdate", { data: signedData(HealthUpdate, payload, signer) });
const withdraw =
  (payload: Withdrawal, signer = one) =>
  () =>
    registered().ask("sendProviderWithdraw", { data: signedData(Withdrawal, payload, signer) });
const pricing = { token_mint: one.key, amount: { base_units: 1n, decimals: 0 }, unit: "Month" } as const;
const tooEarly = T - 86_400_001n;

/** Reads the earnings with a proof for a nonce that is issued on the spot, in time or not. */
function earnings(options: {
  readonly nonce?: string;
  readonly late?: boolean;
  readonly spent?: number;
}): string | null {
  const { node, ask } = registered();
  const subject = utf8("svc-1");
  const issue = (number: number) =>
    issueNonce(crypto, new Uint8Array(32), number, { ledger: "earnings", subject }, (T + 300_000n) as EpochMillis);
  const read = (nonce: string, signature = toBase64(new Uint8Array(64))) =>
    ask("getProviderEarnings", { id: "svc-1", nonce, signature });
  // A nonce is spent before its proof is looked at, so a proof that is none will do.
  for (let number = 0; number < (options.spent ?? 0); number++) read(issue(number), "");
  if (options.late) {
    node.now = T + 300_001n;
    node.gossip(Registration, fixtures.registration(one, node.now), one);
  }
  return read(options.nonce ?? issue(SPENT_NONCES_MAX));
}

export const refusals: readonly Refusal[] = [
  { method: "sendProviderRegister", code: "INVALID_REQUEST", provoke: register({ pricing }) },
  { method: "sendProviderRegister", code: "INVALID_PARAMETER", provoke: register({ endpoints: ["https://a.test"] }) },
  { method: "sendProviderRegister", code: "INVALID_SIGNATURE", provoke: register({}, one, two) },
  {
    method: "sendProviderRegister",
    code: "INVALID_IDENTITY_CLAIM",
    provoke: register({ service_id: `node-${two.key}` }),
  },
  { method: "sendProviderRegister", code: "RESOURCE_ALREADY_EXISTS", provoke: register({}, two) },
  {
    method: "sendProviderRegister",
    code: "INVALID_REQUEST",
    parity: "taken",
    provoke: register({ timestamp: (T - 1_001n) as never }),
  },
  {
    method: "sendProviderHealthUpdate",
    code: "RESOURCE_NOT_FOUND",
    provoke: update(fixtures.health(one, T, "Online", "svc-2")),
  },
  { method: "sendProviderHealthUpdate", code: "INVALID_IDENTITY_CLAIM", provoke: update(fixtures.health(two, T), two) },
  { method: "sendProviderHealthUpdate", code: "INVALID_SIGNATURE", provoke: update(fixtures.health(one, T), two) },
  {
    method: "sendProviderHealthUpdate",
    code: "INVALID_PARAMETER",
    parity: "taken",
    provoke: update(fixtures.health(one, tooEarly)),
  },
  {
    method: "sendProviderHealthUpdate",
    code: "INVALID_REQUEST",
    parity: "taken",
    provoke: update(fixtures.health(one, T - 1_001n)),
  },
  {
    method: "sendProviderWithdraw",
    code: "RESOURCE_NOT_FOUND",
    provoke: withdraw(fixtures.withdrawal(one, T, "svc-2")),
  },
  {
    method: "sendProviderWithdraw",
    code: "INVALID_IDENTITY_CLAIM",
    provoke: withdraw(fixtures.withdrawal(two, T), two),
  },
  { method: "sendProviderWithdraw", code: "INVALID_SIGNATURE", provoke: withdraw(fixtures.withdrawal(one, T), two) },
  {
    method: "sendProviderWithdraw",
    code: "INVALID_PARAMETER",
    parity: "taken",
    provoke: withdraw(fixtures.withdrawal(one, tooEarly)),
  },
  {
    method: "sendProviderWithdraw",
    code: "INVALID_REQUEST",
    parity: "taken",
    provoke: withdraw(fixtures.withdrawal(one, T - 1_001n)),
  },
  {
    method: "getProviderEarningsChallenge",
    code: "RESOURCE_NOT_FOUND",
    provoke: () => registered().ask("getProviderEarningsChallenge", { id: "svc-2" }),
  },
  { method: "getProviderEarnings", code: "RESOURCE_NOT_FOUND", provoke: () => earnings({ nonce: "00" }) },
  { method: "getProviderEarnings", code: "RATE_LIMIT_EXCEEDED", provoke: () => earnings({ spent: SPENT_NONCES_MAX }) },
  { method: "getProviderEarnings", code: "INVALID_REQUEST", provoke: () => earnings({ late: true }) },
  { method: "getProviderEarnings", code: "INVALID_SIGNATURE", provoke: () => earnings({}) },
];
