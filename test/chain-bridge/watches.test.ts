// Goal: whose trades are long over keeps no new escrow from being watched, however many of them were never funded, and
// takes no place from a trade that is not over (CONVERGENCE B2, B7). Method: a node that watches as many as it may, one
// of which is of a settlement that ended so and so long ago; then somebody begins a trade.

import { expect, test } from "vitest";
import { Watches } from "../../core/domains/chain-bridge/tables.ts";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import { ReservationRequest } from "../../core/domains/trade/reservations/schema.ts";
import type { SettlementRow } from "../../core/domains/trade/settlements/schema.ts";
import { SettlementInitiate } from "../../core/domains/trade/settlements/schema.ts";
import { Settlements } from "../../core/domains/trade/settlements/tables.ts";
import type * as CoreIndex from "../../core/index.ts";
import { known } from "../../core/kernel/assert.ts";
import type { EpochMillis, Identity } from "../../core/kernel/values.ts";
import { crowdedNode } from "../limits/crowded-node.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { loneNode, signedData } from "../rpc/lone-node.ts";
import { advertisement, at, buyer, initiate, merchant, request, T, tradeSends } from "../rpc/node-with-settlement.ts";

const DAY_MS = 86_400_000n;
const CHAIN = { chain: "RpcConnected", chainCommitment: "finalized" } as const;
/** Those that are not reserved for disputes. */
const PLACES = 90_000;

/** A settlement as a node has it that somebody began. */
function settlementRow(): SettlementRow {
  const node = crowdedNode(at(400_000), CHAIN);
  for (const { method, data } of tradeSends) node.call(method, { data });
  const [key = ""] = node.store.keys(Settlements);
  return known(node.store.get(Settlements, key), "a settlement");
}

/** Which escrows are watched beside an old one that ended so many days ago, of so many. */
function watchedBeside(days: number, watches: number, signed_state?: SettlementRow["signed_state"]): readonly string[] {
  const node = crowdedNode(at(400_000), CHAIN);
  for (const { method, data } of tradeSends.slice(0, 2)) node.call(method, { data });
  const ends_at = (T - DAY_MS * BigInt(days)) as EpochMillis;
  node.put(Watches, "old", { reservation: 1n, pairs: ["a:r"], ends_at });
  const old = { id: "old", advertisement: "a" as Identity, request: "r" as Identity };
  if (signed_state !== undefined) node.put(Settlements, "old", { ...settlementRow(), ...old, signed_state });
  node.holds(Watches, watches);
  node.call("sendSettlementInitiate", { data: signedData(SettlementInitiate, initiate, buyer) });
  return [...node.store.keys(Watches)].map((key) => (key === "old" ? "old" : "new"));
}

test.each([
  ["one that ended two months ago makes room", 60, PLACES, ["new"]],
  ["and one that ended ten years ago", 3_600, PLACES, ["new"]],
  ["one that may not be sealed yet does not", 14, PLACES, ["old"]],
  ["one that has not ended does not", -30, PLACES, ["old"]],
  ["while there is room none has to go", 60, PLACES - 1, ["old", "new"]],
])("%s", (_, days, watches, watched) => expect(watchedBeside(days, watches)).toEqual(watched));

test("one that is disputed does not, however long ago it ended", () => {
  expect(watchedBeside(60, PLACES, "Disputed")).toEqual(["old"]);
  expect(watchedBeside(60, PLACES, "AwaitingPayment")).toEqual(["new"]);
});

/** What becomes of watches when somebody trades under another id half a year later, where there is one place. */
async function watchedAfterAll(parity: boolean): Promise<readonly string[]> {
  const one = {
    file: "core/domains/chain-bridge/watches.ts",
    find: "WATCHES_MAX = 100_000",
    replace: "WATCHES_MAX = 10_001",
  };
  return withPlantedBug(one, async (load) => {
    const core = await load<typeof CoreIndex>("core/index.ts");
    const profile = { ...core.devnetNetwork, parity };
    const node = loneNode(at(400_000), core, new Map(), { ...CHAIN, profile });
    for (const { method, data } of tradeSends) node.call(method, { data });
    node.now += 180n * DAY_MS;
    const timestamp = node.now as EpochMillis;
    const [ad, asked] = [
      { ...advertisement, id: "ad-2", timestamp },
      { ...request, id: "2", advertisement_id: "ad-2", timestamp },
    ];
    const begun = { ...initiate, id: "set-2", reservation_id: "2", timestamp };
    node.call("sendAdvertisementCreate", { data: signedData(AdvertisementCreate, ad, merchant) });
    node.call("sendReservationRequest", { data: signedData(ReservationRequest, asked, buyer) });
    node.call("sendSettlementInitiate", { data: signedData(SettlementInitiate, begun, buyer) });
    return node.effects.map(({ type }) => type).filter((type) => type === "chain.watch" || type === "chain.unwatch");
  });
}

test("a trade half a year later has the place, but where records have no end", async () => {
  expect(await watchedAfterAll(false)).toEqual(["chain.watch", "chain.unwatch", "chain.watch"]);
  expect(await watchedAfterAll(true)).toEqual(["chain.watch"]);
});
