/**
 * How the refusals of payment methods come about. Source: protocol 02 I.3.
 */
import { METHODS_KEPT_MAX } from "../../core/domains/payment-methods/tables.ts";
import type { Refusal } from "../refusals/refusal.ts";
import { loneNode } from "../rpc/lone-node.ts";
import { signedSends, third } from "../rpc/signed-sends.ts";

const sends = () => signedSends(loneNode(1_786_000_000_000n));

const define = (code: Refusal["code"], provoke: () => string): Refusal => ({
  method: "sendPaymentMethodDefine",
  code,
  provoke,
});

export const refusals: readonly Refusal[] = [
  define("INVALID_SIGNATURE", () => sends().define({}, third)),
  define("UNSUPPORTED_PAYMENT_METHOD", () => sends().define({ name: "M-PESA" })),
  define("PAYMENT_METHOD_LIMIT_REACHED", () => {
    const { define: more } = sends();
    let answer = "";
    for (let n = 0; n <= METHODS_KEPT_MAX && !answer.includes("LIMIT"); n++) answer = more({ name: `Method ${n}` });
    return answer;
  }),
];
