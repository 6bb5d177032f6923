/**
 * What somebody can try who wants to read what only a proof of another's key opens, or to use a proof of his own twice,
 * late, elsewhere or for something else. Every attack ends with a call that a node must refuse, and with which refusal.
 * Source: protocol 03 B.3, B.5, W-12, W-13; 05 §2.3.
 */

import { toBase58, toBase64, utf8 } from "../../core/index.ts";
import type { WalletForm } from "../../core/testing.ts";
import type { Answer, Person } from "../person.ts";
import type { ProofRow } from "../proof-rows.ts";
import type { Script } from "../script.ts";
import { sleep } from "../script.ts";
import type { Wallet } from "../wallet.ts";

/** How long a challenge lives, in milliseconds, and how late the late ones come. Source: protocol 03 B.6. */
const LIFETIME_MS = 300_000;
const LATE_MS = LIFETIME_MS + 1_000;

type ErrorName = "INVALID_REQUEST" | "RESOURCE_NOT_FOUND" | "INVALID_SIGNATURE" | "INVALID_IDENTITY_CLAIM";

/** Somebody whose records a read shows: a wallet, and a service of it where the read is about services. */
export interface Holder {
  readonly wallet: Wallet;
  readonly service: string;
}

/** Who attacks which read, with whose trade. */
export interface AttackTerms {
  readonly row: ProofRow;
  /** A row whose proofs sign another text. */
  readonly other: ProofRow;
  /** The attacker's client at the node that is attacked, and at another one. */
  readonly here: Person;
  readonly elsewhere: Person;
  readonly own: Holder;
  readonly victim: Holder;
  /** An id that the victim's records go by, for reads that want one. */
  readonly id: string;
  /** How wallets, keys and signatures are spelled. */
  readonly form: WalletForm;
}

/** One way to open a read that is not one's own. */
export interface ProofAttack {
  readonly name: string;
  /** What its last call is refused with. */
  readonly refusal: ErrorName;
  /** Of which reads it can be tried; of all when absent. */
  readonly subject?: ProofRow["subject"];
  /** Takes as long as a challenge lives. */
  readonly slow?: true;
  readonly run: (terms: AttackTerms) => Script<Answer>;
}

/** Every way that is tried. */
export const proofAttacks: readonly ProofAttack[] = [
  {
    ...{ name: "a stolen challenge, answered with one's own signature", refusal: "INVALID_SIGNATURE" },
    *run(terms) {
      const { victim, own } = terms;
      const nonce = yield* challenged(terms, victim);
      return yield* answered(terms, { named: victim, key: victim, signer: own, nonce });
    },
  },
  {
    ...{
      name: "a stolen challenge, answered with one's own key",
      refusal: "INVALID_IDENTITY_CLAIM",
      subject: "wallet",
    },
    *run(terms) {
      const { victim, own } = terms;
      const nonce = yield* challenged(terms, victim);
      return yield* answered(terms, { named: victim, key: own, signer: own, nonce });
    },
  },
  {
    ...{ name: "a stolen challenge, answered for oneself", refusal: "RESOURCE_NOT_FOUND" },
    *run(terms) {
      const { victim, own } = terms;
      const nonce = yield* challenged(terms, victim);
      return yield* answered(terms, { named: own, key: own, signer: own, nonce });
    },
  },
  {
    ...{ name: "another's key beside one's own wallet", refusal: "INVALID_IDENTITY_CLAIM", subject: "wallet" },
    *run(terms) {
      const { victim, own } = terms;
      const nonce = yield* challenged(terms, own);
      return yield* answered(terms, { named: own, key: victim, signer: own, nonce });
    },
  },
  {
    ...{ name: "another's wallet with one's own challenge", refusal: "RESOURCE_NOT_FOUND" },
    *run(terms) {
      const { victim, own } = terms;
      const nonce = yield* challenged(terms, own);
      return yield* answered(terms, { named: victim, key: victim, signer: own, nonce });
    },
  },
  {
    ...{ name: "a used nonce", refusal: "RESOURCE_NOT_FOUND" },
    *run(terms) {
      const { nonce } = yield* provesItself(terms);
      return yield* answered(terms, { ...all(terms.own), nonce });
    },
  },
  {
    ...{ name: "a nonce that another read used", refusal: "RESOURCE_NOT_FOUND", subject: "wallet" },
    *run(terms) {
      const { nonce } = yield* provesItself({ ...terms, row: terms.other });
      return yield* answered(terms, { ...all(terms.own), nonce });
    },
  },
  {
    ...{ name: "an expired nonce", refusal: "INVALID_REQUEST", slow: true },
    *run(terms) {
      const nonce = yield* challenged(terms, terms.own);
      yield* sleep(LATE_MS);
      return yield* answered(terms, { ...all(terms.own), nonce });
    },
  },
  {
    ...{ name: "a nonce that another node issued", refusal: "RESOURCE_NOT_FOUND" },
    *run(terms) {
      const nonce = yield* challenged({ ...terms, here: terms.elsewhere }, terms.own);
      return yield* answered(terms, { ...all(terms.own), nonce });
    },
  },
  {
    ...{ name: "a proof for another read", refusal: "INVALID_SIGNATURE" },
    *run(terms) {
      const nonce = yield* challenged(terms, terms.own);
      return yield* answered(terms, { ...all(terms.own), nonce, domain: terms.other.domain });
    },
  },
];

/** What no attack is: the attacker reads his own, with a fresh proof. */
export function* provesItself(terms: AttackTerms): Script<{ readonly nonce: string; readonly answer: Answer }> {
  const nonce = yield* challenged(terms, terms.own);
  return { nonce, answer: yield* answered(terms, { ...all(terms.own), nonce }) };
}

/** Who is named, with whose key, signed by whom. */
interface Claim {
  readonly named: Holder;
  readonly key: Holder;
  readonly signer: Holder;
  readonly nonce: string;
  readonly domain?: string;
}

const all = (holder: Holder) => ({ named: holder, key: holder, signer: holder });

/** A nonce that the node issues for somebody: anybody may ask for it. An empty one when it issues none. */
function* challenged({ row, here, form }: AttackTerms, { wallet, service }: Holder): Script<string> {
  const params = row.subject === "service" ? { id: service } : { wallet: wallet.parameter(form) };
  const answer = yield* here.ask(row.challenge, params);
  return answer.type === "result" ? (answer.result as { readonly nonce: string }).nonce : "";
}

function* answered({ row, here, form, id }: AttackTerms, claim: Claim): Script<Answer> {
  const { named, key, signer, nonce, domain = row.domain } = claim;
  const spell = form === "base58" ? toBase58 : toBase64;
  const subject = row.subject === "service" ? named.service : named.wallet.parameter(form);
  const signature = spell(signer.wallet.sign(utf8(`${domain}:${subject}:${nonce}`)));
  if (row.subject === "service") return yield* here.ask(row.method, { id: subject, nonce, signature });
  const proof = { wallet: subject, public_key: spell(key.wallet.keypair.publicKey), nonce, signature };
  return yield* here.ask(row.method, { ...proof, ...(row.needsId && { id }) });
}
