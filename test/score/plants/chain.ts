/**
 * Bugs in what nodes make of the chain, and in the escrow program's model.
 */
import type { Plant } from "../plant.ts";
import { plantsIn } from "../plant.ts";

const CHAIN = "core/domains/chain-bridge";

export const chainPlants: readonly Plant[] = [
  ...plantsIn("weakness", `${CHAIN}/chain-facts.ts`, [
    [
      "seen-is-final",
      "what was seen once is taken for final",
      "  if (held.final) return takeFinal(context, id, held.escrow, fact);",
      "  return takeFinal(context, id, held.escrow, fact);",
    ],
    [
      "fork-is-not-undone",
      "a decision that a fork lost stays",
      "  if (!held.taken) return;\n  putFact",
      "  return;\n  putFact",
    ],
    [
      "second-closing-counts",
      "an escrow closes twice",
      "  if (!outranksOthers(context, id, fact, true)) return;\n",
      "",
    ],
    [
      "splits-are-not-taken",
      "a decision without a verdict is passed over",
      "  if (!outranksOthers(context, id, fact, true)) return;\n",
      '  if (fact.kind === "decided" && [null, "MutualSettlement"].includes(fact.resolution)) return;\n',
    ],
    [
      "facts-do-not-fold",
      "a fact is kept and changes no record",
      "  for (const each of [before, fact]) if (each !== undefined) fold.mark(SETTLEMENT_UNIT, groupOfFact(each));\n",
      "",
    ],
  ]),
  ...plantsIn("weakness", `${CHAIN}/follow.ts`, [
    [
      "signature-of-another",
      "an endpoint may tell any transaction under a signature",
      "toBase58(signature) !== seen.signature) return undefined;",
      "toBase58(signature) === undefined) return undefined;",
    ],
    [
      "confirmed-is-enough",
      "any commitment is enough to believe a transaction",
      'return commitment === "finalized" || needed === "confirmed";',
      "return true;",
    ],
    [
      "absence-is-ignored",
      "a transaction that a fork dropped is still believed",
      "if (held !== undefined && (held.final ? absent.finalized : absent.confirmed) >= held.slot) drop(context, id);",
      "",
    ],
    [
      "unexplained-ignored",
      "a closing without an event is not looked into",
      "of read.unexplained) {",
      "of [] as typeof read.unexplained) {",
    ],
  ]),
  ...plantsIn("weakness", `${CHAIN}/looks.ts`, [
    [
      "open-ends-a-look",
      "an escrow that was read as open once is looked at no longer",
      "return concludeOpen(context, escrow, held, seen.slot);",
      "return endLook(context, escrow);",
    ],
  ]),
  ...plantsIn("weakness", "core/domains/governance/agreeing-readings.ts", [
    ["stake-read-once", "a stake that was read once weighs a vote", " : READINGS_MIN + 1;", " : 1;"],
  ]),
  ...plantsIn("weakness", `${CHAIN}/submissions.ts`, [
    [
      "submits-again",
      "a transaction is submitted whenever it is relayed",
      "  if (context.draft.get(Inquiries, signature) !== undefined) return;\n",
      "",
    ],
    ["tags-watch-nothing", "a tag is no hint of what to watch", "  watchHinted(context, tag);\n", ""],
  ]),
  ...plantsIn("law", `${CHAIN}/newest-slot.ts`, [
    [
      "highest-slot-believed",
      "the highest slot that anybody reports is believed",
      "const newest = secondHighest(untrue ? against : reported);",
      "const newest = (untrue ? against : reported)[0];",
    ],
    [
      "any-slot-is-plausible",
      "no slot is too far ahead",
      "return isReachable(newest && { slot: newest.slot, observed_at: newest.taken_at }, slot, now);",
      "return true;",
    ],
  ]),
  ...plantsIn("law", "core/domains/snapshots/produce.ts", [
    [
      "snapshot-without-slot",
      "a node that saw no slot makes a snapshot",
      "const newest = newestSlot(context.draft);",
      'const newest = newestSlot(context.draft) ?? { slot: 7n, taken_at: context.now, by: "one", origin: "" };',
    ],
    [
      "snapshot-of-guessed-slot",
      "a snapshot bears a slot that nobody saw",
      "slot: newest.slot, created_at: context.now };",
      "slot: newest.slot + 1n, created_at: context.now };",
    ],
  ]),
  ...plantsIn("law", "core/domains/oracles/queries.ts", [
    [
      "stale-is-current",
      "a rate that ran out is shown as current",
      "const current = records.filter((record) => at.now < record.expires_at);",
      "const current = records.filter((record) => at.now < record.expires_at + 60_000n);",
    ],
    [
      "nodata-is-stale",
      "a pair that nobody publishes reads stale",
      'if (records.length === 0) return { status: "noData" };',
      'if (records.length === 0) return { status: "stale" };',
    ],
    [
      "one-provider-votes-often",
      "each record of a provider is a vote",
      "const votes = ruleOf(at, newestOfEach)(current);",
      "const votes = current;",
    ],
    [
      "lower-median",
      "the median is not the middle",
      "[Math.floor(votes.length / 2)]",
      "[Math.ceil(votes.length / 2) - 1]",
    ],
    [
      "latest-expiry",
      "a rate is said to hold as long as the longest of its votes",
      "(end < first ? end : first)",
      "(end > first ? end : first)",
    ],
  ]),
];
