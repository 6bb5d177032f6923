/**
 * Goal: the newest slot that a node holds is one that somebody observed, outlives restarts, and is moved by no single
 * liar: not up beyond what the chain can have reached, not down at all (protocol 03 C8, C9, C11; 05 §6.4, §6.9).
 * Method: one node that hears slots from many origins; random stories with one liar among honest origins.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isPlausible, newestSlot } from "../../core/domains/chain-bridge/newest-slot.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { BLOCKHASH, T } from "../oracles/market.ts";
import { forAll } from "../property/for-all.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, person } from "../rpc/lone-node.ts";
import { announceSlot } from "../snapshots/slots.ts";

const SLOT = 412_000_000n;
/** Far above the chain, and not more than can have been since 1970. */
const FORGED = 4_000_000_000n;
const [ann, ben, cyd, liar, crony] = [1, 2, 3, 4, 5].map(person) as [Who, Who, Who, Who, Who];
type Who = ReturnType<typeof person>;

const heldBy = (node: LoneNode) => newestSlot(node.view)?.slot;
const wait = (node: LoneNode, ms: number) => {
  node.now += BigInt(ms);
};
const observe = (node: LoneNode, slot: bigint) =>
  node.accept({ type: "chain.observed", observation: { type: "slot", slot, blockhash: BLOCKHASH } });
const withEndpoint = () => loneNode(T, undefined, undefined, { chain: "RpcConnected" });

describe("a slot is held", () => {
  test("from the first that is heard, and outlives a restart; nothing but an observation moves it", () => {
    const node = loneNode(T);
    expect(heldBy(node)).toBe(undefined);
    announceSlot(node, ann, SLOT);
    wait(node, 90 * 86_400_000);
    expect([heldBy(node), heldBy(node.restart())]).toEqual([SLOT, SLOT]);
    expect(node.roots()).toEqual(loneNode(T).roots());
  });

  test("that grows as the chain does, whoever says so", () => {
    const node = loneNode(T);
    for (let n = 0n; n < 20n; n++) {
      announceSlot(node, [ann, ben, cyd][Number(n % 3n)] ?? ann, SLOT + 25n * n);
      wait(node, 10_000);
    }
    expect(heldBy(node)).toBe(SLOT + 25n * 18n);
  });

  test("of this node's own endpoint, whatever others say", () => {
    const node = withEndpoint();
    for (const by of [liar, crony]) announceSlot(node, by, FORGED);
    observe(node, SLOT);
    expect(heldBy(node)).toBe(SLOT);
    for (const by of [liar, crony, liar]) announceSlot(node, by, FORGED);
    for (const by of [liar, crony, liar]) announceSlot(node, by, 7n);
    wait(node, 100_000);
    for (const by of [liar, crony]) announceSlot(node, by, FORGED);
    expect([heldBy(node), heldBy(node.restart())]).toEqual([SLOT, SLOT]);
  });
});

describe("the bound", () => {
  const least = (ms: bigint) => SLOT + (ms + 399n) / 400n + 1_500n;
  test.each([0n, 1n, 400n, 401n, 60_000n, 86_400_000n])("%d ms later is what the chain can have reached", (ms) => {
    const node = loneNode(T);
    announceSlot(node, ann, SLOT);
    const now = (T + ms) as EpochMillis;
    expect(isPlausible(node.view, least(ms), now)).toBe(true);
    expect(isPlausible(node.view, least(ms) + 1n, now)).toBe(false);
    wait(node, Number(ms));
    announceSlot(node, ben, least(ms) + 1n);
    expect(heldBy(node)).toBe(SLOT);
    expect(node.effects.filter(({ type }) => type === "message.send")).toEqual([]);
  });

  test("of a node that holds no slot is what can have been since 1970", () => {
    expect(isPlausible(loneNode(T).view, FORGED, T)).toBe(true);
    expect(isPlausible(loneNode(T).view, T / 400n, T)).toBe(true);
    expect(isPlausible(loneNode(T).view, T / 400n + 1n, T)).toBe(false);
  });

  test("on what can have been since 1970 gives way to nobody", () => {
    for (const node of [loneNode(T), withEndpoint()]) {
      announceSlot(node, ann, SLOT);
      for (const by of [liar, crony]) announceSlot(node, by, T / 400n + 1n);
      expect(heldBy(node)).toBe(SLOT);
    }
  });

  test("gives way to two origins within a minute, and not to one that says it twice, nor to two further apart", () => {
    const node = loneNode(T);
    announceSlot(node, ann, SLOT);
    const far = SLOT + 90_000n;
    announceSlot(node, ben, far);
    announceSlot(node, ben, far + 1n);
    expect(heldBy(node)).toBe(SLOT);
    wait(node, 60_001);
    announceSlot(node, cyd, far);
    expect(heldBy(node)).toBe(SLOT);
    wait(node, 60_000);
    announceSlot(node, ben, far + 2n);
    expect(heldBy(node)).toBe(far);
  });
});

describe("a first slot is provisional", () => {
  test("a forged one is forgotten once two others agree, and not before", () => {
    const node = loneNode(T);
    announceSlot(node, liar, FORGED);
    announceSlot(node, ann, SLOT);
    announceSlot(node, liar, FORGED + 1n);
    expect(heldBy(node)).toBeGreaterThanOrEqual(FORGED);
    announceSlot(node, ben, SLOT - 3n);
    expect(heldBy(node)).toBe(SLOT - 3n);
    announceSlot(node, liar, FORGED + 2n);
    expect([heldBy(node), heldBy(node.restart())]).toEqual([SLOT - 3n, SLOT - 3n]);
  });

  test("one that is too low shuts nobody out", () => {
    const node = loneNode(T);
    announceSlot(node, liar, 5n);
    announceSlot(node, ann, SLOT);
    expect(heldBy(node)).toBe(5n);
    announceSlot(node, liar, 6n);
    announceSlot(node, ben, SLOT + 2n);
    expect(heldBy(node)).toBe(SLOT);
  });

  test("a true one is not belied by a single liar", () => {
    const node = loneNode(T);
    announceSlot(node, ann, SLOT);
    announceSlot(node, liar, 5n);
    expect(heldBy(node)).toBe(SLOT);
  });
});

test("one liar among honest origins never moves what is held out of reach of the chain", () => {
  const honest = [ann, ben, cyd];
  const lie = fc.oneof(
    fc.bigInt({ min: 0n, max: SLOT }),
    fc.bigInt({ min: SLOT, max: SLOT + 9_000n }),
    fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
  );
  const act = fc.record({
    waits: fc.nat({ max: 30_000 }),
    who: fc.nat(4),
    lie,
    offset: fc.nat(20),
    restart: fc.nat(9),
  });
  forAll(
    [fc.array(act, { maxLength: 60 })],
    (acts) => {
      let node = loneNode(T);
      for (const by of honest) announceSlot(node, by, SLOT);
      for (const { waits, who, lie: slot, offset, restart } of acts) {
        wait(node, waits);
        const chain = SLOT + (node.now - T) / 400n;
        const by = honest[who];
        if (by === undefined) announceSlot(node, liar, slot);
        else announceSlot(node, by, chain - BigInt(offset));
        if (restart === 0) node = node.restart();
        // A lie within reach of what is held may be believed as long as nobody honest is heard.
        const held = heldBy(node) ?? 0n;
        expect(held).toBeLessThanOrEqual(chain + 1_500n * BigInt(acts.length + 1));
        expect(held).toBeGreaterThanOrEqual(SLOT);
      }
      for (const by of honest) announceSlot(node, by, SLOT + (node.now - T) / 400n);
      expect(isPlausible(node.view, SLOT + (node.now - T) / 400n, node.now as EpochMillis)).toBe(true);
    },
    {
      runs: 40,
      classes: (acts) => [
        ...(acts.some(({ who }) => honest[who] === undefined) ? ["the liar speaks"] : []),
        ...(acts.some(({ who, lie: slot }) => honest[who] === undefined && slot < SLOT) ? ["a lie below"] : []),
        ...(acts.some(({ who, lie: slot }) => honest[who] === undefined && slot > SLOT + 9_000n)
          ? ["a lie far above"]
          : []),
        ...(acts.some(({ restart }) => restart === 0) ? ["restarts"] : []),
        ...(acts.length > 30 ? ["more than thirty acts"] : []),
      ],
      shares: {
        "the liar speaks": 0.7,
        "a lie below": 0.5,
        "a lie far above": 0.5,
        restarts: 0.6,
        "more than thirty acts": 0.3,
      },
    },
  );
});
