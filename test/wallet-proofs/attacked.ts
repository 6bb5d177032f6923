/**
 * Two nodes that hold somebody's trade, and somebody else who wants to read it: every attack on a proof, played at
 * once.
 * `core` may be a copy with a planted bug. Source: protocol 03 B.5.
 */

import { Registration } from "../../core/domains/providers/schema.ts";
import type * as CoreIndex from "../../core/index.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { AttackTerms, Holder, ProofAttack } from "../../sim/actions/proof-attacks.ts";
import { proofAttacks, provesItself } from "../../sim/actions/proof-attacks.ts";
import type { Answer } from "../../sim/person.ts";
import { createPerson } from "../../sim/person.ts";
import type { ProofRow } from "../../sim/proof-rows.ts";
import { otherRow, proofRows } from "../../sim/proof-rows.ts";
import type { Script } from "../../sim/script.ts";
import { walletOfSecret } from "../../sim/wallet.ts";
import { disputedTrade } from "../laws/laws.ts";
import * as fixtures from "../providers/fixtures.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { crypto, person } from "../rpc/lone-node.ts";

type Core = Pick<typeof CoreIndex, "createDriver" | "devnetNetwork">;
type Form = AttackTerms["form"];

/** The buyer of the trade `set-1`. */
export const victim = person(0x22);
const attacker = person(0x99);
const clock = { now: () => 0, epoch: () => 0n as EpochMillis, at: () => undefined, after: () => undefined };

/** Each of the two has a service, for reads that are about services. */
export function twoNodes(core?: Core): readonly LoneNode[] {
  return [1, 2].map((seed) => {
    const node = disputedTrade(core, new Uint8Array(32).fill(seed));
    for (const [n, who] of [victim, attacker].entries())
      node.gossip(Registration, fixtures.registration(who, node.now, { service_id: `svc-${n}` }), who);
    return node;
  });
}

/** The attacks that can be tried on a read. */
export function attacksOn(row: ProofRow): readonly ProofAttack[] {
  return proofAttacks.filter(({ subject = row.subject }) => subject === row.subject);
}

/** What a node answers to the last call of an attack. */
export function attacked(row: ProofRow, attack: ProofAttack, form: Form, nodes: readonly LoneNode[]): Answer {
  return played(attack.run(termsOf(row, form)), nodes);
}

/** What a node answers to the holder of the victim's key. */
export function owned(row: ProofRow, form: Form, nodes: readonly LoneNode[]): Answer {
  const terms = termsOf(row, form);
  const own = terms.victim;
  return played(provesItself({ ...terms, own, here: createPerson(own.wallet, 0, clock) }), nodes).answer;
}

/** The attacks that nodes fall for, each as its read and its name. */
export function opened(core?: Core): readonly string[] {
  const nodes = twoNodes(core);
  return proofRows.flatMap((row) =>
    attacksOn(row).flatMap((attack) =>
      attacked(row, attack, "base64", nodes).type === "result" ? [`${row.method} opens to ${attack.name}`] : [],
    ),
  );
}

function termsOf(row: ProofRow, form: Form): AttackTerms {
  const [theirs, own] = [victim, attacker].map((who, n): Holder => {
    return { wallet: walletOfSecret(crypto, `holder ${n}`, who.secret), service: `svc-${n}` };
  }) as [Holder, Holder];
  const [here, elsewhere] = [createPerson(own.wallet, 0, clock), createPerson(own.wallet, 1, clock)];
  return { row, other: otherRow(row), here, elsewhere, own, victim: theirs, id: "set-1", form };
}

/** Plays a script to its end at once; then it is as late as before, so that nothing lapses from case to case. */
function played<T>(script: Script<T>, nodes: readonly LoneNode[]): T {
  const times = nodes.map(({ now }) => now);
  let step = script.next(undefined);
  while (step.done !== true) {
    const wish = step.value;
    if (wish.type === "sleep") for (const node of nodes) node.now += BigInt(wish.ms);
    step = script.next(wish.type === "call" ? nodes[wish.node]?.body(wish.body) : undefined);
  }
  for (const [n, node] of nodes.entries()) node.now = times[n] ?? node.now;
  return step.value;
}
