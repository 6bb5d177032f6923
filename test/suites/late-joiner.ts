/**
 * The flagship dispute with one node more, without an endpoint, which is down until the chain has decided and then
 * starts from a file of a node that saw it. Source: DESIGN L3, L7; protocol 05 §6.9.
 */

import { membersOf } from "../../core/domains/snapshots/tar.ts";
import type { NodeConfiguration, PublicKey } from "../../core/index.ts";
import { disputeById } from "../../core/testing.ts";
import { scenarios } from "../../scenarios/index.ts";
import type { Action } from "../../sim/action-kinds.ts";
import type { Checker } from "../../sim/checker.ts";
import type { SlotTally } from "../../sim/checkers/snapshots-keep-slots.ts";
import { snapshotsKeepSlots } from "../../sim/checkers/snapshots-keep-slots.ts";
import { crash } from "../../sim/fault-plans.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { seconds } from "../../sim/scenario.ts";
import { openWallet } from "../../sim/wallet.ts";
import type { NodeSeat } from "../../sim/world.ts";
import { crypto } from "../rpc/lone-node.ts";

const flagship = scenarios.find(({ name }) => name === "dispute-decided-on-chain") as Scenario;
/** Makes files, sees the chain; another that heard everything and sees no chain; and the late one, likewise blind. */
const [MAKER, BLIND] = [0, 7];
export const LATE = flagship.nodes;
/** All nodes have started by then. */
export const STARTED_MS = 600;
const JOINS_AT = seconds(420);
const READS_AT = seconds(470);

/** What the late node took and showed. */
export interface Joined {
  /** `state` of the file that came last. */
  state: Uint8Array | undefined;
  readonly answers: Map<string, string>;
  /** By which transaction the chain decided, as the maker of the file shows it. */
  execution: string | null | undefined;
  roots: readonly [late: string, blind: string] | undefined;
}

export function nothingJoined(): Joined {
  return { state: undefined, answers: new Map(), execution: undefined, roots: undefined };
}

export function lateJoiner(tally: SlotTally, joined: Joined): Scenario {
  return {
    ...flagship,
    name: "late-joiner",
    nodes: LATE + 1,
    nodesMin: LATE + 1,
    gossipOnly: [...flagship.gossipOnly, LATE],
    actions: [...flagship.actions, readsAtLast],
    faults: [...flagship.faults, crash(LATE, { from: STARTED_MS, until: JOINS_AT })],
    lasts: READS_AT + seconds(20),
    safety: [...flagship.safety, (context) => snapshotsKeepSlots(context, tally), () => watcherOf(joined)],
    ending(world) {
      const views = [MAKER, BLIND, LATE].map((node) => world.nodes[node]?.driver()?.view);
      const maker = views[0] && disputeById(views[0], DISPUTE);
      joined.execution = maker?.onchain_execution_signature;
      joined.roots = [JSON.stringify(world.rootsOf(LATE)), JSON.stringify(world.rootsOf(BLIND))];
      return { columns: [], rows: [] };
    },
  };
}

const DISPUTE = "dispute-1004";

const readsAtLast: Action = {
  kind: "code",
  ...{ name: "read at the late node", actor: "late reader", at: READS_AT, via: LATE },
  *run(person) {
    yield* person.ask("getCheckpointSlot", {});
    yield* person.ask("getDispute", { id: DISPUTE });
    yield* person.ask("getSettledVolume", {});
    yield* person.ask("getSettlement", { id: "settlement-1004" });
  },
};

function watcherOf(joined: Joined): Checker {
  return {
    name: "late-joiner",
    onStep({ node, input }) {
      if (node === LATE && input.type === "snapshot.fetched" && input.outcome.ok)
        joined.state = membersOf(input.outcome.archive)?.get("state");
    },
    onAnswer({ node, request, answer }) {
      const method = /"method":"(\w+)"/.exec(request)?.[1];
      if (node === LATE && method !== undefined) joined.answers.set(method, answer);
    },
  };
}

/** What a node is told: the maker's files are trusted. */
export function joinerPart(seed: bigint, seat: NodeSeat): Partial<NodeConfiguration> {
  const anchors = [openWallet(crypto, seed, `node/${MAKER}`).publicKey as PublicKey];
  if (seat.index !== MAKER) return { snapshots: { anchors } };
  return { listing: { snapshotUrls: [seat.base] }, snapshots: { anchors, produceEveryMs: 60_000 } };
}
