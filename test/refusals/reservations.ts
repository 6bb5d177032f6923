/**
 * How the refusals of reservations come about. Source: protocol 02 C.4, N.19, O.15.
 */
import { loneNode, person } from "../rpc/lone-node.ts";
import { buyer, merchant, signedSends, third, usdc } from "../rpc/signed-sends.ts";
import type { Outcome, Refusal } from "./refusal.ts";

const NOW = 1_786_000_000_000n;
const AHEAD = { timestamp: NOW + 300_001n };

type Sends = ReturnType<typeof signedSends>;

const row =
  (method: string) =>
  (code: Refusal["code"], provoke: (sends: Sends) => string, parity?: Outcome): Refusal => ({
    method,
    code,
    parity,
    provoke() {
      const sends = signedSends(loneNode(NOW));
      sends.create();
      return provoke(sends);
    },
  });
const request = row("sendReservationRequest");
const cancel = row("sendReservationCancel");

/** A held reservation, then what is said about it. */
const held = (send: (sends: Sends) => string) => (sends: Sends) => {
  sends.reserve();
  return send(sends);
};

export const refusals: readonly Refusal[] = [
  request("INVALID_SIGNATURE", (sends) => sends.reserve({}, merchant)),
  request("INVALID_IDENTITY_CLAIM", (sends) => sends.reserve({ requester_public_key: person(0).key })),
  request(
    "RESERVATION_ALREADY_EXISTS",
    held((sends) => sends.reserve()),
  ),
  request("INVALID_REQUEST", (sends) => sends.reserve({ amount: usdc(0) })),
  request("INVALID_PARAMETER", (sends) => sends.reserve(AHEAD)),
  request("ADVERTISEMENT_NOT_FOUND", (sends) => sends.reserve({ advertisement_id: "ad-2" })),
  request("INSUFFICIENT_AVAILABLE_LIQUIDITY", (sends) => {
    for (const id of ["1", "2"]) sends.reserve({ id, amount: usdc(100_000_000) });
    return sends.reserve({ id: "3", amount: usdc(50_000_001) });
  }),
  request("PRICE_DISAGREEMENT", (sends) => sends.reserve({ agreed_price: usdc(12_999, 2) })),
  cancel("RESERVATION_NOT_FOUND", (sends) => sends.release()),
  cancel(
    "INVALID_SIGNATURE",
    held((sends) => sends.release({}, merchant)),
  ),
  cancel(
    "INVALID_PARAMETER",
    held((sends) => sends.release(AHEAD, buyer)),
    "taken",
  ),
  cancel(
    "INVALID_SIGNATURE",
    held((sends) => sends.release({ requester: merchant.peer }, third)),
    "INVALID_IDENTITY_CLAIM",
  ),
  cancel(
    "INVALID_IDENTITY_CLAIM",
    held((sends) => sends.release({ requester: merchant.peer }, merchant)),
  ),
  cancel(
    "INVALID_RESERVATION_STATE",
    held((sends) => {
      sends.release();
      return sends.release({ timestamp: NOW + 1n });
    }),
  ),
];
