/**
 * Limits on the snapshots that nodes make and take, and on whom they take them from.
 */

import { Registration } from "../../../core/domains/providers/schema.ts";
import { families } from "../../../core/domains/snapshots/families.ts";
import { snapshotBases } from "../../../core/domains/snapshots/locations.ts";
import { onWritten } from "../../../core/domains/snapshots/produce.ts";
import type { SnapshotAnnounce as Announcement, Location } from "../../../core/domains/snapshots/schema.ts";
import { SnapshotAnnounce } from "../../../core/domains/snapshots/schema.ts";
import { announcementError, askNext } from "../../../core/domains/snapshots/search.ts";
import type { Search } from "../../../core/domains/snapshots/tables.ts";
import {
  FLOOR,
  IMPORT,
  Imports,
  PRODUCTION,
  Productions,
  ProviderStakes,
  Snapshots,
  StakeFloors,
} from "../../../core/domains/snapshots/tables.ts";
import { membersOf, tarOf } from "../../../core/domains/snapshots/tar.ts";
import { readProviderStakes } from "../../../core/domains/snapshots/trust.ts";
import type * as CoreIndex from "../../../core/index.ts";
import type { Effect, NodeConfiguration } from "../../../core/index.ts";
import { known } from "../../../core/kernel/assert.ts";
import type { EpochMillis } from "../../../core/kernel/values.ts";
import { announcement, BLOCKHASH, registration, SNAPSHOT_SERVICE, T } from "../../oracles/market.ts";
import { withPlantedBug } from "../../planted/planted-bug.ts";
import { person } from "../../rpc/lone-node.ts";
import { made } from "../../snapshots/offers.ts";
import type { CrowdedNode } from "../crowded-node.ts";
import { crowdedNode } from "../crowded-node.ts";
import type { Limit } from "../limit.ts";
import { cutAt, most, mostOf, OK_OR_PARAMETER, TAKEN_OR_LEFT } from "../limit.ts";
import { readsOf } from "../situations.ts";

const CHAIN: Partial<NodeConfiguration> = { chain: "RpcConnected" };

const producer = person(1);
const SLOT = 412_000_000n;

/** A node that knows the producer and observed a slot. */
function producing(told: Partial<NodeConfiguration> = {}): CrowdedNode {
  const node = crowdedNode(T, told);
  node.gossip(Registration, registration(producer, SNAPSHOT_SERVICE), producer);
  node.does({ type: "chain.observed", observation: { type: "slot", slot: SLOT, blockhash: BLOCKHASH } });
  return node;
}

const located = (n: number) => Array.from({ length: n }, (_, at) => `https://files${at}.example.org/` as Location);
const announced = (change: Partial<Announcement>, node = producing()) =>
  node.send(SnapshotAnnounce, announcement(producer, change), producer);

/** Locations of this node's own file, which it serves under so many addresses. */
function locationsOf(n: number): number {
  const snapshotUrls = Array.from({ length: n }, (_, at) => `https://own${at}.example.org`);
  const node = producing({ listing: { snapshotUrls }, snapshots: { produceEveryMs: 60_000 } });
  const writing = { phase: "writing" as const, id: "own", slot: SLOT, created_at: T, state_root: new Uint8Array(32) };
  node.put(Productions, PRODUCTION, writing);
  node.withContext((context) =>
    onWritten(context, { type: "snapshot.written", id: "own", outcome: { ok: true, sizeBytes: 1 } }),
  );
  const own = [...node.store.keys(Snapshots)].map((key) => node.store.get(Snapshots, key))[0];
  return own?.locations.length ?? 0;
}

function announcementsOf(n: number): number {
  const node = producing();
  for (let at = 0; at < n; at++)
    node.gossip(SnapshotAnnounce, announcement(producer, { id: `snap-${at}`, slot: SLOT - BigInt(at) }), producer);
  return (node.read("getSnapshots") as readonly unknown[]).length;
}

/** Announcing at a stake of so much, which this node's endpoint showed. */
function stakedWith(amount: bigint): string {
  const node = producing(CHAIN);
  node.put(ProviderStakes, producer.key, { address: "stake", amount, read_at: T });
  node.put(StakeFloors, FLOOR, { address: "config", minimum: 0n });
  return announced({}, node);
}

/** Producers whose stake is read of so many that announce. */
function stakesOf(n: number): number {
  const node = producing({ ...CHAIN, snapshots: {} });
  for (let each = 0; each < n; each++) {
    const key = `${each}`.padStart(4, "0");
    node.put(Snapshots, key, { ...announcement(producer), producer_public_key: known(keys[each], "a key") });
  }
  return readsOf(node, (context) => readProviderStakes(context)).length - 1;
}

/** As many keys as are needed, without a signature each. */
const keys = Array.from({ length: 257 }, (_, n) => person(n).key);

const taking = { snapshots: { anchors: [producer.key] } };
/** Whether a search that began so long ago asks for another file. */
function searchingAfter(ms: number): string {
  const node = producing(taking);
  node.does({ type: "timer.fired", timer: "snapshot-bootstrap" });
  node.gossip(SnapshotAnnounce, announcement(producer), producer);
  node.does({ type: "timer.fired", timer: "snapshot-bootstrap" });
  const begun = known(node.store.get(Imports, IMPORT), "a search");
  node.now = (T + BigInt(ms)) as EpochMillis;
  node.gossip(Registration, registration(producer, { ...SNAPSHOT_SERVICE, timestamp: node.now }), producer);
  return node.withContext((context) => {
    const { until } = begun as Search;
    askNext(context, { until, locations: [], candidates: [announcement(producer)] });
    return context.effects.some(({ type }) => type === "snapshot.fetch");
  })
    ? "taken"
    : "left";
}

const sized = (size_bytes: number) =>
  producing(taking).withContext((context) =>
    announcementError(context, announcement(producer, { size_bytes: BigInt(size_bytes) })),
  ) ?? "ok";

/** A file whose parts have so many bytes when the last of them is encoded. */
function encodedOf(bytes: number): string {
  const node = producing({
    listing: { snapshotUrls: ["https://own.example.org"] },
    snapshots: { produceEveryMs: 60_000 },
  });
  node.put(Productions, PRODUCTION, {
    ...{
      phase: "encoding" as const,
      id: "own",
      slot: SLOT,
      created_at: T,
      bytes,
      chunks: [],
      names: [],
      at: 0,
      count: 0,
    },
    ...{ part: families.length, parts: families.map(() => ({ count: 0, bytes: [] })) },
  });
  return outcomeOf(node.does({ type: "timer.fired", timer: "snapshot-page" }));
}

/** Bytes of the archive below. */
let file: number | undefined;

/**
 * A whole file that is so many bytes longer than the limit, which is brought down to where the file can be held in
 * memory twice.
 */
async function archivedOf(bytes: number): Promise<string> {
  const longer = bytes - 536_870_912;
  file ??= made(new Map()).archive.length;
  const limit = `export const FILE_BYTES_MAX = ${file - longer};`;
  const bug = { file: "core/ports/snapshots.ts", find: "export const FILE_BYTES_MAX = 536_870_912;", replace: limit };
  return withPlantedBug(bug, async (load) => {
    const { node } = made(new Map(), await load<typeof CoreIndex>("core/index.ts"));
    return node.told().at(-1) ?? "nothing";
  });
}

function outcomeOf(effects: readonly Effect[]): string {
  if (effects.some(({ type }) => type === "snapshot.write")) return "ok";
  const log = effects.find((effect) => effect.type === "log" && effect.event === "no snapshot");
  return log?.type === "log" ? `${log.fields.code}` : "nothing";
}

const OK_OR_FAILED = { within: "ok", beyond: "SNAPSHOT_VERIFICATION_FAILED" };

/** Whether an archive of so many empty members is read, of one name each or of one name all. */
function archived(n: number, nameOf: (at: number) => string): string {
  const bytes = new Uint8Array(0);
  return membersOf(tarOf(Array.from({ length: n }, (_, at) => ({ name: nameOf(at), bytes })))) ? "read" : "refused";
}

export const limits: readonly Limit[] = [
  ...[
    { where: "of different names", nameOf: (at: number) => `member-${at}` },
    { where: "of one name", nameOf: () => "x" },
  ].map(({ where, nameOf }) =>
    most("core/domains/snapshots/tar.ts MEMBERS_MAX", 64, (n) => archived(n, nameOf), {
      ...{ where, within: "read", beyond: "refused" },
    }),
  ),
  most("core/domains/snapshots/schema.ts LOCATIONS_MAX", 8, (n) => announced({ locations: located(n) }), {
    where: "announced",
    ...OK_OR_PARAMETER,
  }),
  cutAt("core/domains/snapshots/schema.ts LOCATIONS_MAX", 8, locationsOf),
  cutAt("core/domains/snapshots/locations.ts BASES_MAX", 4, (n) => {
    const declared = Array.from({ length: n }, (_, at) => `/ip4/198.51.100.${at}/tcp/4001`);
    return snapshotBases({ declared, bound: [], reported: [] }, 7_080, []).length;
  }),
  cutAt("core/domains/snapshots/schema.ts ANNOUNCEMENTS_PER_PRODUCER_MAX", 4, announcementsOf),
  {
    ...mostOf("core/domains/snapshots/trust.ts STAKE_MIN", 10_000_000_000n, stakedWith, {
      within: "ok",
      beyond: "INVALID_REQUEST",
    }),
    kind: "least",
  },
  cutAt("core/domains/snapshots/trust.ts STAKED_PRODUCERS_MAX", 256, stakesOf),
  most("core/domains/snapshots/search.ts SEARCH_MS_MAX", 900_000, searchingAfter, TAKEN_OR_LEFT),
  most("core/ports/snapshots.ts FILE_BYTES_MAX", 536_870_912, sized, { where: "announced", ...OK_OR_FAILED }),
  most("core/ports/snapshots.ts FILE_BYTES_MAX", 536_870_912, encodedOf, { where: "encoded", ...OK_OR_FAILED }),
  most("core/ports/snapshots.ts FILE_BYTES_MAX", 536_870_912, archivedOf, {
    where: "archived",
    within: "snapshot written: ",
    beyond: "no snapshot: larger than a file may be",
  }),
];
