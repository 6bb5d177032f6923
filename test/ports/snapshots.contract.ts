/**
 * Goal: every SnapshotPort keeps one file, gives it to whoever asks, and answers each order once, never during it.
 * Method: two ports, of which each can fetch what the other keeps; the harness of each adapter runs its world until
 * nothing is in hand. Source: protocol 05 §6.5, §6.9, §6.11, §6.12.
 */
import { describe, expect, test } from "vitest";
import type { SnapshotFetched, SnapshotWritten } from "../../core/index.ts";
import type { SnapshotPort } from "../../core/ports/snapshots.ts";

export interface SnapshotEnd {
  readonly port: SnapshotPort;
  /** Where a file of this end is fetched. */
  locationOf(id: string): string;
  readonly written: (readonly [string, SnapshotWritten])[];
  readonly fetched: (readonly [string, string, SnapshotFetched])[];
}

export interface SnapshotWorld {
  readonly ends: readonly [SnapshotEnd, SnapshotEnd];
  /** Runs until every answer that will come has come. */
  settle(): Promise<void>;
  end(): Promise<void>;
}

/** An archive of some length, another for each seed. */
export function archiveOf(length: number, seed = 1): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => (at * seed * 7 + (at >> 8)) & 255);
}

type InWorld = (act: (world: SnapshotWorld) => Promise<void>) => () => Promise<void>;

/** Writes a file; answers its size as others fetch it. */
async function kept(world: SnapshotWorld, id: string, archive: Uint8Array): Promise<bigint> {
  world.ends[0].port.write(id, archive);
  await world.settle();
  const [last, outcome] = world.ends[0].written.at(-1) ?? [];
  expect([last, outcome?.ok]).toEqual([id, true]);
  return BigInt(outcome?.ok ? outcome.sizeBytes : 0);
}

/** Fetches a file at the other end. */
async function taken(world: SnapshotWorld, id: string, location: string, size: bigint): Promise<SnapshotFetched> {
  const [, other] = world.ends;
  const before = other.fetched.length;
  other.port.fetch(id, location, size);
  expect(other.fetched).toHaveLength(before);
  await world.settle();
  const [outcome] = other.fetched.slice(before);
  expect(other.fetched).toHaveLength(before + 1);
  expect(outcome?.slice(0, 2)).toEqual([id, location]);
  return outcome?.[2] ?? { ok: false, code: "NETWORK_ERROR", reason: "nothing came" };
}

export function describeSnapshots(name: string, open: () => Promise<SnapshotWorld>): void {
  const inWorld: InWorld = (act) => async () => {
    const world = await open();
    try {
      await act(world);
    } finally {
      await world.end();
    }
  };
  describe(`snapshots: ${name}`, () => {
    keepsAndGives(inWorld);
    endsWell(inWorld);
  });
}

/** What is kept, and for how long. */
function keepsAndGives(inWorld: InWorld): void {
  test(
    "what one keeps, another fetches: the archive, and as many bytes as were said",
    inWorld(async (world) => {
      for (const length of [0, 1, 511, 100_000]) {
        const archive = archiveOf(length);
        const id = `snap-${length}`;
        const size = await kept(world, id, archive);
        const outcome = await taken(world, id, world.ends[0].locationOf(id), size);
        expect(outcome.ok && [Buffer.from(outcome.archive), BigInt(outcome.sizeBytes)]).toEqual([
          Buffer.from(archive),
          size,
        ]);
      }
    }),
  );

  test(
    "one file is kept: the newest",
    inWorld(async (world) => {
      const size = await kept(world, "old", archiveOf(10));
      await kept(world, "new", archiveOf(20));
      expect(await taken(world, "old", world.ends[0].locationOf("old"), size)).toMatchObject({
        ok: false,
        code: "NETWORK_ERROR",
      });
    }),
  );

  test(
    "a name is never written twice",
    inWorld(async (world) => {
      const size = await kept(world, "one", archiveOf(10));
      world.ends[0].port.write("one", archiveOf(30, 3));
      await world.settle();
      expect(world.ends[0].written.at(-1)?.[1]).toMatchObject({ ok: false, code: "RESOURCE_ALREADY_EXISTS" });
      const outcome = await taken(world, "one", world.ends[0].locationOf("one"), size);
      expect(outcome.ok && outcome.archive).toEqual(archiveOf(10));
    }),
  );
}

/** What is refused, in which order answers come, and that they end. */
function endsWell(inWorld: InWorld): void {
  test(
    "what is longer than was said is given up; what nobody has, or nobody can reach, fails",
    inWorld(async (world) => {
      const size = await kept(world, "one", archiveOf(5_000));
      const at = world.ends[0].locationOf("one");
      expect(await taken(world, "one", at, size - 1n)).toMatchObject({
        ok: false,
        code: "SNAPSHOT_VERIFICATION_FAILED",
      });
      expect((await taken(world, "one", at, size + 1n)).ok).toBe(true);
      for (const location of [world.ends[0].locationOf("none"), "http://127.0.0.1:9/snapshot/one", "nonsense"])
        expect(await taken(world, "one", location, size)).toMatchObject({ ok: false, code: "NETWORK_ERROR" });
    }),
  );

  test(
    "orders are done one after another, each answered once",
    inWorld(async (world) => {
      const [first, second] = world.ends;
      for (let n = 0; n < 5; n++) first.port.write(`snap-${n}`, archiveOf(100 + n));
      await world.settle();
      expect(first.written.map(([id, { ok }]) => [id, ok])).toEqual(
        Array.from({ length: 5 }, (_, n) => [`snap-${n}`, true]),
      );
      for (let n = 0; n < 5; n++) second.port.fetch(`snap-${n}`, first.locationOf(`snap-${n}`), 10_000n);
      await world.settle();
      expect(new Map(second.fetched.map(([id, , { ok }]) => [id, ok]))).toEqual(
        new Map(Array.from({ length: 5 }, (_, n) => [`snap-${n}`, n === 4])),
      );
    }),
  );

  test(
    "after close nothing is told",
    inWorld(async (world) => {
      const [first, second] = world.ends;
      await kept(world, "one", archiveOf(10));
      const told = () => first.written.length + second.fetched.length;
      const before = told();
      first.port.write("two", archiveOf(10));
      second.port.fetch("one", first.locationOf("one"), 1_000n);
      const closed = Promise.all([first, second].map(({ port }) => new Promise<void>((done) => port.close(done))));
      first.port.write("three", archiveOf(10));
      await world.settle();
      await closed;
      expect(told()).toBe(before);
    }),
  );
}
