/**
 * Small scopes at an ingress: every order of every subset of a few statements is admitted one by one, beside bounds
 * that are small enough to be crossed by them. What honest people say is held in whatever order the others speak, and
 * those who hold the same come to one state. Source: CONVERGENCE B1-B3.
 */

import { marketplace, tables } from "../../core/domains.ts";
import { admit } from "../../core/engine/admission/admit.ts";
import { ingresses } from "../../core/engine/admission/ingress.ts";
import { foldInto } from "../../core/engine/statements/fold.ts";
import { countSpaceFromStart } from "../../core/engine/statements/space.ts";
import { Pending, Statements } from "../../core/engine/statements/table.ts";
import type { StepContext } from "../../core/engine/step-context.ts";
import { foldOf, stepContextOf } from "../../core/engine/step-context.ts";
import { devnetNetwork } from "../../core/index.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { Store } from "../../core/kernel/state.ts";
import { openStore, rootText } from "../../core/kernel/state.ts";
import { gossipOnly } from "../rpc/lone-node.ts";
import { at, crypto } from "./actors.ts";

const around = {
  ...{ now: at(60), number: 1, bootSeed: new Uint8Array(32), crypto, registry: marketplace },
  configuration: gossipOnly(devnetNetwork),
};

export interface AdmissionScope {
  readonly about: string;
  /** What is there before. */
  readonly ground: readonly Statement[];
  /** What people say who keep within their own limits. */
  readonly honest: readonly Statement[];
  /** What a stranger says, more than his limits. */
  readonly flood: readonly Statement[];
  /** How much of that is held at most. */
  readonly most: number;
}

export interface Walked {
  readonly orders: number;
  /** Orders in which something of the stranger's was refused. */
  readonly refusing: number;
  /** The most that any order holds of what the stranger said. */
  readonly most: number;
  readonly wrong: string | undefined;
}

/** Admits every order of every subset, of so many statements at most. */
export function walkAdmissions({ ground, honest, flood }: AdmissionScope, most: number): Walked {
  const acts = [...honest, ...flood];
  const roots = new Map<string, string>();
  let [orders, refusing, kept] = [0, 0, 0];

  function goOn(store: Store, received: readonly Statement[]): string | undefined {
    for (const statement of acts) {
      if (received.includes(statement)) continue;
      const order = [...received, statement];
      const next = admitted(store, statement);
      const wrong = wrongIn(next, order) ?? (order.length < most ? goOn(next, order) : undefined);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  function wrongIn(store: Store, order: readonly Statement[]): string | undefined {
    const held = order.filter((each) => isHeld(store, each));
    orders += 1;
    if (held.length < order.length) refusing += 1;
    kept = Math.max(kept, held.filter((each) => flood.includes(each)).length);
    const lost = order.find((each) => honest.includes(each) && !held.includes(each));
    if (lost !== undefined) return `${lost.type.name} of ${lost.identity} is refused after ${told(order)}`;
    const set = held.map(({ identity }) => identity).sort();
    const root = [store.roots.statements, store.roots.facts, store.roots.state].map(rootText).join(" ");
    const known = roots.get(set.join());
    roots.set(set.join(), root);
    return known === undefined || known === root ? undefined : `another state after ${told(order)}`;
  }

  const wrong = goOn(grounded(ground), []);
  return { orders, refusing, most: kept, wrong };
}

function told(order: readonly Statement[]): string {
  return order.map(({ type, signer }) => `${type.name} of ${signer.slice(-4)}`).join(", ");
}

function isHeld(store: Store, { identity }: Statement): boolean {
  return store.get(Statements, identity) !== undefined || store.get(Pending, identity) !== undefined;
}

/** As a peer's push is. */
function admitted(store: Store, statement: Statement): Store {
  return stepped(store, (context) => {
    const fold = foldOf(context);
    admit(context, fold, ingresses.push, statement);
    fold.run();
    for (const { act } of marketplace.reactions) act(context);
  });
}

/** As a store is loaded: no bound is asked. */
function grounded(ground: readonly Statement[]): Store {
  return stepped(openStore(crypto, tables), (context) => {
    const fold = foldInto(context.draft, marketplace.units(crypto), true);
    for (const each of ground) fold.admit(each);
    fold.run();
    countSpaceFromStart(context);
  });
}

function stepped(store: Store, act: (context: StepContext) => void): Store {
  const next = openStore(crypto, tables, { from: store.copy() });
  const context = stepContextOf(next, { ...around, identities: next.identities });
  act(context);
  next.commit(context.draft.changes());
  return next;
}
