/**
 * Questions to every read that answers a list: about everybody and everything that a story names, proven where a proof
 * is asked for, under our rules and under the reference's.
 */

import { catalog } from "../../core/domains/payment-methods/catalog.ts";
import { methods } from "../../core/domains.ts";
import { known } from "../../core/kernel/assert.ts";
import type { Reader } from "../../core/kernel/table.ts";
import type { Ask } from "../convergence/answers.ts";
import { answer } from "../convergence/answers.ts";
import type { Observation } from "../convergence/replica.ts";
import { everyone } from "../convergence/story.ts";
import { proofOf } from "../rpc/prove.ts";
import { listReads } from "./lists.ts";
import { ASKED_AT, EPOCH } from "./memories.ts";

export interface Question extends Ask {
  readonly method: string;
}

/** What stands in no story, by the name of the parameter, or of the method and the parameter. */
const given: Readonly<Record<string, readonly unknown[]>> = {
  wallet: everyone.map(({ peer }) => peer),
  country: [undefined, "KE"],
  epoch: [undefined, Number(EPOCH)],
  filter: [undefined, { statuses: ["Active", "Vacation", "Disabled", "Deleted"] }],
  page: [undefined, { limit: 3 }],
  nonce: ["none"],
  signature: [""],
  "getPaymentMethod id": catalog.map(({ id }) => id),
};
/** Members of a proof. */
const PROOF = ["wallet", "public_key", "nonce", "signature"];

/** Every list read about everything; a memory says which challenges it gives. */
export function questionsAbout(observations: readonly Observation[], memory: Reader): readonly Question[] {
  const ids = [...new Set(observations.flatMap(idIn))];
  const asked = (body: string, parity: boolean): Ask => ({ body, now: ASKED_AT, parity, local: false });
  const challenger = { body: (body: string) => answer(memory, asked(body, false)) };
  return listReads.flatMap((method) => {
    const { params, need, proof } = known(methods[method], method);
    const names = Object.keys(params.fields).filter((name) => proof === undefined || !PROOF.includes(name));
    const values = names.map((name) => [name, given[`${method} ${name}`] ?? given[name] ?? ids] as const);
    const proven = proof === undefined ? [{}] : everyone.map((by) => proofOf(challenger, proof.domain, by));
    return [false, true].flatMap((parity) =>
      proven.flatMap((by) =>
        combinations(values).map((about): Question => {
          const told = need === "none" ? {} : { params: { ...about, ...by } };
          return { method, ...asked(JSON.stringify({ jsonrpc: "2.0", id: 1, method, ...told }), parity) };
        }),
      ),
    );
  });
}

/** One value of each member, in every way. */
function combinations(members: readonly (readonly [string, readonly unknown[]])[]): readonly object[] {
  const [first, ...rest] = members;
  if (first === undefined) return [{}];
  const [name, values] = first;
  return combinations(rest).flatMap((others) => values.map((value) => ({ [name]: value, ...others })));
}

/** The id of what a word created. */
function idIn(each: Observation): readonly string[] {
  if (each.type !== "statement" || each.statement.type.creates === undefined) return [];
  return [each.statement.type.idOf(each.statement.payload as never) ?? []].flat();
}
