/**
 * Bugs in what nodes do for each other and for their memory: announcing, links, allowances, refusals, absence, files of
 * state, sealing, counting, answers that are kept.
 */
import type { Plant } from "../plant.ts";
import { plantsIn } from "../plant.ts";

const GOSSIP = "core/network/gossip";

export const peerPlants: readonly Plant[] = [
  ...plantsIn("classic", `${GOSSIP}/announcing.ts`, [
    [
      "repeats-are-not-counted",
      "a push that nobody acknowledges is repeated for ever",
      "{ ...event, ttl }, true, request.repeats + 1);",
      "{ ...event, ttl }, true, request.repeats);",
    ],
    [
      "wanted-link-stays-lazy",
      "a link that was needed is not pushed on the next time",
      "    makeEager(context, from, event.origin);\n",
      "",
    ],
  ]),
  ...plantsIn("classic", `${GOSSIP}/trees.ts`, [
    [
      "new-link-stays-lazy",
      "a link that was lazy is so still when its peer comes again",
      '  for (const key of context.draft.find(Trees, "lazy", peer)) remove(context, peer, key);\n',
      '  for (const key of context.draft.find(Trees, "lazy", peer)) remove(context, key as PeerId, key);\n',
    ],
  ]),
  ...plantsIn("classic", `${GOSSIP}/credit.ts`, [
    [
      "allowances-fill-from-the-start",
      "what a link may cost fills up by all the time since it was last at rest",
      "return { ...link, ...filled, unearned, at: context.now };",
      "return { ...link, ...filled, unearned, at: link.at };",
    ],
  ]),
  ...plantsIn("classic", `${GOSSIP}/sweep.ts`, [
    [
      "refusal-leaves-its-range-idle",
      "a range stays passed over though a refusal in it has ended",
      "dateOf: ({ until }) => until }, now + 1n, forgetRangesOver),",
      "dateOf: ({ until }) => until }, now + 1n),",
    ],
  ]),
  ...plantsIn("classic", `${GOSSIP}/absence.ts`, [
    [
      "one-peer-ends-an-absence",
      "two comparisons with one peer end an absence",
      "const peers = held.peers.includes(peer) ? held.peers : [...held.peers, peer];",
      "const peers = [...held.peers, peer];",
    ],
  ]),
  ...plantsIn("law", "core/domains/snapshots/search.ts", [
    [
      "second-location-is-not-tried",
      "a file that could not be had at one place is not looked for at another",
      "  if (locations.length > 0) return askNext(context, { until, locations, candidates });\n",
      "",
    ],
  ]),
  ...plantsIn("classic", "core/domains/trade/sealing/sealing.ts", [
    [
      "seals-with-any-parent",
      "what was said about two records is sealed with the first",
      "return parentsOf(reader, child).every(",
      "return parentsOf(reader, child).some(",
    ],
  ]),
  ...plantsIn("law", "core/engine/statements/space.ts", [
    [
      "sealed-still-counts",
      "what is sealed takes its signer's space until a restart",
      "if (name === Statements.name || name === Seals.name) keys.add(key);",
      "if (name === Statements.name) keys.add(key);",
    ],
  ]),
  ...plantsIn("law", "core/engine/kept-answers.ts", [
    [
      "answers-outlive-memory",
      "answers from a memory that was given up are given again",
      "      kept.clear();\n      written.clear();",
      "      written.clear();",
    ],
  ]),
];
