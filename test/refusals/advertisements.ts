/**
 * How the refusals of advertisements come about. Source: protocol 02 B.6.
 */
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, person } from "../rpc/lone-node.ts";
import { buyer, merchant, signedSends, third, usdc } from "../rpc/signed-sends.ts";
import type { Outcome, Refusal } from "./refusal.ts";

const NOW = 1_786_000_000_000n;
const AHEAD = { timestamp: NOW + 300_001n };
const dense = person(0).key;

type Sends = ReturnType<typeof signedSends>;
type Edit = "price" | "terms" | "status" | "disable";

function told(node: LoneNode = loneNode(NOW)): Sends {
  const sends = signedSends(node);
  sends.create();
  return sends;
}

const create = (code: Refusal["code"], provoke: (sends: Sends) => string, parity?: Outcome): Refusal => ({
  method: "sendAdvertisementCreate",
  code,
  parity,
  provoke: () => provoke(told()),
});

/** What every edit refuses, in order. */
function edits(method: string, edit: Edit): readonly Refusal[] {
  const by = { merchant: third.peer };
  return [
    { method, code: "ADVERTISEMENT_NOT_FOUND", provoke: () => signedSends(loneNode(NOW))[edit]() },
    { method, code: "INVALID_SIGNATURE", provoke: () => told()[edit](by, third) },
    // The reference asks the stored merchant's key first, and only then who was named.
    {
      method,
      code: "INVALID_SIGNATURE",
      parity: "INVALID_IDENTITY_CLAIM",
      provoke: () => told()[edit](by, merchant),
    },
    { method, code: "INVALID_PARAMETER", parity: "taken", provoke: () => told()[edit](AHEAD) },
  ];
}

function soldOut(): Sends {
  const sends = told();
  for (const id of ["1", "2"]) sends.reserve({ id, amount: usdc(100_000_000) });
  sends.reserve({ id: "3", amount: usdc(50_000_000) });
  return sends;
}

export const refusals: readonly Refusal[] = [
  create("INVALID_SIGNATURE", (sends) => sends.create({ id: "ad-2" }, buyer)),
  create("INVALID_IDENTITY_CLAIM", (sends) => sends.create({ id: "ad-2", merchant_public_key: dense })),
  create("INVALID_PARAMETER", (sends) => sends.create({ id: "ad-2", ...AHEAD }), "taken"),
  create("DUPLICATE_ADVERTISEMENT", (sends) => sends.create()),
  create("INVALID_ADVERTISEMENT", (sends) => sends.create({ id: "ad-2", payment_methods: [] })),
  ...edits("sendAdvertisementPriceUpdate", "price"),
  ...edits("sendAdvertisementTermsUpdate", "terms"),
  {
    method: "sendAdvertisementTermsUpdate",
    code: "INVALID_ADVERTISEMENT",
    provoke: () => told().terms({ min_trade: usdc(100_000_001) }),
  },
  ...edits("sendAdvertisementStatusSet", "status"),
  {
    method: "sendAdvertisementStatusSet",
    code: "INSUFFICIENT_AVAILABLE_LIQUIDITY",
    provoke: () => soldOut().status(),
  },
  ...edits("sendAdvertisementDisable", "disable"),
  {
    method: "sendAdvertisementDisable",
    code: "INVALID_PARAMETER",
    provoke: () => told().disableBySet({ status: "Vacation" }),
  },
];
