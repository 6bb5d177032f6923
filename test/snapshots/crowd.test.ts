/**
 * Goal: however many announce snapshots, and whatever keys they made for it, the stake of everybody is read in turn and
 * that of who has stake always; a file that may be taken is asked for; and no step goes through all announcements
 * (CONVERGENCE B2, B5; protocol 05 §6.10, §6.11).
 * Method: a node that holds N and 4N announcements of strangers whose keys come before an honest producer's; rows that
 * a step looks at are counted, and nothing is timed.
 */
import { expect, test } from "vitest";
import { NewestSlots } from "../../core/domains/chain-bridge/newest-slot.ts";
import { Registration } from "../../core/domains/providers/schema.ts";
import { FORGOTTEN_AT_ONCE } from "../../core/domains/snapshots/forget.ts";
import { SnapshotAnnounce } from "../../core/domains/snapshots/schema.ts";
import { ProviderStakes, Snapshots } from "../../core/domains/snapshots/tables.ts";
import { ANNOUNCED_AT_ONCE, PRODUCERS_KEPT, STAKE_MIN, STAKES_EVERY_MS } from "../../core/domains/snapshots/trust.ts";
import type { Effect, NodeConfiguration } from "../../core/index.ts";
import { toHex } from "../../core/kernel/bytes.ts";
import { compareText, toBase58, utf8 } from "../../core/kernel/text.ts";
import type { EpochMillis, PublicKey } from "../../core/kernel/values.ts";
import type { CrowdedNode } from "../limits/crowded-node.ts";
import { crowdedNode } from "../limits/crowded-node.ts";
import { announcement, BLOCKHASH, registration, SNAPSHOT_SERVICE, T } from "../oracles/market.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { crypto, person } from "../rpc/lone-node.ts";

const [N, MANY] = [2_000, 8_000];
/** Two for each window of parts in which as many producers announce as are read at a time. */
const ROUNDS = 16;
const SLOT = 412_000_000n;
const honest = [...Array.from({ length: 8 }, (_, n) => person(0x30 + n))].sort((a, b) =>
  compareText(b.key, a.key),
)[0] as ReturnType<typeof person>;
const CHAIN: Partial<NodeConfiguration> = { chain: "RpcConnected", snapshots: {} };

/** A node that knows an honest producer, and announcements of so many keys that come before his. */
function crowded(many: number, told = CHAIN, slot = SLOT, open = crowdedNode): CrowdedNode {
  const node = open(T, told);
  node.gossip(Registration, registration(honest, SNAPSHOT_SERVICE), honest);
  node.does({ type: "chain.observed", observation: { type: "slot", slot: SLOT, blockhash: BLOCKHASH } });
  node.gossip(SnapshotAnnounce, announcement(honest, { slot: SLOT }), honest);
  for (let n = 0; n < many; n++) {
    const key = new Uint8Array(32);
    new DataView(key.buffer).setUint32(28, n);
    const producer_public_key = toBase58(key) as PublicKey;
    const stranger = { id: `stranger-${n}`, slot, producer: `stranger ${n}` as never, producer_public_key };
    node.put(Snapshots, toHex(crypto.sha256(utf8(`${n}`))), { ...announcement(honest), ...stranger });
  }
  return node;
}

/** Fires a timer after so many rounds of reading; the effects and how many rows were looked at. */
function fire(node: CrowdedNode, timer: "provider-stakes" | "snapshot-bootstrap", round = 0n) {
  node.now = (T + round * BigInt(STAKES_EVERY_MS)) as EpochMillis;
  const before = node.touched();
  const effects = node.does({ type: "timer.fired", timer });
  return { effects, touched: node.touched() - before };
}

/** After how many rounds the honest producer's stake was asked for. */
function roundsUntilRead(node: CrowdedNode): number {
  for (let round = 0; round < ROUNDS; round++) {
    fire(node, "provider-stakes", BigInt(round));
    if (node.store.get(ProviderStakes, honest.key) !== undefined) return round;
  }
  return Infinity;
}

test("a producer's stake is read in his turn, whatever keys come before his; a round looks at so many rows", () => {
  const [few, many] = [crowded(N), crowded(MANY)];
  expect(roundsUntilRead(few)).toBeLessThan(ROUNDS);
  const touched = [few, many].map((node) => fire(node, "provider-stakes").touched) as [number, number];
  expect(touched[1]).toBeLessThanOrEqual(touched[0] + ANNOUNCED_AT_ONCE);
});

test("who has stake is read every time; of more than keep their places those with most", () => {
  const node = crowded(MANY);
  node.put(ProviderStakes, honest.key, { address: "stake", amount: STAKE_MIN, read_at: T });
  for (const round of [0n, 1n, 2n, 3n]) {
    fire(node, "provider-stakes", round);
    expect(node.store.get(ProviderStakes, honest.key)?.amount).toBe(STAKE_MIN);
  }
  expect(PRODUCERS_KEPT).toBeLessThan(256);
});

const fetches = (effects: readonly Effect[]) => effects.filter(({ type }) => type === "snapshot.fetch").length;

test("a file that may be taken is asked for, however many announce higher slots", () => {
  const told = { snapshots: { anchors: [honest.key] } };
  const [few, many] = [N, MANY].map((size) => fire(crowded(size, told, SLOT + 9n), "snapshot-bootstrap"));
  expect([few, many].map((each) => fetches(each?.effects ?? []))).toEqual([1, 1]);
  expect(many?.touched).toBeLessThanOrEqual((few?.touched ?? 0) + 64);
});

test("announcements of slots that cannot be are forgotten so many a step", () => {
  const node = crowded(N, CHAIN, SLOT * 9n);
  const sizes = [0, 1].map((step) => {
    const before = node.store.size(Snapshots);
    const touched = node.touched();
    const slot = SLOT + 10n + BigInt(step);
    node.does({ type: "chain.observed", observation: { type: "slot", slot, blockhash: BLOCKHASH } });
    expect(node.touched() - touched).toBeLessThan(N);
    return before - node.store.size(Snapshots);
  });
  expect(node.store.size(NewestSlots)).toBeGreaterThan(0);
  expect(sizes).toEqual([FORGOTTEN_AT_ONCE, FORGOTTEN_AT_ONCE]);
});

test("a planted bug is found: the same part is always first", async () => {
  const bug = {
    file: "core/domains/snapshots/tables.ts",
    find: "round * ROUND_PARTS + part",
    replace: "round * 0n + part",
  };
  const rounds = await withPlantedBug(bug, async (load) => {
    const { crowdedNode: open } = await load<typeof import("../limits/crowded-node.ts")>("test/limits/crowded-node.ts");
    return roundsUntilRead(crowded(N, CHAIN, SLOT, open));
  });
  expect(rounds).toBe(Infinity);
});
