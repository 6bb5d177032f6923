/**
 * Goal: the suite redaction can fail. Every way to name a party that it looks for, and a read that writes, is found
 * when it is planted, by the check that is there for it; the story that finds it finds nothing else.
 * Method: bugs are source transformations while loading; a short story with one trade of each kind that can leak.
 */
import { describe, expect, test } from "vitest";
import type { Violation } from "../../sim/checker.ts";
import type { Load } from "../planted/planted-bug.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { samples } from "../property/for-all.ts";

type Stories = typeof import("./redaction-stories.ts");
type Run = typeof import("../../sim/run.ts");
type Parts = typeof import("../../sim/backends.ts");

/** Stories told until one is found out: not in each of them does everybody say everything. */
const STORIES = 2;

/** The first violation of short stories, in the product that was loaded. */
async function firstViolation(load: Load): Promise<Violation | undefined> {
  const { arbRedactionStory, redactionScenario } = await load<Stories>("test/suites/redaction-stories.ts");
  const { runScenario } = await load<Run>("sim/run.ts");
  const { openBackends } = await load<Parts>("sim/backends.ts");
  for (const story of samples(arbRedactionStory(false), STORIES)) {
    const trades = story.trades.filter(({ ending }) => ["approved", "disputed"].includes(ending));
    const scenario = redactionScenario({ ...story, trades, probes: story.probes.slice(0, 2) });
    const { report } = await runScenario(scenario, { seed: 7n, chain: "model", nodes: 2 }, openBackends());
    if (report.violations[0] !== undefined) return report.violations[0];
  }
  return undefined;
}

interface Leak {
  readonly name: string;
  readonly bug: PlantedBug;
  /** What the check says. */
  readonly found: RegExp;
}

const leaks: readonly Leak[] = [
  {
    name: "a public view that shows one party",
    bug: {
      file: "core/domains/trade/settlements/schema.ts",
      find: '"PublicSettlement",\n  Settlement,',
      replace: '"PublicSettlement",\n  Settlement,\n  "seller",',
    },
    found: /the answer to get(Settlement|Trade)s? names \w+, at result\.(settlement\.)?seller/,
  },
  {
    name: "an attachment that keeps its author",
    bug: {
      file: "core/domains/content/attachments/views.ts",
      find: 'author: "",',
      replace: "author: attachment.author,",
    },
    found: /the answer to getSettlementAttachments names \w+, at result\.author/,
  },
  {
    name: "a refusal that repeats who asked",
    bug: {
      file: "core/engine/admission/rpc.ts",
      find: 'if (outcome !== undefined) return err({ type: "domain", ...refusalOf(outcome) });',
      replace:
        'if (outcome !== undefined) return err({ type: "params", reason: `${JSON.stringify(outcome)}: ${candidate.statement.signer}` });',
    },
    found: /the answer to send\w+ names \w+, at error\.message/,
  },
  {
    name: "a stream message that names the author of a review",
    bug: {
      file: "core/domains/reviews/methods.ts",
      find: "answers: (statement, configuration) => ruleOf(configuration, nameOfReview)(statement),",
      replace: "answers: ({ payload }) => (payload as ReviewPublish).author,",
    },
    found: /(a message of \/ws about|the answer to) sendReviewPublish names \w+, at result/,
  },
  {
    name: "a stream message that says who paid",
    bug: {
      file: "core/engine/rpc.ts",
      find: 'message: `{"method":${JSON.stringify(method)},"result":${result}}`,',
      replace:
        'message: `{"method":${JSON.stringify(method)},"result":${result},"by":${JSON.stringify([...context.draft.changes()].flatMap(({ record }) => (record as { buyer?: string } | undefined)?.buyer ?? []))}}`,',
    },
    found: /a message of \/ws about send\w+ names \w+, at by/,
  },
  {
    name: "a log line that names who signed",
    bug: {
      file: "core/network/gossip/receive.ts",
      find: "const admission = admit(context, fold, ingress, statement);",
      replace:
        'context.emit({ type: "log", level: "info", event: "statement", fields: { by: statement.signer } }); const admission = admit(context, fold, ingress, statement);',
    },
    found: /the log line statement names \w+, at fields\.by/,
  },
  {
    name: "a gauge labelled with a signer",
    bug: {
      file: "core/domains/node-info/gauges.ts",
      find: "ofs_statements: reader.size(Statements),",
      replace:
        '[`ofs_statements{last="${reader.get(Statements, [...reader.keys(Statements)].at(-1) ?? "")?.signer}"}`]: reader.size(Statements),',
    },
    found: /the metrics page names \w+/,
  },
  {
    name: "notifications about trades for anybody who names the wallet",
    bug: {
      file: "core/domains/notifications/methods.ts",
      find: "(dispatch) => mayKnow(reading.value, dispatch) || !isAboutTrade(dispatch.trigger),",
      replace: "() => true,",
    },
    found: /the answer to get\w+ByWallet shows a notification about a trade to nobody in it/,
  },
  {
    name: "a proof that opens the trades of others",
    bug: {
      file: "core/domains/trade/settlements/methods.ts",
      find: "const own = settlementsOfParty(context.draft, wallet);",
      replace: "const own = wallet ? allSettlements(context.draft) : settlementsOfParty(context.draft, wallet);",
    },
    found: /the answer to getMySettlements names \w+ to \w+, at result\.(buyer|seller)/,
  },
  {
    name: "a key that is not bound to the wallet",
    bug: {
      file: "core/domains/wallet-proofs/queries.ts",
      find: " || peerOfKey(key) !== wallet.peer)",
      replace: ")",
    },
    found: /^node \d: getMy\w+ opens to a key that is not that of \w+$/,
  },
  {
    name: "a nonce that is good twice",
    bug: {
      file: "core/domains/wallet-proofs/queries.ts",
      find: " || context.draft.get(SpentNonces, params.nonce) !== undefined)",
      replace: ")",
    },
    found: /^node \d: getMy\w+ opens to a nonce that was used before$/,
  },
  {
    name: "a nonce that every node takes for its own",
    bug: {
      file: "core/domains/wallet-proofs/nonce.ts",
      find: 'crypto.sha256(concat(utf8("challenge secret"), bootSeed))',
      replace: 'crypto.sha256(utf8("challenge secret"))',
    },
    found: /^node \d: getMy\w+ opens to a nonce that this node did not issue for such a read$/,
  },
  {
    name: "a proof that is good for every read",
    bug: {
      file: "core/domains/wallet-proofs/queries.ts",
      find: "const texts = wallet.form",
      replace: `domain = context.number % 2 ? domain : "openfiat-my-reservations";
  const texts = wallet.form`,
    },
    found: /^node \d: get\w+ (opens to a signature that is none of \w+ for it|refuses a signature that is right)$/,
  },
  {
    name: "a read that writes",
    bug: {
      file: "core/domains/trade/settlements/methods.ts",
      find: "const shown = settlementShown(reader, id, context);",
      replace:
        "const shown = settlementShown(reader, id, context); if (shown) context.draft.put(Settlements, shown.identity, { ...shown.row, updated_at: context.now });",
    },
    found: /changed its roots while it answered/,
  },
];

describe("redaction", () => {
  test("a short story names nobody", async () => {
    expect(await firstViolation((path) => import(/* @vite-ignore */ `../../${path}`))).toBeUndefined();
  });

  test.each(leaks)("$name is found", async ({ bug, found }) => {
    const violation = await withPlantedBug(bug, firstViolation);
    expect(violation?.message).toMatch(found);
  });
});
