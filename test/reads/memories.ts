/**
 * Memories of nodes that came to the same in different orders: the words of a story, which the fold takes, and rows
 * that each node writes of itself, which no other node is told.
 */

import { deliveryKey } from "../../core/domains/notifications/schema.ts";
import type { DispatchRow, ReceiptRow } from "../../core/domains/notifications/tables.ts";
import { Dispatches, Receipts, receiptKey } from "../../core/domains/notifications/tables.ts";
import { epochOf } from "../../core/domains/rewards/epochs.ts";
import { Observations, observationKey } from "../../core/domains/rewards/tables.ts";
import type { Store } from "../../core/kernel/state.ts";
import type { Table } from "../../core/kernel/table.ts";
import type { PeerId } from "../../core/kernel/values.ts";
import { Peers } from "../../core/network/peers/peers.ts";
import { at } from "../convergence/actors.ts";
import type { Observation } from "../convergence/replica.ts";
import { openReplica } from "../convergence/replica.ts";
import { shuffleOf } from "../convergence/shuffle.ts";
import { everyone } from "../convergence/story.ts";

/** When the nodes are asked: after the story, and before anything of it is too old. */
export const ASKED_AT = at(140);
/** The epoch of the observations. */
export const EPOCH = epochOf(at(0)) - 1n;

interface Row {
  readonly table: string;
  readonly key: string;
  readonly record: unknown;
}

function row<R>(table: Table<R>, key: string, record: R): Row {
  return { table: table.name, key, record };
}

const [one, other] = [everyone[0]?.peer, everyone[1]?.peer] as unknown as [PeerId, PeerId];
const wallets = everyone.map(({ peer }) => peer);

/** What a node knows of its peers, what it saw of them, and what it handed to gateways. */
const own: readonly Row[] = [
  ...wallets.flatMap((peer, nth) => [
    row(Peers, peer, {
      ...{ peer_id: peer, node_version: "0.1.0", supported_ofs: [1000, 4100 + nth], roles: ["archive", "gateway"] },
      ...{ proven: [`/ip4/10.0.0.${nth}/tcp/4001`], told: [`/ip4/10.0.1.${nth}/tcp/4001`], last_seen: at(100) },
      ...{ latency_ms: null, successes: nth, failures: 0 },
      ...{ connected: true, dialled: true, recovered: true, served: true, leads: false, announces: true },
    }),
    row(Observations, observationKey(EPOCH, peer), {
      ...{ epoch: EPOCH, peer, slices: nth, announced_blockhash: false, served_content: false },
    }),
  ]),
  ...["n-1", "n-2"].flatMap((notification_id) =>
    ["gateway-a", "gateway-b"].flatMap((service_id) => {
      const shown = { notification_id, service_id, recipient_wallet: one, trigger: "ProposalPublished" as const };
      const known = { ...shown, updated_at: at(100), provider: other };
      const dispatch: DispatchRow = { ...known, channel: "Email", status: "Sent", handover: null };
      const receipt: ReceiptRow = { ...known, status: "Delivered", report: "report" };
      const delivery = deliveryKey(notification_id, service_id);
      return [row(Dispatches, delivery, dispatch), row(Receipts, receiptKey(other, delivery), receipt)];
    }),
  ),
];

/** The memory of a node that was told this in this order, and in parts of some size. */
function told(observations: readonly Observation[], rows: readonly Row[], part: number, restarts = false): Store {
  const replica = openReplica();
  for (let from = 0; from < observations.length; from += part) replica.receive(observations.slice(from, from + part));
  if (restarts) replica.restart();
  replica.store().commit(rows);
  return replica.store();
}

/** Nodes that were told the same: as it happened, from its end, in any order; and one that started again. */
export function memoriesOf(observations: readonly Observation[]): Readonly<Record<string, Store>> {
  const random = shuffleOf(observations.length);
  return {
    "as it happened": told(observations, own, 7),
    "from its end": told([...observations].reverse(), [...own].reverse(), 5),
    "in any order": told(random.shuffled(observations), random.shuffled(own), 1),
    "and started again": told(observations, random.shuffled(own), 7, true),
  };
}
