/**
 * A send is refused as signed by nobody only where that is so: whatever it may sign is asked of the runtime's Ed25519
 * again, apart from the verdict that the node came to. Source: protocol 01 §2.2, §3.2, §6.2; 02 B.6.
 */
import { methods } from "../../core/index.ts";
import { readPayload, signingsOfPayload } from "../../core/testing.ts";
import type { CheckContext, Checker } from "../checker.ts";
import { openCrypto } from "../runtime.ts";
import type { Exchange } from "./exchanges.ts";
import { exchangesOf } from "./exchanges.ts";

/** Why what nobody signed is refused, written down apart from the core. Source: DESIGN §7 #23. */
const OTHER_BYTES = "other-bytes";

/** What is signed well is not called signed otherwise. */
export function goodSignaturesPass({ violate, profile, tables }: CheckContext): Checker {
  // The reference gives no reasons, and a network of other domains has methods of its own.
  if (profile.parity || tables !== undefined) return { name: "good-signatures-pass" };
  const crypto = openCrypto();
  const isSigned = ({ method, params: { data } }: Exchange): boolean => {
    const mutation = Object.hasOwn(methods, method) ? methods[method]?.mutation : undefined;
    if (mutation === undefined || typeof data !== "string") return false;
    const read = readPayload(mutation.signed, data);
    if (!read.ok || read.value.tainted) return false;
    const { signings } = signingsOfPayload(read.value);
    return signings.some(({ key, message, signature }) => crypto.verify(key, message, signature));
  };
  return {
    name: "good-signatures-pass",
    onStep({ node, input, effects }) {
      if (input.type !== "rpc.called") return;
      for (const effect of effects) {
        if (effect.type !== "rpc.reply" || !effect.body?.includes(OTHER_BYTES)) continue;
        for (const exchange of exchangesOf(input.body, effect.body))
          if (exchange.reason === OTHER_BYTES && isSigned(exchange))
            violate(`node ${node} refuses ${exchange.method} as signed by nobody, and its signer signed it`);
      }
    },
  };
}
