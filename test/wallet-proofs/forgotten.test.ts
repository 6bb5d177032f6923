/**
 * Goal: a challenge ends with the memory that knows whether it was answered: with the process, and with a memory that
 * is built again because a commit failed (protocol 03 B.6, W-12).
 * Method: every read that a proof of a wallet opens, with a used and an unused nonce; the bug that was once there.
 */
import { describe, expect, test } from "vitest";
import type * as CoreIndex from "../../core/index.ts";
import { createDriver, devnetNetwork } from "../../core/index.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { StoreRow } from "../../core/ports/store.ts";
import { SessionCreate } from "../../core/testing.ts";
import { proofRows } from "../../sim/proof-rows.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { crypto, gossipOnly, loneNode, person, signedData } from "../rpc/lone-node.ts";
import { proofFor } from "./caller.ts";

type Core = Pick<typeof CoreIndex, "createDriver" | "devnetNetwork">;
type BadNode = Pick<LoneNode, "call"> & { failing: boolean };

const T = 1_786_000_000_000n;
const victim = person(0x22);

describe("a nonce of a memory that is gone", () => {
  const surfaces = proofRows.filter(({ subject, needsId }) => subject === "wallet" && !needsId);

  test.each(surfaces)("$method: opens nothing after a restart, used or not", ({ method }) => {
    const rows = new Map<string, StoreRow>();
    const start = (seed: number) => loneNode(T, undefined, rows, {}, new Uint8Array(32).fill(seed));
    const before = start(1);
    const [used, unused] = [1, 2].map(() => proofFor(before, method, victim));
    expect(before.call(method, used)).toEqual([]);
    const after = start(2);
    expect([after.call(method, used), after.call(method, unused)]).toEqual([6, 6]);
    expect(after.call(method, proofFor(after, method, victim))).toEqual([]);
  });

  test.each(surfaces)("$method: opens nothing after a failed commit, used or not", ({ method }) => {
    const node = nodeOnBadDisk();
    expect(afterFailure(node, method)).toEqual([6, 6]);
    expect(node.call(method, proofFor(node, method, victim))).toEqual([]);
  });

  test("a node that goes on with the same challenges is found", async () => {
    const bug = { file: "core/engine/driver.ts", find: "    bootSeed = crypto.sha256(bootSeed);\n", replace: "" };
    const answers = await withPlantedBug(bug, async (load) => {
      return afterFailure(nodeOnBadDisk(await load<typeof CoreIndex>("core/index.ts")), "getMyTrades");
    });
    expect(answers).toEqual([[], []]);
  });
});

/** What a node answers to a proof that it has answered and to one that it has not, once a commit failed in between. */
function afterFailure(node: BadNode, method: string): readonly unknown[] {
  const [used, unused] = [1, 2].map(() => proofFor(node, method, victim));
  expect(node.call(method, used)).toEqual([]);
  node.failing = true;
  expect(node.call("sendSessionEstablish", { data: signedData(SessionCreate, session, victim) })).toBe(9000);
  node.failing = false;
  return [node.call(method, used), node.call(method, unused)];
}

const session = {
  ...{ id: "s", wallet: victim.peer, wallet_public_key: victim.key, client: "web", host_node: victim.peer },
  ...{ permissions: ["trade"], timestamp: T as EpochMillis, expires_at: (T + 3_600_000n) as EpochMillis },
};

/** A node whose store refuses what it is given while it is told to. */
function nodeOnBadDisk(core: Core = { createDriver, devnetNetwork }): BadNode {
  let answer = "";
  const node = {
    failing: false,
    call(method: string, params?: unknown): unknown {
      driver.accept({
        type: "rpc.called",
        replyTo: "1",
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      const parsed = JSON.parse(answer) as {
        result?: unknown;
        error?: { code: number; data?: { ofsErrorCode: number } };
      };
      return parsed.error === undefined ? parsed.result : (parsed.error.data?.ofsErrorCode ?? parsed.error.code);
    },
  };
  const driver = core.createDriver({
    crypto,
    configuration: gossipOnly(core.devnetNetwork),
    bootSeed: new Uint8Array(32),
    now: () => T as EpochMillis,
    store: {
      commit: (_, done) => done(node.failing ? { ok: false, error: { code: "full" } } : { ok: true, value: null }),
      load: (page) => page({ ok: true, value: { rows: [], last: true } }),
      close: (done) => done(),
    },
    perform(effect) {
      if (effect.type === "rpc.reply") answer = effect.body ?? "";
    },
  });
  return node;
}
