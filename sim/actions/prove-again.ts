/**
 * Somebody who forgets no proof: asks a node for challenges again and again, proves his own wallet with each, and then
 * tries all that he proved with so far once more. What opens a second time is for checkers to find: no nonce may, in
 * whatever memory of the node it was issued. Source: protocol 03 B.5, W-12.
 */
import type { Infer } from "../../core/index.ts";
import { u32, utf8 } from "../../core/index.ts";
import { known } from "../../core/testing.ts";
import { Milliseconds } from "../data/values.ts";
import { proofRows } from "../proof-rows.ts";
import { sleep } from "../script.ts";
import type { ActionRows } from "./action-row.ts";
import { actionForm, begins } from "./action-row.ts";
import type { When } from "./trade-terms.ts";

/** Proofs that are tried again each time: the newest, of which the node may have lost that it took them. */
const NEWEST = 6;
/** A read that a wallet's proof opens, and nothing else: whoever asks has records or has none. */
const ROW = known(
  proofRows.find(({ subject, needsId }) => subject === "wallet" && !needsId),
  "a read of one's own",
);

export const proveAgainForms = {
  "prove-again": actionForm("prove-again", { rounds: u32, every: Milliseconds }),
};

type ProveAgain = Infer<(typeof proveAgainForms)["prove-again"]>;

/** So many proofs, one after every pause, and the last ones again behind each. */
export function proveAgain(
  actor: string,
  { rounds, every, ...when }: When & { readonly rounds: number; readonly every: number },
): ProveAgain {
  return { ...begins("prove-again", actor, when), rounds, every };
}

export const proveAgainRows: ActionRows<typeof proveAgainForms> = {
  "prove-again": {
    title: () => "prove again",
    *run(person, _scene, { rounds, every }) {
      const { wallet } = person;
      const subject = wallet.parameter("base64");
      const nonces: string[] = [];
      for (let round = 0; round < rounds; round++) {
        const issued = yield* person.ask(ROW.challenge, { wallet: subject });
        if (issued.type === "result") nonces.unshift((issued.result as { readonly nonce: string }).nonce);
        for (const nonce of nonces.slice(0, NEWEST)) {
          const signature = Buffer.from(wallet.sign(utf8(`${ROW.domain}:${subject}:${nonce}`))).toString("base64");
          const key = Buffer.from(wallet.keypair.publicKey).toString("base64");
          yield* person.ask(ROW.method, { wallet: subject, public_key: key, nonce, signature });
        }
        yield* sleep(every);
      }
    },
  },
};
