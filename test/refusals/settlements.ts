/**
 * How the refusals of settlements come about. Source: protocol 02 D.4, O.5, O.6.
 */
import type { Person } from "../rpc/lone-node.ts";
import { loneNode, person } from "../rpc/lone-node.ts";
import { buyer, merchant, signedSends, third, usdc } from "../rpc/signed-sends.ts";
import type { Outcome, Refusal } from "./refusal.ts";

const NOW = 1_786_000_000_000n;
const other = person(0x66);
const AHEAD = { timestamp: NOW + 300_001n };

type Sends = ReturnType<typeof signedSends>;
type Action = "pay" | "reverse" | "approve" | "reject" | "cancel";

function reserved(): Sends {
  const sends = signedSends(loneNode(NOW));
  sends.create();
  sends.reserve();
  return sends;
}

function initiated(): Sends {
  const sends = reserved();
  sends.initiate();
  return sends;
}

const initiate = (code: Refusal["code"], provoke: () => string, parity?: Outcome): Refusal => ({
  method: "sendSettlementInitiate",
  code,
  parity,
  provoke,
});

/**
 * What every action refuses, in order; `party` names the one who may, `late` brings it to where nobody may. The
 * reference asks for no date, and then takes what may be said of an initiated settlement.
 */
function actions(method: string, action: Action, party: string, by: Person, late: (sends: Sends) => void) {
  const undated = action === "pay" || action === "cancel" ? "taken" : "INVALID_SETTLEMENT_STATE";
  const refusal = (
    code: Refusal["code"],
    send: (sends: Sends) => string,
    { sends = initiated, parity }: { readonly sends?: () => Sends; readonly parity?: Outcome } = {},
  ): Refusal => ({ method, code, parity, provoke: () => send(sends()) });
  return [
    refusal("SETTLEMENT_NOT_FOUND", (sends) => sends[action](), { sends: reserved }),
    refusal("INVALID_SIGNATURE", (sends) => sends[action]({}, third)),
    refusal("INVALID_PARAMETER", (sends) => sends[action]({ ...AHEAD, [party]: third.peer }, third), {
      parity: "INVALID_IDENTITY_CLAIM",
    }),
    refusal("INVALID_SIGNATURE", (sends) => sends[action]({ [party]: third.peer }, other), {
      parity: "INVALID_IDENTITY_CLAIM",
    }),
    refusal("INVALID_IDENTITY_CLAIM", (sends) => sends[action]({ [party]: third.peer }, third)),
    refusal("INVALID_PARAMETER", (sends) => sends[action](AHEAD, by), { parity: undated }),
    refusal("INVALID_SETTLEMENT_STATE", (sends) => {
      late(sends);
      return sends[action]();
    }),
  ];
}

function approved(sends: Sends): void {
  sends.pay();
  sends.approve();
}

export const refusals: readonly Refusal[] = [
  initiate("INVALID_SIGNATURE", () => reserved().initiate({}, third)),
  initiate("INVALID_IDENTITY_CLAIM", () => reserved().initiate({ buyer_public_key: person(0).key })),
  initiate("INVALID_PARAMETER", () => reserved().initiate(AHEAD), "taken"),
  initiate("SETTLEMENT_ALREADY_EXISTS", () => initiated().initiate()),
  initiate("RESERVATION_NOT_FOUND", () => reserved().initiate({ reservation_id: "2" }), "taken"),
  initiate("INVALID_RESERVATION_STATE", () => initiated().initiate({ id: "set-2" }), "taken"),
  initiate("INVALID_REQUEST", () => reserved().initiate({ amount: usdc(20_000_001) }), "taken"),
  ...actions("sendPaymentSubmitted", "pay", "buyer", buyer, approved),
  ...actions("sendPaymentReversed", "reverse", "buyer", buyer, () => undefined),
  ...actions("sendSettlementApproved", "approve", "seller", merchant, () => undefined),
  ...actions("sendSettlementRejected", "reject", "seller", merchant, approved),
  ...actions("sendSettlementCancelled", "cancel", "canceller", buyer, approved),
];
