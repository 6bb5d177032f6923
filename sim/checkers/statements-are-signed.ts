/**
 * Every statement that a node takes bears a signature of the person whose statement it is, by the key inside that
 * person's peer id, whatever verdict the node came to itself. Asked of the runtime's Ed25519, once for each signature.
 * Source: CONVERGENCE "Three layers"; protocol 01 §3.1, §3.2.
 */

import type { Statement } from "../../core/testing.ts";
import { Pending, Statements, verify } from "../../core/testing.ts";
import type { CheckContext, Checker } from "../checker.ts";
import { openCrypto } from "../runtime.ts";

/** No ingress takes what nobody signed. */
export function statementsAreSigned({ violate, keep, profile }: CheckContext): Checker {
  const crypto = openCrypto();
  /** What was verified, by identity and signature: the same statement comes to every node. */
  const verified = keep(() => new Set<string>());
  const wrongIn = ({ type, payload, identity, bare, tagged }: Statement): string | undefined => {
    const signatures = [bare, tagged].filter((signature) => signature !== null);
    if (signatures.length === 0) return "without a signature";
    for (const signature of signatures) {
      const name = `${identity}/${signature}`;
      if (verified.has(name)) continue;
      const { form, bound } = verify(crypto, type, payload as never, signature);
      if (form === undefined) return "with a signature that is not its signer's";
      if (!bound) return "that names another key than its signer's";
      verified.add(name);
    }
    return undefined;
  };
  return {
    name: "statements-are-signed",
    onStep({ node, input, changes }) {
      // The reference takes some statements from others than their signer.
      if (profile.parity || input.type === "store.loaded") return;
      for (const { table, record } of changes) {
        if (record === undefined || (table !== Statements.name && table !== Pending.name)) continue;
        const statement = record as Statement;
        const wrong = wrongIn(statement);
        if (wrong !== undefined) violate(`node ${node} takes a ${statement.type.name} ${wrong}`);
      }
    },
  };
}
