/**
 * Goal: whose files are taken: anchors' always; once there is a checkpoint, those of producers whose stake this node
 * read itself, lately and enough; of a short one not even the announcement (protocol 05 §6.3 row 6, §6.9 rows 4-5,
 * §6.10).
 * Method: a node whose chain endpoint answers as the test says; every stake status at its boundaries.
 */
import { describe, expect, test } from "vitest";
import { Registration } from "../../core/domains/providers/schema.ts";
import { SnapshotAnnounce } from "../../core/domains/snapshots/schema.ts";
import { CHECKPOINT, Checkpoints } from "../../core/domains/snapshots/tables.ts";
import { isAnchor, STAKE_MIN, STAKE_STANDS_MS, stakeStatusOf } from "../../core/domains/snapshots/trust.ts";
import { devnetNetwork } from "../../core/index.ts";
import type { ChainAccountBytes } from "../../core/inputs.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { stakeRoles } from "../../core/solana/addresses.ts";
import { addresses, answerConfig, stake } from "../governance/fixtures.ts";
import { announcement, registration, SNAPSHOT_SERVICE, T } from "../oracles/market.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { gossipOnly, person, signedData } from "../rpc/lone-node.ts";
import type { StagedNode } from "./stage.ts";
import { producer, SLOT, stage, taker, taking } from "./stage.ts";

const { SnapshotProvider } = stakeRoles;
const staked = person(61);
const addressOf = (who: Person) => addresses.stakeAccount(who.key, SnapshotProvider).address;

/** A node that has imported before, and reads stakes. */
function connected(): StagedNode {
  const node = stage({ who: taker, now: T, shelf: new Map(), told: { ...taking, chain: "RpcConnected" } });
  const bytes = Buffer.from("0100000000000000", "hex");
  node.accept({ type: "store.loaded", rows: [{ table: Checkpoints.name, key: CHECKPOINT, bytes }], last: true });
  return node;
}

function tell(node: LoneNode, by: Person, id = "file"): void {
  const timestamp = node.now as EpochMillis;
  node.gossip(Registration, registration(by, { ...SNAPSHOT_SERVICE, timestamp }), by);
  node.gossip(SnapshotAnnounce, announcement(by, { id, created_at: timestamp, slot: SLOT }), by);
}

const tick = (node: LoneNode) => node.accept({ type: "timer.fired", timer: "provider-stakes" });
const asked = (node: LoneNode) =>
  node.effects.flatMap((effect) => (effect.type === "chain.read" ? [effect.address] : []));

function answer(node: LoneNode, who: Person, account: ChainAccountBytes | null): void {
  node.accept({ type: "chain.observed", observation: { type: "account", address: addressOf(who), slot: 1n, account } });
}

const stakeStatus = (node: LoneNode, who = staked) =>
  stakeStatusOf(
    node.view,
    { ...gossipOnly(devnetNetwork), ...taking, chain: "RpcConnected" },
    who.key,
    node.now as EpochMillis,
  );

function searched(node: StagedNode): readonly string[] {
  node.accept({ type: "timer.fired", timer: "snapshot-bootstrap" });
  node.settle();
  return node.fetched;
}

describe("a stake is read", () => {
  test("of producers that announce, and of what the chain asks; of anchors none, and of none without a chain", () => {
    const node = connected();
    tick(node);
    expect(asked(node)).toEqual([]);
    tell(node, staked);
    tell(node, producer, "anchored");
    tick(node);
    expect(asked(node)).toEqual([addresses.stakingConfig().address, addressOf(staked)]);
    const gossiping = stage({ who: taker, now: T, shelf: new Map(), told: taking });
    tell(gossiping, staked);
    tick(gossiping);
    expect(asked(gossiping)).toEqual([]);
  });

  test("and stands for ten minutes; what an endpoint fails to answer leaves it as it was", () => {
    const node = connected();
    tell(node, staked);
    tick(node);
    expect(stakeStatus(node)).toBe("unread");
    answer(node, staked, stake(staked, STAKE_MIN, SnapshotProvider));
    expect(stakeStatus(node)).toBe("unread");
    answerConfig(node);
    expect(stakeStatus(node)).toBe("qualified");
    node.now += BigInt(STAKE_STANDS_MS);
    tick(node);
    expect(stakeStatus(node)).toBe("qualified");
    node.now += 1n;
    expect(stakeStatus(node)).toBe("unread");
  });

  test.each([
    ["enough", stake(staked, STAKE_MIN, SnapshotProvider), "qualified"],
    ["one unit short", stake(staked, STAKE_MIN - 1n, SnapshotProvider), "short"],
    ["nothing", null, "short"],
    ["another's", stake(producer, STAKE_MIN, SnapshotProvider), "unread"],
    ["in another role", stake(staked, STAKE_MIN, 2), "unread"],
    ["of another program", { ...stake(staked, STAKE_MIN, SnapshotProvider), owner: producer.key }, "unread"],
    ["cut off", { ...stake(staked, STAKE_MIN), data: new Uint8Array(40) }, "unread"],
  ] as const)("as %s", (_, account, expected) => {
    const node = connected();
    tell(node, staked);
    tick(node);
    answerConfig(node);
    answer(node, staked, account);
    expect(stakeStatus(node)).toBe(expected);
  });
});

describe("with a checkpoint, and away for long, a file is asked for", () => {
  test("of an anchor without a look, of a staked producer once it is known to be one", () => {
    const node = connected();
    tell(node, staked);
    expect(searched(node)).toEqual([]);
    tick(node);
    answerConfig(node);
    answer(node, staked, stake(staked, STAKE_MIN - 1n, SnapshotProvider));
    expect(searched(node)).toEqual([]);
    answer(node, staked, stake(staked, STAKE_MIN, SnapshotProvider));
    expect(searched(node)).toEqual(["file"]);
    tell(node, producer, "anchored");
    expect(searched(node)).toContain("anchored");
  });

  test("of nobody who is merely staked, for the first", () => {
    const node = stage({ who: taker, now: T, shelf: new Map(), told: { ...taking, chain: "RpcConnected" } });
    tell(node, staked);
    tick(node);
    answerConfig(node);
    answer(node, staked, stake(staked, STAKE_MIN, SnapshotProvider));
    expect([stakeStatus(node), searched(node)]).toEqual(["qualified", []]);
  });
});

test("an announcement of a producer that is short is refused; one that is unread is not", () => {
  const node = connected();
  const announce = (id: string) => {
    const payload = announcement(staked, { id, slot: SLOT });
    return node.call("sendSnapshotAnnounce", { data: signedData(SnapshotAnnounce, payload, staked) });
  };
  tell(node, staked);
  expect(announce("unread")).toBe("unread");
  tick(node);
  answerConfig(node);
  answer(node, staked, null);
  expect(announce("short")).toBe(2);
  answer(node, staked, stake(staked, STAKE_MIN, SnapshotProvider));
  expect(announce("qualified")).toBe("qualified");
});

test("anchors are the pinned ones and the operator's", () => {
  const told = { ...gossipOnly(devnetNetwork), ...taking };
  expect(isAnchor(told, producer.key)).toBe(true);
  expect(isAnchor(told, staked.key)).toBe(false);
  expect(isAnchor(gossipOnly(devnetNetwork), producer.key)).toBe(false);
  expect(isAnchor(gossipOnly(devnetNetwork), "ALLENLMtV1zEAHT3xpVryqcbdPCB8c9JhM1Jdbe5XHg5")).toBe(true);
});
