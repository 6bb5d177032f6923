/** Source: protocol 03 B.4–B.6, W-12; 01 §13.4. */
import type { Json } from "../calls.ts";
import type { Scope, ScopeCall } from "../scope.ts";
import { advertises, BUYER, initiates, reserves } from "./trade-calls.ts";

const DOMAIN = "openfiat-my-trades";

const asks = (via: number): ScopeCall => ({
  ...{ via, method: "getWalletChallenge", keep: true },
  params: ({ walletOf }) => ({ wallet: walletOf(BUYER).parameter("base64") }),
});

/** Opens the read with the challenge that the client got last, used before or not. */
const proves = (via: number): ScopeCall => ({
  ...{ via, method: "getMyTrades" },
  params({ walletOf, last }) {
    const challenge = challengeIn(last);
    return { ...walletOf(BUYER).prove(DOMAIN, challenge, "base64") };
  },
});

function challengeIn(last: Json | undefined): { readonly subject: string; readonly nonce: string } {
  const { subject = "", nonce = "" } = (last ?? {}) as { readonly subject?: string; readonly nonce?: string };
  return { subject, nonce };
}

export const spentNonces: Scope = {
  name: "spent-nonces",
  description: "a challenge is answered twice, while statements come, messages are lost and the node starts again",
  nodes: 2,
  before: [advertises(0), reserves({ by: BUYER, via: 1 })],
  clients: [[asks(1), proves(1), proves(1)], [initiates({ by: BUYER, via: 0 })]],
  forbids([proven]) {
    const [, first, second] = proven ?? [];
    if (first !== "ok" || second !== "ok") return undefined;
    return { check: "proofs-open-once", message: "one challenge opened a read twice" };
  },
  faults: { crashes: 1, drops: 1 },
  crashing: [1],
  ticks: 0,
  disk: "at once",
};
