// Goal: what an endpoint does not tell of a transaction is unknown, not empty; and what failed costs no request
// (protocol 03 A.10.3 R3, R4). Method: tables over what endpoints tell; one endpoint over a simulated chain.
import { afterEach, describe, expect, test } from "vitest";
import type { SeenTransaction } from "../../adapters/chain/seen-transaction.ts";
import type { Telling } from "../../adapters/chain/transaction-agreement.ts";
import { agreementOf } from "../../adapters/chain/transaction-agreement.ts";
import type { RpcChainWorld } from "./rpc-chain-world.ts";
import { happen, openRpcChainWorld, told, vault, vaultWire } from "./rpc-chain-world.ts";

const invoked = { loaded: [], inner: [] };
const whole: SeenTransaction = {
  ...{ slot: 7n, succeeded: true, wire: Uint8Array.of(1), keys: [] },
  ...{ logs: ["a"], invoked },
};
const logged = { ...whole, invoked: undefined };
const plain = { ...logged, logs: undefined };
const otherLog = { ...logged, logs: ["b"] };
const tells = (seen: SeenTransaction | null): Telling => ({ type: "told", seen });
const [waits, mute]: readonly [Telling, Telling] = [{ type: "waits" }, { type: "mute" }];

describe("what endpoints agree on", () => {
  test.each([
    ["one tells all of it", [tells(whole)], whole],
    ["one tells all, one less", [tells(whole), tells(plain)], whole],
    ["one tells all, one is out", [tells(whole), mute], whole],
    ["none tells what was invoked", [tells(logged), tells(logged)], logged],
    ["one of them kept no log", [tells(logged), tells(plain)], logged],
    ["none kept a log", [tells(plain), tells(plain)], plain],
    ["of three, one tells all: too few", [tells(whole), tells(plain), tells(plain)], plain],
    ["it is not there", [tells(null), tells(null)], null],
  ] as const)("%s", (_, tellings, seen) => expect(agreementOf(tellings)).toMatchObject({ type: "agreed", seen }));

  test.each([
    ["another log", [tells(logged), tells(otherLog)], "contradicted"],
    ["there in part, and not there", [tells(plain), tells(null)], "contradicted"],
    ["there, and not there", [tells(whole), tells(null)], "contradicted"],
    ["in part, and no answer", [tells(plain), waits], "waiting"],
    ["nobody has a voice", [mute], "waiting"],
  ] as const)("%s: %s", (_, tellings, type) => expect(agreementOf(tellings).type).toBe(type));
});

describe("a transaction that failed", () => {
  let world: RpcChainWorld;
  afterEach(() => world.end());

  test("is never fetched", async () => {
    world = await openRpcChainWorld(1);
    world.port.watch(vault);
    await happen(world);
    await world.until(() => told(world, "transaction").length === 1);
    const fetched = () => world.servers[0]?.asked.get("getTransaction");
    const before = fetched();
    world.send(vaultWire(world));
    await world.pass(40);
    await world.rest();
    expect([fetched(), told(world, "transaction").length]).toEqual([before, 1]);
  });
});
