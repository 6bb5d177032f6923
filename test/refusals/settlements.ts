/**
 * How the refusals of settlements come about. Source: protocol 02 D.4, O.5, O.6.
 */
import type { Person } from "../rpc/lone-node.ts";
import { loneNode, person } from "../rpc/lone-node.ts";
import { buyer, merchant, speech, third, usdc } from "../rpc/signed-sends.ts";
import type { Refusal } from "./refusal.ts";

const NOW = 1_786_000_000_000n;
const AHEAD = { timestamp: NOW + 300_001n };

type Said = ReturnType<typeof speech>;
type Action = "pay" | "reverse" | "approve" | "reject" | "cancel";

function reserved(): Said {
  const said = speech(loneNode(NOW));
  said.create();
  said.reserve();
  return said;
}

function initiated(): Said {
  const said = reserved();
  said.initiate();
  return said;
}

const initiate = (code: Refusal["code"], provoke: () => string): Refusal => ({
  method: "sendSettlementInitiate",
  code,
  provoke,
});

/** What every action refuses, in order; `party` names the one who may, `late` brings it to where nobody may. */
function actions(method: string, action: Action, party: string, by: Person, late: (said: Said) => void) {
  const refusal = (code: Refusal["code"], say: (said: Said) => string, said = initiated): Refusal => ({
    method,
    code,
    provoke: () => say(said()),
  });
  return [
    refusal("SETTLEMENT_NOT_FOUND", (said) => said[action](), reserved),
    refusal("INVALID_IDENTITY_CLAIM", (said) => said[action]({ [party]: third.peer }, third)),
    refusal("INVALID_SIGNATURE", (said) => said[action]({}, third)),
    refusal("INVALID_PARAMETER", (said) => said[action](AHEAD, by)),
    refusal("INVALID_SETTLEMENT_STATE", (said) => {
      late(said);
      return said[action]();
    }),
  ];
}

function approved(said: Said): void {
  said.pay();
  said.approve();
}

export const refusals: readonly Refusal[] = [
  initiate("INVALID_SIGNATURE", () => reserved().initiate({}, third)),
  initiate("INVALID_IDENTITY_CLAIM", () => reserved().initiate({ buyer_public_key: person(0).key })),
  initiate("INVALID_PARAMETER", () => reserved().initiate(AHEAD)),
  initiate("SETTLEMENT_ALREADY_EXISTS", () => initiated().initiate()),
  initiate("RESERVATION_NOT_FOUND", () => reserved().initiate({ reservation_id: "2" })),
  initiate("INVALID_RESERVATION_STATE", () => initiated().initiate({ id: "set-2" })),
  initiate("INVALID_REQUEST", () => reserved().initiate({ amount: usdc(20_000_001) })),
  ...actions("sendPaymentSubmitted", "pay", "buyer", buyer, approved),
  ...actions("sendPaymentReversed", "reverse", "buyer", buyer, () => undefined),
  ...actions("sendSettlementApproved", "approve", "seller", merchant, () => undefined),
  ...actions("sendSettlementRejected", "reject", "seller", merchant, approved),
  ...actions("sendSettlementCancelled", "cancel", "canceller", buyer, approved),
];
