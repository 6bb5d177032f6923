/**
 * How the refusals of reservations come about. Source: protocol 02 C.4, N.19, O.15.
 */
import { loneNode, person } from "../rpc/lone-node.ts";
import { buyer, merchant, speech, usdc } from "../rpc/signed-sends.ts";
import type { Refusal } from "./refusal.ts";

const NOW = 1_786_000_000_000n;
const AHEAD = { timestamp: NOW + 300_001n };

type Said = ReturnType<typeof speech>;

const row =
  (method: string) =>
  (code: Refusal["code"], provoke: (said: Said) => string): Refusal => ({
    method,
    code,
    provoke() {
      const said = speech(loneNode(NOW));
      said.create();
      return provoke(said);
    },
  });
const request = row("sendReservationRequest");
const cancel = row("sendReservationCancel");

/** A held reservation, then what is said about it. */
const held = (say: (said: Said) => string) => (said: Said) => {
  said.reserve();
  return say(said);
};

export const refusals: readonly Refusal[] = [
  request("INVALID_SIGNATURE", (said) => said.reserve({}, merchant)),
  request("INVALID_IDENTITY_CLAIM", (said) => said.reserve({ requester_public_key: person(0).key })),
  request(
    "RESERVATION_ALREADY_EXISTS",
    held((said) => said.reserve()),
  ),
  request("INVALID_REQUEST", (said) => said.reserve({ amount: usdc(0) })),
  request("INVALID_PARAMETER", (said) => said.reserve(AHEAD)),
  request("ADVERTISEMENT_NOT_FOUND", (said) => said.reserve({ advertisement_id: "ad-2" })),
  request("INSUFFICIENT_AVAILABLE_LIQUIDITY", (said) => {
    for (const id of ["1", "2"]) said.reserve({ id, amount: usdc(100_000_000) });
    return said.reserve({ id: "3", amount: usdc(50_000_001) });
  }),
  request("PRICE_DISAGREEMENT", (said) => said.reserve({ agreed_price: usdc(12_999, 2) })),
  cancel("RESERVATION_NOT_FOUND", (said) => said.release()),
  cancel(
    "INVALID_IDENTITY_CLAIM",
    held((said) => said.release({ requester: merchant.peer }, merchant)),
  ),
  cancel(
    "INVALID_SIGNATURE",
    held((said) => said.release({}, merchant)),
  ),
  cancel(
    "INVALID_PARAMETER",
    held((said) => said.release(AHEAD, buyer)),
  ),
  cancel(
    "INVALID_RESERVATION_STATE",
    held((said) => {
      said.release();
      return said.release({ timestamp: NOW + 1n });
    }),
  ),
];
