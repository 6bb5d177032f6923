/**
 * The scenarios of protocol 03 part E, each with a bug that it must find: mostly what the reference does, or would
 * invite. Bugs are source transformations while loading. Source: protocol 03 part E "Scenario"; G.
 */
import type { PlantedBug } from "../planted/planted-text.ts";

export interface Row {
  /** S1 to S18. */
  readonly number: string;
  readonly scenario: string;
  /** What the bug makes of a node, or of the program. */
  readonly without: string;
  /** What the violation says, after the name of its check. */
  readonly finds: RegExp;
  readonly bug: PlantedBug | readonly PlantedBug[];
}

const CHAIN = "core/domains/chain-bridge";
const EXPLAINS = "for (const { escrow, reservation, closes } of read.unexplained) {";
const DROPS_WATCHES = "for (const key of context.draft.keys(Watches)) context.draft.put(Watches, key, undefined);";

/** A transaction that landed under a tag decides what its tag names. */
export const tagsBind: readonly PlantedBug[] = [
  {
    file: `${CHAIN}/submissions.ts`,
    find: "  watchHinted(context, tag);\n",
    replace: "  watchHinted(context, tag);\n  if (tag !== null) tags.set(signature, tag);\n",
  },
  {
    file: `${CHAIN}/submissions.ts`,
    find: "  if (!seen.succeeded) return;\n",
    replace: "  if (!seen.succeeded) return;\n  believe(context, tags.get(seen.signature) ?? '', seen.signature);\n",
  },
  {
    file: `${CHAIN}/submissions.ts`,
    find: "/** No endpoint took it: whoever sends it again may. */",
    replace: `
import { Disputes } from "../trade/disputes/tables.ts";
import { ChainFacts, Settlements } from "../trade/settlements/tables.ts";
import { Statements } from "../../engine/statements/table.ts";
import { foldOf } from "../../engine/step-context.ts";
const tags = new Map();
function believe(context, tag, signature) {
  const [domain, id] = tag.split(":");
  const keys = domain === "settlement" ? context.draft.find(Settlements, "id", id)
    : domain !== "dispute" ? []
    : context.draft.find(Disputes, "id", id).map((key) => context.draft.get(Disputes, key).settlement);
  for (const key of keys) {
    const row = context.draft.get(Settlements, key);
    const resolution = domain === "dispute" ? "BuyerWins" : null;
    const mint = context.draft.get(Statements, row.advertisement).payload.asset_mint;
    context.draft.put(ChainFacts, signature, {
      kind: resolution === null ? "released" : "decided", reservation: BigInt(row.reservation_id),
      buyer: row.buyer_public_key, seller: row.seller_public_key, mint, amount: row.amount.base_units,
      resolution, terminal_split: null, transaction: signature, timestamp: context.now,
    });
    const fold = foldOf(context);
    fold.mark("settlement", [row.reservation_id, row.buyer, row.seller].join("/"));
    fold.run();
  }
}
`,
  },
];

/** A peer's word that a transaction landed decides every dispute. */
const believesPeers: PlantedBug = {
  file: `${CHAIN}/gossip.ts`,
  find: '  return event.event_type === "TransactionRelayed" ? "passed on" : "left";\n}',
  replace: `  for (const key of [...context.draft.keys(Settlements)]) {
    const row = context.draft.get(Settlements, key);
    const mint = context.draft.get(Statements, row.advertisement).payload.asset_mint;
    context.draft.put(ChainFacts, key, {
      kind: "decided", reservation: BigInt(row.reservation_id), buyer: row.buyer_public_key,
      seller: row.seller_public_key, mint, amount: row.amount.base_units, resolution: "BuyerWins",
      terminal_split: null, transaction: "5".repeat(88), timestamp: context.now,
    });
    const fold = foldOf(context);
    fold.mark("settlement", [row.reservation_id, row.buyer, row.seller].join("/"));
    fold.run();
  }
  return "passed on";
}
import { ChainFacts, Settlements } from "../trade/settlements/tables.ts";
import { Statements } from "../../engine/statements/table.ts";
import { foldOf } from "../../engine/step-context.ts";`,
};

export const partE: readonly Row[] = [
  {
    ...{ number: "S1", scenario: "reveals-decide-nothing", without: "three reveals make an outcome" },
    finds: /^records-follow-the-papers: .* has resolution BuyerWins, and the papers say null/,
    bug: {
      file: "core/domains/trade/disputes/rules.ts",
      find: "resolution: settlement.resolution,",
      replace: "resolution: settlement.resolution ?? revealed[2]?.payload.vote ?? null,",
    },
  },
  {
    ...{ number: "S2", scenario: "stake-outweighs-heads", without: "heads count once the chain executed" },
    finds: /^records-follow-the-papers: .* has resolution BuyerWins, and the papers say MerchantWins/,
    bug: {
      file: "core/domains/trade/disputes/rules.ts",
      find: "resolution: settlement.resolution,",
      replace: "resolution: settlement.resolution && (revealed[0]?.payload.vote ?? settlement.resolution),",
    },
  },
  {
    ...{ number: "S3", scenario: "execution-lost-in-a-fork", without: "nothing is undone" },
    finds: /^facts-are-final: node 2 holds for good /,
    bug: { file: `${CHAIN}/chain-facts.ts`, find: "if (!held.taken) return;", replace: "return;" },
  },
  {
    ...{ number: "S4", scenario: "execution-that-fails", without: "a failed execution ends the watch" },
    finds: /^expectation: node \d never came to show/,
    bug: {
      file: `${CHAIN}/follow.ts`,
      find: EXPLAINS,
      replace: `if (!seen.succeeded) ${DROPS_WATCHES}\n${EXPLAINS}`,
    },
  },
  {
    ...{ number: "S5", scenario: "tag-of-another-case", without: "a decision binds whatever its number" },
    // A node that starts again binds by what it finds first: the reload shows it before two nodes are compared.
    finds: /^durable-before-visible: .* loads roots that it never had/,
    bug: [
      {
        file: "core/domains/trade/settlements/fold.ts",
        find: '[...reader.find(ChainFacts, "reservation", id)]',
        replace: "[...reader.keys(ChainFacts)]",
      },
      {
        file: "core/domains/trade/settlements/fold.ts",
        find: 'draft.count(ChainFacts, "reservation", name) > 0',
        replace: "draft.size(ChainFacts) > 0",
      },
    ],
  },
  {
    number: "S6",
    scenario: "tag-on-an-unrelated-transaction",
    without: "a tag decides",
    finds: /^facts-are-final: .*2001/,
    bug: tagsBind,
  },
  {
    ...{ number: "S7", scenario: "tied-round-reopens", without: "an undecided execution ends the watch" },
    finds: /^expectation: node \d never came to show/,
    bug: {
      file: `${CHAIN}/follow.ts`,
      find: EXPLAINS,
      replace: `${EXPLAINS}\n    ${DROPS_WATCHES}`,
    },
  },
  {
    ...{ number: "S8", scenario: "decided-before-anyone-sits", without: "only a full panel can be resolved" },
    finds: /^records-follow-the-papers: .* has status Open, and the papers say Resolved/,
    bug: {
      file: "core/domains/trade/disputes/rules.ts",
      find: 'if (decided) return "Resolved";',
      replace: 'if (decided && counts.joined >= REQUIRED_ARBITRATORS) return "Resolved";',
    },
  },
  {
    ...{ number: "S9", scenario: "split-without-a-verdict", without: "splits and mutual settlements are no decision" },
    finds: /^facts-are-weighed: node \d does not take what escrow 2001 and its event say alike/,
    bug: {
      file: `${CHAIN}/chain-facts.ts`,
      find: "if (!outranksOthers(context, id, fact, true)) return;",
      replace: 'if (fact.kind === "decided" && [null, "MutualSettlement"].includes(fact.resolution)) return;',
    },
  },
  {
    ...{ number: "S10", scenario: "case-unreadable-at-first", without: "accounts are asked for once" },
    finds: /^expectation: node \d never came to show/,
    bug: {
      file: `${CHAIN}/asking.ts`,
      find: "if (!held.taken || held.final) {",
      replace: "if (held.attempts === 0) {",
    },
  },
  {
    number: "S11",
    scenario: "gossip-only-waits",
    without: "a peer's word decides",
    finds: /^facts-are-final: /,
    bug: believesPeers,
  },
  {
    ...{ number: "S12", scenario: "slot-from-the-far-future", without: "any first slot is believed" },
    finds: /^slots-are-attested: node \d keeps slot 9223372036854775808, which the chain cannot have reached/,
    bug: {
      file: `${CHAIN}/view.ts`,
      find: "if (newest === undefined) return slot * SLOT_MS <= now;",
      replace: "if (newest === undefined) return true;",
    },
  },
  {
    ...{ number: "S13", scenario: "every-order-of-events", without: "what comes before its parent is dropped" },
    finds: /^expectation: node \d+ never came to show dispute-2001: status/,
    bug: {
      file: "core/engine/admission/bounds.ts",
      find: "< PENDING_PER_SIGNER_MAX",
      replace: "< 0",
    },
  },
  {
    ...{ number: "S14", scenario: "restart-before-finality", without: "a restart forgets what was watched" },
    finds: /^expectation: node [12] never came to show/,
    bug: {
      file: "core/domains/chain-bridge/domain.ts",
      find: "onStart: [watchFromStart, askAgain]",
      replace: "onStart: [askAgain]",
    },
  },
  {
    ...{ number: "S15", scenario: "one-execution-many-relays", without: "every relay is submitted again" },
    finds: /^submits-once: node \d submitted \w+ twice/,
    bug: {
      file: `${CHAIN}/submissions.ts`,
      find: "if (context.draft.get(Inquiries, signature) !== undefined) return;",
      replace: "",
    },
  },
  {
    ...{ number: "S16", scenario: "squatted-reservation-number", without: "parties need not be the trade's" },
    finds: /^records-follow-the-papers: .* has state Completed, and the papers say Disputed/,
    bug: [
      {
        file: "core/domains/trade/settlements/fold.ts",
        find: "    sameKey(fact.buyer, row.buyer_public_key) &&\n    sameKey(fact.seller, row.seller_public_key) &&\n",
        replace: "",
      },
      // A fact makes the group of its own parties fold again, so it would not be tried on others' settlements at all.
      {
        file: `${CHAIN}/chain-facts.ts`,
        find: "for (const each of [before, fact]) if (each !== undefined) fold.mark(SETTLEMENT_UNIT, groupOfFact(each));",
        replace: `
  for (const key of context.draft.keys(Settlements)) {
    const row = context.draft.get(Settlements, key);
    if (row) fold.mark(SETTLEMENT_UNIT, \`\${row.reservation_id}/\${row.buyer}/\${row.seller}\`);
  }`,
      },
      {
        file: `${CHAIN}/chain-facts.ts`,
        find: 'import { SETTLEMENT_UNIT } from "../trade/settlements/fold.ts";',
        replace: `
import { SETTLEMENT_UNIT } from "../trade/settlements/fold.ts";
import { Settlements } from "../trade/settlements/tables.ts";`,
      },
    ],
  },
  {
    ...{ number: "S17", scenario: "copied-commitment", without: "a commitment names neither case nor arbitrator" },
    finds: /^expectation: .*(BuyerWins|Completed|Settled)/,
    bug: {
      file: "sim/chain/model/votes.ts",
      find: "return concat(Uint8Array.of(outcome), salt, addressBytes(caseAddress), addressBytes(arbitrator));",
      replace: "return concat(Uint8Array.of(outcome), salt);",
    },
  },
  {
    ...{
      number: "S18",
      scenario: "two-commitments-of-one-arbitrator",
      without: "what was said is kept in order of arrival",
    },
    finds: /^equal-sets-equal-states: /,
    bug: {
      file: "core/domains/trade/disputes/fold.ts",
      find: [
        'const own = allBy(draft, { kind: "dispute", name }, person).filter(isOfPanel);',
        "  const acts = own.sort(compareStatements);",
      ].join("\n"),
      replace: [
        "const all = [...draft.keys(Statements)].map((key) => draft.get(Statements, key) as Statement);",
        "  const acts = all.filter((one) => one.signer === person && isOfPanel(one) && one.payload.dispute_id === name);",
      ].join("\n"),
    },
  },
];

/** Second bugs of scenarios that are about two things. */
export const more: readonly Row[] = [
  {
    ...{ number: "S17", scenario: "copied-commitment", without: "nobody is told of a copy" },
    finds: /^flagged: node \d never said: copied commitment/,
    bug: {
      file: "core/domains/trade/disputes/domain.ts",
      find: "afterChange: [onChangeOf([Panels], flagCopies)]",
      replace: "afterChange: []",
    },
  },
  {
    ...{ number: "S3", scenario: "execution-lost-in-a-fork", without: "what is confirmed counts as final" },
    finds: /^expectation: node 2 never came to show .*(BuyerWins|Completed)/,
    bug: {
      file: `${CHAIN}/chain-facts.ts`,
      find: 'const final = seen.commitment === "finalized";',
      replace: "const final = true;",
    },
  },
];
