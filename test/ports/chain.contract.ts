/**
 * Goal: every ChainPort shows the chain alike: finalized, oldest first, once in each life, nothing missing.
 * Method: a merchant's vault and what happens to it; the harness of each adapter moves its chain and lets its port
 * look until a condition holds, so that no test waits for a clock. Source: protocol 03 A.10.3 R3-R8, C.2, C2.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ChainObservation } from "../../core/index.ts";
import { toBase58 } from "../../core/kernel/text.ts";
import type { ChainPort } from "../../core/ports/chain.ts";
import * as build from "../../sim/chain/instructions.ts";
import type { Instruction } from "../../sim/chain/transaction.ts";
import { signTransaction } from "../../sim/chain/transaction.ts";
import { addressOf, at, crypto, tokensOf, usdc, wallets } from "../sim/chain/chain-world.ts";

export interface ChainWorld {
  readonly port: ChainPort;
  /** What the present port told. */
  readonly seen: readonly ChainObservation[];
  /** A blockhash that the chain takes now. */
  blockhash(): string;
  /** The newest finalized slot of the chain itself. */
  finalized(): bigint;
  /** Sends past the port. */
  send(wire: Uint8Array): void;
  /** Moves the chain on by so many slots at least. */
  pass(slots: number): Promise<void>;
  /** Lets the port look until it holds; the chain may move. Rejects when it never does. */
  until(holds: () => boolean): Promise<void>;
  /** Lets the port look for as long as it takes to see everything. */
  rest(): Promise<void>;
  /** Whether every endpoint fails; by how many slots they are behind. */
  condition(changed: { readonly failing?: boolean; readonly lagSlots?: bigint }): void;
  /** Another fork wins, on which no unfinalized transaction was ever heard of. */
  forget(): Promise<void>;
  /** Closes the port and opens another one over the same chain. */
  reopen(): Promise<void>;
  end(): Promise<void>;
}

const merchant = addressOf("merchant");
const vault = at.liquidityVault(merchant, usdc.mint).address;
const stranger = addressOf("stranger");
const create = build.createLiquidityVault(at, merchant, usdc);

let world: ChainWorld;

export function describeChain(name: string, open: () => Promise<ChainWorld>): void {
  describe(`chain: ${name}`, () => {
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.end());
    describeSlots();
    describeWatching();
    describeHistories();
    describeLevels();
    describeReading();
    describeSubmitting();
    describeTrouble();
  });
}

function describeSlots(): void {
  test("slots never fall, and their blockhashes are taken", async () => {
    await world.until(() => of("slot").length > 0);
    await world.pass(100);
    const told = of("slot").length;
    await world.until(() => of("slot").length > told);
    const slots = of("slot").map(({ slot }) => slot);
    expect(slots.every((slot, place) => place === 0 || slot >= slots[place - 1]!)).toBe(true);
    const { blockhash } = of("slot").at(-1)!;
    world.port.submit("signature", signed([create], blockhash));
    await world.until(() => of("submitted").length > 0);
  });
}

function describeWatching(): void {
  test("what touches a watched address is told as finalized, oldest first, once", async () => {
    world.port.watch(vault);
    await happen([create]);
    await happen([create]);
    await happen([build.depositLiquidity(at, merchant, usdc, tokensOf("merchant", usdc), 5n)]);
    const told = () => of("transaction").filter(({ succeeded }) => succeeded);
    await world.until(() => told().length >= 2);
    await world.rest();
    expect(told()).toHaveLength(2);
    expect(told().every(({ address, commitment }) => address === vault && commitment === "finalized")).toBe(true);
    expect(told()[0]!.slot < told()[1]!.slot).toBe(true);
    expect(told()[0]!.logs[0]).toBe(`Program ${at.profile.escrowProgram} invoke [1]`);
  });

  test("the bytes told are the bytes signed", async () => {
    world.port.watch(vault);
    const wire = await happen([create]);
    await world.until(() => of("transaction").length > 0);
    expect(of("transaction")[0]!.wire).toEqual(wire);
  });

  test("before it is finalized nothing is told", async () => {
    world.port.watch(vault);
    await world.until(() => of("slot").length > 0);
    world.send(signed([create], world.blockhash()));
    await world.until(() => of("transaction").length > 0);
    expect(of("transaction")[0]!.slot).toBeLessThanOrEqual(world.finalized());
  });
}

function describeHistories(): void {
  test("a long history is told from its beginning, also what comes while it is told", async () => {
    const amounts = Array.from({ length: 17 }, (_, n) => BigInt(n + 1));
    await happen([create]);
    await deposit(amounts.slice(0, 12));
    world.port.watch(vault);
    await world.until(() => of("transaction").length >= 3);
    await deposit(amounts.slice(12));
    await world.until(() => of("transaction").length >= 18);
    await world.rest();
    expect(of("transaction").map(depositIn)).toEqual([undefined, ...amounts]);
  });

  test("nothing is told of what nobody watches; watching again begins anew", async () => {
    await happen([create]);
    await world.rest();
    expect(of("transaction")).toEqual([]);
    world.port.watch(vault);
    world.port.watch(vault);
    await world.until(() => of("transaction").length > 0);
    world.port.unwatch(vault);
    await deposit([5n]);
    await world.rest();
    expect(of("transaction")).toHaveLength(1);
    world.port.watch(vault);
    await world.until(() => of("transaction").length >= 3);
    await world.rest();
    expect(of("transaction").map(depositIn)).toEqual([undefined, undefined, 5n]);
  });

  test("an address that nothing touches tells nothing", async () => {
    world.port.watch(at.tradeEscrow(1n).address);
    await happen([create]);
    await world.rest();
    expect(world.seen.filter(({ type }) => type !== "slot" && type !== "disagreement")).toEqual([]);
  });

  test("a new life is told everything again, a closed one nothing more", async () => {
    world.port.watch(vault);
    await happen([create]);
    await world.until(() => of("transaction").length > 0);
    const before = world.seen;
    const told = before.length;
    await world.reopen();
    world.port.watch(vault);
    await deposit([5n]);
    await world.until(() => of("transaction").length >= 2);
    expect(before).toHaveLength(told);
    expect(of("transaction").map(depositIn)).toEqual([undefined, 5n]);
  });
}

function describeLevels(): void {
  test("what is watched as confirmed is told as confirmed, and again as finalized", async () => {
    world.port.watch(vault, "confirmed");
    world.send(signed([create], world.blockhash()));
    await world.pass(3);
    await world.until(() => of("transaction").length >= 2);
    await world.rest();
    const [first, second, ...more] = of("transaction");
    expect([first?.commitment, second?.commitment, more]).toEqual(["confirmed", "finalized", []]);
    expect({ ...second, commitment: "confirmed" }).toEqual(first);
  });

  test("a transaction is looked up: at the level that it has, or absent as of slots", async () => {
    const wire = signed([create], world.blockhash());
    const signature = signatureOf(wire);
    world.port.check(signature);
    await world.until(() => of("absent").length > 0);
    const [absent] = of("absent");
    expect(absent).toMatchObject({ type: "absent", signature });
    expect(absent!.confirmed).toBeGreaterThanOrEqual(absent!.finalized);
    world.send(wire);
    await world.pass(3);
    world.port.check(signature);
    await world.until(() => of("transaction").length > 0);
    expect(of("transaction")[0]).toMatchObject({ address: null, signature, succeeded: true, wire });
    await world.pass(40);
    world.port.check(signature);
    await world.until(() => of("transaction").length > 1);
    expect(of("transaction").at(-1)).toMatchObject({ address: null, commitment: "finalized", signature });
  });

  test("what a fork dropped is absent as of a slot that is not before its own, and is never told as final", async () => {
    world.port.watch(vault, "confirmed");
    world.send(signed([create], world.blockhash()));
    await world.pass(3);
    await world.until(() => of("transaction").length > 0);
    const [{ signature, slot }] = of("transaction") as readonly { signature: string; slot: bigint }[] as [
      { readonly signature: string; readonly slot: bigint },
    ];
    await world.forget();
    await world.pass(5);
    const gone = () => of("absent").some(({ confirmed }) => confirmed >= slot);
    world.port.check(signature);
    await world.until(() => of("absent").length > 0);
    world.port.check(signature);
    await world.until(gone);
    await world.pass(40);
    await world.rest();
    expect(of("transaction").map(({ commitment }) => commitment)).toEqual(["confirmed"]);
  });
}

function describeReading(): void {
  test("an account is read as it is, one that does not exist as null", async () => {
    await happen([create]);
    world.port.read(vault, 0n);
    world.port.read(at.tradeEscrow(1n).address, 0n);
    await world.until(() => of("account").length >= 2);
    const found = new Map(of("account").map(({ address, account }) => [address, account]));
    expect(found.get(vault)?.owner).toBe(at.profile.escrowProgram);
    expect(found.get(vault)?.data).toHaveLength(114);
    expect(found.get(at.tradeEscrow(1n).address)).toBeNull();
  });

  test("an account is read at the level that was asked for", async () => {
    await world.until(() => of("slot").length > 0);
    world.send(signed([create], world.blockhash()));
    await world.pass(3);
    world.port.read(vault, 0n, "confirmed");
    await world.until(() => of("account").length > 0);
    expect(of("account")[0]).toMatchObject({ address: vault, commitment: "confirmed" });
    expect(of("account")[0]!.account?.owner).toBe(at.profile.escrowProgram);
  });

  test("an account is read as of a slot that is not older than the one asked for", async () => {
    await world.until(() => of("slot").length > 0);
    const later = of("slot").at(-1)!.slot + 60n;
    world.port.read(stranger, later);
    await world.rest();
    const head = of("slot").at(-1)!.slot;
    if (head < later) expect(of("account")).toEqual([]);
    await world.pass(70);
    await world.until(() => of("account").length > 0);
    expect(of("account")[0]!.slot).toBeGreaterThanOrEqual(later);
  });

  test("a later slot that an account is asked for as of keeps nobody waiting who asked for an earlier one", async () => {
    await world.until(() => of("slot").length > 0);
    const { slot } = of("slot").at(-1)!;
    const later = slot + 1_000n;
    world.port.read(stranger, later);
    world.port.read(stranger, slot);
    await world.until(() => of("account").length > 0);
    expect(of("account")[0]!.slot).toBeLessThan(later);
    await world.pass(1_100);
    await world.until(() => of("account").some((told) => told.slot >= later));
  });
}

function describeSubmitting(): void {
  test("what the chain can take is submitted, and lands", async () => {
    world.port.watch(vault);
    world.port.submit("signature", signed([create], world.blockhash()));
    await world.until(() => of("submitted").length > 0);
    expect(of("submitted")).toEqual([{ type: "submitted", signature: "signature" }]);
    await world.until(() => of("transaction").length > 0);
  });

  test("what no block can take is refused, each once", async () => {
    world.port.submit("broken", Uint8Array.of(1, 2, 3));
    world.port.submit("stale", signed([create], "11111111111111111111111111111111"));
    await world.until(() => of("refused").length >= 2);
    await world.rest();
    const reasons = new Map(of("refused").map(({ signature, reason }) => [signature, reason]));
    expect([...reasons.keys()].length).toBe(of("refused").length);
    expect(reasons.has("broken")).toBe(true);
    expect(reasons.get("stale")).toContain("BLOCKHASH_NOT_FOUND");
  });
}

function describeTrouble(): void {
  test("when no endpoint answers that is said, and afterwards nothing is missing", async () => {
    world.port.watch(vault);
    await happen([create]);
    await world.until(() => of("transaction").length > 0);
    world.condition({ failing: true });
    await deposit([5n]);
    world.port.read(vault, 0n);
    await world.until(() => of("unavailable").length > 0);
    expect(of("transaction")).toHaveLength(1);
    world.condition({});
    const told = of("slot").length;
    await world.until(() => of("transaction").length >= 2 && of("slot").length > told);
    await world.rest();
    expect(of("transaction")).toHaveLength(2);
  });

  test("endpoints that are behind tell later, and the same", async () => {
    await world.pass(80);
    world.port.watch(vault);
    await world.until(() => of("slot").length > 0);
    world.condition({ lagSlots: 500n });
    await happen([create]);
    await world.rest();
    expect(of("transaction")).toEqual([]);
    world.condition({});
    await world.until(() => of("transaction").length > 0);
    const slots = of("slot").map(({ slot }) => slot);
    expect(slots.every((slot, place) => place === 0 || slot >= slots[place - 1]!)).toBe(true);
  });

  test("nothing is told during a call", async () => {
    await world.until(() => of("slot").length > 0);
    const told = world.seen.length;
    world.port.watch(vault);
    world.port.read(vault, 0n);
    world.port.submit("broken", Uint8Array.of(1));
    world.port.unwatch(vault);
    expect(world.seen.length).toBe(told);
  });
}

/** What was told of one type. */
function of<T extends ChainObservation["type"]>(type: T): Extract<ChainObservation, { readonly type: T }>[] {
  return world.seen.filter((each): each is Extract<ChainObservation, { readonly type: T }> => each.type === type);
}

function signed(instructions: readonly Instruction[], blockhash: string): Uint8Array {
  return signTransaction({ payer: merchant, instructions, blockhash }, [wallets.merchant], crypto);
}

/** Sends past the port, and waits until it is final. */
async function happen(instructions: readonly Instruction[]): Promise<Uint8Array> {
  const wire = signed(instructions, world.blockhash());
  world.send(wire);
  await world.pass(40);
  return wire;
}

/** The first signature of a transaction with one. */
function signatureOf(wire: Uint8Array): string {
  return toBase58(wire.slice(1, 65));
}

/** Deposits of these amounts, one transaction each. */
async function deposit(amounts: readonly bigint[]): Promise<void> {
  for (const amount of amounts) {
    const instruction = build.depositLiquidity(at, merchant, usdc, tokensOf("merchant", usdc), amount);
    world.send(signed([instruction], world.blockhash()));
    await world.pass(1);
  }
  await world.pass(40);
}

/** The amount of a deposit: the last eight bytes of the transaction. */
function depositIn({ wire }: { readonly wire: Uint8Array }): bigint | undefined {
  const amount = new DataView(wire.buffer, wire.byteOffset, wire.length).getBigUint64(wire.length - 8, true);
  return amount < 1_000n ? amount : undefined;
}
