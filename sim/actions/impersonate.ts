/**
 * People who are after what only a proof opens: every attack on every such read, on some of those who trade, and with
 * one's own proofs. Who fell for it is for checkers to say. Source: protocol 03 B.
 */

import type { Infer } from "../../core/index.ts";
import { bool, list } from "../../core/index.ts";
import { known } from "../../core/testing.ts";
import { may } from "../data/optional.ts";
import { Name, otherwise } from "../data/values.ts";
import type { Person } from "../person.ts";
import { createPerson } from "../person.ts";
import type { ProofRow } from "../proof-rows.ts";
import { otherRow, proofRows } from "../proof-rows.ts";
import { openStream, pick } from "../random.ts";
import type { Scene } from "../scene.ts";
import type { Wallet } from "../wallet.ts";
import type { ActionRows } from "./action-row.ts";
import { actionForm, begins } from "./action-row.ts";
import type { ObservedStatement } from "./observed-statements.ts";
import { observedBy } from "./observed-statements.ts";
import type { AttackTerms, Holder } from "./proof-attacks.ts";
import { proofAttacks } from "./proof-attacks.ts";
import type { When } from "./trade-terms.ts";

/** A service that nobody has: asking about it is refused. */
const NO_SERVICE = "svc-nobody";

interface ImpersonateOptions extends When {
  /** The reads to attack; all when absent. */
  readonly rows?: readonly ProofRow[];
  /** Tries the attacks that take as long as a challenge lives, and those alone. */
  readonly patient?: boolean;
}

export const impersonateForms = {
  impersonate: actionForm("impersonate", { reads: may(list(Name)), patient: otherwise(bool, false) }),
};

type Impersonate = Infer<(typeof impersonateForms)["impersonate"]>;

/** Tries every attack once on every read, with victims drawn from those who trade. */
export function impersonate(actor: string, { rows, patient = false, ...when }: ImpersonateOptions): Impersonate {
  const reads = rows !== undefined && { reads: rows.map(({ method }) => method) };
  return { ...begins("impersonate", actor, when), patient, ...reads };
}

export const impersonateRows: ActionRows<typeof impersonateForms> = {
  impersonate: {
    title: ({ patient }) => (patient ? "wait with a challenge" : "impersonate"),
    check({ reads = [] }) {
      const unknown = reads.find((read) => proofRows.every(({ method }) => method !== read));
      return unknown === undefined ? undefined : `no proof opens ${unknown}`;
    },
    *run(person, scene, { actor, at, via = person.via, reads, patient }) {
      const rows = proofRows.filter(({ method }) => reads === undefined || reads.includes(method));
      const { own, tries } = scene.witness(() =>
        planOf(person, scene, rows, { patient, name: `${actor}/${via}/${at}` }),
      );
      const elsewhere = createPerson(person.wallet, (person.via + 1) % scene.world.nodes.length, scene.time);
      for (const { method, attack, ...terms } of tries) {
        const row = known(
          rows.find((one) => one.method === method),
          "a read that the plan names",
        );
        const tried = known(proofAttacks[attack], "an attack that the plan names");
        yield* tried.run({ ...terms, row, other: otherRow(row), here: person, elsewhere, own });
      }
    },
  },
};

/** One attack on one read: the read's method, the attack's place in the list, and who is to suffer it. */
type Try = Pick<AttackTerms, "victim" | "form" | "id"> & { readonly method: string; readonly attack: number };

/** Every attack once on every read; victims and spellings are drawn, from what the node of the attacker observed. */
function planOf(
  person: Person,
  scene: Scene,
  rows: readonly ProofRow[],
  { patient, name }: { readonly patient: boolean; readonly name: string },
): { readonly own: Holder; readonly tries: readonly Try[] } {
  const { world } = scene;
  const stream = openStream(world.seed, `impersonate/${name}`);
  const observed = observedBy(world, person.via);
  const victims = partiesIn(scene, observed).filter((wallet) => wallet !== person.wallet);
  const tries: Try[] = [];
  for (const row of rows) {
    for (const [attack, { subject = row.subject, slow = false }] of proofAttacks.entries()) {
      if (subject !== row.subject || slow !== patient || victims.length === 0) continue;
      const n = tries.length;
      const wallet = row.subject === "service" ? providerIn(scene, observed) : pick(stream, 2 * n, victims);
      const victim = { wallet, service: serviceOf(observed, wallet) };
      const form: AttackTerms["form"] = pick(stream, 2 * n + 1, ["base64", "base58"]);
      tries.push({ method: row.method, attack, victim, form, id: settlementOf(observed, wallet) });
    }
  }
  return { own: { wallet: person.wallet, service: serviceOf(observed, person.wallet) }, tries };
}

/** Keeps a challenge of every read until it has expired, each on its own. */
export function waitWithChallenges(actor: string, when: When): readonly Impersonate[] {
  return proofRows.map((row) => impersonate(actor, { ...when, rows: [row], patient: true }));
}

/** Everyone who has a wallet in this world and a settlement. */
function partiesIn(scene: Scene, observed: readonly ObservedStatement[]): readonly Wallet[] {
  const settled = observed.filter(({ type }) => type.creates === "settlement");
  return [...scene.world.people()].filter(({ peer }) => settled.some(({ texts }) => texts.includes(peer)));
}

function settlementOf(observed: readonly ObservedStatement[], { peer }: Wallet): string {
  const own = observed.find(({ type, texts }) => type.creates === "settlement" && texts.includes(peer));
  return own?.id ?? "no settlement";
}

function serviceOf(observed: readonly ObservedStatement[], { peer }: Wallet): string {
  return observed.find(({ type, texts }) => type.creates === "service" && texts.includes(peer))?.id ?? NO_SERVICE;
}

/** Somebody with a service, if anybody has one. */
function providerIn(scene: Scene, observed: readonly ObservedStatement[]): Wallet {
  const people = [...scene.world.people()];
  const provider = people.find((wallet) => serviceOf(observed, wallet) !== NO_SERVICE) ?? people[0];
  if (provider === undefined) throw new Error("bug: nobody lives in this world");
  return provider;
}
