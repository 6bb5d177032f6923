/**
 * Goal: whatever a crowd of strangers says, what honest people say within their own limits reaches every honest node, a
 * difference that cannot close is found once, and no message costs more than its bound (CONVERGENCE B1-B5).
 * Method: a trade and a case about it on three nodes, with one attack at a time; the same with the rule taken out that
 * the attack is about, which the laws have to find.
 */
import { expect, test } from "vitest";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import type { Crowd } from "./crowds.ts";
import { ids, playCrowd } from "./crowds.ts";

type Crowds = typeof import("./crowds.ts");

interface Row {
  readonly crowd: Crowd;
  /** Bounds that the crowd reaches only where they are lower. */
  readonly lowered?: readonly PlantedBug[];
  /** The hole, as it was; nothing where the law of another test finds it. */
  readonly hole?: readonly PlantedBug[];
  readonly finds?: RegExp;
}

const BOUNDS = "core/engine/admission/bounds.ts";

const at = { offer: ids.offer, priceCents: ids.priceCents, units: ids.units };

/** One key's room, and that of all. */
const ownRoom = (bytes: string): PlantedBug => ({
  file: BOUNDS,
  find: "export const SIGNER_BYTES_MAX = 32 * 1_048_576;",
  replace: `export const SIGNER_BYTES_MAX = ${bytes};`,
});
const room: PlantedBug = {
  file: BOUNDS,
  find: "export const NODE_BYTES_MAX = 512 * 1_048_576;",
  replace: "export const NODE_BYTES_MAX = 40_000;",
};

const rows: readonly Row[] = [
  {
    crowd: { attack: { kind: "case-crowd", dispute: ids.dispute }, times: 40, from: 20 },
    hole: [
      {
        file: "core/domains/trade/disputes/domain.ts",
        find: "typeRow(ArbitratorJoin, COMMON_LIMITS),",
        replace: `typeRow(ArbitratorJoin, {
          ...COMMON_LIMITS,
          withinLimits: (reader, { payload }) => reader.count(Panels, "joined", payload.dispute_id) < 8,
        }),`,
      },
    ],
    finds: /join|commit/i,
  },
  {
    // Late and quick: the node that the owner of the name speaks to must not have been told of the crowd before.
    crowd: {
      attack: { kind: "name-crowd", offer: ids.offer, apart: 0 },
      times: 12,
      from: 7.2,
      lasts: 0.7,
      untaken: true,
    },
    hole: [
      {
        file: BOUNDS,
        find: "return held.filter((each) => each.signer === signer).length < most;",
        replace: "return held.length < CONTENDERS_MAX && contenders(reader, kind, id).length < CONTENDERS_MAX;",
      },
    ],
    finds: /advertise|AdvertisementCreate/,
  },
  {
    crowd: { attack: { kind: "request-crowd", offer: ids.offer }, times: 60 },
    hole: [
      {
        file: "core/engine/statements/fold.ts",
        find: "return units.every(({ takes }) => takes?.[statement.type.name]?.(draft, create, statement) ?? true);",
        replace: "return units.length > 0;",
      },
      {
        file: BOUNDS,
        find: "return countOwnAbout(reader, statement) < most;",
        replace:
          'return reader.count(Statements, "about", `${parent.kind}/${parent.name}/${type.name}`) < (isOfParty ? most : 16);',
      },
    ],
    finds: /rows for one statement|reserve|ReservationRequest/,
  },
  {
    crowd: { attack: { kind: "ballot-crowd", proposal: ids.proposal }, times: 40, from: 3 },
    hole: [
      {
        file: "core/domains/governance/domain.ts",
        find: "countOwnOfType(reader, statement) < VOTES_PER_VOTER_MAX",
        replace: 'reader.count(Statements, "about", "proposal/ofip-0001/VoteCast") < 16',
      },
      {
        file: "core/domains/governance/domain.ts",
        find: 'import { governanceFolds, markGovernanceFact } from "./fold.ts";',
        replace: `import { Statements } from "../../engine/statements/table.ts";
          import { governanceFolds, markGovernanceFact } from "./fold.ts";`,
      },
    ],
    finds: /vote on|VoteCast/,
  },
  {
    crowd: { attack: { kind: "split-orphans" }, times: 160, after: 120 },
    hole: [
      {
        file: "core/network/gossip/refused.ts",
        find: "return held !== undefined && !held.lifted && held.until > context.now;",
        replace: "return held !== undefined && held.until < 0n && context.now < 0n;",
      },
    ],
    finds: /fetched one statement/,
  },
  {
    crowd: { attack: { kind: "hollow-votes", dispute: ids.dispute }, times: 80, from: 20 },
    // One may commit as often as he likes, in a room that all share: he fills it.
    hole: [
      {
        file: "core/domains/trade/disputes/schema.ts",
        find: `  ownDepth: 4,
  event: "VoteCommitted",`,
        replace: '  event: "VoteCommitted",',
      },
      {
        file: "core/domains/trade/disputes/domain.ts",
        find: "typeRow(VoteCommit, COMMON_LIMITS),",
        replace: `typeRow(VoteCommit, {
          ...COMMON_LIMITS,
          withinLimits: (reader, { payload }) =>
            reader.count(Statements, "about", "dispute/" + payload.dispute_id + "/VoteCommit") < 16,
        }),`,
      },
      {
        file: "core/domains/trade/disputes/domain.ts",
        find: 'import { disputeFolds } from "./fold.ts";',
        replace: `import { Statements } from "../../../engine/statements/table.ts";
          import { disputeFolds } from "./fold.ts";`,
      },
    ],
    finds: /commit/i,
  },
  {
    crowd: { attack: { kind: "number-crowd", reservation: ids.reservation }, times: 140, from: 10 },
    hole: [
      {
        file: "core/domains/trade/settlements/fold.ts",
        find: "import { parentsOf, Statements } from",
        replace: "import { childrenOfType, contenders, parentsOf, Statements } from",
      },
      {
        file: "core/domains/trade/settlements/fold.ts",
        find: 'draft.count(ChainFacts, "reservation", name) > 0',
        replace: "true",
      },
      {
        file: "core/domains/trade/settlements/fold.ts",
        find: "initiatesIn(draft, spellingsOf(name), buyer as PeerId, seller as PeerId).flatMap(",
        replace: `spellingsOf(name)
          .flatMap((id) => contenders(draft, "reservation", id))
          .flatMap((request) => childrenOfType(draft, request, SettlementInitiate)).flatMap(`,
      },
      {
        file: "core/domains/trade/settlements/fold.ts",
        find: "if (before === undefined || !isSame(before, row)) draft.put(",
        replace: "draft.put(",
      },
    ],
    finds: /rows for one statement/,
  },
  {
    // They ask before the offer is there, and all of them are attached when it comes.
    crowd: { attack: { kind: "old-price", ...at }, times: 160, untaken: true, read: true },
    hole: [
      {
        file: "core/engine/statements/slices.ts",
        find: "let places = ATTACHED_AT_ONCE;",
        replace: "let places = draft.size(HeldCalls) > 0 ? Infinity : ATTACHED_AT_ONCE;",
      },
    ],
    finds: /attached \d+ statements in one step of the timer attach/,
  },
  {
    crowd: { attack: { kind: "claimed-holdings", many: 190 }, times: 1 },
    hole: [
      {
        file: "core/network/gossip/arrivals.ts",
        find: "held.events.slice(0, FETCHED_AT_ONCE), peer",
        replace: "held.events, peer",
      },
    ],
    finds: /in one step of an answer/,
  },
  {
    crowd: { attack: { kind: "fresh-peers", many: 40 }, times: 12, from: 2, lasts: 6 },
    hole: [
      {
        file: "core/network/gossip/credit.ts",
        find: "if (advance > 0n && !drawAdvance(context, name, ALLOWANCES[name], advance)) return false;",
        replace: "",
      },
    ],
    finds: /more from newcomers/,
  },
  {
    // One key publishes more than the node has room for; it has room of its own.
    crowd: { attack: { kind: "claimed-holdings", many: 180 }, times: 1 },
    lowered: [ownRoom("12_000"), room],
    hole: [ownRoom("1_048_576"), room],
    finds: /vote on|RATE_LIMIT_EXCEEDED/,
  },
];

function played({ crowd }: Row, planted: readonly PlantedBug[]) {
  return withPlantedBug(planted, async (load) => (await load<Crowds>("test/attacks/crowds.ts")).playCrowd(crowd));
}

test.each(rows)("$crowd.attack.kind takes nothing from those who take part", async (row) => {
  expect(await (row.lowered === undefined ? playCrowd(row.crowd) : played(row, row.lowered))).toEqual([]);
});

test.each(rows.filter(({ hole }) => hole !== undefined))(
  "$crowd.attack.kind is seen where its hole is",
  async (row) => {
    const found = await played(row, row.hole ?? []);
    expect(found.map(({ check, message }) => `${check}: ${message}`).join("\n")).toMatch(row.finds ?? /./);
  },
);
