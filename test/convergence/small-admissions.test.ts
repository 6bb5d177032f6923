/**
 * Goal: around each bound of an ingress, whatever a stranger says, and in whatever order, what two parties say within
 * their own limits is held, and nodes that hold the same come to one state (CONVERGENCE B1-B3).
 * Method: the bounds made small in the product's own text, and scopes of seven statements that cross them; every order
 * of every subset of up to four (seven by night) is admitted one by one, each order going on from the state that its
 * beginning came to.
 */
import { expect, test } from "vitest";
import type { Load } from "../planted/planted-bug.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { profile } from "../property/profile.ts";
import { arbitrators, at, merchant, stranger, taker } from "./actors.ts";
import * as fixtures from "./fixtures.ts";
import type { AdmissionScope } from "./small-admissions.ts";
import { walkAdmissions } from "./small-admissions.ts";

type Admissions = typeof import("./small-admissions.ts");

/** Statements of a subset at most. */
const MOST = profile === "nightly" ? 7 : 4;
const BOUNDS = "core/engine/admission/bounds.ts";
const FEW: readonly PlantedBug[] = [
  { file: BOUNDS, find: "CONTENDERS_MAX = 8;", replace: "CONTENDERS_MAX = 2;" },
  { file: BOUNDS, find: "REQUESTS_PER_SIGNER_MAX = 256;", replace: "REQUESTS_PER_SIGNER_MAX = 2;" },
  { file: BOUNDS, find: "PENDING_PER_SIGNER_MAX = 64;", replace: "PENDING_PER_SIGNER_MAX = 2;" },
];
const [ada] = arbitrators as [typeof merchant];

const offer = fixtures.advertisement(merchant, at(0));
const begun = [offer, fixtures.request(taker, at(10))];
const initiated = [...begun, fixtures.initiate(taker, merchant, at(11))];
const opened = [...initiated, fixtures.open(taker, at(12))];
const four = [0, 1, 2, 3];

const scopes: readonly AdmissionScope[] = [
  {
    about: "advertisements of one name, of a stranger more than one may have",
    ground: [],
    honest: [offer, fixtures.request(taker, at(10)), fixtures.initiate(taker, merchant, at(11))],
    flood: four.map((n) => fixtures.advertisement(stranger, at(n))),
    most: 2,
  },
  {
    about: "requests about an advertisement, of a stranger more than one may have",
    ground: [offer],
    honest: [
      fixtures.request(taker, at(10)),
      fixtures.initiate(taker, merchant, at(11)),
      fixtures.payment(taker, at(12)),
    ],
    flood: four.map((n) => fixtures.request(stranger, at(9), { id: `${100 + n}` })),
    most: 2,
  },
  {
    about: "requests that wait for a price, of a stranger who has said nearly as much as one may",
    ground: [offer, fixtures.request(stranger, at(9), { id: "100" })],
    honest: [
      fixtures.priceUpdate(merchant, "ad", fixtures.fixed(105), at(5)),
      fixtures.request(taker, at(10)),
      fixtures.initiate(taker, merchant, at(11)),
    ],
    flood: [
      fixtures.request(stranger, at(9), { id: "101" }),
      ...[102, 103, 104].map((id) => fixtures.request(stranger, at(9), { id: `${id}`, price: 105 })),
    ],
    // What waits counts with the one that is there.
    most: 1,
  },
  {
    about: "requests of one number, of a stranger more than one may have",
    ground: [offer],
    honest: [
      fixtures.request(taker, at(10)),
      fixtures.initiate(taker, merchant, at(11)),
      fixtures.reservationCancel(taker, "42", at(12)),
    ],
    flood: four.map((n) => fixtures.request(stranger, at(6 + n))),
    most: 2,
  },
  {
    about: "what waits for records, of a stranger more than may",
    ground: begun,
    honest: [
      fixtures.initiate(taker, merchant, at(11)),
      fixtures.payment(taker, at(12)),
      fixtures.approve(merchant, at(13)),
    ],
    flood: four.map((n) => fixtures.payment(stranger, at(12 + n))),
    most: 2,
  },
  {
    about: "words about a case, of a stranger more than one may have",
    ground: [...opened, fixtures.join(ada, at(20))],
    honest: [
      fixtures.commit(ada, at(21), "BuyerWins", 0),
      fixtures.agree(taker, at(22)),
      fixtures.agree(merchant, at(23)),
    ],
    flood: four.map((n) => fixtures.commit(stranger, at(20 + n), "BuyerWins", n)),
    most: 2,
  },
];

const spaces: readonly AdmissionScope[] = [
  {
    about: "requests of a stranger that take more than a signer's bytes",
    ground: [offer],
    honest: [
      fixtures.request(taker, at(10)),
      fixtures.initiate(taker, merchant, at(11)),
      fixtures.payment(taker, at(12)),
    ],
    flood: four.map((n) => fixtures.request(stranger, at(9), { id: `${100 + n}` })),
    most: 3,
  },
  {
    about: "a stranger who fills the node, and what parties have left",
    ground: initiated,
    honest: [fixtures.payment(taker, at(12)), fixtures.approve(merchant, at(13)), fixtures.open(taker, at(14))],
    flood: four.map((n) => fixtures.request(stranger, at(9), { id: `${100 + n}` })),
    most: 1,
  },
];

interface Group {
  readonly bounds: readonly PlantedBug[];
  readonly scopes: readonly AdmissionScope[];
}

const groups = {
  counts: { bounds: FEW, scopes },
  // Three requests, or what a trade takes of one of its parties.
  "bytes of a signer": { bounds: bytes("SIGNER_BYTES_MAX = 32 * 1_048_576", 1_000), scopes: spaces.slice(0, 1) },
  // The trade and one request more.
  "bytes of a node": { bounds: bytes("NODE_BYTES_MAX = 512 * 1_048_576", 1_400), scopes: spaces.slice(1) },
} as const satisfies Record<string, Group>;

function bytes(find: string, few: number): readonly PlantedBug[] {
  return [{ file: BOUNDS, find: `${find};`, replace: `${find.split(" = ")[0]} = ${few};` }];
}

/** Holes: a bound that several share, and a full node without room for parties. */
const HOLES: readonly { readonly name: string; readonly group: Group; readonly hole: readonly PlantedBug[] }[] = [
  {
    name: "contenders of everybody share a bound",
    group: { bounds: FEW, scopes: scopes.slice(0, 1) },
    hole: [
      { file: BOUNDS, find: "const held = contendersOf(reader, { kind, name: id }, [signer]);", replace: "" },
      {
        file: BOUNDS,
        find: "return held.filter((each) => each.signer === signer).length < most;",
        replace: "return contenders(reader, kind, id).length < (signer === undefined ? 0 : CONTENDERS_MAX);",
      },
    ],
  },
  {
    name: "what waits of everybody shares a bound",
    group: { bounds: FEW, scopes: scopes.slice(4, 5) },
    hole: [
      {
        file: BOUNDS,
        find: 'return reader.count(Pending, "signer", statement.signer) < PENDING_PER_SIGNER_MAX;',
        replace: "return reader.size(Pending) < PENDING_PER_SIGNER_MAX;",
      },
    ],
  },
  {
    name: "a full node has no room for the parties of what it holds",
    group: groups["bytes of a node"],
    hole: [{ file: BOUNDS, find: "NODE_BYTES_MAX * (isOfParty ? 2 : 1)", replace: "NODE_BYTES_MAX" }],
  },
];

function walked({ bounds, scopes: each }: Group, hole: readonly PlantedBug[] = [], most = MOST) {
  return withPlantedBug([...bounds, ...hole], async (load: Load) => {
    const admissions = await load<Admissions>("test/convergence/small-admissions.ts");
    return each.map((scope) => ({ ...admissions.walkAdmissions(scope, most), scope }));
  });
}

test.each(Object.entries(groups))("whoever keeps within his limits is held, in every order: %s", async (_, group) => {
  for (const { scope, orders, refusing, most, wrong } of await walked(group)) {
    const { about } = scope;
    console.log(`${about}: ${orders} orders, ${refusing} of them with a refusal`);
    expect.soft(wrong, about).toBe(undefined);
    expect.soft(most, about).toBe(scope.most);
    expect.soft(refusing, about).toBeGreaterThan(0);
  }
});

test("beside the bounds as they are nothing of these is refused", () => {
  for (const scope of [...scopes, ...spaces])
    expect(walkAdmissions(scope, 2), scope.about).toMatchObject({ refusing: 0, wrong: undefined });
});

test.each(HOLES)("a planted bug is found: $name", async ({ group, hole }) => {
  expect((await walked(group, hole, 4)).some(({ wrong }) => wrong !== undefined)).toBe(true);
});
