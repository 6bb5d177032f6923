// Goal: who imports a file holds what its producer has sealed, so that nothing sold is handed out again, and ends with
// the same four roots. Method: a finished trade, sealed, goes into a file; the taker seals when his hour comes.
import { assert, test } from "vitest";
import { Advertisements } from "../../core/domains/trade/advertisements/tables.ts";
import { LateRequests } from "../../core/domains/trade/reservations/tables.ts";
import { hourAfter, SEAL_EVERY_MS } from "../../core/domains/trade/sealing/hours.ts";
import { SETTLEMENT_LIFE_MS } from "../../core/domains/trade/settlements/schema.ts";
import { Seals, Statements } from "../../core/engine/statements/table.ts";
import type { Fields, RecordOf } from "../../core/kernel/schema-composites.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { Actor } from "../convergence/actors.ts";
import { at, taker as buyer, merchant } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import type { Person } from "../rpc/lone-node.ts";
import type { Shelf, SignedBy, StagedNode } from "../snapshots/stage.ts";
import { EVERY_MS, producer, replay, SLOT, snapshotting, stage, taker, taking } from "../snapshots/stage.ts";
import { compareWithTwo } from "./compared.ts";

/** A full hour long after the trade. */
const OVER = (hourAfter(at(2) + BigInt(SETTLEMENT_LIFE_MS)) + 2n) * SEAL_EVERY_MS;

function signed({ type, payload }: Statement, by: Actor | Person): SignedBy {
  return { type, payload: payload as RecordOf<Fields>, by: by as Person };
}

const trade: readonly SignedBy[] = [
  signed(fixtures.advertisement(merchant, at(0)), merchant),
  signed(fixtures.request(buyer, at(1)), buyer),
  signed(fixtures.initiate(buyer, merchant, at(2)), buyer),
  signed(fixtures.payment(buyer, at(3)), buyer),
  signed(fixtures.approve(merchant, at(4)), merchant),
];

function sealAt(node: StagedNode, now: bigint): void {
  node.now = now;
  node.accept({ type: "timer.fired", timer: "sweep" });
}

function soldOf(node: StagedNode): readonly (bigint | undefined)[] {
  return [...node.view.keys(Advertisements)].map((key) => node.view.get(Advertisements, key)?.acknowledged);
}

test("a file carries what is sealed", () => {
  const shelf: Shelf = new Map();
  const source = stage({ who: producer, now: at(10), shelf, told: snapshotting(producer) });
  replay(source, trade);
  source.now = OVER;
  compareWithTwo(source);
  sealAt(source, OVER);
  assert.equal(source.view.size(Seals), 4);
  source.observe(SLOT);
  source.pass(EVERY_MS);
  const node = stage({ who: taker, now: source.now, shelf, told: taking });
  const own = [...source.view.keys(Statements)].map((key) => source.view.get(Statements, key) as Statement);
  replay(
    node,
    own.filter(({ signer }) => signer === producer.peer).map((each) => signed(each, producer)),
  );
  node.pass(EVERY_MS);
  assert.deepEqual(soldOf(node), soldOf(source));
  // What a file brings is old by its nature, and reads late nowhere.
  assert.equal(node.view.size(LateRequests), 0);
  assert.lengthOf(
    soldOf(node).filter((sold) => sold === 10n),
    1,
  );
  sealAt(node, OVER + SEAL_EVERY_MS);
  assert.deepEqual(node.roots(), source.roots());
});
