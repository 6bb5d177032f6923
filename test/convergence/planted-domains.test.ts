// Goal: the laws are watched in every domain: a bug planted into each is found, and found in its own records or
// answers. Method: all bugs of one kind in one loaded copy of the product; each law runs on stories of one domain.
import fc from "fast-check";
import { assert, beforeAll, describe, test } from "vitest";
import { marketplace } from "../../core/domains.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { samples } from "../property/for-all.ts";
import { everyDomain } from "./workload.ts";

type Network = typeof import("./network-law.ts");
type Vetoes = typeof import("./veto-law.ts");
type Workload = typeof import("./workload.ts");

interface DomainBug extends PlantedBug {
  /** What a failure has to name: a table, a method, or a statement's type. */
  readonly shows: RegExp;
}

/** In how many stories of its domain a bug has to show. */
const STORIES = 300;

/** Places where an order of arrival leaks. */
const ORDER_BUGS: Readonly<Record<string, DomainBug>> = {
  taxonomy: {
    file: "core/domains/payment-methods/tables.ts",
    find: ".sort((a, b) => compareText(a.id, b.id))",
    replace: "",
    shows: /getPaymentMethods/,
  },
  notifications: {
    file: "core/domains/notifications/schema.ts",
    find: '  register: () => "",\n',
    replace: "",
    shows: /notification_subscriptions/,
  },
  content: {
    file: "core/domains/content/attachments/queries.ts",
    find: "[...found].sort(compareAge)",
    replace: "[...found]",
    shows: /getSettlementAttachments/,
  },
  tradechannel: {
    file: "core/domains/trade-channel/views.ts",
    find: `signers.flatMap((signer) => childrenBySigner(reader, initiate, signer))) ?? [];
  return signed
    .filter(({ signer }) => signers.includes(signer))
    .filter((statement): statement is Statement<P> => statement.type.name === type.name)
    .sort(compareStatements);`,
    replace: `[...reader.keys(Statements)].flatMap((key) => reader.get(Statements, key) ?? [])) ?? [];
  return signed
    .filter(({ signer }) => signers.includes(signer))
    .filter((statement): statement is Statement<P> => statement.type.name === type.name);`,
    shows: /getMyTradeChannel/,
  },
  governance: {
    file: "core/domains/governance/fold.ts",
    find: [
      "const votes = childrenBySigner(reader, create, voter).filter(({ type }) => type.name === VoteCast.name);",
      "  return (votes as Statement<VoteCast>[])",
    ].join("\n"),
    replace: [
      "const votes = childrenOfType<VoteCast>(reader, create, VoteCast).filter(({ signer }) => signer === voter);",
      "  const compareStatements = () => 0;",
      "  return [...votes]",
    ].join("\n"),
    shows: /cast_votes/,
  },
  sessions: {
    file: "core/domains/sessions/fold.ts",
    find: "[SessionRevoke.name]: markParents,",
    replace: "",
    shows: /sessions/,
  },
  identity: {
    file: "core/domains/identity/fold.ts",
    find: "[ClaimRevoke.name]: markParents,",
    replace: "",
    shows: /identity_claims/,
  },
  reviews: {
    file: "core/domains/reviews/views.ts",
    find: "signer === author && isComment(payload.comment))\n    .sort(compareStatements)",
    replace: "isComment(payload.comment))",
    shows: /getReviews|getMyReviews/,
  },
  registry: {
    file: "core/domains/providers/queries.ts",
    find: "return live.sort(compareServices)[0];",
    replace: "return live[0];",
    shows: /getProvider/,
  },
  oracles: {
    file: "core/domains/oracles/queries.ts",
    find: "votes.map(rateOf).sort(compareRates)",
    replace: "votes.map(rateOf)",
    shows: /ExchangeRate/,
  },
  snapshot: {
    file: "core/domains/snapshots/fold.ts",
    find: "if (!identities.has(key)) draft.put(Snapshots, key, undefined);",
    replace: "",
    shows: /snapshots/,
  },
  risk: {
    file: "core/domains/risk/fold.ts",
    find: "draft.put(RiskRecords, identity, {",
    replace: "draft.put(RiskRecords, publish.payload.id, {",
    shows: /risk_records/,
  },
};

/** Places where somebody's word undoes another's. Reviews promise nothing that another could undo. */
const VETO_BUGS: Readonly<Record<string, DomainBug>> = {
  taxonomy: {
    file: "core/domains/payment-methods/fold.ts",
    find: "const id = definitionId(hash, statement.payload);",
    replace:
      "const id = definitionId(hash, statement.payload);\n      for (const key of draft.keys(PaymentMethods)) if (draft.get(PaymentMethods, key)?.name === name) draft.put(PaymentMethods, key, undefined);",
    shows: /PaymentMethodDefine/,
  },
  notifications: {
    file: "core/domains/notifications/tables.ts",
    find: "function receiptKey(provider: PeerId, delivery: string): string {",
    replace:
      "function receiptKey(provider: PeerId, delivery: string): string {\n  if (provider !== undefined) return delivery;",
    shows: /DeliveryReport/,
  },
  content: {
    file: "core/domains/content/attachments/queries.ts",
    find: 'reader.find(Attachments, "shown", `${author}/${name}`)',
    replace: "[...reader.keys(Attachments)].filter((key) => reader.get(Attachments, key)?.subject.Settlement === name)",
    shows: /AttachmentPublish/,
  },
  tradechannel: {
    file: "core/domains/trade-channel/views.ts",
    find: "const entries = [...parties].flatMap((author) => [...entriesBySequence(reader, settlement, author).values()]);",
    replace:
      "const entries = [...new Map([...parties].flatMap((one) => [...entriesBySequence(reader, settlement, one)])).values()];",
    shows: /TradeChannelEntryPost/,
  },
  governance: {
    file: "core/domains/governance/fold.ts",
    find: "const own = childrenBySigner(draft, create, create.signer)",
    replace: "const own = (childrenOfType(draft, create, ProposalWithdraw) as readonly Statement[])",
    shows: /ProposalCreate/,
  },
  sessions: {
    file: "core/domains/sessions/fold.ts",
    find: "childrenBySigner(draft, create, create.signer)",
    replace:
      'draft.find(Statements, "about", "session/" + create.payload.id + "/SessionRevoke").map((key) => draft.get(Statements, key) as Statement)',
    shows: /Session/,
  },
  identity: {
    file: "core/domains/identity/fold.ts",
    find: "return childrenBySigner(draft, publish, publish.signer)",
    replace:
      'return draft.find(Statements, "about", "claim/" + publish.payload.id + "/ClaimRevoke").map((key) => draft.get(Statements, key) as Statement)',
    shows: /Claim/,
  },
  registry: {
    file: "core/domains/providers/fold.ts",
    find: "const listed = registration !== undefined &&",
    replace:
      'const listed = registration !== undefined && draft.find(Services, "id", id).every((other) => other >= key) &&',
    shows: /Registration/,
  },
  oracles: {
    file: "core/domains/oracles/fold.ts",
    find: "const { timestamp, ...rest } = published.payload;",
    replace:
      'for (const other of draft.find(OracleRecords, "id", published.payload.id)) draft.put(OracleRecords, other, undefined);\n    const { timestamp, ...rest } = published.payload;',
    shows: /OraclePublish/,
  },
  snapshot: {
    file: "core/domains/snapshots/fold.ts",
    find: "for (const { identity, payload } of held) draft.put(Snapshots, identity, payload);",
    replace:
      'for (const { identity, payload } of held) { for (const key of draft.find(Snapshots, "id", payload.id)) draft.put(Snapshots, key, undefined); draft.put(Snapshots, identity, payload); }',
    shows: /SnapshotAnnounce/,
  },
  risk: {
    file: "core/domains/risk/views.ts",
    find: "const cuts = clearancesOf(counted, rules);",
    replace: 'const cuts = clearancesOf(counted, new Map([[clearanceOf, () => "anybody"]]));',
    shows: /RiskPublish/,
  },
};

describe("every domain has a planted bug", () => {
  test("of each kind; those of a trade are in planted.test.ts", () => {
    assert.isAbove(marketplace.types.length, everyDomain.length);
    const others = everyDomain.filter((name) => name !== "trade");
    assert.sameMembers(Object.keys(ORDER_BUGS), others);
    assert.sameMembers(
      Object.keys(VETO_BUGS),
      others.filter((name) => name !== "reviews"),
    );
  });
});

/** Looks for each bug by its domain's stories; answers what each failure said. */
function hunts(
  bugs: Readonly<Record<string, DomainBug>>,
  hunt: (
    load: Parameters<Parameters<typeof withPlantedBug>[1]>[0],
  ) => Promise<(domain: string, shows: RegExp) => string | undefined>,
): void {
  const found = new Map<string, string | undefined>();
  beforeAll(async () => {
    await withPlantedBug(Object.values(bugs), async (load) => {
      const look = await hunt(load);
      for (const [domain, { shows }] of Object.entries(bugs)) found.set(domain, look(domain, shows));
    });
  });
  test.each(Object.entries(bugs))("%s", (domain, { shows }) => assert.match(found.get(domain) ?? "nothing", shows));
}

describe("an order of arrival that leaks is found", () => {
  hunts(ORDER_BUGS, async (load) => {
    const { disagreement } = await load<Network>("test/convergence/network-law.ts");
    const { arbIntents, arbSchedule, storyOf } = await load<Workload>("test/convergence/workload.ts");
    return (domain, shows) => {
      for (const [intents, schedule] of samples(fc.tuple(arbIntents(30, 60), arbSchedule), STORIES)) {
        const wrong = disagreement(storyOf(intents, [domain]).observations, schedule);
        if (wrong !== undefined && shows.test(wrong)) return wrong;
      }
      return undefined;
    };
  });
});

describe("a word that undoes another's is found", () => {
  hunts(VETO_BUGS, async (load) => {
    const { vetoes } = await load<Vetoes>("test/convergence/veto-law.ts");
    const { arbIntents, continueStory, storyOf } = await load<Workload>("test/convergence/workload.ts");
    return (domain, shows) => {
      for (const [intents, more] of samples(fc.tuple(arbIntents(30, 60), arbIntents(9, 30)), STORIES)) {
        const story = storyOf(intents, [domain]);
        const observations = [...story.observations];
        continueStory(story, more, [domain]);
        for (const each of story.observations.slice(observations.length).filter(({ type }) => type === "statement")) {
          const lost = vetoes(observations, [each]).find((act) => shows.test(act));
          if (lost !== undefined) return lost;
        }
      }
      return undefined;
    };
  });
});
