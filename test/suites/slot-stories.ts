/**
 * Random stories of files and slots: nodes with and without an endpoint make files and start from them, some cut off
 * from the first moment, some late, some restarted, with bad disks and lines, while a liar announces slots and files
 * that cannot be. Source: DESIGN §5 "Named suites", L7.
 */
import fc from "fast-check";
import { BlockhashAnnounced } from "../../core/domains/chain-bridge/gossip-events.ts";
import type { NodeConfiguration, PublicKey } from "../../core/index.ts";
import { toBase58 } from "../../core/index.ts";
import { encodeCompact } from "../../core/kernel/schema.ts";
import type { EpochMillis, Signature } from "../../core/kernel/values.ts";
import { eventId, Frame, frameOf, GossipEvent, OFS_GOSSIP, signedBytes } from "../../core/network/gossip/envelope.ts";
import { publishRate, registerOracle } from "../../sim/actions/oracle.ts";
import { announceFile, askFiles } from "../../sim/actions/snapshot.ts";
import { equalSetsEqualStates } from "../../sim/checkers/equal-sets-equal-states.ts";
import { readsChangeNothing } from "../../sim/checkers/reads-change-nothing.ts";
import { replicasConverge } from "../../sim/checkers/replicas-converge.ts";
import type { SlotTally } from "../../sim/checkers/snapshots-keep-slots.ts";
import { FORGED_FROM, FORGED_REPLY, snapshotsKeepSlots } from "../../sim/checkers/snapshots-keep-slots.ts";
import type { FaultPlan } from "../../sim/fault-plans.ts";
import { badFiles, crash, partition } from "../../sim/fault-plans.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { defineScenario, minutes } from "../../sim/scenario.ts";
import { openWallet } from "../../sim/wallet.ts";
import type { NodeSeat } from "../../sim/world.ts";
import { crypto } from "../rpc/lone-node.ts";
import { STARTED_MS } from "./late-joiner.ts";

export const NODES = 8;
/** Nodes without an endpoint: the last one makes no files. */
export const GOSSIP_ONLY = [2, 5, 7];
export const SILENT = 7;
/** Nodes whose files the others start from. */
const ANCHORS = [0, 1, 2];
/** No multiple of how often files are looked for, or the same nodes would always come too late. */
const PRODUCE_EVERY_MS = 17_000;
export const SPELL_MS = 90_000;

export type SlotFault =
  | { readonly fault: "cut"; readonly node: number; readonly until: number }
  | { readonly fault: "late"; readonly node: number; readonly until: number }
  | { readonly fault: "crash"; readonly node: number; readonly from: number; readonly until: number }
  | { readonly fault: "files"; readonly node: number; readonly from: number; readonly kind: number }
  | { readonly fault: "forged"; readonly node: number; readonly at: number; readonly slot: bigint };

export interface SlotStory {
  readonly faults: readonly SlotFault[];
  readonly lies: readonly { readonly at: number; readonly via: number; readonly slot: bigint }[];
  readonly asks: readonly { readonly at: number; readonly via: number }[];
}

const forgedSlot = fc.constantFrom(FORGED_FROM, 1n << 63n, (1n << 64n) - 1n);

export function arbSlotStory(): fc.Arbitrary<SlotStory> {
  const node = fc.nat(NODES - 1);
  const at = fc.integer({ min: 3_000, max: SPELL_MS - 10_000 });
  const early = fc.integer({ min: 1_000, max: 20_000 });
  const until = fc.integer({ min: 20_000, max: SPELL_MS - 5_000 });
  const fault: fc.Arbitrary<SlotFault> = fc.oneof(
    fc.record({ fault: fc.constant("cut" as const), node: fc.constantFrom(...GOSSIP_ONLY), until }),
    fc.record({ fault: fc.constant("late" as const), node: fc.integer({ min: 3, max: NODES - 1 }), until }),
    fc.tuple(node, at, fc.nat(9_000)).map(([which, from, ms]) => {
      return { fault: "crash" as const, node: which, from, until: from + ms };
    }),
    fc.record({ fault: fc.constant("files" as const), node, from: early, kind: fc.nat(3) }),
    fc.record({ fault: fc.constant("forged" as const), node, at, slot: forgedSlot }),
  );
  return fc.record({
    faults: fc.array(fault, { minLength: 2, maxLength: 8 }),
    lies: fc.array(fc.record({ at, via: node, slot: forgedSlot }), { minLength: 1, maxLength: 4 }),
    asks: fc.array(fc.record({ at: fc.nat(SPELL_MS), via: node }), { minLength: 3, maxLength: 12 }),
  });
}

/** What a story is about, in labels. */
export function kindsOf({ faults, lies }: SlotStory): readonly string[] {
  return [...faults.map(({ fault }) => fault), ...(lies.length > 1 ? ["several liars"] : [])];
}

/** A story on a stage; `tally` says what happened. */
export function slotScenario({ faults, lies, asks }: SlotStory, tally: SlotTally): Scenario {
  return defineScenario({
    provesFaults: false,
    name: "snapshot-slot-rules",
    description: "Nodes make files of their state and start from them, while a liar announces slots that cannot be.",
    source: "OFS-1300; protocol 05 §6.4, §6.9",
    nodes: NODES,
    chain: "bankrun",
    gossipOnly: GOSSIP_ONLY,
    actions: [
      registerOracle("ora", { at: 600, via: 0 }),
      publishRate("ora", RATE, { at: 1_500, via: 0 }),
      ...lies.map(({ at, via, slot }) => announceFile("liar", slot, "http://10.0.0.0:7080/snapshot/x", { at, via })),
      ...asks.map((when) => askFiles("reader", when)),
    ],
    faults: faults.map(faultOf),
    lasts: SPELL_MS,
    safety: [equalSetsEqualStates, readsChangeNothing, (context) => snapshotsKeepSlots(context, tally)],
    liveness: {
      within: minutes(5),
      checks: [replicasConverge, { name: "every-node-starts-from-a-file", missing: () => lacking(tally) }],
    },
  });
}

const RATE = { base: "USDC", quote: "KES", id: "r", rate: 129.52, version: 1n, lifetime: 600_000 };

function lacking({ took }: SlotTally): string | undefined {
  const missing = Array.from({ length: NODES }, (_, node) => node).filter((node) => !took.has(node));
  return missing.length === 0 ? undefined : `nodes ${missing.join(", ")} took no file`;
}

/** What a node of these stories is told beside the usual. */
export function snapshotPart(seed: bigint, seat: NodeSeat): Partial<NodeConfiguration> {
  const anchors = ANCHORS.map((node) => openWallet(crypto, seed, `node/${node}`).publicKey as PublicKey);
  if (seat.index === SILENT) return { snapshots: { anchors } };
  return {
    listing: { snapshotUrls: [seat.base], producesSnapshots: true },
    snapshots: { anchors, produceEveryMs: PRODUCE_EVERY_MS },
  };
}

function faultOf(fault: SlotFault): FaultPlan {
  if (fault.fault === "crash") return crash(fault.node, fault);
  if (fault.fault === "late") return crash(fault.node, { from: STARTED_MS, until: fault.until });
  if (fault.fault === "forged") return forged(fault);
  if (fault.fault === "files") {
    const kind = (["full", "unreachable", "cut", "damaged"] as const)[fault.kind] ?? "cut";
    return badFiles(fault.node, { [kind]: 700_000 }, { from: fault.from, until: SPELL_MS });
  }
  const others = Array.from({ length: NODES }, (_, node) => node).filter((node) => node !== fault.node);
  return partition([[fault.node], others], { from: 0, until: fault.until });
}

const LIAR = crypto.sha256(new Uint8Array([7]));

/** A liar's node tells one node of a slot. */
function forged({ node, at, slot }: Extract<SlotFault, { readonly fault: "forged" }>): FaultPlan {
  return {
    ...{ kind: "code", text: `slot ${slot} is announced to ${node}`, from: at, until: at, injects: ["peer"] },
    install(world) {
      world.loop.at(at, () => {
        const { bytes, peer } = forgedAnnouncement(slot, world.loop.epoch());
        const replyTo = `${FORGED_REPLY}/${at}`;
        world.nodes[node]?.driver()?.accept({ type: "message.received", from: peer, replyTo, bytes });
        world.faults.count("peer", true);
      });
    },
  };
}

function forgedAnnouncement(slot: bigint, now: EpochMillis) {
  const liar = openWallet(crypto, 0n, toBase58(LIAR));
  const payload = { blockhash: toBase58(LIAR), slot, observed_at: now };
  const body = {
    event_type: "BlockhashAnnounced",
    ofs_spec: 4300,
    version: 1,
    origin: liar.peer,
    timestamp: now,
    ttl: 8,
    priority: "SessionReservationSettlement" as const,
    payload: encodeCompact(BlockhashAnnounced, payload),
  };
  const signature = toBase58(crypto.sign(liar.keypair.secretKey, signedBytes(body))) as Signature;
  const event = { ...body, signature, id: eventId(crypto, { ...body, signature }) };
  const frame = frameOf(OFS_GOSSIP, "GossipPush", encodeCompact(GossipEvent, event), now);
  return { peer: liar.peer, bytes: encodeCompact(Frame, frame) };
}
