/**
 * Situations in which limits are tried: nodes that know a trade, a case or a proposal, and whether what a peer brings
 * is taken.
 */

import { ProposalCreate } from "../../core/domains/governance/schema.ts";
import { ArbitratorJoin, DisputeOpen } from "../../core/domains/trade/disputes/schema.ts";
import { noteDated } from "../../core/engine/dated-rows.ts";
import { Pending, Statements } from "../../core/engine/statements/table.ts";
import type { StepContext } from "../../core/engine/step-context.ts";
import type { NodeConfiguration } from "../../core/index.ts";
import { assert } from "../../core/kernel/assert.ts";
import { encodeCompact } from "../../core/kernel/schema.ts";
import type { Fields, RecordOf } from "../../core/kernel/schema-composites.ts";
import type { SignedType } from "../../core/kernel/signed.ts";
import { toBase58 } from "../../core/kernel/text.ts";
import type { Identity } from "../../core/kernel/values.ts";
import { SIGNATURE_BYTES } from "../../core/kernel/values.ts";
import type { GossipEvent } from "../../core/network/gossip/envelope.ts";
import { Events, eventKey } from "../../core/network/gossip/envelope.ts";
import { author, T as GOVERNANCE_T, proposal } from "../governance/fixtures.ts";
import type { Person } from "../rpc/lone-node.ts";
import { at, buyer, T, tradeSends } from "../rpc/node-with-settlement.ts";
import type { CrowdedNode } from "./crowded-node.ts";
import { crowdedNode } from "./crowded-node.ts";

/** Keeps an event as a node does that took it: by the minute of its date too. */
export function keepEvent(node: CrowdedNode, event: GossipEvent, statement: string | null): void {
  const [key, stored] = [eventKey(event), { event, statement: statement as Identity | null }];
  node.put(Events, key, stored);
  node.withContext(({ draft }) => noteDated(draft, Events, key, stored));
}

/** A node that knows the trade `set-1`, 400 seconds after its beginning. */
export function settling(told: Partial<NodeConfiguration> = {}): CrowdedNode {
  const node = crowdedNode(T + 400_000n, told);
  for (const { method, data } of tradeSends) node.call(method, { data });
  return node;
}

/** The same, disputed as `dis-1` and joined by some arbitrators. */
export function disputed(...arbitrators: readonly Person[]): CrowdedNode {
  const node = settling();
  const open = {
    ...{ id: "dis-1", settlement_id: "set-1", opener: buyer.peer, opener_public_key: buyer.key },
    ...{ reason: "nothing came", timestamp: at(350_000) },
  };
  node.send(DisputeOpen, open, buyer);
  for (const by of arbitrators) node.send(ArbitratorJoin, joinOf(by, 360_000), by);
  return node;
}

export function joinOf(by: Person, ms: number): ArbitratorJoin {
  return { dispute_id: "dis-1", arbitrator: by.peer, arbitrator_public_key: by.key, timestamp: at(ms) };
}

/** A node that knows a proposal, at the instant of its publication. */
export function proposed(told: Partial<NodeConfiguration> = {}): CrowdedNode {
  const node = crowdedNode(GOVERNANCE_T, told);
  node.send(ProposalCreate, proposal, author);
  return node;
}

/** Whether a node takes what a peer pushes. */
export function taken<F extends Fields>(
  node: CrowdedNode,
  type: SignedType<F>,
  payload: RecordOf<F>,
  by: Person,
): "taken" | "left" {
  const before = statementsIn(node);
  node.gossip(type, payload, by);
  return statementsIn(node) > before ? "taken" : "left";
}

/** What a node really holds, waiting statements included. */
export function statementsIn({ store }: CrowdedNode): number {
  return [...store.keys(Statements), ...store.keys(Pending)].length;
}

/**
 * A payload of so many bytes, its signature counted unless said; `of` puts a text of any length into it.
 */
export function ofSize<F extends Fields>(
  type: SignedType<F>,
  bytes: number,
  of: (text: string) => RecordOf<F>,
  counted: "signed" | "alone" = "signed",
): RecordOf<F> {
  const signature = toBase58(new Uint8Array(SIGNATURE_BYTES));
  const size = (length: number) => {
    const payload = of("x".repeat(length));
    const wire = () => encodeCompact(type.wire, { [type.outer]: payload, signature } as never);
    return (counted === "signed" ? wire() : encodeCompact(type.payload, payload)).length;
  };
  // The length of a length changes at few places, so what is missing after a first guess is nearly right.
  let length = bytes - size(0);
  for (let guess = 0; guess < 4 && size(length) !== bytes; guess++) length += bytes - size(length);
  assert(size(length) === bytes, `a payload of ${bytes} bytes`);
  return of("x".repeat(length));
}

/** The accounts that are asked for when something is done. */
export function readsOf(node: CrowdedNode, act: (context: StepContext) => void): readonly string[] {
  return node.withContext((context) => {
    act(context);
    return context.effects.flatMap((effect) => (effect.type === "chain.read" ? [effect.address] : []));
  });
}
