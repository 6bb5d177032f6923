/**
 * What a node holds open while it runs, what comes in before its ledger is loaded, and the order in which it is closed.
 * Not here: how each is opened (start-node.ts).
 */

import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import type { VerifiedAhead } from "../../adapters/crypto/verified-ahead.ts";
import { openVerifiedAhead } from "../../adapters/crypto/verified-ahead.ts";
import type { ApiServer } from "../../adapters/http/server.ts";
import type { OpenedTransport } from "../../adapters/libp2p/transport.ts";
import type { PageFile } from "../../adapters/pages/page-file.ts";
import type { Recorder } from "../../adapters/recording/recorder.ts";
import type { Fact, NodeDriver, Outsides } from "../../core/index.ts";
import type { ChainPort } from "../../core/ports/chain.ts";
import type { GatewayPort } from "../../core/ports/gateway.ts";
import type { SnapshotPort } from "../../core/ports/snapshots.ts";
import type { StorePort } from "../../core/ports/store.ts";
import type { Admin } from "./admin.ts";
import type { CallsInOrder } from "./calls-in-order.ts";
import { openCallsInOrder } from "./calls-in-order.ts";
import type { CheckpointKeeper } from "./checkpoint.ts";
import type { Line } from "./logs.ts";
import type { Network } from "./network.ts";
import { DEVNET } from "./network.ts";
import type { Overseen } from "./overseen.ts";
import { overseen } from "./overseen.ts";

/** Lines of the core that are about the chain. */
const CHAIN_EVENTS = /^(?:chain |escrow |implausible slot|closed escrow|second closing|endpoint|pending chain fact)/;
/** Facts that wait while a ledger is opened; the rest is dropped, as by a driver that loads. Source: DESIGN L10. */
const EARLY_MAX = 65_536;

/** What has to be said of a node before anything of it is open. */
interface Beginning {
  readonly ledger: string;
  readonly entrypoints?: readonly string[];
  readonly network?: Network;
  readonly log?: (line: Line) => void;
}

/** All that is open of a node. */
export interface Opened extends Outsides {
  api: ApiServer | undefined;
  admin: Admin | undefined;
  recorder: Recorder | undefined;
  stopReports: () => void;
  copyTo: ((path: string) => Promise<void>) | undefined;
  readonly overseen: Overseen;
  transport: OpenedTransport | undefined;
  chain: ChainPort | undefined;
  gateway: GatewayPort | undefined;
  snapshots: SnapshotPort | undefined;
  store: StorePort | undefined;
  checkpoint: CheckpointKeeper | undefined;
  pages: PageFile | undefined;
  driver: NodeDriver | undefined;
  readonly verified: VerifiedAhead;
  readonly callsInOrder: CallsInOrder;
  readonly timers: Map<string, NodeJS.Timeout>;
  readonly accept: (fact: Fact) => void;
  /** Resolves once the ledger is loaded. */
  readonly started: Promise<void>;
  readonly start: () => void;
  /** Resolves with one line when the ledger does not load. */
  readonly failed: Promise<string>;
  readonly fail: (line: string) => void;
  /** Nothing is begun any more: a ledger that loads meanwhile may still say so. */
  isClosing: boolean;
  /** What the network says while the ledger is still being opened waits for the driver. */
  readonly early: Fact[];
}

/** Nothing of a node yet. */
export function nothingOpen({ log, ledger, entrypoints = [], network = DEVNET }: Beginning): Opened {
  const watched = overseen({ ledger, network: network.profile.name, entrypoints: entrypoints.length });
  const timers = new Map<string, NodeJS.Timeout>();
  const verified = openVerifiedAhead(openNativeCrypto());
  const [started, start] = settled<void>();
  const [failed, fail] = settled<string>();
  const opened: Opened = {
    ...{
      started,
      start,
      failed,
      fail,
      admin: undefined,
      overseen: watched,
      stopReports: () => undefined,
      copyTo: undefined,
    },
    recorder: undefined,
    ...{ api: undefined, transport: undefined, chain: undefined, gateway: undefined, snapshots: undefined },
    ...{ store: undefined, pages: undefined, checkpoint: undefined, driver: undefined, timers, early: [] },
    isClosing: false,
    ...{ verified, callsInOrder: openCallsInOrder(verified) },
    accept(fact) {
      watched.onFact(fact);
      if (opened.driver !== undefined) opened.driver.accept(fact);
      else if (opened.early.length < EARLY_MAX) opened.early.push(fact);
    },
    setTimer(timer, at) {
      clearTimeout(timers.get(timer));
      if (opened.isClosing) return;
      const wait = Math.max(Number(at) - Date.now(), 0);
      timers.set(
        timer,
        setTimeout(() => opened.accept({ type: "timer.fired", timer }), wait),
      );
    },
    log(entry) {
      watched.onLog(entry);
      const { level, event, fields } = entry;
      log?.({ module: CHAIN_EVENTS.test(event) ? "chain" : "core", level, event, fields });
    },
  };
  return opened;
}

/** A promise, and how to fulfil it. */
function settled<T>(): readonly [Promise<T>, (value: T) => void] {
  let settle: (value: T) => void = () => undefined;
  return [new Promise<T>((resolve) => (settle = resolve)), (value) => settle(value)];
}

/**
 * What brings facts goes first, the store last: everything acknowledged is on disk by then, and packed beside it.
 * `served` is told in between, when nobody waits for the node any more.
 */
export async function closeAll(opened: Opened, served: () => void = () => undefined): Promise<void> {
  const { timers, chain, gateway, snapshots, api, transport, store } = opened;
  const { admin, stopReports, callsInOrder, recorder, checkpoint, pages } = opened;
  opened.isClosing = true;
  stopReports();
  await admin?.close();
  for (const timer of timers.values()) clearTimeout(timer);
  chain?.close(() => undefined);
  gateway?.close(() => undefined);
  snapshots?.close(() => undefined);
  // While HTTP closes, calls that wait are still answered.
  for (const each of [api, transport]) if (each !== undefined) await closed(each);
  callsInOrder.stop();
  served();
  await checkpoint?.close();
  if (store !== undefined) await closed(store);
  recorder?.close();
  pages?.close();
}

function closed(each: { readonly close: (done: () => void) => void }): Promise<void> {
  return new Promise((resolve) => each.close(resolve));
}
