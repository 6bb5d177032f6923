/**
 * Convergence among many nodes, as a check that returns what is wrong. Each node hears the same story in an order of
 * its own, in batches, some of it twice, some of it not until it recovers, with restarts in between. Now and then one
 * begins anew from the statements that another holds, as who imports a snapshot does, and hears everything again.
 * Whenever two nodes hold equal sets their records are equal, at any time; and in the end all hold the same and answer
 * the same.
 * Source: DESIGN "Laws", L2; CONVERGENCE "Roots".
 */

import { Statements } from "../../core/engine/statements/table.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { at } from "./actors.ts";
import { asksAbout, differentAnswerAmong } from "./answers.ts";
import { difference } from "./convergence-law.ts";
import type { Observation, Replica } from "./replica.ts";
import { openReplica, received, recordsText, setsOf, stateOf } from "./replica.ts";
import type { Shuffle } from "./shuffle.ts";
import { shuffleOf } from "./shuffle.ts";
import { storyText } from "./story-text.ts";

/** When reads are made: while things last, at their edge, and long after. */
const READ_AT = [1, 35, 119, 125, 700, 40_000];

interface Node {
  replica: Replica;
  /** What it still has to hear, in order; what was lost on the way comes last. */
  coming: Observation[][];
}

/** What is wrong with a story under a schedule, in words; nothing when the law holds. */
export function disagreement(observations: readonly Observation[], schedule: number): string | undefined {
  if (played(observations, schedule, () => "") === undefined) return undefined;
  return `${played(observations, schedule, recordsText)}\n\nthe story:\n${storyText(observations)}`;
}

/** The same, with what records read as told: texts cost much, and are needed only of what is wrong. */
function played(
  observations: readonly Observation[],
  schedule: number,
  textOf: (replica: Replica) => string,
): string | undefined {
  const random = shuffleOf(schedule);
  const nodes = Array.from({ length: 2 + random.below(3) }, () => nodeOf(observations, random));
  const known = new Map<string, { readonly state: string; readonly text: string }>();
  const joins = () => nodeOf(observations, random).coming;
  const problem = playOut(nodes, random, joins, ({ replica }) => {
    const [sets, state] = [setsOf(replica), stateOf(replica)];
    const before = known.get(sets);
    if (before === undefined) known.set(sets, { state, text: textOf(replica) });
    return before === undefined || before.state === state ? undefined : difference(before.text, textOf(replica));
  });
  return problem ?? differenceAtTheEnd(observations, nodes, random);
}

function nodeOf(observations: readonly Observation[], random: Shuffle): Node {
  const order = random.shuffled([...observations, ...random.some(observations)]);
  const lost = random.some(order);
  const arriving = order.filter((each) => !lost.includes(each));
  return { replica: openReplica(), coming: [...random.parts(arriving), ...random.parts(random.shuffled(lost))] };
}

/** Lets the nodes hear in turns, until they heard everything or something is wrong. */
function playOut(
  nodes: readonly Node[],
  random: Shuffle,
  everything: () => Observation[][],
  look: (node: Node) => string | undefined,
): string | undefined {
  const busy = [...nodes];
  while (busy.length > 0) {
    const place = random.below(busy.length);
    const node = busy[place] as Node;
    const batch = node.coming.shift();
    if (batch === undefined) busy.splice(place, 1);
    else node.replica.receive(batch);
    if (random.below(12) === 0) node.replica.restart();
    if (batch !== undefined && random.below(40) === 0) {
      const other = nodes[random.below(nodes.length)] as Node;
      node.coming = everything();
      node.replica = joined(other.replica);
    }
    const wrong = look(node);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** A new replica with the statements of another, but without its facts, which nobody imports. */
function joined(other: Replica): Replica {
  const replica = openReplica();
  const store = other.store();
  const statements = [...store.keys(Statements)].map((key) => store.get(Statements, key) as Statement);
  replica.receive(received(...statements));
  return replica;
}

function differenceAtTheEnd(
  observations: readonly Observation[],
  nodes: readonly Node[],
  random: Shuffle,
): string | undefined {
  const replicas = nodes.map(({ replica }) => replica);
  const asks = asksAbout(observations, random, at(READ_AT[random.below(READ_AT.length)] ?? 1));
  if (new Set(replicas.map(setsOf)).size > 1) return "two nodes heard everything and hold different sets";
  const stores = replicas.map((replica) => replica.store());
  const told = differentAnswerAmong(stores, asks);
  return told && `two nodes hold the same and answer differently:\n${told}`;
}
