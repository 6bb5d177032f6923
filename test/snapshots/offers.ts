/**
 * Files of one trade, and nodes that are told of them: what a producer made, or what a forger made of it, lies on a
 * shelf; a node hears that it is there, and looks for files. Source: protocol 05 §6.9, §6.11.
 */

import { Registration } from "../../core/domains/providers/schema.ts";
import { STATE } from "../../core/domains/snapshots/contents.ts";
import type { Location } from "../../core/domains/snapshots/schema.ts";
import { SnapshotAnnounce } from "../../core/domains/snapshots/schema.ts";
import { SEARCH_EVERY_MS } from "../../core/domains/snapshots/search.ts";
import { membersOf } from "../../core/domains/snapshots/tar.ts";
import { ChainFacts } from "../../core/domains/trade/settlements/tables.ts";
import { Statements } from "../../core/engine/statements/table.ts";
import { compactWriter } from "../../core/kernel/compact.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { announcement, registration, SNAPSHOT_SERVICE } from "../oracles/market.ts";
import { crypto } from "../rpc/lone-node.ts";
import { advertisement, buyer, merchant, trade } from "../rpc/node-with-settlement.ts";
import type { Core, Shelf, StagedNode } from "./stage.ts";
import { baseOf, EVERY_MS, producer, SLOT, snapshotting, stage, taker, taking } from "./stage.ts";

export const T = 1_786_000_000_000n;
/** When the file is made. */
export const MADE = T + 400_000n + BigInt(EVERY_MS);
/** Where offered files lie. */
export const PLACE = "http://shelf.net/file";

/** The producer's file of one trade and of what it is told beside, lying on the shelf. */
export function made(
  shelf: Shelf,
  core?: Core,
  more: (node: StagedNode) => void = () => undefined,
): { readonly node: StagedNode; readonly archive: Uint8Array; readonly id: string } {
  const node = stage({ who: producer, now: T, shelf, told: snapshotting(producer), ...(core && { core }) });
  trade(node);
  more(node);
  node.observe(SLOT);
  node.now = T + 400_000n;
  node.again();
  node.pass(EVERY_MS);
  const id = node.written.at(-1) ?? "";
  return { node, id, archive: shelf.get(`${baseOf(producer)}/snapshot/${id}`) ?? new Uint8Array(0) };
}

/** Tells a node of a file and its producer. */
export function tell(node: StagedNode, archive: Uint8Array, over: Partial<SnapshotAnnounce> = {}, by = producer): void {
  const timestamp = node.now as EpochMillis;
  node.gossip(Registration, registration(by, { ...SNAPSHOT_SERVICE, timestamp }), by);
  const state = membersOf(archive)?.get(STATE) ?? new Uint8Array(0);
  const whole = announcement(by, {
    id: "file",
    created_at: timestamp,
    slot: SLOT,
    state_root: crypto.sha256(state),
    size_bytes: BigInt(archive.length),
    locations: [PLACE as Location],
    ...over,
  });
  node.gossip(SnapshotAnnounce, whole, by);
}

export function fresh(shelf: Shelf, told = {}, core?: Core): StagedNode {
  return stage({ who: taker, now: MADE, shelf, told: { ...taking, ...told }, ...(core && { core }) });
}

/** What a fresh node does with an archive that it is told of. */
export function offered(
  archive: Uint8Array,
  over: Partial<SnapshotAnnounce> = {},
  told = {},
  by = producer,
  core?: Core,
): StagedNode {
  const node = fresh(new Map([[PLACE, archive]]), told, core);
  tell(node, archive, over, by);
  node.pass(SEARCH_EVERY_MS);
  return node;
}

export const TRANSACTION = "5execution5";

/** A node saw the chain decide the trade for the buyer. */
export function decide(node: StagedNode): void {
  const writer = compactWriter();
  ChainFacts.record.encode(
    {
      kind: "decided",
      reservation: 4_711_001n,
      buyer: buyer.key,
      seller: merchant.key,
      mint: advertisement.asset_mint,
      amount: 20_000_000n,
      resolution: "BuyerWins",
      terminal_split: null,
      transaction: TRANSACTION,
      timestamp: node.now as EpochMillis,
    },
    writer,
  );
  const row = { table: ChainFacts.name, key: "f".repeat(64), bytes: writer.finish() };
  node.accept({ type: "store.loaded", rows: [row], last: true });
}

export const checkpointOf = (node: StagedNode) => node.call("getCheckpointSlot");
export const statementsIn = (node: StagedNode) => new Set(node.view.keys(Statements));
