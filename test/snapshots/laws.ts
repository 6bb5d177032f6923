/**
 * Laws of files, each as a check that says how it was broken: what is made and of which slot, whose file is taken,
 * whole or not at all, without chain facts, and with what it lacks. `core` may be a copy with a planted bug.
 * Source: protocol 05 §6.4-§6.11; DESIGN L2, L3, L7.
 */

import { Registration } from "../../core/domains/providers/schema.ts";
import {
  encodeEntry,
  nextEntry,
  openState,
  STATE,
  STATEMENTS,
  stateOf,
} from "../../core/domains/snapshots/contents.ts";
import type { SnapshotMetadata } from "../../core/domains/snapshots/schema.ts";
import { SEARCH_EVERY_MS } from "../../core/domains/snapshots/search.ts";
import { Snapshots } from "../../core/domains/snapshots/tables.ts";
import { STATEMENTS_PER_PAGE } from "../../core/domains/snapshots/take.ts";
import { membersOf, tarOf } from "../../core/domains/snapshots/tar.ts";
import { ReservationRequest } from "../../core/domains/trade/reservations/schema.ts";
import { ChainFacts } from "../../core/domains/trade/settlements/tables.ts";
import { compareText } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { registration, SNAPSHOT_SERVICE } from "../oracles/market.ts";
import { crypto, person } from "../rpc/lone-node.ts";
import { at, buyer, dispute, request } from "../rpc/node-with-settlement.ts";
import { linkOf } from "./link.ts";
import { checkpointOf, decide, fresh, MADE, made, offered, PLACE, statementsIn, tell } from "./offers.ts";
import type { Core, Shelf, StagedNode } from "./stage.ts";
import { baseOf, EVERY_MS, producer, SLOT, snapshotting, stage } from "./stage.ts";

export type Law = (core?: Core) => string | undefined;

const NOTHING = new Uint8Array(0);
const empty = (name: string) => ({ name, count: 0, bytes: [] });

/** The first of what should hold and does not. */
function unless(...held: readonly (readonly [holds: boolean, otherwise: string])[]): string | undefined {
  return held.find(([holds]) => !holds)?.[1];
}

function parts(archive: Uint8Array): { readonly state: Uint8Array; readonly statements: Uint8Array } {
  const members = membersOf(archive);
  return { state: members?.get(STATE) ?? NOTHING, statements: members?.get(STATEMENTS) ?? NOTHING };
}

function archiveOf(state: Uint8Array, statements: Uint8Array): Uint8Array {
  return tarOf([
    { name: STATE, bytes: state },
    { name: STATEMENTS, bytes: statements },
  ]);
}

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = bytes.slice();
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

function makerOf(core?: Core, shelf: Shelf = new Map()): StagedNode {
  return stage({ who: producer, now: MADE, shelf, told: snapshotting(producer), ...(core && { core }) });
}

/** An old slot is as good as a new one; none is none, and nothing is made before an interval is over. */
export const ofASlot: Law = (core) => {
  const without = makerOf(core);
  without.pass(20 * EVERY_MS);
  const node = makerOf(core);
  node.observe(SLOT);
  node.pass(EVERY_MS - 1);
  const early = node.written.length;
  node.pass(9 * EVERY_MS + 1);
  return unless(
    [without.written.length === 0, "a file was made without a slot"],
    [early === 0, "a file was made before an interval was over"],
    [node.written.length === 10, `${node.written.length} files were made in ten intervals`],
    [node.written.every((id) => id.startsWith(`snap-${SLOT}-`)), `${node.written.at(-1)} is of another slot`],
    [checkpointOf(node) === null, "making a file set a checkpoint"],
  );
};

/** The announcement says what the file is, and the file holds every statement. */
export const isWhatItIs: Law = (core) => {
  const { node, archive, id } = made(new Map(), core);
  const metadata = node.call("getSnapshot", { id }) as {
    readonly state_root: readonly number[];
    readonly size_bytes: number;
  } | null;
  const { state, statements } = parts(archive);
  const carried = offered(archive);
  const missing = [...statementsIn(node)].filter((identity) => !statementsIn(carried).has(identity));
  const names = familiesIn(state);
  return unless(
    [metadata?.size_bytes === archive.length, "the announced size is another"],
    [String(metadata?.state_root) === String([...crypto.sha256(state)]), "the announced digest is another"],
    [
      names.length === 19 && String([...names].sort(compareText)) === String(names),
      `the families are ${names.join(", ")}`,
    ],
    // Of what the producer holds, only the announcement of the file itself is in none.
    [statements.length > 0 && missing.length === 1, `${missing.length} statements are not in the file`],
  );
};

function familiesIn(state: Uint8Array): readonly string[] {
  const names: string[] = [];
  for (let cursor = openState(state); cursor !== undefined; ) {
    const next = nextEntry(state, cursor);
    if (next === undefined || next === "done") break;
    if (next.entry === undefined) names.push(next.cursor.family);
    cursor = next.cursor;
  }
  return names;
}

/** What could not be written is not announced. */
export const isSafeFirst: Law = (core) => {
  const node = makerOf(core);
  node.observe(SLOT);
  node.now += BigInt(EVERY_MS);
  node.accept({ type: "timer.fired", timer: "snapshot-production" });
  node.accept({ type: "timer.fired", timer: "snapshot-page" });
  const ordered = node.effects.find((effect) => effect.type === "snapshot.write");
  const id = ordered?.type === "snapshot.write" ? ordered.id : "";
  const before = node.call("getLatestSnapshot");
  node.accept({
    type: "snapshot.written",
    id,
    outcome: { ok: false, code: "DATABASE_ERROR", reason: "the disk is full" },
  });
  return unless(
    [id !== "", "no file was ordered"],
    [before === null, "a file was announced before it was safe"],
    [node.call("getLatestSnapshot") === null, "a file that is not there was announced"],
  );
};

/** A first file is an anchor's, and of one who is registered now; the highest slot comes first. */
export const isPicked: Law = (core) => {
  const { archive } = made(new Map());
  const strange = offered(archive, {}, {}, person(7), core);
  const lapsed = fresh(new Map([[PLACE, archive]]), {}, core);
  tell(lapsed, archive);
  lapsed.now += 700_000n;
  lapsed.pass(SEARCH_EVERY_MS);
  const several = fresh(new Map([[PLACE, archive]]), {}, core);
  for (const [id, slot] of [["low", SLOT - 1n] as const, ["high", SLOT] as const, ["lower", SLOT - 2n] as const])
    tell(several, archive, { id, slot });
  several.pass(SEARCH_EVERY_MS);
  return unless(
    [strange.fetched.length === 0, "a first file of anybody was asked for"],
    [lapsed.fetched.length === 0, "a file of one who is not registered was asked for"],
    [String(several.fetched) === "high", `${several.fetched.join(", ")} was asked for, not high`],
    [checkpointOf(several) === Number(SLOT), "no file was taken"],
  );
};

/** A file is what was announced: its size, its digest, its records; and all its statements are signed. */
export const isVerified: Law = (core) => {
  const { state, statements } = parts(made(new Map()).archive);
  const archive = archiveOf(state, statements);
  const forgeries: readonly (readonly [string, Uint8Array, Partial<SnapshotMetadata>])[] = [
    ["another size", archive, { size_bytes: BigInt(archive.length) + 1n }],
    ["another digest", archive, { state_root: new Uint8Array(32) }],
    ["a reserved family", archiveOf(stateOf([empty("snapshot_checkpoint")]), statements), {}],
    ["a record that is none", archiveOf(forgedSession(), statements), {}],
    ["another's signature", archiveOf(state, flipped(statements, statements.length - 3)), {}],
  ];
  const taken = forgeries.find(([, forged, over]) => checkpointOf(offered(forged, over, {}, producer, core)) !== null);
  return unless(
    [taken === undefined, `a file with ${taken?.[0]} was taken`],
    [checkpointOf(offered(archive, {}, {}, producer, core)) !== null, "a sound file was not taken"],
  );
};

function forgedSession(): Uint8Array {
  const entry = encodeEntry({ key: new Uint8Array([97]), value: new Uint8Array([118]) });
  return stateOf([{ name: "sessions", count: 1, bytes: [entry] }]);
}

/** One bound: what is learned while a file is on its way counts before the file does. */
export const isWithinReach: Law = (core) => {
  const { archive } = made(new Map());
  const far = 4_000_000_000n;
  const node = fresh(new Map([[PLACE, archive]]), {}, core);
  tell(node, archive, { slot: far });
  node.accept({ type: "timer.fired", timer: "snapshot-bootstrap" });
  const asked = node.effects.some(({ type }) => type === "snapshot.fetch");
  node.observe(SLOT);
  node.pass(SEARCH_EVERY_MS);
  const knowing = fresh(new Map([[PLACE, archive]]), {}, core);
  knowing.observe(SLOT);
  for (const slot of [far, 1n << 63n, (1n << 64n) - 1n]) tell(knowing, archive, { id: `s${slot}`, slot });
  knowing.pass(SEARCH_EVERY_MS);
  return unless(
    [asked, "nothing was asked for"],
    [checkpointOf(node) === null, `a file of slot ${checkpointOf(node)} was taken`],
    [knowing.view.size(Snapshots) === 0, "slots out of reach are announced"],
    [knowing.fetched.length === 0 && checkpointOf(knowing) === null, "a file of a slot out of reach was asked for"],
  );
};

/** No step but the last one changes anything, and after a bad page nothing ever did. */
export const isWhole: Law = (core) => {
  many ??= fileOfMany();
  const { state, statements } = parts(many);
  const bad = archiveOf(state, flipped(statements, statements.length - 3));
  const node = fresh(new Map([[PLACE, bad]]), {}, core);
  tell(node, bad);
  const before = JSON.stringify(node.roots());
  let [steps, changed] = [0, 0];
  node.accept({ type: "timer.fired", timer: "snapshot-bootstrap" });
  const outcome = { ok: true, sizeBytes: bad.length, archive: bad } as const;
  node.accept({ type: "snapshot.fetched", id: "file", location: PLACE, outcome });
  for (; steps < 8; steps++) {
    node.accept({ type: "timer.fired", timer: "snapshot-page" });
    if (JSON.stringify(node.roots()) !== before) changed += 1;
  }
  return unless(
    [changed === 0, "a part of a bad file counts"],
    [checkpointOf(node) === null, "a bad file set a checkpoint"],
    [
      checkpointOf(offered(archiveOf(state, statements), {}, {}, producer, core)) !== null,
      "a sound file was not taken",
    ],
  );
};

let many: Uint8Array | undefined;

/** A file whose statements are more than one page. */
function fileOfMany(): Uint8Array {
  const shelf: Shelf = new Map();
  const node = makerOf(undefined, shelf);
  for (let n = 0; n <= STATEMENTS_PER_PAGE; n++) {
    const by = person(60 + (n % 40));
    const timestamp = node.now as EpochMillis;
    node.gossip(Registration, registration(by, { ...SNAPSHOT_SERVICE, service_id: `svc-${n}`, timestamp }), by);
  }
  node.observe(SLOT);
  node.pass(EVERY_MS);
  return shelf.get(`${baseOf(producer)}/snapshot/${node.written.at(-1)}`) ?? NOTHING;
}

/** Nobody learns from a file how the chain decided, or what was sold. */
export const bringsNoFact: Law = (core) => {
  const shelf: Shelf = new Map();
  const { node: source } = made(shelf);
  dispute(source, person(0x44));
  decide(source);
  source.pass(EVERY_MS);
  const archive = shelf.get(`${baseOf(producer)}/snapshot/${source.written.at(-1)}`) ?? NOTHING;
  const node = offered(archive, {}, {}, producer, core);
  const shown = node.call("getDispute", { id: "dis-1" }) as { readonly resolution: unknown; readonly status: unknown };
  const settled = node.call("getSettlement", { id: "set-1" }) as { readonly escrow_release_signature: unknown };
  const volume = node.call("getSettledVolume") as { readonly assets: readonly unknown[] };
  const told = source.call("getDispute", { id: "dis-1" }) as { readonly resolution: unknown };
  return unless(
    [told.resolution === "BuyerWins", "the producer knows no decision"],
    [checkpointOf(node) === Number(SLOT), "the file was not taken"],
    [shown?.resolution === null && shown.status === "Open", `a file decided the dispute: ${shown?.resolution}`],
    [settled?.escrow_release_signature === null, "a file released the escrow"],
    [volume.assets.length === 0, "a file brought volume"],
    [node.view.size(ChainFacts) === 0, "a file brought a chain fact"],
  );
};

/** What the file lacks comes from the peers at once, and then both hold the same. */
export const isCompleted: Law = (core) => {
  const { node: source, archive } = made(new Map());
  const node = fresh(new Map([[PLACE, archive]]), {}, core);
  const link = linkOf(node, source);
  link.connect();
  link.fail();
  const late = person(77);
  const timestamp = source.now as EpochMillis;
  source.gossip(Registration, registration(late, { service_id: "late", timestamp }), late);
  tell(node, archive);
  link.fail();
  node.pass(SEARCH_EVERY_MS);
  link.exchange();
  const held = statementsIn(node);
  const lacking = [...statementsIn(source)].filter((identity) => !held.has(identity));
  return unless(
    [checkpointOf(node) === Number(SLOT), "the file was not taken"],
    [lacking.length === 0, "what the file lacks was not asked for"],
    [JSON.stringify(node.roots()) === JSON.stringify(source.roots()), "other roots"],
  );
};

/** A clock may be behind that of whom one answers: a child that is dated before its parent counts like any. */
export const isComplete: Law = (core) => {
  const early = { ...request, id: "77" as ReservationRequest["id"], timestamp: at(-60_000) };
  const { node: source, archive } = made(new Map(), undefined, (node) => node.gossip(ReservationRequest, early, buyer));
  const node = offered(archive, {}, {}, producer, core);
  const held = statementsIn(node);
  const missing = [...statementsIn(source)].filter((identity) => !held.has(identity));
  return unless([missing.length === 1, `${missing.length} statements of the file do not count`]);
};
