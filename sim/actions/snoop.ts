/**
 * A stranger asks a node everything that anybody may ask: every read of the method table, with every id, wallet and
 * text that he could have heard of, proofs left out or made up. Source: protocol 01 §11; DESIGN L4 (ours: the action).
 */
import { methods } from "../../core/index.ts";
import type { Action } from "../scenario.ts";

/** What a stranger may have heard of, by the kind of parameter that takes it. */
export interface Rumours {
  readonly ids: readonly string[];
  readonly wallets: readonly string[];
}

/** Parameters that are texts of their own kind. */
const TEXTS: Readonly<Record<string, string>> = {
  base: "USDC",
  quote: "EUR",
  country: "KE",
  settlement_mint: "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU",
  nonce: "00".repeat(32),
  signature: "1".repeat(64),
  cid: "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy",
};

export function snoop(
  actor: string,
  rumours: () => Rumours,
  options: { readonly at: number; readonly via: number },
): Action {
  return {
    ...{ name: "snoop", actor, ...options },
    *run(person) {
      const heard = rumours();
      const asked: object[] = [];
      for (const [method, row] of Object.entries(methods)) {
        if (row.kind !== "query") continue;
        for (const params of questions(Object.keys(row.params.fields), heard)) {
          yield* person.ask(method, params);
          asked.push({ jsonrpc: "2.0", id: asked.length, method, params });
        }
      }
      // The same once more in batches: every member of one is answered as it would be alone.
      for (let from = 0; from < asked.length; from += 50) {
        yield { type: "call", node: person.via, body: JSON.stringify(asked.slice(from, from + 50)) };
      }
    },
  };
}

/** What may be asked of a read that takes these members: nothing, and each thing that was heard of. */
function questions(members: readonly string[], { ids, wallets }: Rumours): readonly object[] {
  const fixed = Object.fromEntries(members.flatMap((name) => (name in TEXTS ? [[name, TEXTS[name]]] : [])));
  const named = members.includes("id") ? ids.map((id) => ({ ...fixed, id })) : [fixed];
  if (!members.includes("wallet")) return [{}, ...named];
  return [{}, ...named.flatMap((each) => wallets.map((wallet) => ({ ...each, wallet, public_key: wallet })))];
}
