/**
 * The step: what one fact does to a node. Total and pure: writes nothing, never throws on input, never
 * awaits, reads no clock. Source: DESIGN section 3.
 */

import { FarReports, NewestSlots } from "./chain-bridge/newest-slot.ts";
import { onChainObserved } from "./chain-bridge/observe.ts";
import { Alarms, Inquiries, Sightings, Watches } from "./chain-bridge/tables.ts";
import { SlotObservations } from "./chain-bridge/view.ts";
import { Blocks, Rounds, Serving, Usages, Wants } from "./content/tables.ts";
import { foldTables, typesByName } from "./domains.ts";
import { Links } from "./gossip/credit.ts";
import { Events } from "./gossip/envelope.ts";
import { onAnswered, onConnected, onDisconnected, onFailed, onMeasured, onReceived } from "./gossip/messages.ts";
import { Unfinished } from "./gossip/reconcile.ts";
import { RecoveryChoices } from "./gossip/recovery.ts";
import { markGovernanceFact } from "./governance/fold.ts";
import { LinkReadings, ReadingFlags, StakingMinima, VoteChecks } from "./governance/tables.ts";
import type { Effect, Input, NodeConfiguration, StoredRow } from "./inputs.ts";
import { unreachable } from "./kernel/assert.ts";
import { compactReader, compactWriter } from "./kernel/compact.ts";
import type { Statement } from "./kernel/signed.ts";
import type { Store } from "./kernel/state.ts";
import type { Change, Table } from "./kernel/table.ts";
import { AddressClaims } from "./node/address-claims.ts";
import { Dials, onUnreachable } from "./node/dialling.ts";
import { Counters, Peers, Requests } from "./node/peers.ts";
import { onDelivered } from "./notifications/planning.ts";
import { Dispatches } from "./notifications/tables.ts";
import type { CryptoPort } from "./ports/crypto.ts";
import type { StoreWrite } from "./ports/store.ts";
import { reactions } from "./reactions.ts";
import { HookClocks } from "./reservations/hook-clocks.ts";
import { Announcements, Challenges, Observations } from "./rewards/tables.ts";
import { answerBody } from "./rpc.ts";
import { ChainFacts } from "./settlements/tables.ts";
import { onWritten } from "./snapshots/produce.ts";
import { Checkpoints, Freshnesses, Imports, Productions, ProviderStakes, StakeFloors } from "./snapshots/tables.ts";
import { onFetched } from "./snapshots/take.ts";
import { Pending, Seals, Statements } from "./statements/table.ts";
import { starts, timers } from "./timers.ts";
import type { Turn } from "./turn.ts";
import { foldOf, turnOver } from "./turn.ts";
import { SpentNonces } from "./wallet-proofs/schema.ts";

/** Every table of a node. */
export const tables = [
  ...foldTables,
  Events,
  Peers,
  Requests,
  Counters,
  SlotObservations,
  NewestSlots,
  FarReports,
  Watches,
  Sightings,
  Inquiries,
  Alarms,
  SpentNonces,
  HookClocks,
  Dispatches,
  Observations,
  Announcements,
  Seals,
  Challenges,
  Checkpoints,
  Productions,
  Imports,
  Freshnesses,
  ProviderStakes,
  StakeFloors,
  Blocks,
  Wants,
  Usages,
  Rounds,
  Serving,
  VoteChecks,
  StakingMinima,
  LinkReadings,
  ReadingFlags,
  Unfinished,
  Links,
  AddressClaims,
  Dials,
  RecoveryChoices,
] as unknown as readonly Table<unknown>[];

const tablesByName: ReadonlyMap<string, Table<unknown>> = new Map(tables.map((table) => [table.name, table]));

/** What a step needs beside its input: the memory it reads, and what the node was told at its start. */
export interface NodeContext {
  readonly store: Store;
  readonly crypto: CryptoPort;
  readonly configuration: NodeConfiguration;
  readonly bootSeed: Uint8Array;
}

export interface Step {
  readonly changes: readonly Change[];
  readonly effects: readonly Effect[];
}

/** Decides what one fact does. */
export function step(context: NodeContext, input: Input): Step {
  const turn = turnOver(context.store, {
    now: input.now,
    number: input.number,
    bootSeed: context.bootSeed,
    identities: context.store.identities,
    crypto: context.crypto,
    configuration: context.configuration,
  });
  handle(turn, input);
  if (input.type !== "store.loaded") for (const react of reactions) react(turn);
  return { changes: turn.draft.changes(), effects: turn.effects };
}

/** The durable writes behind changes. */
export function writesOf(changes: readonly Change[]): readonly StoreWrite[] {
  return changes.flatMap(({ table: name, key, record }): readonly StoreWrite[] => {
    const table = tablesByName.get(name);
    if (table === undefined || !table.durable) return [];
    if (record === undefined) return [{ table: name, key, bytes: null }];
    const writer = compactWriter();
    table.record.encode(record, writer);
    return [{ table: name, key, bytes: writer.finish() }];
  });
}

function handle(turn: Turn, input: Input): void {
  switch (input.type) {
    case "started":
      return starts.forEach((start) => void start(turn));
    case "store.loaded":
      return onLoaded(turn, input.rows);
    case "rpc.called":
      return turn.emit({ type: "rpc.reply", replyTo: input.replyTo, body: answerBody(turn, input.body) });
    case "message.received":
      return onReceived(turn, input);
    case "message.answered":
      return onAnswered(turn, input);
    case "message.failed":
      return onFailed(turn, input);
    case "peer.connected":
      return onConnected(turn, input);
    case "peer.disconnected":
      return onDisconnected(turn, input);
    case "peer.unreachable":
      return onUnreachable(turn, input);
    case "peer.measured":
      return onMeasured(turn, input);
    case "chain.observed":
      return onChainObserved(turn, input.observation);
    case "notification.delivered":
      return onDelivered(turn, input.dispatch, input.delivered);
    case "snapshot.written":
      return onWritten(turn, input);
    case "snapshot.fetched":
      return onFetched(turn, input);
    case "timer.fired":
      return timers[input.timer](turn);
    default:
      return unreachable(input);
  }
}

/** Rows of this node's own store: verified when they came, so neither clocks nor signatures are asked again. */
function onLoaded(turn: Turn, rows: readonly StoredRow[]): void {
  const fold = foldOf(turn);
  for (const row of rows) {
    const table = tablesByName.get(row.table);
    if (table === undefined) continue;
    const reader = compactReader(row.bytes);
    const record = table.record.read(reader, typesByName);
    if (reader.failed()) {
      turn.emit({ type: "log", level: "error", event: "unreadable row", fields: { table: row.table } });
    } else if (table.name === Statements.name || table.name === Pending.name) {
      fold.admit(record as Statement);
    } else {
      turn.draft.put(table, row.key, record);
      if (table.name === ChainFacts.name)
        fold.mark("settlement", (record as { readonly reservation: bigint }).reservation.toString());
      markGovernanceFact(turn.draft, table.name, row.key, fold.mark);
    }
  }
  fold.run();
}
