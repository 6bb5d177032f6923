/**
 * Limits on what providers register and publish, and on what merchants call methods of their own.
 */

import { feeSettlementError, QUOTE_LIFETIME_MS } from "../../../core/domains/fees/fees.ts";
import { OraclePublish } from "../../../core/domains/oracles/schema.ts";
import { definitionId } from "../../../core/domains/payment-methods/fold.ts";
import { PaymentMethodDefine } from "../../../core/domains/payment-methods/schema.ts";
import { PaymentMethods } from "../../../core/domains/payment-methods/tables.ts";
import type { ServiceBranding } from "../../../core/domains/providers/schema.ts";
import { HealthUpdate, Registration, Withdrawal } from "../../../core/domains/providers/schema.ts";
import { Statements } from "../../../core/engine/statements/table.ts";
import { plus, publication, registration, T, usdcKes } from "../../oracles/market.ts";
import { health, withdrawal } from "../../providers/fixtures.ts";
import { crypto, person, signedData } from "../../rpc/lone-node.ts";
import type { CrowdedNode } from "../crowded-node.ts";
import { crowdedNode } from "../crowded-node.ts";
import type { Limit } from "../limit.ts";
import { cutAt, most, mostOf, OK_OR_PARAMETER, TAKEN_OR_LEFT } from "../limit.ts";
import { ofSize, taken } from "../situations.ts";

const provider = person(1);
const USDC = "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU";

function registered(change: Partial<Registration>, node = crowdedNode(T)): string {
  return node.call("sendProviderRegister", {
    data: signedData(Registration, registration(provider, change), provider),
  });
}

const ofMany = (n: number) => Array.from({ length: n }, (_, at) => `x${at}`);
const brand = (change: Partial<ServiceBranding>) =>
  registered({ branding: { name: null, description: null, logo: null, website: null, ...change } });

/** A node that was told of so many services of one provider. */
function offering(n: number): CrowdedNode {
  const node = crowdedNode(T);
  for (let each = 0; each < n; each++)
    node.gossip(Registration, registration(provider, { service_id: `s${each}` }), provider);
  return node;
}

function keptOf(n: number): string {
  const node = crowdedNode(T);
  node.holdsUnder(Statements, "creator", `service/${provider.peer}`, n - 1);
  return taken(node, Registration, registration(provider), provider);
}

/** What each registry method answers to a payload of so many bytes that another check would refuse. */
function registrySize(method: string): (bytes: number) => string {
  const sized = (bytes: number) => {
    if (method === "sendProviderRegister") {
      const unpaid = { pricing: { token_mint: USDC, amount: { base_units: 1n, decimals: 6 }, unit: "Month" as const } };
      const of = (region: string) => registration(provider, { ...unpaid, region });
      return signedData(Registration, ofSize(Registration, bytes, of), provider);
    }
    if (method === "sendProviderHealthUpdate") {
      const of = (id: string) => health(provider, T, "Online", id);
      return signedData(HealthUpdate, ofSize(HealthUpdate, bytes, of), provider);
    }
    return signedData(
      Withdrawal,
      ofSize(Withdrawal, bytes, (id) => withdrawal(provider, T, id)),
      provider,
    );
  };
  return (bytes) => crowdedNode(T).call(method, { data: sized(bytes) });
}

function published(change: Partial<OraclePublish>, node = crowdedNode(T)): string {
  node.gossip(Registration, registration(provider), provider);
  return node.send(OraclePublish, publication(provider, change), provider);
}

const publicationOfSize = (bytes: number): OraclePublish => {
  const data = (base: string) => ({ ExchangeRate: { base, quote: "KES", rate: 1 } });
  return ofSize(OraclePublish, bytes, (text) => publication(provider, { data: data(text) }), "alone");
};

function recordsOf(n: number): string {
  const node = crowdedNode(T);
  node.holdsUnder(Statements, "creator", `oracle/${provider.peer}`, n - 1);
  return taken(node, OraclePublish, publication(provider, { data: usdcKes(1) }), provider);
}

function settledFee(aheadMs: number): string {
  const amount = { base_units: 1n, decimals: 6 };
  const quoted_at = plus(aheadMs);
  const settlement = {
    ...{ service_id: "svc", payer: provider.peer, payer_public_key: provider.key, fee: amount, fee_mint: USDC },
    ...{ settlement_mint: USDC, settlement_amount: amount, rate: 1, reference: "" },
    ...{ quoted_at, expires_at: plus(aheadMs + QUOTE_LIFETIME_MS) },
  };
  const verdict = { bound: true, point: true, form: "tagged" } as const;
  const pricing = { token_mint: USDC, amount, unit: "Request" } as const;
  return feeSettlementError(settlement, verdict, pricing, T) ?? "ok";
}

const definition = (name: string): PaymentMethodDefine => ({
  ...{ merchant: provider.peer, merchant_public_key: provider.key, name, category: "Fintech" as const },
});
const define = (name: string, node = crowdedNode(T)) => node.send(PaymentMethodDefine, definition(name), provider);
const idOf = (name: string) => definitionId((bytes) => crypto.sha256(bytes), definition(name));
/** Names by the ids that they earn. */
const namesInOrder = Array.from({ length: 40 }, (_, n) => `Own way ${n}`).sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));

/** The last of so many definitions, in the order in which they are shown. */
function defined(n: number): string {
  const node = crowdedNode(T);
  return (
    namesInOrder
      .slice(0, n)
      .map((name) => define(name, node))
      .at(-1) ?? ""
  );
}

function methodsShown(n: number): number {
  const node = crowdedNode(T);
  for (const name of namesInOrder.slice(0, n)) node.gossip(PaymentMethodDefine, definition(name), provider);
  return (node.read("getPaymentMethods", { wallet: provider.peer }) as { merchant: readonly unknown[] }).merchant
    .length;
}

function methodsKept(n: number): string {
  const node = crowdedNode(T);
  const like = { ...definition("Another"), id: "" as never, usable: false };
  node.holdsUnder(PaymentMethods, "merchant", provider.peer, n - 1, like);
  return taken(node, PaymentMethodDefine, definition("Chipper Cash"), provider);
}

const UNPAID_OR_PARAMETER = { within: "INVALID_REQUEST", beyond: "INVALID_PARAMETER" };
const UNKNOWN_OR_PARAMETER = { within: "RESOURCE_NOT_FOUND", beyond: "INVALID_PARAMETER" };

const registry: readonly Limit[] = [
  most(
    "core/domains/providers/schema.ts ENDPOINTS_MAX",
    16,
    (n) => registered({ endpoints: ofMany(n) }),
    OK_OR_PARAMETER,
  ),
  most(
    "core/domains/providers/schema.ts ENDPOINT_BYTES_MAX",
    512,
    (n) => registered({ endpoints: ["x".repeat(n)] }),
    OK_OR_PARAMETER,
  ),
  most(
    "core/domains/providers/schema.ts CAPABILITIES_MAX",
    32,
    (n) => registered({ capabilities: ofMany(n) }),
    OK_OR_PARAMETER,
  ),
  most(
    "core/domains/providers/schema.ts CAPABILITY_BYTES_MAX",
    128,
    (n) => registered({ capabilities: ["x".repeat(n)] }),
    OK_OR_PARAMETER,
  ),
  most(
    "core/domains/providers/schema.ts REGION_BYTES_MAX",
    64,
    (n) => registered({ region: "x".repeat(n) }),
    OK_OR_PARAMETER,
  ),
  most(
    "core/domains/providers/schema.ts OFS_NUMBERS_MAX",
    64,
    (n) => registered({ supported_ofs: Array(n).fill(1) }),
    OK_OR_PARAMETER,
  ),
  most("core/domains/providers/limits.ts SERVICES_KEPT_MAX", 256, keptOf, TAKEN_OR_LEFT),
  ...(
    [
      ["sendProviderRegister", UNPAID_OR_PARAMETER],
      ["sendProviderHealthUpdate", UNKNOWN_OR_PARAMETER],
      ["sendProviderWithdraw", UNKNOWN_OR_PARAMETER],
    ] as const
  ).map(([where, outcomes]) =>
    most("core/domains/providers/limits.ts REGISTRY_PAYLOAD_BYTES_MAX", 16_384, registrySize(where), {
      where,
      ...outcomes,
    }),
  ),
  most(
    "core/domains/providers/schema.ts NAME_CHARACTERS_MAX",
    64,
    (n) => brand({ name: "😀".repeat(n) }),
    OK_OR_PARAMETER,
  ),
  most(
    "core/domains/providers/schema.ts DESCRIPTION_CHARACTERS_MAX",
    280,
    (n) => brand({ description: "😀".repeat(n) }),
    OK_OR_PARAMETER,
  ),
  most(
    "core/domains/providers/schema.ts WEBSITE_CHARACTERS_MAX",
    256,
    (n) => brand({ website: `http://${"😀".repeat(n - 7)}` }),
    OK_OR_PARAMETER,
  ),
  most(
    "core/domains/providers/queries.ts SERVICES_PER_PROVIDER_MAX",
    64,
    (n) => registered({ service_id: "new" }, offering(n - 1)),
    { where: "over RPC", ...OK_OR_PARAMETER },
  ),
  cutAt(
    "core/domains/providers/queries.ts SERVICES_PER_PROVIDER_MAX",
    64,
    (n) => (offering(n).read("getProviders") as readonly unknown[]).length,
  ),
  most("core/domains/fees/fees.ts QUOTE_SKEW_MS_MAX", 60_000, settledFee, { within: "ok", beyond: "INVALID_REQUEST" }),
];

const oracles: readonly Limit[] = [
  most(
    "core/domains/oracles/bounds.ts LIFETIME_MS_MAX",
    86_400_000,
    (ms) => published({ expires_at: plus(ms) }),
    OK_OR_PARAMETER,
  ),
  mostOf(
    "core/domains/oracles/bounds.ts VERSION_AHEAD_MAX",
    1_000_000_000_000_000n,
    (ahead) => published({ version: T + ahead }),
    OK_OR_PARAMETER,
  ),
  most(
    "core/domains/oracles/bounds.ts PUBLICATION_BYTES_MAX",
    16_384,
    (n) => taken(crowdedNode(T), OraclePublish, publicationOfSize(n), provider),
    TAKEN_OR_LEFT,
  ),
  most("core/domains/oracles/bounds.ts RECORDS_PER_PROVIDER_MAX", 1_024, recordsOf, TAKEN_OR_LEFT),
];

const paymentMethods: readonly Limit[] = [
  most("core/domains/payment-methods/schema.ts NAME_LENGTH_MAX", 64, (n) => define("𝒜".repeat(n)), {
    within: "ok",
    beyond: "UNSUPPORTED_PAYMENT_METHOD",
  }),
  most("core/domains/payment-methods/tables.ts METHODS_SHOWN_MAX", 32, defined, {
    where: "over RPC",
    within: "ok",
    beyond: "PAYMENT_METHOD_LIMIT_REACHED",
  }),
  cutAt("core/domains/payment-methods/tables.ts METHODS_SHOWN_MAX", 32, methodsShown),
  most("core/domains/payment-methods/tables.ts METHODS_KEPT_MAX", 256, methodsKept, TAKEN_OR_LEFT),
];

export const limits: readonly Limit[] = [...registry, ...oracles, ...paymentMethods];
